#pragma once

#include <string>
#include <vector>

namespace touchstone {

/// Fewest copies per side that ranks can tell apart: with fewer no spread of placements is known.
constexpr int kFewestCopies = 8;
/// Labellings that are drawn where there are too many to count them all. More cost time; fewer make p coarse.
constexpr int kPermutations = 5000;

/// Distance by which the numbers of a lie above those of b, by ranks: one number that is far off moves
/// nothing, and the scatter of both may differ.
///
/// The placement of a number is how many of the other side lie below it, equal ones counted by half. With the
/// mean placement of a as a share, q = U / (n m), and the variances S² of the placements of both sides,
///
///     t = (q − ½) / √V,   V = S_a² / (n m²) + S_b² / (m n²)
///
/// p is the larger of two: the share of labellings of all numbers whose |t| is not smaller, and that of
/// Student's distribution with the degrees of freedom of Welch, each side counted as n − 2 numbers. The
/// second is larger where few copies scatter much more than many.
struct RankComparison {
  int countA = 0, countB = 0;
  double shift = 0;          ///< median of the differences a_i − b_j, in the unit of the numbers
  double low = 0, high = 0;  ///< interval of the shift at the level 1 − 2 α
  double u = 0;              ///< sum of the placements of a
  double t = 0;              ///< infinite if one side lies above the other; 0 if all numbers are equal
  double p = 1;              ///< two-sided
  double pEqual = 1;  ///< of a shift of ± the margin or more, the larger of both sides; 1 without a margin
};

/// Compares two samples. The interval is [D_C, D_(nm + 1 − C)] of the sorted differences D, with
/// C = max(1, ⌊n m (½ − z_(1 − α) √V)⌋, and V after a is moved by −shift. A margin δ has
/// p = 1 − Φ((½ − (k + 1) / (n m)) / √V), k differences beyond it. Labellings are drawn from a fixed seed, or
/// all counted where there are at most 25 000.
/// @param margin  δ, in the unit of the numbers; not a number or 0: none
/// @throws std::invalid_argument for fewer than kFewestCopies numbers, for one that is not finite, or for α
/// outside (0, 0.5)
RankComparison compareByRanks(const std::vector<double>& a, const std::vector<double>& b, double alpha,
                              double margin);

/// Scatter of two samples. A deviation is |x − median of its side|; one that is 0 or a copy of another
/// by construction is left out, and the others are multiplied by √(n / (n − 1)).
struct SpreadComparison {
  double a = 0, b = 0;  ///< mean deviations, in the unit of the numbers
  double t = 0;         ///< difference of the means in units of its standard error, as Welch's
  double p = 1;         ///< share of labellings of all deviations whose |t| is not smaller
};

/// Compares the scatter of two samples, wherever they lie.   @throws as compareByRanks()
SpreadComparison compareSpread(const std::vector<double>& a, const std::vector<double>& b);

/// [values] p-values that hold for all of them together (Holm): the k-th smallest of q times q + 1 − k, never
/// less than the one before, at most 1. One that is not a number is left out.
std::vector<double> holmAdjusted(const std::vector<double>& p);

enum class Decision { Equal, Different, Undecided };
/// "equal", "different", "undecided"
const char* toString(Decision verdict);

struct RankVerdict {
  Decision verdict = Decision::Undecided;
  bool isMeasurable = false;  ///< equal, and yet p < α: a difference of the size of the shift is there
  bool isBeyond = false;      ///< different, and the whole interval lies outside [−margin, margin]
  int copiesNeeded = 0;       ///< undecided: about so many copies decide; 0: not known
};

/// p-values of one quantity that hold for all quantities together.
struct AdjustedP {
  double different = 1, equal = 1;  ///< holmAdjusted() p and pEqual
};

/// Equal within the margin if p.equal ≤ α; else different if p.different < α; else undecided, which about
/// n (width / (2 margin))² copies decide, n the smaller number of copies.
/// @param margin  δ, in the unit of the numbers; not a number or 0: nothing is equal
RankVerdict verdictOf(const RankComparison& comparison, double margin, double alpha, const AdjustedP& p);

/// "equal within 0.00765; a difference of -0.002526 can be measured", "different, beyond 0.00765",
/// "different; whether beyond 0.00765 is open", "undecided: needs about 50 copies".
std::string textOf(const RankVerdict& verdict, const RankComparison& comparison, double margin);

}  // namespace touchstone
