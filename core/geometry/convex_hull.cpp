#include "core/geometry/convex_hull.h"
#include "core/math/count.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

namespace touchstone {

namespace {

__extension__ typedef __int128 Wide;

/// A point on a lattice of 2⁴⁰ steps along the longest side of the box around all points. A step is much
/// shorter than the precision of any file. Products of three differences fit into 128 bits, so that the side
/// of a plane on which a point lies is known exactly.
using LatticePoint = std::array<std::int64_t, 3>;
constexpr double kLatticeSteps = 0x1p40;

LatticePoint stepsBetween(const LatticePoint& a, const LatticePoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class Integer>
Vec3 asVector(const std::array<Integer, 3>& a) {
  return Vec3(static_cast<double>(a[0]), static_cast<double>(a[1]), static_cast<double>(a[2]));
}
std::array<Wide, 3> crossed(const LatticePoint& a, const LatticePoint& b) {
  const auto minor = [&](std::size_t i, std::size_t j) {
    return static_cast<Wide>(a[i]) * b[j] - static_cast<Wide>(a[j]) * b[i];
  };
  return {minor(1, 2), minor(2, 0), minor(0, 1)};
}

/// A triangle of a hull.
struct HullFacet {
  std::array<int, 3> points;      ///< counter-clockwise seen from outside
  std::array<int, 3> neighbours;  ///< facet across the edge from points[k] to points[k + 1]
  std::array<Wide, 3> normal;     ///< exact, twice the area long
  Vec3 unit;                      ///< of the same direction
  std::vector<int> outside;       ///< points above it that are no corners
  int visit = -1;                 ///< the last point that asked for its side
  bool isVisible = false;         ///< by that point
  bool isGone = false;
};

/// Convex hull in triangles by Quickhull (Barber, Dobkin, Huhdanpaa 1996). Signs are exact, so that the
/// surface is closed and convex whatever the points are.
class Quickhull {
 public:
  /// @param margin  points no farther outside are left out [steps]
  Quickhull(const std::vector<LatticePoint>& points, double margin)
      : m_points(points), m_margin(margin), m_startingAt(points.size(), -1), m_endingAt(points.size(), -1) {}

  /// @param points    the points that take part, ascending
  /// @param thinnest  of the first tetrahedron [steps]
  /// @return false if it is thinner
  bool build(const std::vector<int>& points, double thinnest) {
    m_facets.clear();
    if (!begin(points, thinnest)) return false;
    for (std::size_t facet = 0; facet < m_facets.size(); ++facet) insertAbove(static_cast<int>(facet));
    // Points that are hardly above their facet may be far above another one.
    for (std::size_t facet = 0; facet < m_facets.size(); ++facet) {
      insertAbove(static_cast<int>(facet));
      const std::vector<int> outside = m_facets[facet].outside;
      for (std::size_t next = 0; next < outside.size() && !m_facets[facet].isGone; ++next)
        if (const int highest = highestBelow(outside[next], static_cast<int>(facet));
            distanceTo(facetAt(highest), outside[next]) > m_margin)
          insert(outside[next], highest);
    }
    return true;
  }

  /// Inserts a point wherever it is outside by more than this. @return true if it was
  bool insertIfOutside(int point, double margin) {
    for (std::size_t facet = 0; facet < m_facets.size(); ++facet)
      if (!m_facets[facet].isGone && distanceTo(m_facets[facet], point) > margin) {
        insert(point, static_cast<int>(facet));
        return true;
      }
    return false;
  }

  /// Distance of the fourth corner of the first tetrahedron from its base [steps].
  double thickness() const { return m_thickness; }

  std::vector<HullFacet> facets() const {
    std::vector<int> number(m_facets.size(), -1);
    std::vector<HullFacet> present;
    for (std::size_t facet = 0; facet < m_facets.size(); ++facet)
      if (!m_facets[facet].isGone) {
        number[facet] = countOf(present);
        present.push_back(m_facets[facet]);
      }
    for (HullFacet& facet : present)
      for (int& neighbour : facet.neighbours) neighbour = number[neighbour];
    return present;
  }

 private:
  const LatticePoint& at(int point) const { return m_points[point]; }
  HullFacet& facetAt(int facet) { return m_facets[facet]; }

  Wide side(const HullFacet& facet, int point) const {
    const LatticePoint d = stepsBetween(at(point), at(facet.points[0]));
    return facet.normal[0] * d[0] + facet.normal[1] * d[1] + facet.normal[2] * d[2];
  }
  double distanceTo(const HullFacet& facet, int point) const {
    return facet.unit.dot(asVector(stepsBetween(at(point), at(facet.points[0]))));
  }

  int addFacet(int a, int b, int c) {
    HullFacet facet;
    facet.points = {a, b, c};
    facet.neighbours = {-1, -1, -1};
    facet.normal = crossed(stepsBetween(at(b), at(a)), stepsBetween(at(c), at(a)));
    facet.unit = asVector(facet.normal).normalized();
    m_facets.push_back(std::move(facet));
    return countOf(m_facets) - 1;
  }

  /// Inserts the highest points above a facet until none is higher than the margin.
  void insertAbove(int facet) {
    while (!facetAt(facet).isGone) {
      int furthest = -1;
      double largest = m_margin;
      for (const int point : facetAt(facet).outside)
        if (const double distance = distanceTo(facetAt(facet), point); distance > largest) {
          largest = distance;
          furthest = point;
        }
      if (furthest < 0) return;
      insert(furthest, facet);
    }
  }

  /// The facet above which a point is highest, among those that it sees, which hang together.
  int highestBelow(int point, int start) {
    std::vector<int> seen{start};
    int highest = start;
    const auto isNew = [&](int facet) { return std::find(seen.begin(), seen.end(), facet) == seen.end(); };
    for (std::size_t next = 0; next < seen.size(); ++next) {
      if (distanceTo(facetAt(seen[next]), point) > distanceTo(facetAt(highest), point)) highest = seen[next];
      for (const int beyond : facetAt(seen[next]).neighbours)
        if (side(facetAt(beyond), point) > 0 && isNew(beyond)) seen.push_back(beyond);
    }
    return highest;
  }

  bool begin(const std::vector<int>& points, double thinnest) {
    const auto furthest = [&](const auto& measure) {
      int best = points.front();
      double largest = -1;
      for (const int point : points)
        if (const double value = measure(point); value > largest) {
          largest = value;
          best = point;
        }
      return best;
    };
    const LatticePoint corner = at(points.front());
    const int a = furthest([&](int point) { return asVector(stepsBetween(at(point), corner)).norm(); });
    const int b = furthest([&](int point) { return asVector(stepsBetween(at(point), at(a))).norm(); });
    const Vec3 along = asVector(stepsBetween(at(b), at(a))).normalized();
    const int c =
        furthest([&](int point) { return along.cross(asVector(stepsBetween(at(point), at(a)))).norm(); });
    if (!(along.cross(asVector(stepsBetween(at(c), at(a)))).norm() > thinnest)) return false;
    const int base = addFacet(a, b, c);
    const int d = furthest([&](int point) { return std::abs(distanceTo(facetAt(base), point)); });
    m_thickness = std::abs(distanceTo(facetAt(base), d));
    const bool isBelow = side(facetAt(base), d) < 0;
    m_facets.clear();
    if (!(m_thickness > thinnest)) return false;
    const std::array<int, 3> bottom = isBelow ? std::array<int, 3>{a, b, c} : std::array<int, 3>{a, c, b};
    addFacet(bottom[0], bottom[1], bottom[2]);
    for (std::size_t k = 0; k < 3; ++k) addFacet(bottom[(k + 1) % 3], bottom[k], d);
    facetAt(0).neighbours = {1, 2, 3};
    for (int k = 0; k < 3; ++k) facetAt(1 + k).neighbours = {0, 1 + (k + 2) % 3, 1 + (k + 1) % 3};
    std::vector<int> rest;
    for (const int point : points)
      if (point != a && point != b && point != c && point != d) rest.push_back(point);
    share(rest, 0);
    return true;
  }

  /// Gives each point to the facet, from this one on, above which it is highest.
  void share(const std::vector<int>& points, std::size_t first) {
    for (const int point : points) {
      double largest = 0;
      std::size_t best = m_facets.size();
      for (std::size_t facet = first; facet < m_facets.size(); ++facet)
        if (const double distance = distanceTo(m_facets[facet], point); distance > largest) {
          largest = distance;
          best = facet;
        }
      if (best < m_facets.size()) m_facets[best].outside.push_back(point);
    }
  }

  bool sees(int point, HullFacet& facet) const {
    if (facet.visit != point) {
      facet.visit = point;
      facet.isVisible = side(facet, point) > 0;
    }
    return facet.isVisible;
  }

  /// Replaces what the point sees by a cone. @param seen  a facet below it
  void insert(int point, int seen) {
    struct Side {
      int from, to, beyond;
    };
    std::vector<Side> horizon;
    std::vector<int> visible{seen}, waiting;
    HullFacet& first = facetAt(seen);
    first.visit = point;
    first.isVisible = first.isGone = true;
    for (std::size_t next = 0; next < visible.size(); ++next) {
      const HullFacet& facet = facetAt(visible[next]);
      for (const int other : facet.outside)
        if (other != point) waiting.push_back(other);
      for (std::size_t k = 0; k < 3; ++k) {
        const int beyond = facet.neighbours[k];
        if (!sees(point, facetAt(beyond)))
          horizon.push_back({facet.points[k], facet.points[(k + 1) % 3], beyond});
        else if (!facetAt(beyond).isGone) {
          facetAt(beyond).isGone = true;
          visible.push_back(beyond);
        }
      }
    }
    const std::size_t start = m_facets.size();
    for (const Side& side : horizon) {
      const int made = addFacet(side.from, side.to, point);
      facetAt(made).neighbours[0] = side.beyond;
      m_startingAt[side.from] = m_endingAt[side.to] = made;
      HullFacet& beyond = facetAt(side.beyond);
      for (std::size_t k = 0; k < 3; ++k)
        if (beyond.points[k] == side.to && beyond.points[(k + 1) % 3] == side.from)
          beyond.neighbours[k] = made;
    }
    for (std::size_t made = start; made < m_facets.size(); ++made) {
      HullFacet& facet = m_facets[made];
      facet.neighbours[1] = m_startingAt[facet.points[1]];
      facet.neighbours[2] = m_endingAt[facet.points[0]];
    }
    for (const int gone : visible) std::vector<int>().swap(facetAt(gone).outside);
    share(waiting, start);
  }

  const std::vector<LatticePoint>& m_points;
  double m_margin, m_thickness = 0;
  std::vector<HullFacet> m_facets;
  std::vector<int> m_startingAt, m_endingAt;  ///< [pointCount] new facets by the ends of their horizon edge
};

/// Lengths of a set of points [m], and what rounding to single precision leaves of them.
struct HullPrecision {
  double step = 0;     ///< of the lattice
  double margin = 0;   ///< points no farther outside are left out; triangles no higher lose a corner
  double outside = 0;  ///< largest distance of a corner from the plane of a merged face, outwards
  double planar = 0;   ///< largest distance of the corners of a merged face from its plane
};

HullPrecision hullPrecisionOf(const std::vector<Vec3>& points, double side) {
  // Half a step of single precision, relative. A larger value merges facets that are meant to be different;
  // a smaller one leaves flat faces in parts.
  constexpr double kSingle = 0x1p-24;
  Vec3 centre = Vec3::Zero();
  double radius = 0, largest = 0;
  for (const Vec3& point : points) centre += point / static_cast<double>(points.size());
  for (const Vec3& point : points) {
    radius = std::max(radius, (point - centre).norm());
    largest = std::max(largest, point.cwiseAbs().maxCoeff());
  }
  // 1.3 radii are between the side of a cube and the length of a rod. Points that are rounded far from the
  // origin are less precise than their size tells.
  const double size = 1.3 * radius;
  return {side / kLatticeSteps, 0.5 * kSingle * size, 2 * kSingle * size,
          1.5 * kSingle * std::clamp(largest, size, 6 * size)};
}

/// The hull in triangles none of which is lower than the margin. Corners in the middle of an edge are left
/// out as far as the other points still hold them.
class SoundHull {
 public:
  SoundHull(const std::vector<LatticePoint>& lattice, const std::vector<int>& distinct,
            const HullPrecision& precision)
      : m_lattice(lattice), m_points(distinct), m_precision(precision), m_isNeeded(lattice.size(), 0) {}

  /// @return false if the points lie in a plane
  bool build() {
    constexpr int kMostRounds = 12;
    for (int round = 0; round < kMostRounds; ++round) {
      if (!buildOnce()) return false;
      if (!leaveOut(middlesOfLowTriangles())) break;
    }
    return true;
  }

  /// Leaves out corners, unless they are needed. Each comes with the corners that hold it, which stay.
  /// @return true if there are such corners
  bool leaveOut(const std::vector<std::array<int, 3>>& corners) {
    std::vector<char> isLeftOut(m_lattice.size(), 0), isEnd(m_lattice.size(), 0);
    bool isAny = false;
    for (const auto& [corner, before, after] : corners) {
      const std::size_t place = corner;
      if (m_isNeeded[place] || isEnd[place] || isLeftOut[place] || isLeftOut[before] || isLeftOut[after])
        continue;
      isLeftOut[place] = isEnd[before] = isEnd[after] = 1;
      m_leftOut.push_back(corner);
      isAny = true;
    }
    const auto isOut = [&](int point) { return isLeftOut[point] != 0; };
    m_points.erase(std::remove_if(m_points.begin(), m_points.end(), isOut), m_points.end());
    return isAny;
  }

  const std::vector<HullFacet>& facets() const { return m_facets; }
  const HullPrecision& precision() const { return m_precision; }

 private:
  bool buildOnce() {
    // Relative to the side: what is thinner is flat up to rounding to single precision.
    constexpr double kFlat = 0x1p-23;
    // Of the thickness. With a larger value both sides of a thin plate become one face.
    constexpr double kOfThickness = 1.0 / 64;
    Quickhull hull(m_lattice, m_precision.margin / m_precision.step);
    if (!hull.build(m_points, kFlat * kLatticeSteps)) return false;
    const double maxMargin = kOfThickness * hull.thickness() * m_precision.step;
    m_precision.planar = std::min(m_precision.planar, maxMargin);
    m_precision.margin = std::min(m_precision.margin, maxMargin);
    m_precision.outside = std::min(m_precision.outside, maxMargin);
    for (const int point : m_leftOut)
      if (hull.insertIfOutside(point, 2 * m_precision.margin / m_precision.step)) {
        m_isNeeded[point] = 1;
        m_points.insert(std::lower_bound(m_points.begin(), m_points.end(), point), point);
      }
    m_facets = hull.facets();
    return true;
  }

  /// Corners opposite to the longest edge of triangles that are too low, with the ends of that edge.
  std::vector<std::array<int, 3>> middlesOfLowTriangles() const {
    std::vector<std::array<int, 3>> middles;
    for (const HullFacet& facet : m_facets) {
      std::array<double, 3> length;
      for (std::size_t k = 0; k < 3; ++k)
        length[k] =
            asVector(stepsBetween(m_lattice[facet.points[(k + 1) % 3]], m_lattice[facet.points[k]])).norm();
      const std::size_t longest = std::max_element(length.begin(), length.end()) - length.begin();
      if (asVector(facet.normal).norm() * m_precision.step < m_precision.margin * length[longest])
        middles.push_back(
            {facet.points[(longest + 2) % 3], facet.points[longest], facet.points[(longest + 1) % 3]});
    }
    return middles;
  }

  const std::vector<LatticePoint>& m_lattice;
  std::vector<int> m_points;  ///< that take part, ascending
  std::vector<int> m_leftOut;
  HullPrecision m_precision;
  std::vector<char> m_isNeeded;  ///< [points] the others do not hold it
  std::vector<HullFacet> m_facets;
};

/// Merges triangles of a convex surface into faces. A face is a disk whose corners lie in one plane within
/// the precision of the points. Its outline is convex, and no corner of the hull lies outside its plane. What
/// would be no such face stays in triangles.
class FaceMerger {
 public:
  FaceMerger(const std::vector<Vec3>& points, const std::vector<HullFacet>& facets,
             const HullPrecision& precision)
      : m_points(points),
        m_facets(facets),
        m_precision(precision),
        m_group(facets.size(), -1),
        m_isSingle(facets.size(), 0) {
    std::vector<char> isCorner(points.size(), 0);
    for (const HullFacet& facet : facets) {
      m_normals.push_back(normalOf(facet.points));
      for (const int point : facet.points) isCorner[point] = 1;
    }
    for (std::size_t point = 0; point < points.size(); ++point)
      if (isCorner[point]) m_corners.push_back(static_cast<int>(point));
  }

  /// Outlines of the faces, counter-clockwise seen from outside.
  std::vector<std::vector<int>> faces() {
    std::vector<std::size_t> order(m_facets.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return m_normals[a].squaredNorm() > m_normals[b].squaredNorm();
    });
    for (const std::size_t seed : order)
      if (m_group[seed] < 0) grow(static_cast<int>(seed));
    // Each round joins two groups or takes one apart for good.
    for (std::size_t round = 0; round < 2 * m_facets.size(); ++round) {
      std::vector<std::vector<int>> outlines = sharedOutlines();
      if (repairs(outlines)) continue;
      const auto isEmpty = [](const std::vector<int>& outline) { return outline.empty(); };
      outlines.erase(std::remove_if(outlines.begin(), outlines.end(), isEmpty), outlines.end());
      return outlines;
    }
    std::vector<std::vector<int>> triangles;
    for (const HullFacet& facet : m_facets) triangles.push_back({facet.points.begin(), facet.points.end()});
    return triangles;
  }

 private:
  const Vec3& at(int point) const { return m_points[point]; }
  template <class Loop>
  Vec3 normalOf(const Loop& loop) const {
    Vec3 normal = Vec3::Zero();
    for (std::size_t k = 1; k + 1 < loop.size(); ++k)
      normal += (at(loop[k]) - at(loop[0])).cross(at(loop[k + 1]) - at(loop[0]));
    return normal;
  }
  int newGroup() {
    m_members.emplace_back();
    return countOf(m_members) - 1;
  }
  void put(int facet, int group) {
    m_group[facet] = group;
    m_members[group].push_back(facet);
  }

  /// A group from a triangle on, over edges, as long as it stays a disk in one plane.
  void grow(int seed) {
    constexpr int kMostSweeps = 3;  // a triangle that does not fit at first may fit the whole
    const int group = newGroup();
    put(seed, group);
    if (m_isSingle[seed]) return;
    const HullFacet& first = m_facets[seed];
    std::vector<int> corners(first.points.begin(), first.points.end()),
        queue(first.neighbours.begin(), first.neighbours.end()), rejected;
    Vec3 normal = m_normals[seed];
    for (int sweep = 0; sweep < kMostSweeps && !queue.empty(); ++sweep) {
      for (std::size_t next = 0; next < queue.size(); ++next) {
        const int facet = queue[next];
        const std::size_t place = facet;
        if (m_group[place] >= 0 || m_isSingle[place]) continue;
        const HullFacet& candidate = m_facets[place];
        std::size_t shared = 0, apex = 0;
        for (std::size_t k = 0; k < 3; ++k)
          if (m_group[candidate.neighbours[k]] == group) {
            ++shared;
            apex = (k + 2) % 3;
          }
        const int added = candidate.points[apex];
        const bool isKnown = std::find(corners.begin(), corners.end(), added) != corners.end();
        if (shared == 0 || (shared == 1 && isKnown) ||
            !isPlanar(corners, added, Vec3(normal + m_normals[place]))) {
          rejected.push_back(facet);
          continue;
        }
        put(facet, group);
        normal += m_normals[place];
        if (!isKnown) corners.push_back(added);
        for (const int neighbour : candidate.neighbours)
          if (m_group[neighbour] < 0) queue.push_back(neighbour);
      }
      queue.swap(rejected);
      rejected.clear();
    }
    if (m_members[group].size() > 1 && !isConvex(outlineOf(group), normal)) takeApart(group, {seed});
  }

  bool isPlanar(const std::vector<int>& corners, int added, const Vec3& normal) const {
    const Vec3 unit = normal.normalized(), &origin = at(corners.front());
    double low = unit.dot(at(added) - origin), high = low;
    for (const int corner : corners) {
      const double height = unit.dot(at(corner) - origin);
      low = std::min(low, height);
      high = std::max(high, height);
      if (high - low > 2 * m_precision.planar) return false;
    }
    return true;
  }

  bool isConvex(const std::vector<int>& outline, const Vec3& normal) const {
    const Vec3 unit = normal.normalized();
    for (std::size_t k = 0; k < outline.size(); ++k) {
      const Vec3 &before = at(outline[k]), &corner = at(outline[(k + 1) % outline.size()]),
                 &after = at(outline[(k + 2) % outline.size()]);
      const Vec3 chord = after - before;
      if (unit.dot(chord.cross(corner - before)) > m_precision.planar * chord.norm()) return false;
    }
    return true;
  }

  /// The boundary of a group, which is a disk.
  std::vector<int> outlineOf(int group) const {
    std::map<int, int> next;
    for (const int facet : m_members[group]) {
      const HullFacet& sides = m_facets[facet];
      for (std::size_t k = 0; k < 3; ++k)
        if (m_group[sides.neighbours[k]] != group) next[sides.points[k]] = sides.points[(k + 1) % 3];
    }
    std::vector<int> outline;
    for (int point = next.begin()->first; outline.size() < next.size(); point = next.at(point))
      outline.push_back(point);
    return outline;
  }

  /// Triangles of a group become free. @param kept  they are groups of their own
  void takeApart(int group, const std::vector<int>& kept) {
    for (const int facet : m_members[group]) m_group[facet] = -1;
    m_members[group].clear();
    for (const int facet : kept) {
      m_isSingle[facet] = 1;
      put(facet, newGroup());
    }
  }

  /// [groups] the corners that three faces or more share; the others lie on an edge.
  std::vector<std::vector<int>> sharedOutlines() const {
    std::vector<std::vector<int>> outlines(m_members.size());
    std::vector<int> count(m_points.size(), 0);
    for (std::size_t group = 0; group < m_members.size(); ++group) {
      if (m_members[group].empty()) continue;
      outlines[group] = outlineOf(static_cast<int>(group));
      for (const int point : outlines[group]) ++count[point];
    }
    for (std::vector<int>& outline : outlines)
      outline.erase(
          std::remove_if(outline.begin(), outline.end(), [&](int point) { return count[point] < 3; }),
          outline.end());
    return outlines;
  }

  /// Joins groups without area with a neighbour, and takes apart merged ones that are no faces.
  /// @return true if it changed something
  bool repairs(const std::vector<std::vector<int>>& outlines) {
    bool hasChanged = false;
    for (std::size_t group = 0; group < outlines.size(); ++group) {
      const std::vector<int> members = m_members[group];
      if (members.empty()) continue;
      if (outlines[group].size() < 3) {
        m_members[group].clear();
        const int neighbour = closestNeighbour(static_cast<int>(group), members);
        for (const int facet : members) put(facet, neighbour);
        hasChanged = true;
      } else if (members.size() > 1 && !isFace(outlines[group])) {
        takeApart(static_cast<int>(group), members);
        hasChanged = true;
      }
    }
    return hasChanged;
  }

  /// The group with which these facets share the most edges.
  int closestNeighbour(int group, const std::vector<int>& members) const {
    std::map<int, int> shared;
    for (const int facet : members)
      for (const int neighbour : m_facets[facet].neighbours)
        if (const int other = m_group[neighbour]; other != group) ++shared[other];
    return std::max_element(shared.begin(), shared.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  bool isFace(const std::vector<int>& outline) const {
    const Vec3 normal = normalOf(outline), unit = normal.normalized();
    double high = -HUGE_VAL;
    for (const int corner : outline) high = std::max(high, unit.dot(at(corner)));
    for (const int corner : m_corners)
      if (unit.dot(at(corner)) - high > m_precision.outside) return false;
    return isConvex(outline, normal) && hasSoundFan(outline, unit);
  }

  /// True if the triangles from the first corner, which draw the face, are no lower than the margin.
  bool hasSoundFan(const std::vector<int>& outline, const Vec3& unit) const {
    const auto first = std::min_element(outline.begin(), outline.end()) - outline.begin();
    const auto corner = [&](std::size_t k) -> const Vec3& {
      return at(outline[(first + k) % outline.size()]);
    };
    for (std::size_t k = 1; k + 1 < outline.size(); ++k) {
      const Vec3 u = corner(k) - corner(0), w = corner(k + 1) - corner(0);
      const double longest = std::max({u.norm(), w.norm(), (w - u).norm()});
      if (!(unit.dot(u.cross(w)) >= m_precision.margin * longest)) return false;
    }
    return true;
  }

  const std::vector<Vec3>& m_points;
  const std::vector<HullFacet>& m_facets;
  const HullPrecision& m_precision;
  std::vector<Vec3> m_normals;              ///< [facets] twice the area long
  std::vector<int> m_corners;               ///< points that are corners of facets
  std::vector<int> m_group;                 ///< [facets] or −1
  std::vector<char> m_isSingle;             ///< [facets] it stays a face by itself
  std::vector<std::vector<int>> m_members;  ///< [groups] facets; empty: it is no more
};

/// The points that are different on the lattice, the first of equal ones.
std::vector<int> distinctPoints(const std::vector<LatticePoint>& lattice) {
  std::vector<int> points(lattice.size());
  std::iota(points.begin(), points.end(), 0);
  const auto place = [&lattice](int point) { return lattice[point]; };
  std::stable_sort(points.begin(), points.end(), [&](int a, int b) { return place(a) < place(b); });
  points.erase(std::unique(points.begin(), points.end(), [&](int a, int b) { return place(a) == place(b); }),
               points.end());
  std::sort(points.begin(), points.end());
  return points;
}

/// Corners that lie between their neighbours in the outline of a face, with these.
std::vector<std::array<int, 3>> cornersOnEdges(const std::vector<Vec3>& points,
                                               const std::vector<std::vector<int>>& faces, double margin) {
  std::vector<std::array<int, 3>> found;
  const auto pointAt = [&points](int point) -> const Vec3& { return points[point]; };
  for (const std::vector<int>& face : faces)
    for (std::size_t k = 0; face.size() > 3 && k < face.size(); ++k) {
      const int before = face[k], corner = face[(k + 1) % face.size()], after = face[(k + 2) % face.size()];
      const Vec3 chord = pointAt(after) - pointAt(before);
      if (chord.cross(pointAt(corner) - pointAt(before)).norm() < margin * chord.norm())
        found.push_back({corner, before, after});
    }
  return found;
}

Polytope polytopeOf(const std::vector<Vec3>& points, std::vector<std::vector<int>> faces) {
  std::map<int, int> number;  // point → vertex
  for (const std::vector<int>& face : faces)
    for (const int point : face) number[point] = 0;
  Polytope hull;
  for (auto& [point, vertex] : number) {
    vertex = countOf(hull.vertices);
    hull.vertices.push_back(points[point]);
  }
  for (std::vector<int>& face : faces) {
    for (int& point : face) point = number[point];
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
    hull.faces.push_back({std::move(face), Vec3::Zero(), 0});
  }
  std::sort(hull.faces.begin(), hull.faces.end(),
            [](const auto& a, const auto& b) { return a.vertices < b.vertices; });
  return hull;
}

}  // namespace

std::string convexHull(const std::vector<Vec3>& points, Polytope& hull) {
  if (points.size() < 4) return "a convex hull needs at least four points";
  Vec3 low = Vec3::Constant(HUGE_VAL), high = Vec3::Constant(-HUGE_VAL);
  for (const Vec3& point : points) {
    if (!point.allFinite()) return "a point is not finite";
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  const double side = (high - low).maxCoeff();
  const std::string flat =
      "the points have no convex hull with volume (they lie in one plane, or within rounding of it)";
  if (!(side > 0)) return flat;
  if (!std::isfinite(side)) return "the points are too far apart";
  std::vector<LatticePoint> lattice;
  for (const Vec3& point : points) {
    const Vec3 steps = (point - low) / side * kLatticeSteps;
    lattice.push_back({std::llround(steps.x()), std::llround(steps.y()), std::llround(steps.z())});
  }
  SoundHull sound(lattice, distinctPoints(lattice), hullPrecisionOf(points, side));
  std::vector<std::vector<int>> faces;
  constexpr int kMostRounds = 4;
  for (int round = 0; round < kMostRounds; ++round) {
    if (!sound.build()) return flat;
    faces = FaceMerger(points, sound.facets(), sound.precision()).faces();
    if (!sound.leaveOut(cornersOnEdges(points, faces, sound.precision().margin))) break;
  }
  hull = polytopeOf(points, std::move(faces));
  return buildTopology(hull);
}

}  // namespace touchstone
