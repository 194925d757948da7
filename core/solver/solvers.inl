#pragma once

#include <memory>

#include "core/solver/auto/auto_rows.inl"
#include "core/solver/carrier/carrier_rows.inl"
#include "core/solver/host/host_only.inl"
#include "core/solver/host/lemke_row_solver.inl"
#include "core/solver/newton/newton.inl"
#include "core/solver/solvers.h"
#include "core/solver/sweep/projected_gauss_seidel.inl"

namespace touchstone {

namespace detail {

template <class Backend>
std::unique_ptr<RowSolver<Backend>> makeNewtonOnHost(NcpFunction function, const Backend& backend) {
  if constexpr (Backend::kOnHost)
    return std::make_unique<NewtonRowsOn<Backend>>(function, backend);
  else
    return std::make_unique<HostOnly<Backend, NewtonRowsOn<HostBackend>>>(backend, function);
}

}  // namespace detail

template <class Backend>
std::unique_ptr<RowSolver<Backend>> makeRowSolver(RowSolverKind kind, const Backend& backend) {
  if (static_cast<int>(kind) >= kFirstRegisteredSolver)
    return registeredSolverMakers<Backend>().at(static_cast<int>(kind))(backend);
  switch (kind) {
    case RowSolverKind::Pgs:
      return std::make_unique<SweepsOn<Backend, false>>(backend);
    case RowSolverKind::PgsConjugate:
      return std::make_unique<SweepsOn<Backend, true>>(backend);
    case RowSolverKind::NewtonCarrier:
      return std::make_unique<NewtonOfCarriersOn<Backend>>(backend);
    case RowSolverKind::NewtonFb:
      return std::make_unique<NewtonRowsOn<Backend>>(NcpFunction::FischerBurmeister, backend);
    case RowSolverKind::NewtonMin:
      return std::make_unique<NewtonRowsOn<Backend>>(NcpFunction::MinimumMap, backend);
    case RowSolverKind::NewtonFbOnHost:
      return detail::makeNewtonOnHost(NcpFunction::FischerBurmeister, backend);
    case RowSolverKind::NewtonMinOnHost:
      return detail::makeNewtonOnHost(NcpFunction::MinimumMap, backend);
    case RowSolverKind::AutoOnHost:
      if constexpr (Backend::kOnHost)
        return std::make_unique<AutoRowsOn<Backend>>(backend);
      else
        return std::make_unique<HostOnly<Backend, AutoRowsOn<HostBackend>>>(backend);
    case RowSolverKind::Auto:
      return std::make_unique<AutoRowsOn<Backend>>(backend);
    case RowSolverKind::Lemke:
      break;
  }
  return std::make_unique<LemkeRowsOn<Backend>>(backend);
}

}  // namespace touchstone
