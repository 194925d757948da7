#pragma once

#include <string>
#include <vector>

namespace touchstone {

/// Fewest copies per side that ranks can tell apart. With fewer the normal approximation of U does not hold.
constexpr int kFewestCopies = 8;

/// How far the numbers of a lie above those of b, by ranks: one number that is far off moves nothing.
struct RankComparison {
  int countA = 0, countB = 0;
  double shift = 0;          ///< median of the differences a_i − b_j, in the unit of the numbers
  double low = 0, high = 0;  ///< interval of the shift at the level 1 − 2 α
  double u = 0;              ///< Σ rank(a) − n (n + 1) / 2, equal numbers share their mean rank
  double z = 0;  ///< (|U − n m / 2| − ½) / √V, V lessened by ties; 0 if all numbers are equal
  double p = 1;  ///< min(1, 2 Φ(−z)), two-sided
};

/// Compares two samples by Wilcoxon's rank sum. The interval is [D_C, D_(nm + 1 − C)] of the sorted
/// differences D, with C = max(1, ⌊n m / 2 − z_(1 − α) √(n m (n + m + 1) / 12)⌋.
/// @throws std::invalid_argument for fewer than kFewestCopies numbers, for one that is not finite, or for α
/// outside (0, 0.5)
RankComparison compareByRanks(const std::vector<double>& a, const std::vector<double>& b, double alpha);

/// [values] p-values that hold for all of them together (Holm): the k-th smallest of q times q + 1 − k, never
/// less than the one before, at most 1. One that is not a number takes no part.
std::vector<double> holmAdjusted(const std::vector<double>& p);

enum class Decision { Equal, Different, Undecided };
/// "equal", "different", "undecided"
const char* toString(Decision verdict);

struct RankVerdict {
  Decision verdict = Decision::Undecided;
  bool isMeasurable = false;  ///< equal, and yet p < α: a difference of the size of the shift is there
  int copiesNeeded = 0;       ///< undecided: about so many copies decide; 0: not known
};

/// Equal within the margin if the interval lies in [−margin, margin]; else different if p < α; else
/// undecided, which about n (width / (2 margin))² copies decide, n the smaller number of copies.
/// @param margin  δ, in the unit of the numbers; not a number or 0: nothing is equal
/// @param p  after holmAdjusted()
RankVerdict verdictOf(const RankComparison& comparison, double margin, double alpha, double p);

/// "equal within 0.00765; a difference of -0.002526 can be measured", "different",
/// "undecided: needs about 50 copies".
std::string textOf(const RankVerdict& verdict, const RankComparison& comparison, double margin);

}  // namespace touchstone
