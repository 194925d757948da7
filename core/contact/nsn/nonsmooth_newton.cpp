#include "core/contact/nsn/nonsmooth_newton.h"

#include "core/contact/nsn/newton_equations.h"
#include "core/contact/nsn/newton_system.h"

namespace touchstone::nsn {

namespace {

/// At rest, with the forces that the contacts come with.
Unknowns startOf(const Island& island) {
  Unknowns start{Motions(island.bodies.size()), {}, std::vector<JointForces>(island.joints.size())};
  for (const IslandContact& contact : island.contacts) start.contacts.push_back(contact.force);
  return start;
}

/// The iterate after a step. @param now  is replaced by its equations   @param isLast  of all
Iterate advance(Equations& now, const Island& island, const Settings& settings, bool isLast) {
  const NewtonStep step = newtonStep(now, island, settings);
  const bool isWhole = isLast && settings.lastStepIsWhole, isAutomatic = settings.damping == 0;
  double share = isWhole || isAutomatic ? 1 : settings.damping;
  Equations next = now.after(step, share);
  if (isAutomatic && !isLast && !(next.total() < now.total())) {
    share = kUsualShare;
    next = now.after(step, share);
  }
  now = std::move(next);
  Iterate own = now.iterate();
  for (std::size_t body = 0; body < step.u.linear.size(); ++body)
    for (const Vec3& change : {step.u.linear[body], step.u.angular[body]})
      own.stepSize = std::fmax(own.stepSize, share * change.cwiseAbs().maxCoeff());
  own.linearIterations = step.linearIterations;
  own.linearResidual = step.linearResidual;
  own.linear = step.linear;
  return own;
}

}  // namespace

Answer solve(const Island& island, const Settings& settings) {
  Equations now(island, settings, startOf(island));
  Answer answer;
  answer.iterates.push_back(now.iterate());
  now.write(answer);
  double best = HUGE_VAL;  // of the iterates after the start, which is at rest
  bool wasWhole = !settings.lastStepIsWhole;
  for (int count = 1; count <= settings.iterations; ++count) {
    // An iterate within the tolerance is followed by one whole step, which brings momentum to rounding.
    const bool isWithin = now.total() <= settings.tolerance;
    if (now.total() == 0 || (isWithin && wasWhole)) break;
    const bool isLast = isWithin || count == settings.iterations;
    wasWhole = wasWhole || isLast;
    answer.iterates.push_back(advance(now, island, settings, isLast));
    if (settings.usesBest && !(now.total() <= best)) continue;
    best = now.total();
    now.write(answer);
    if (!std::isfinite(answer.iterates.back().merit)) break;
  }
  answer.isSolved = answer.residual <= settings.tolerance;
  return answer;
}

}  // namespace touchstone::nsn
