#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/world/world.h"

namespace touchstone {

/// Two surfaces that pass through each other, or one that passes through itself.
struct Crossing {
  int bodyA = -1, bodyB = -1;  ///< bodyA ≤ bodyB; the same: its own surface
  int edges = 0;               ///< pairs of an edge and a triangle that it goes through
};

/// Counts edges that go through triangles of surfaces that deform. It counts in a surface that touches
/// itself, and between two open surfaces of bodies that may touch. With closed surfaces overlap is measured.
/// An edge goes through a triangle if its ends are farther than 10⁻⁵ ℓ from its plane, on both sides, with
/// the scene's length ℓ. Keeps its arrays between calls. Not thread-safe.
class CrossingFinder {
 public:
  explicit CrossingFinder(const World& world);
  ~CrossingFinder();
  CrossingFinder(CrossingFinder&&) noexcept;
  CrossingFinder& operator=(CrossingFinder&&) noexcept;
  /// True if no surface of the scene can take part.
  bool isEmpty() const { return m_edges.empty(); }
  /// The present pairs, sorted by body ids.
  std::vector<Crossing> find(const World& world);

 private:
  struct Places;
  std::vector<int> m_edges;     ///< of surfaces that can take part
  std::vector<int> m_surfaces;  ///< likewise
  double m_least = 0;           ///< m
  std::unique_ptr<Places> m_places;
};

/// A sentence about them, with names and numbers; empty if there is none.
std::string textOf(const Scene& scene, const std::vector<Crossing>& crossings);

}  // namespace touchstone
