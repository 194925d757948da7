#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <array>
#include <memory>
#include <vector>

#include "core/solver/rows/row.h"

namespace touchstone {

/// The linear system (J H⁻¹ Fᵀ + C) x = b of the rows of an island, factored. Its matrix couples all rows
/// that share a carrier, and a particle has up to a hundred of them. So the velocities v = H⁻¹ Fᵀ x stay
/// unknowns:
///
///     [ −H − Jeᵀ Ce⁻¹ Je   Fsᵀ ] [ v  ]   [ −Jeᵀ Ce⁻¹ be ]
///     [        Js          Cs  ] [ xs ] = [      bs      ]
///
/// Compliant rows (e), of elements for instance, are eliminated, stiff ones (s) are not. With F = J the
/// matrix is quasi-definite where C is positive: LDLᵀ exists in every order. Keeps the order of elimination
/// while the pattern of the matrix stays.
class CarrierMatrix {
 public:
  /// Begins a system. @param carriers  of the island, ascending   @param isSymmetric  F = J: LDLᵀ, else LU
  void begin(const CarrierMetric& metric, const std::vector<int>& carriers, bool isSymmetric);
  /// Adds rows that are eliminated. @param on  their carriers   @param terms  [rows · count] by rows
  /// @param C  positive definite   @param numbers  [rows] in x and b
  void addCompliant(const int* on, int count, const RowTerm* terms, const Eigen::MatrixXd& C,
                    const std::vector<int>& numbers);
  /// Adds a row. @param terms, forces  [count] its entries in J and F   @param c  its diagonal of C
  void addStiff(const int* on, int count, const RowTerm* terms, const RowTerm* forces, double c, int number);
  void factor();
  /// x; not numbers where the matrix has no factors.
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  struct Compliant {
    std::vector<int> unknowns, numbers;
    Eigen::MatrixXd gradient, inverse;  ///< J [rows × unknowns], C⁻¹
  };
  struct Stiff {
    int number, place;  ///< in x, and among the unknowns
  };

  const std::array<int, 6>& unknownsOf(int carrier) const;
  void put(int row, int column, double value);
  void putMetric(const CarrierMetric& metric, int carrier, std::array<int, 6>& unknowns);
  bool hasPatternOf(const Sparse& matrix) const;

  bool m_isSymmetric = true;
  std::vector<int> m_carriers;
  std::vector<std::array<int, 6>> m_unknowns;  ///< [carriers] of v, linear and angular; −1: does not move
  int m_count = 0;                             ///< unknowns
  std::vector<Compliant> m_compliant;
  std::vector<Stiff> m_stiff;
  std::vector<Eigen::Triplet<double>> m_entries;
  std::vector<int> m_outer, m_inner;  ///< pattern that is analysed
  std::unique_ptr<Eigen::SimplicialLDLT<Sparse>> m_ldlt;
  std::unique_ptr<Eigen::SparseLU<Sparse>> m_lu;
};

}  // namespace touchstone
