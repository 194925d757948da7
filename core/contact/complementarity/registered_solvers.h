#pragma once

#include "core/contact/method_info.h"
#include "core/solver/solvers.h"

namespace touchstone {

namespace detail {

template <class Solver, class... Backends>
void registerSolver() {
  const int kind = static_cast<int>(addRowSolver(Solver::kKey));
  ((registeredSolverMakers<Backends>()[kind] =
        [](const Backends& backend) { return Solver::template make<Backends>(backend); }),
   ...);
  offerSolver(Solver::kKey);
}

}  // namespace detail

/// Adds solvers, which every method with a choice of solvers then offers, to what these backends can make.
/// Call before other threads read the table of methods. @throws std::logic_error if a key is taken
template <class... Backends, class... Solvers>
void registerSolvers(SolverList<Solvers...>) {
  (detail::registerSolver<Solvers, Backends...>(), ...);
}

}  // namespace touchstone
