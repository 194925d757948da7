#pragma once

#include "core/contact/cpf/dpf_ccd.h"
#include "core/contact/cpf/tracked_penalty.inl"

namespace touchstone {

template <class Backend>
std::unique_ptr<Method<Backend>> dpf_ccd::Info::make(const Backend& backend, const MethodSetup& setup) {
  return std::make_unique<TrackedPenalty<Backend, DpfCcdLaw>>(backend, setup);
}

}  // namespace touchstone
