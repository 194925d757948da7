#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/solver/linear/linear.h"
#include "core/solver/newton/carrier_systems.inl"
#include "core/solver/newton/newton_rows.inl"
#include "core/solver/rows/row_buffer.h"

namespace touchstone {

/// The linear systems of Newton's method with the matrix A of each island, on the host: for the linear
/// solvers direct and Gauss–Seidel. With direct the derivatives of the limit of a disk that slips, and of the
/// largest rate of a Maximum, are in the system as well.
class MatrixSystems {
 public:
  /// Forgets the matrices: rows are others now. @param islandCount  of the table
  void start(LinearSolver linear, int linearIterations, int largestProblem, int islandCount);
  /// The rows of an island, in the order of the unknowns. @param units  of the table, ascending
  void setUnits(int island, std::vector<int> units) { m_islands[island].units = std::move(units); }
  /// Solves S x = right of an island that runs, into `best` and `x` of its rows.
  /// @throws std::length_error if an island has more rows than it may have
  void solve(const detail::NewtonRows& system, int island);
  int largest() const;  ///< unknowns of the largest island with a matrix

 private:
  struct Island {
    std::vector<int> units;
    std::vector<int> rows;         ///< of the table, those of a unit together
    std::vector<RowPlace> places;  ///< [rows]
    Eigen::MatrixXd A;             ///< in units in which r = 1; rows are not turned
  };
  void assemble(const detail::NewtonRows& system, Island& island) const;

  LinearSolver m_linear = LinearSolver::Direct;
  int m_linearIterations = 0, m_largestProblem = 0;
  std::vector<Island> m_islands;
};

namespace detail {

struct SolveWithMatrix {  // one island per index, if it is running; on the host only
  NewtonRows system;
  MatrixSystems* matrices;
  CarrierSystems* carriers;
  const IslandCurve* curves;
  const IslandRows* reported;  // with `linear`, see NewtonSpace
  float* linear;
  int linearIterations;
  TS_HD void operator()(int island) const {
#ifndef __CUDA_ARCH__
    if (!system.running[island]) return;
    if (matrices) matrices->solve(system, island);
    const bool isTold = reported && island == reported->island;
    if (carriers)
      carriers->solve(system, island,
                      isTold ? linear + (curves[island].measured - 1) * linearIterations : nullptr);
#endif
  }
};

}  // namespace detail

}  // namespace touchstone
