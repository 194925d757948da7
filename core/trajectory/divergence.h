#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/trajectory/near_pairs.h"
#include "core/trajectory/trajectory.h"

namespace touchstone {

/// Distance of two motions of one scene at a time, over the dynamic bodies that both have:
///
///     D = √(1/n Σ |x_a − x_b|²),    A = √(1/n Σ ∠(q_a, q_b)²)
struct Divergence {
  double distance = 0;  ///< D [m]; not a number without common bodies
  double angle = 0;     ///< A [rad]
  int worst = -1;       ///< the body with the largest |x_a − x_b|
};
Divergence divergenceOf(const Scene& scene, const std::vector<BodyState>& a, const std::vector<BodyState>& b);

/// L [m]: the median diameter (2 × bounding radius) of the dynamic bodies, which D is compared with.
double medianDiameter(const Scene& scene);

/// Times of the first contact (gap ≤ ε) of each pair of bodies [s].
using FirstContacts = std::map<std::pair<int, int>, double>;
/// Adds the pairs that touch at a time and did not before.
void noteContacts(const std::vector<NearPair>& pairs, double time, FirstContacts& first);
/// The earliest of all [s]; not a number without any.
double earliestOf(const FirstContacts& first);
/// The pair whose first contacts up to a time differ by more than a frame, the earliest of them.
/// @param shiftB  added to the times of b [s]   @return (−1, −1): none
std::pair<int, int> partedPair(const FirstContacts& a, const FirstContacts& b, double shiftB, double until,
                               double frame);

/// States at ascending times from samples that come one after another.
class StatesInTime {
 public:
  using Next = std::function<bool(double& time, std::vector<BodyState>& states)>;
  /// @param next  gives the next sample; false at the end   @param isGiven  velocities come with the poses
  StatesInTime(Next next, bool isGiven);
  /// States as stateBetween(). @param time  not before that of the call before [s]
  /// @return null beyond the samples
  const std::vector<BodyState>* at(double time);

 private:
  Next m_next;
  bool m_isGiven;
  bool m_hasAfter = false;
  double m_timeBefore = 0, m_timeAfter = 0;
  std::vector<BodyState> m_before, m_after, m_now;
};

}  // namespace touchstone
