#pragma once

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

namespace detail {

using BodyIds = std::pair<int, int>;

inline BodyIds ascending(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

/// Depths of the pairs of bodies that overlap by more than a margin [m].
inline std::map<BodyIds, double> deepPairs(const std::vector<Overlap>& overlaps, double margin) {
  std::map<BodyIds, double> depths;
  for (const Overlap& overlap : overlaps)
    if (overlap.depth > margin) depths[ascending(overlap.bodyA, overlap.bodyB)] = overlap.depth;
  return depths;
}

}  // namespace detail

/// Gives a frame the status NotConverged and the names of the pair, if two bodies overlap by more than a
/// margin, no less than at the end of the frame before, and its last step has no contact between them.
/// Overlaps are those that the Referee has measured: of bodies that may touch. A pair that has come to
/// overlap within the frame is judged a frame later, since a method may look for contacts where a step
/// starts. A pair that comes apart is not judged, since a method may record only contacts that push.
/// @param margin  m   @param before  the frame before, without overlaps where it was not measured
inline void judgeContacts(const Scene& scene, double margin, const StepRecord& before, StepRecord& record) {
  constexpr double kSame = 1 - 1e-6;  // of a depth: it has not changed but for rounding
  std::map<detail::BodyIds, double> missed = detail::deepPairs(record.overlaps, margin);
  if (missed.empty()) return;
  const std::map<detail::BodyIds, double> deepBefore = detail::deepPairs(before.overlaps, margin);
  for (auto pair = missed.begin(); pair != missed.end();) {
    const auto earlier = deepBefore.find(pair->first);
    const bool isLeft = earlier != deepBefore.end() && pair->second >= kSame * earlier->second;
    pair = isLeft ? std::next(pair) : missed.erase(pair);
  }
  for (const Contact& contact : record.contacts)
    missed.erase(detail::ascending(contact.bodyA, contact.bodyB));
  if (missed.empty()) return;
  const auto deepest = std::max_element(missed.begin(), missed.end(), [](const auto& one, const auto& other) {
    return one.second < other.second;
  });
  char depth[32];
  std::snprintf(depth, sizeof depth, "%.3g m", deepest->second);
  const auto nameOf = [&scene](int body) { return "'" + scene.bodies[body].name + "'"; };
  std::string text = nameOf(deepest->first.first) + " and " + nameOf(deepest->first.second) + " overlap by " +
                     depth + ", and the method has no contact between them";
  if (missed.size() > 1)
    text += "; pairs of that kind that overlap less: " + std::to_string(missed.size() - 1);
  record.warnings.push_back(text);
  if (record.status >= StepStatus::NotConverged) return;
  record.status = StepStatus::NotConverged;
  record.statusText = text;
}

}  // namespace touchstone
