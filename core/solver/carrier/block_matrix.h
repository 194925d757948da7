#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <vector>

namespace touchstone {

/// Sparse matrix of 6 × 6 blocks over the carriers of an island, and its factors L U by blocks. The pattern
/// is symmetric. Carriers are eliminated in an order of minimum degree (AMD); order and fill are found once
/// per pattern. Rows are exchanged within the diagonal blocks only: the matrices of ProximalNewton are a
/// positive definite one plus what friction couples.
class BlockMatrix {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;

  /// Sets which blocks besides the diagonal exist; keeps order and fill where that has not changed.
  /// @param count  of carriers   @param pairs  each carrier before the larger one
  void setPattern(int count, std::vector<std::array<int, 2>> pairs);
  int count() const { return static_cast<int>(m_place.size()); }
  /// Number of a block, for at(). The block is the diagonal, one of the pairs, or a pair turned around.
  int slotOf(int row, int column) const;
  Block& at(int slot) { return m_blocks[slot]; }
  void clear();
  /// Replaces the blocks by their factors. @param isSymmetric  blocks below the diagonal are not read
  /// @return false: a pivot is 0, or no number
  bool factor(bool isSymmetric);
  /// Solves with the factors. @param x  [6 count] in: the right side, out: the answer
  void solve(Eigen::VectorXd& x) const;

 private:
  struct Column {
    int first = 0, count = 0;  ///< of m_rows: places below the diagonal
    int firstTarget = 0;       ///< of m_targets: count² of them
  };
  int upper(int entry) const { return count() + entry; }
  int lower(int entry) const { return count() + static_cast<int>(m_rows.size()) + entry; }
  int entryAt(int column, int row) const;
  int slotOfPlaces(int row, int column) const;
  void eliminate(const std::vector<std::vector<int>>& neighbours);

  std::vector<std::array<int, 2>> m_pairs;
  std::vector<int> m_place, m_carrier;  ///< in the order of elimination, and back
  std::vector<Column> m_columns;        ///< by place
  std::vector<int> m_rows;              ///< ascending places of each column
  std::vector<int> m_targets;           ///< slots that the pivot of a column changes
  std::vector<Block> m_blocks;          ///< the diagonal, then by entries of m_rows U and L
  std::vector<Eigen::PartialPivLU<Block>> m_pivots;
};

}  // namespace touchstone
