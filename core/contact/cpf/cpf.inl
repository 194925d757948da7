#pragma once

#include "core/contact/cpf/cpf.h"
#include "core/contact/cpf/tracked_penalty.inl"

namespace touchstone {

template <class Backend>
std::unique_ptr<Method<Backend>> cpf::Info::make(const Backend& backend, const MethodSetup& setup) {
  return std::make_unique<TrackedPenalty<Backend, CpfLaw>>(backend, setup);
}

}  // namespace touchstone
