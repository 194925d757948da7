#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/solver/linear/linear.h"
#include "core/solver/newton/newton_rows.inl"
#include "core/solver/product/carrier_matrix.h"

namespace touchstone {

/// The linear systems of Newton's method on rows that are written again at each iterate, on the host: for the
/// linear solvers direct (CarrierMatrix) and Gauss–Seidel, which sweeps the rows in their order.
class CarrierSystems {
 public:
  /// @param islandCount  of the table   @param isExact  the impulse of a disk that slips follows its normal
  void start(LinearSolver linear, int linearIterations, bool isExact, int islandCount);
  /// The rows of an island. @param units  of the table, ascending
  void setUnits(const RowsView& table, int island, std::vector<int> units);
  /// Solves S x = right of an island that runs, into `best` of its rows.
  /// @param told  relative residuals after each sweep, out, or null
  void solve(const detail::NewtonRows& system, int island, float* told);

 private:
  /// A coupled row, in the order of the unknowns.
  struct Line {
    RowPlace place;
    int row;                      ///< of the table
    const int* carriers;          ///< of its block …
    int carrierCount, firstTerm;  ///< … with its terms
    double added;                 ///< to the diagonal of A
    bool isCompliant, hasFollower;
  };
  struct Island {
    std::vector<RowPlace> places;  ///< of its units
    std::vector<int> carriers;     ///< ascending
    bool isSymmetric = true;       ///< impulses act along the gradients of their rows
    CarrierMatrix matrix;
  };
  /// A system while it is solved.
  struct System {
    const detail::NewtonRows& rows;
    const std::vector<int>& carriers;
    std::vector<Line> lines;
    std::vector<RowTerm> terms, forces;  ///< of J and F; the same but for what follows a normal
    std::vector<int> localCarriers;      ///< [terms] place among `carriers`
    Eigen::VectorXd right;
    std::vector<Vec3> linear, angular;  ///< [carriers] H⁻¹ Fᵀ x of the last product

    double along(const Line& line) const;
    void push(const Line& line, double x);
    Eigen::VectorXd times(const Eigen::VectorXd& x);
    double packed(int line, const Eigen::VectorXd& x) const;
  };

  System systemOf(const detail::NewtonRows& system, const Island& island) const;
  Eigen::VectorXd solveDirectly(System& system, bool isSymmetric, CarrierMatrix& matrix) const;
  Eigen::VectorXd sweep(System& system, NewtonIsland& state, float* told) const;

  LinearSolver m_linear = LinearSolver::Direct;
  int m_linearIterations = 0;
  bool m_isExact = false;
  std::vector<Island> m_islands;
};

}  // namespace touchstone
