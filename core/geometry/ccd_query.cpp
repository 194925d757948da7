#include "core/geometry/ccd_query.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/geometry/pair_motion.h"

namespace touchstone {

namespace {

// Rounding of coordinates, differences and corner values, relative to the largest coordinate. If it is
// smaller, a touching pair may be missed; if it is larger, more passing pairs count as contact.
constexpr double kRounding = 1e-14;
// Relative to the size of the query: smaller boxes count as contact. A larger value reports more pairs that
// only pass; a smaller one needs more boxes.
constexpr double kTolerance = 1e-7;
// Keeps the worst query below about 20 µs. A larger value makes it slower; a smaller one reports more pairs
// that only pass as contact.
constexpr int kMostBoxes = 160;

/// F at the corners of a part of [0, 1]³: index bits 1, 2, 4 for the upper end of t, u, v.
struct Block {
  std::array<Vec3, 8> corners;
  double low[3], size[3];
};

Vec3 valueAt(const CcdQuery& query, double t, int u, int v) {
  const auto row = [&](int k) -> Vec3 { return t == 0 ? query.start[k] : query.end[k]; };
  if (query.kind == FeaturePairKind::VertexFace)
    return row(0) - row(1) - u * (row(2) - row(1)) - v * (row(3) - row(1));
  return (u ? row(1) : row(0)) - (v ? row(3) : row(2));
}

bool excludesZero(const Block& block, double rounding) {
  for (int axis = 0; axis < 3; ++axis) {
    double least = block.corners[0][axis], greatest = least;
    for (int corner = 1; corner < 8; ++corner) {
      least = std::min(least, block.corners[corner][axis]);
      greatest = std::max(greatest, block.corners[corner][axis]);
    }
    if (least > rounding || greatest < -rounding) return true;
  }
  return false;
}

/// Largest change of F along each variable.
void variations(const Block& block, double change[3]) {
  for (int variable = 0; variable < 3; ++variable) {
    change[variable] = 0;
    for (int corner = 0; corner < 8; ++corner)
      if (!(corner & (1 << variable)))
        change[variable] =
            std::max(change[variable],
                     (block.corners[corner | (1 << variable)] - block.corners[corner]).cwiseAbs().maxCoeff());
  }
}

void halve(const Block& block, int variable, Block& lower, Block& upper) {
  lower = upper = block;
  const int bit = 1 << variable;
  for (int corner = 0; corner < 8; ++corner) {
    if (corner & bit) continue;
    const Vec3 middle = 0.5 * (block.corners[corner] + block.corners[corner | bit]);
    lower.corners[corner | bit] = middle;
    upper.corners[corner] = middle;
  }
  lower.size[variable] = upper.size[variable] = 0.5 * block.size[variable];
  upper.low[variable] += upper.size[variable];
}

/// True if all corners of the block belong to the features: half of the square of a triangle does not.
bool isCornerInside(FeaturePairKind kind, const Block& block) {
  return kind == FeaturePairKind::EdgeEdge ||
         block.low[1] + block.size[1] + block.low[2] + block.size[2] <= 1;
}

bool subdivide(const CcdQuery& query, double rounding, double tolerance) {
  Block stack[64];
  int count = 1;
  for (int corner = 0; corner < 8; ++corner)
    stack[0].corners[corner] = valueAt(query, corner & 1, (corner >> 1) & 1, (corner >> 2) & 1);
  for (int variable = 0; variable < 3; ++variable) {
    stack[0].low[variable] = 0;
    stack[0].size[variable] = 1;
  }
  for (int boxes = 0; count > 0; ++boxes) {
    if (boxes > kMostBoxes || count > 62) return true;
    const Block block = stack[--count];
    const bool beyond =
        query.kind == FeaturePairKind::VertexFace && block.low[1] + block.low[2] > 1 + kRounding;
    if (beyond || excludesZero(block, rounding)) continue;
    for (const Vec3& corner : block.corners)
      if (corner.cwiseAbs().maxCoeff() <= rounding && isCornerInside(query.kind, block)) return true;
    double change[3];
    variations(block, change);
    const int widest = static_cast<int>(std::max_element(change, change + 3) - change);
    if (change[widest] <= tolerance) return true;
    halve(block, widest, stack[count + 1], stack[count]);
    count += 2;
  }
  return false;
}

/// True if the cubic keeps one sign on [0, 1] by more than the rounding of its coefficients.
bool keepsSign(const Cubic& gap, double error) {
  const double c0 = gap.c[0], c1 = gap.c[1], c2 = gap.c[2], c3 = gap.c[3];
  const double b[4] = {c0, c0 + c1 / 3, c0 + (2 * c1 + c2) / 3, c0 + c1 + c2 + c3};
  const double least = std::min({b[0], b[1], b[2], b[3]}), greatest = std::max({b[0], b[1], b[2], b[3]});
  return least > error || greatest < -error;
}

bool provesContact(const PairMotion& motion) {
  // Distance inside the features, in weights, that proves contact. A larger value sends more queries to the
  // subdivision; 0 would let rounding decide.
  constexpr double kInside = 1e-9;
  double roots[3], weights[4];
  const int count = signChanges(motion.gap, motion.gapEnd, roots);
  for (int root = 0; root < count; ++root)
    if (weightsAt(motion, roots[root], weights) && areInside(motion.kind, weights, -kInside)) return true;
  return false;
}

}  // namespace

bool mayTouch(const CcdQuery& query) {
  const int split = query.kind == FeaturePairKind::VertexFace ? 1 : 2;
  Vec3 low[2], high[2];
  double largest = 0;
  for (int side = 0; side < 2; ++side) {
    const int first = side == 0 ? 0 : split, last = side == 0 ? split : 4;
    low[side] = high[side] = query.start[first];
    for (int row = first; row < last; ++row)
      for (const Vec3* x : {&query.start[row], &query.end[row]}) {
        low[side] = low[side].cwiseMin(*x);
        high[side] = high[side].cwiseMax(*x);
      }
    largest = std::max({largest, low[side].cwiseAbs().maxCoeff(), high[side].cwiseAbs().maxCoeff()});
  }
  // Exact: the boxes of straight paths have corners among the coordinates. Coplanar edges of cubes often part
  // by a rounding of these alone.
  if ((low[0].array() > high[1].array()).any() || (low[1].array() > high[0].array()).any()) return false;
  const double rounding = kRounding * largest;

  const double size = (high[0].cwiseMax(high[1]) - low[0].cwiseMin(low[1])).maxCoeff();
  const PairMotion motion = motionOf(query.kind, query.start, query.end);
  // Each coefficient is a sum of products of three differences, each at most 2 `size` with an error of
  // `rounding`.
  if (keepsSign(motion.gap, 100 * size * size * (rounding + kRounding * size))) return false;
  return provesContact(motion) || subdivide(query, rounding, std::max(kTolerance * size, 4 * rounding));
}

}  // namespace touchstone
