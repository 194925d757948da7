#pragma once

#include <array>
#include <vector>

#include "core/constraints/joint_constraints.h"

namespace touchstone {

/// Velocities, or impulses, of all bodies of an island.
struct Motions {
  std::vector<Vec3> linear, angular;
  explicit Motions(std::size_t bodies = 0) : linear(bodies, Vec3(0, 0, 0)), angular(bodies, Vec3(0, 0, 0)) {}
};

/// The entries of one body in a row of J.
struct BodyTerm {
  int body = -1;  ///< of the island
  Vec3 linear = Vec3(0, 0, 0), angular = Vec3(0, 0, 0);
};

/// A row of J as one term per body or particle that moves. A joint that follows another and an element have
/// four at most, a contact between surfaces that deform has up to 24.
class RowTerms {
 public:
  /// Adds to the term of a body; −1, a body that does not move, has none.
  void add(int body, const Vec3& linear, const Vec3& angular) {
    if (body < 0) return;
    BodyTerm* const terms = data();
    for (int k = 0; k < m_count; ++k) {
      BodyTerm& term = terms[k];
      if (term.body != body) continue;
      term.linear += linear;
      term.angular += angular;
      return;
    }
    append({body, linear, angular});
  }
  void add(int a, int b, const JacobianRow& j) {
    add(a, j.linearA, j.angularA);
    add(b, j.linearB, j.angularB);
  }

  const BodyTerm* begin() const { return m_more.empty() ? m_few.data() : m_more.data(); }
  const BodyTerm* end() const { return begin() + m_count; }
  int count() const { return m_count; }
  bool isEmpty() const { return m_count == 0; }
  /// The body that was added last.
  const BodyTerm& last() const { return begin()[m_count - 1]; }

 private:
  static constexpr int kFew = 4;  // terms that need no memory of their own

  BodyTerm* data() { return m_more.empty() ? m_few.data() : m_more.data(); }
  void append(const BodyTerm& term) {
    if (m_count < kFew) {
      m_few[m_count++] = term;
      return;
    }
    if (m_more.empty()) m_more.assign(m_few.begin(), m_few.end());
    m_more.push_back(term);
    ++m_count;
  }

  std::array<BodyTerm, kFew> m_few;
  std::vector<BodyTerm> m_more;  ///< all terms, where they are more than kFew
  int m_count = 0;
};

/// A row of a joint of a scene. @param place  [bodyCount] of each body in its island; −1: it does not move
inline RowTerms termsOf(const Scene& scene, int joint, const JointConstraint& constraint,
                        const std::vector<int>& place) {
  const auto placeOf = [&place](int body) { return body < 0 ? -1 : place[body]; };
  const Joint& follower = scene.joints[joint];
  RowTerms terms;
  terms.add(placeOf(follower.bodyA), placeOf(follower.bodyB), constraint.row);
  if (!constraint.hasLed) return terms;
  const Joint& led = scene.joints[follower.mimic.joint];
  terms.add(placeOf(led.bodyA), placeOf(led.bodyB), constraint.led);
  return terms;
}

/// J v.
inline double rateOf(const RowTerms& row, const Motions& v) {
  double sum = 0;
  for (const BodyTerm& term : row) {
    const std::size_t body = term.body;
    sum += term.linear.dot(v.linear[body]) + term.angular.dot(v.angular[body]);
  }
  return sum;
}

/// Adds Jᵀ times an impulse of the row.
inline void push(const RowTerms& row, double impulse, Motions& bodies) {
  for (const BodyTerm& term : row) {
    const std::size_t body = term.body;
    bodies.linear[body] += impulse * term.linear;
    bodies.angular[body] += impulse * term.angular;
  }
}

}  // namespace touchstone
