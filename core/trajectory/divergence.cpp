#include "core/trajectory/divergence.h"

#include <algorithm>
#include <cmath>

#include "core/math/quantile.h"
#include "core/trajectory/interpolation.h"

namespace touchstone {

Divergence divergenceOf(const Scene& scene, const std::vector<BodyState>& a,
                        const std::vector<BodyState>& b) {
  double distances = 0, angles = 0, largest = -1;
  int count = 0;
  Divergence result;
  for (std::size_t body = 0; body < a.size(); ++body) {
    if (scene.bodies[body].motion == Motion::Static || !a[body].active || !b[body].active) continue;
    const double distance = (a[body].position - b[body].position).squaredNorm();
    distances += distance;
    angles += rotationBetween(a[body].orientation, b[body].orientation).squaredNorm();
    ++count;
    if (distance <= largest) continue;
    largest = distance;
    result.worst = static_cast<int>(body);
  }
  result.distance = count > 0 ? std::sqrt(distances / count) : NAN;
  result.angle = count > 0 ? std::sqrt(angles / count) : NAN;
  return result;
}

double medianDiameter(const Scene& scene) {
  std::vector<double> diameters;
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic) diameters.push_back(2 * body.shape->radius);
  return median(diameters);
}

void noteContacts(const std::vector<NearPair>& pairs, double time, FirstContacts& first) {
  for (const NearPair& pair : pairs) first.try_emplace(std::make_pair(pair.bodyA, pair.bodyB), time);
}

double earliestOf(const FirstContacts& first) {
  double earliest = NAN;
  for (const auto& [pair, time] : first)
    if (!(earliest <= time)) earliest = time;
  return earliest;
}

std::pair<int, int> partedPair(const FirstContacts& a, const FirstContacts& b, double shiftB, double until,
                               double frame) {
  FirstContacts firstContacts = a;
  firstContacts.insert(b.begin(), b.end());
  std::pair<int, int> parted(-1, -1);
  double earliest = HUGE_VAL;
  for (const auto& [pair, ignored] : firstContacts) {
    const auto inA = a.find(pair), inB = b.find(pair);
    const double timeA = inA == a.end() ? HUGE_VAL : inA->second,
                 timeB = inB == b.end() ? HUGE_VAL : inB->second + shiftB;
    const double early = std::min(timeA, timeB), late = std::max(timeA, timeB);
    // Times are sums: a millionth of a frame is rounding.
    if (early > until || late - early <= frame * (1 + 1e-6) || early >= earliest) continue;
    earliest = early;
    parted = pair;
  }
  return parted;
}

StatesInTime::StatesInTime(Next next, bool isGiven) : m_next(std::move(next)), m_isGiven(isGiven) {
  if (!m_next(m_timeBefore, m_before)) return;
  m_hasAfter = true;
  m_timeAfter = m_timeBefore;
  m_after = m_before;
}

const std::vector<BodyState>* StatesInTime::at(double time) {
  while (m_hasAfter && m_timeAfter < time) {
    std::swap(m_before, m_after);
    m_timeBefore = m_timeAfter;
    m_hasAfter = m_next(m_timeAfter, m_after);
  }
  // Of sums of steps: a larger share extends a motion beyond its end; a smaller one loses the last frame.
  const double slack = 1e-9 * std::max(1.0, std::abs(time));
  if (!m_hasAfter) return !m_before.empty() && time <= m_timeBefore + slack ? &m_before : nullptr;
  if (time < m_timeBefore - slack) return nullptr;
  if (time >= m_timeAfter) return &m_after;
  m_now.resize(m_after.size());
  for (std::size_t body = 0; body < m_now.size(); ++body)
    m_now[body] = stateBetween(m_timeBefore, m_before[body], m_timeAfter, m_after[body], time, m_isGiven);
  return &m_now;
}

}  // namespace touchstone
