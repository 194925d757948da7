#pragma once

#include "core/contact/cpf/cpf.h"
#include "core/contact/cpf/dpf_ccd.h"
#include "core/contact/cpf/tracked_penalty.inl"
#include "core/contact/dpf/dpf.inl"

namespace touchstone {

/// The penalty method with this key on a backend, or null: none has it.
template <class Backend>
std::unique_ptr<PenaltyResponse<Backend>> makePenaltyResponse(const std::string& key, const Backend& backend,
                                                              const World& world) {
  if (key == "dpf") return std::make_unique<Dpf<Backend>>(backend, world);
  if (key == "dpf-ccd") return std::make_unique<TrackedPenalty<Backend, DpfCcdLaw>>(backend, world);
  if (key == "cpf") return std::make_unique<TrackedPenalty<Backend, CpfLaw>>(backend, world);
  return nullptr;
}

}  // namespace touchstone
