#include "core/trajectory/derived.h"

#include <cmath>
#include <utility>

#include "core/trajectory/interpolation.h"

namespace touchstone {

namespace {

/// States at a time next to the one that is derived; without states beyond an end.
struct Neighbour {
  double time = 0;
  const std::vector<BodyState>* states = nullptr;
  const BodyState* of(std::size_t body) const {
    return states && (*states)[body].active ? &(*states)[body] : nullptr;
  }
};

void derive(const Neighbour& before, double time, const Neighbour& after, const Scene& scene, bool linear,
            bool angular, std::vector<BodyState>& states) {
  for (std::size_t body = 0; body < states.size(); ++body) {
    BodyState& state = states[body];
    if (scene.bodies[body].motion == Motion::Static || !state.active) continue;
    const BodyState *a = before.of(body), *b = after.of(body);
    const double dt = (b ? after.time : time) - (a ? before.time : time);  // 0: a single row
    if (!a) a = &state;
    if (!b) b = &state;
    if (linear) state.linearVelocity = dt > 0 ? Vec3((b->position - a->position) / dt) : Vec3::Constant(NAN);
    if (angular)
      state.angularVelocity =
          dt > 0 ? Vec3(rotationBetween(a->orientation, b->orientation) / dt) : Vec3::Constant(NAN);
  }
}

}  // namespace

void deriveVelocities(const TrajectorySample* before, TrajectorySample& sample, const TrajectorySample* after,
                      const Scene& scene, bool linear, bool angular) {
  if (!linear && !angular) return;
  derive(before ? Neighbour{before->time, &before->states} : Neighbour(), sample.time,
         after ? Neighbour{after->time, &after->states} : Neighbour(), scene, linear, angular, sample.states);
}

void deriveVelocities(Trajectory& trajectory, bool linear, bool angular) {
  trajectory.linearDerived = linear;
  trajectory.angularDerived = angular;
  if (!linear && !angular) return;
  const auto neighbour = [&](std::size_t k) { return Neighbour{trajectory.times[k], &trajectory.states[k]}; };
  const std::size_t count = trajectory.times.size();
  for (std::size_t k = 0; k < count; ++k)  // velocities change, poses do not
    derive(k > 0 ? neighbour(k - 1) : Neighbour(), trajectory.times[k],
           k + 1 < count ? neighbour(k + 1) : Neighbour(), *trajectory.scene, linear, angular,
           trajectory.states[k]);
}

SamplesWithVelocities::SamplesWithVelocities(TrajectoryReader& reader,
                                             const std::shared_ptr<const Scene>& scene,
                                             bool distrustsVelocities)
    : m_reader(reader), m_scene(*scene), m_linear(!reader.givesLinear()), m_angular(!reader.givesAngular()) {
  if (distrustsVelocities && (!m_linear || !m_angular)) m_belief.emplace(scene, !m_linear, !m_angular);
}

bool SamplesWithVelocities::next(TrajectorySample& sample) {
  if (!m_linear && !m_angular && !m_belief) return m_reader.next(sample);
  if (!m_begun) m_hasAfter = m_reader.next(m_after);
  m_begun = true;
  if (!m_hasAfter) return false;
  sample = m_after;
  m_hasAfter = m_reader.next(m_after);
  TrajectorySample current = sample;
  if (m_belief) m_belief->check(m_hasBefore ? &m_before : nullptr, sample, m_hasAfter ? &m_after : nullptr);
  deriveVelocities(m_hasBefore ? &m_before : nullptr, sample, m_hasAfter ? &m_after : nullptr, m_scene,
                   m_linear, m_angular);
  std::swap(m_before, current);
  m_hasBefore = true;
  return true;
}

}  // namespace touchstone
