#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <array>
#include <memory>
#include <vector>

#include "core/contact/nsn/newton_equations.h"

namespace touchstone::nsn {

/// The linear system of NewtonSystem, (J H⁻¹ Jᵀ + C) x = b, factored. Its matrix couples all rows that share
/// a body, and a particle has up to a hundred of them. So the velocities v = H⁻¹ Jᵀ x stay unknowns:
///     [ −H − Jeᵀ Ce⁻¹ Je   Jrᵀ ] [ v  ]   [ −Jeᵀ Ce⁻¹ be ]
///     [        Jr          Cr  ] [ xr ] = [      br      ]
/// Compliant rows (e), of elements for instance, are eliminated, the others (r) are not. The matrix is
/// quasi-definite where C is positive, which the regularisation sees to: LDLᵀ exists in every order.
class DirectSystem {
 public:
  /// @param free  the rows of the system   @param added  [free] C   @param isSymmetric  no row has a
  /// follower: LDLᵀ, else LU
  DirectSystem(const std::vector<NewtonRow>& rows, const std::vector<int>& free, const Eigen::VectorXd& added,
               const std::vector<Vec3>& inverseMass, const std::vector<Mat3>& inverseInertia,
               bool isSymmetric);

  /// x [free]; not numbers where the matrix has no factors.
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  struct Entry {
    int unknown;
    double value;
  };
  struct Row {
    int firstEntry = 0, entryCount = 0;  ///< of its gradient
    double added = 0;
    int place = -1;  ///< among the unknowns; −1: eliminated
  };

  void placeBodies(const std::vector<Vec3>& inverseMass, const std::vector<Mat3>& inverseInertia);
  void placeRows(const std::vector<NewtonRow>& rows, const std::vector<int>& free,
                 const Eigen::VectorXd& added);
  void append(const RowTerms& terms, double scale, std::vector<Entry>& entries) const;
  void put(int row, int column, double value);
  void putEliminated();
  void putKept(const std::vector<NewtonRow>& rows, const std::vector<int>& free);

  bool m_isSymmetric;
  std::vector<std::array<int, 6>> m_unknowns;  ///< [bodies] of v, linear and angular; −1: does not move
  int m_count = 0;                             ///< unknowns
  std::vector<Row> m_rows;                     ///< [free]
  std::vector<Entry> m_entries;
  std::vector<Eigen::Triplet<double>> m_matrix;
  std::unique_ptr<Eigen::SimplicialLDLT<Sparse>> m_ldlt;
  std::unique_ptr<Eigen::SparseLU<Sparse>> m_lu;
};

}  // namespace touchstone::nsn
