#include "core/conform/trajectory_quantity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/files/text_forms.h"
#include "core/trajectory/interpolation.h"
#include "core/trajectory/passages.h"
#include "core/trajectory/state_referee.h"

namespace touchstone {

Measured Measured::notApplicable(std::string why) { return {State::NotApplicable, NAN, std::move(why)}; }
Measured Measured::failed(std::string why) { return {State::Failed, NAN, std::move(why)}; }

namespace {

constexpr double kDegree = 180 / M_PI;

/// Ends the evaluation of a query with what it is instead of a number.
struct NoNumber {
  Measured measured;
};

/// A run as a query sees it: its window has samples, its bodies exist.
class View {
 public:
  View(const QuantityQuery& query, const MeasuredRun& run)
      : m_query(query), m_run(run), m_trajectory(*run.trajectory) {
    m_body = query.body.empty() ? -1 : indexOf(query.body);
    m_other = query.other.empty() ? -1 : indexOf(query.other);
  }

  const QuantityQuery& query() const { return m_query; }
  const Trajectory& trajectory() const { return m_trajectory; }
  const Scene& scene() const { return *m_trajectory.scene; }
  int body() const { return m_body; }
  int other() const { return m_other; }
  std::size_t count() const { return m_trajectory.sampleCount(); }
  double time(std::size_t sample) const { return m_trajectory.times[sample]; }
  const BodyState& at(std::size_t sample, int body) const { return m_trajectory.states[sample][body]; }
  const BodyState& at(std::size_t sample) const { return at(sample, m_body); }

  /// Times of a query, where kEnd is the end of the run. A run that ended before has failed.
  double reached(double wanted) const {
    const double time = wanted == QuantityQuery::kEnd ? m_run.time : wanted;
    requireReached(time);
    return std::min(std::max(time, m_trajectory.times.front()), m_trajectory.times.back());
  }
  double from() const { return reached(m_query.from); }
  double to() const { return reached(m_query.to); }
  double when() const { return reached(m_query.at); }

  /// Half a frame: clocks of frames are sums.
  double slack() const { return 0.5 * m_run.dt; }

  std::vector<BodyState> states(double time) const { return stateAt(m_trajectory, time); }
  BodyState state(double time) const {
    const BodyState state = states(time)[m_body];
    if (!state.active)
      throw NoNumber{
          Measured::notApplicable("'" + m_query.body + "' is not there at " + fourDigits(time) + " s")};
    return state;
  }

  /// First and last sample of the window.
  std::pair<std::size_t, std::size_t> window() const {
    const double first = from() - slack(), last = to() + slack();
    std::size_t begin = 0, end = count();
    while (begin < count() && time(begin) < first) ++begin;
    while (end > begin && time(end - 1) > last) --end;
    if (begin == end) throw NoNumber{Measured::failed("there is no frame in its window")};
    return {begin, end - 1};
  }

  Vec3 axis() const { return m_query.axis; }
  bool hasAxis() const { return !m_query.axis.isZero(); }
  double along(const Vec3& vector) const { return hasAxis() ? m_query.axis.dot(vector) : vector.norm(); }

 private:
  int indexOf(const std::string& name) const {
    for (std::size_t body = 0; body < scene().bodies.size(); ++body)
      if (scene().bodies[body].name == name) {
        if (!m_trajectory.given.empty() && !m_trajectory.given[body])
          throw NoNumber{Measured::notApplicable("the trajectory has no '" + name + "'")};
        return static_cast<int>(body);
      }
    throw NoNumber{Measured::failed("the scene has no body '" + name + "'")};
  }
  void requireReached(double time) const {
    if (m_trajectory.times.empty()) throw NoNumber{Measured::failed("it has no frames")};
    for (std::size_t sample = 0; sample < m_trajectory.status.size(); ++sample) {
      if (m_trajectory.times[sample] > time + slack()) break;
      const StepStatus status = m_trajectory.status[sample];
      if (status != StepStatus::NoSolution && !isFrozen(status)) continue;
      throw NoNumber{Measured::failed(std::string(toString(status)) + " at " +
                                      fourDigits(m_trajectory.times[sample]) + " s")};
    }
    if (time > m_trajectory.times.back() + slack())
      throw NoNumber{Measured::failed("ends at " + fourDigits(m_trajectory.times.back()) + " s, before " +
                                      fourDigits(time) + " s")};
  }

  const QuantityQuery& m_query;
  const MeasuredRun& m_run;
  const Trajectory& m_trajectory;
  int m_body = -1, m_other = -1;
};

double tiltOf(const BodyState& start, const BodyState& state) {
  // By atan2, which keeps small angles: acos of a number near 1 does not.
  const Quaternion turn = state.orientation * start.orientation.conjugate();
  return 2 * std::atan2(turn.vec().norm(), std::abs(turn.w())) * kDegree;
}

Vec3 spinInBody(const BodyState& state) { return state.orientation.conjugate() * state.angularVelocity; }

/// Momentum m v, or R I Rᵀ ω + x × m v about the world's origin.
Vec3 linearMomentum(const Body& body, const BodyState& state) { return body.mass * state.linearVelocity; }
Vec3 spinMomentum(const Body& body, const BodyState& state) {
  return state.orientation * (body.inertia * spinInBody(state));
}
double kineticEnergy(const View& view, std::size_t sample) {
  double energy = 0;
  for (std::size_t index = 0; index < view.scene().bodies.size(); ++index) {
    const Body& body = view.scene().bodies[index];
    const BodyState& state = view.at(sample, static_cast<int>(index));
    if (body.motion == Motion::Static || !state.active) continue;
    if (view.body() >= 0 && static_cast<int>(index) != view.body()) continue;
    energy += 0.5 * (body.mass * state.linearVelocity.squaredNorm() +
                     state.angularVelocity.dot(spinMomentum(body, state)));
  }
  return energy;
}

/// The value of a course at the sample, whose sign or threshold is looked for between samples.
using Course = std::function<double(std::size_t sample)>;
/// Time at which a course first passes `level`, by linear interpolation; the `number`-th such time.
double passing(const View& view, const Course& course, double level, int number) {
  const auto [first, last] = view.window();
  int found = 0;
  for (std::size_t sample = first + 1; sample <= last; ++sample) {
    const double before = course(sample - 1) - level, now = course(sample) - level;
    if ((before < 0) == (now < 0)) continue;
    if (++found < number) continue;
    return view.time(sample - 1) + (view.time(sample) - view.time(sample - 1)) * before / (before - now);
  }
  throw NoNumber{Measured::failed("does not get there until " + fourDigits(view.time(last)) + " s")};
}

double between(const View& view, const Course& course, double time) {
  std::size_t sample = 1;
  while (sample + 1 < view.count() && view.time(sample) < time) ++sample;
  const double share = (time - view.time(sample - 1)) / (view.time(sample) - view.time(sample - 1));
  return course(sample - 1) + share * (course(sample) - course(sample - 1));
}

/// The first sample at which a body moves otherwise than freely.
std::size_t firstContact(const View& view) {
  // Relative to its speed: a larger value misses a soft contact's beginning, a smaller one takes the rounding
  // of another engine's file for a contact.
  constexpr double kChange = 1e-5;
  const BodyState& start = view.at(0);
  const double speed = std::max(1e-9, start.linearVelocity.norm());
  for (std::size_t sample = 1; sample < view.count(); ++sample) {
    const Vec3 free = start.linearVelocity + (view.time(sample) - view.time(0)) * view.scene().gravity;
    if ((view.at(sample).linearVelocity - free).norm() > kChange * speed) return sample;
  }
  throw NoNumber{Measured::failed("meets nothing")};
}

/// From the centre of mass to the point of the body that the query names, which is the centre if it names
/// none.
Vec3 armOf(const View& view, const BodyState& state) {
  if (!view.query().point) return Vec3::Zero();
  const Vec3& centre = view.scene().bodies[view.body()].centre;
  return state.orientation * (*view.query().point - centre);
}
Vec3 placeOf(const View& view, const BodyState& state) { return state.position + armOf(view, state); }
Vec3 velocityOf(const View& view, const BodyState& state) {
  return state.linearVelocity + state.angularVelocity.cross(armOf(view, state));
}

/// Σ over the contacts of a sample that the query means: of its body, with the other one, near a point.
template <class Add>
void eachContact(const View& view, std::size_t sample, const Add& add) {
  for (const Contact& contact : view.trajectory().contacts[sample]) {
    const bool isA = contact.bodyA == view.body(), isB = contact.bodyB == view.body();
    if (view.body() >= 0 && !isA && !isB) continue;
    const int other = isA ? contact.bodyB : contact.bodyA;
    if (view.other() >= 0 && other != view.other()) continue;
    const Vec3 point = 0.5 * (contact.pointA + contact.pointB);
    if (view.query().radius > 0 && view.body() >= 0) {
      if ((point - placeOf(view, view.at(sample))).norm() > view.query().radius) continue;
    }
    add(contact, point);
  }
}
double interval(const View& view, std::size_t sample) {
  return sample == 0 ? 0 : view.time(sample) - view.time(sample - 1);
}
double normalForce(const View& view, std::size_t sample) {
  double sum = 0;
  eachContact(view, sample, [&](const Contact& contact, const Vec3&) { sum += contact.normalImpulse; });
  return sample == 0 ? 0 : sum / interval(view, sample);
}
double frictionForce(const View& view, std::size_t sample) {
  double sum = 0;
  eachContact(view, sample,
              [&](const Contact& contact, const Vec3&) { sum += contact.frictionImpulse.norm(); });
  return sample == 0 ? 0 : sum / interval(view, sample);
}
/// Mean over the window, the largest in it, or the first that is not 0.
double forceIn(const View& view, const Course& course) {
  const auto [first, last] = view.window();
  double sum = 0, largest = 0;
  std::size_t count = 0;
  for (std::size_t sample = std::max<std::size_t>(1, first); sample <= last; ++sample, ++count) {
    const double force = course(sample);
    if (view.query().which == "first" && force != 0) return force;
    sum += force;
    largest = std::max(largest, force);
  }
  if (count == 0) throw NoNumber{Measured::failed("there is no frame in its window")};
  return view.query().which == "largest" ? largest : sum / static_cast<double>(count);
}

using Value = std::function<double(const View& view)>;
using CourseOf = std::function<double(const View& view, std::size_t sample)>;

/// A quantity with what computes it. Those of several runs have no value of one.
struct Entry {
  TrajectoryQuantity quantity;
  Value value;
  CourseOf course;
};

double travel(const View& view) {
  return view.along(view.state(view.to()).position - view.state(view.from()).position);
}
double displacement(const View& view, std::size_t sample) {
  return view.along(view.at(sample).position - view.at(0).position);
}
double speed(const View& view, std::size_t sample) { return view.along(view.at(sample).linearVelocity); }
double spinOf(const View& view, std::size_t sample) { return view.along(view.at(sample).angularVelocity); }
double tilt(const View& view, std::size_t sample) { return tiltOf(view.at(0), view.at(sample)); }

/// An angle about the vertical, from x to z, counted on over 180° from one sample to the next.
class CountedAngle {
 public:
  /// A direction that has no part along the ground is skipped.
  void follow(const Vec3& direction) {
    if (direction.x() == 0 && direction.z() == 0) return;
    const double angle = std::atan2(direction.z(), direction.x());
    m_angle = m_angle ? *m_angle + std::remainder(angle - *m_angle, 2 * M_PI) : angle;
  }
  double value() const { return m_angle.value_or(0); }

 private:
  std::optional<double> m_angle;
};

double heading(const View& view) {
  const auto [first, last] = view.window();
  const BodyState begin = view.state(view.from());
  CountedAngle way;
  way.follow(begin.linearVelocity);
  const double start = way.value();
  for (std::size_t sample = first; sample <= last; ++sample)
    if (view.time(sample) > view.from() && view.time(sample) < view.to())
      way.follow(view.at(sample).position - begin.position);
  way.follow(view.state(view.to()).position - begin.position);
  return (way.value() - start) * kDegree;
}

Vec3 axisOfBody(const View& view, const BodyState& state) { return state.orientation * view.axis(); }

double azimuth(const View& view) {
  const auto [first, last] = view.window();
  CountedAngle angle;
  angle.follow(axisOfBody(view, view.state(view.from())));
  const double start = angle.value();
  for (std::size_t sample = first; sample <= last; ++sample)
    if (view.time(sample) > view.from() && view.time(sample) < view.to())
      angle.follow(axisOfBody(view, view.at(sample)));
  angle.follow(axisOfBody(view, view.state(view.to())));
  return (angle.value() - start) * kDegree;
}

double turned(const View& view) {
  const auto [first, last] = view.window();
  double angle = 0;
  for (std::size_t sample = first + 1; sample <= last; ++sample)
    angle += 0.5 * (view.time(sample) - view.time(sample - 1)) *
             (view.axis().dot(view.at(sample).angularVelocity) +
              view.axis().dot(view.at(sample - 1).angularVelocity));
  return angle;
}

double rebound(const View& view) {
  const auto [first, last] = view.window();
  double in = 0, out = 0;
  for (std::size_t sample = first; sample <= last; ++sample) {
    const double away = view.axis().dot(velocityOf(view, view.at(sample)));
    if (-away > in && out == 0) in = -away;
    out = std::max(out, away);
  }
  if (in <= 0) throw NoNumber{Measured::failed("meets nothing")};
  return out / in;
}

/// Differences of poses over the interval that begins at a sample.
Vec3 wayOver(const View& view, std::size_t sample) {
  return (view.at(sample + 1).position - view.at(sample).position) / interval(view, sample + 1);
}
Vec3 turnOver(const View& view, std::size_t sample) {
  return rotationBetween(view.at(sample).orientation, view.at(sample + 1).orientation) /
         interval(view, sample + 1);
}

/// The change from the last interval of free motion to one after the first contact. Velocities that are
/// central differences would smear the contact over two intervals; the interval with the contact is left out.
double afterContactOfPoses(const View& view) {
  // Relative to its speed: a larger value misses a soft contact's beginning, a smaller one takes poses in
  // single precision for a contact.
  constexpr double kChange = 1e-3;
  const Body& body = view.scene().bodies[view.body()];
  const std::size_t intervals = view.count() - 1;
  std::size_t contact = 0;
  Vec3 before = body.linearVelocity + 0.5 * interval(view, 1) * view.scene().gravity;
  const double speed = std::max(1e-9, before.norm());
  for (; contact < intervals; ++contact) {
    if (contact > 0)
      before = wayOver(view, contact - 1) +
               0.5 * (view.time(contact + 1) - view.time(contact - 1)) * view.scene().gravity;
    if ((wayOver(view, contact) - before).norm() > kChange * speed) break;
  }
  if (contact == intervals) throw NoNumber{Measured::failed("meets nothing")};
  const int number = view.query().number;
  const std::size_t wanted = contact + 1 + std::max(0, number);
  if (number >= 0 && wanted >= intervals)
    throw NoNumber{Measured::failed("ends before so many frames after its first contact")};
  const std::size_t after = number < 0 ? intervals - 1 : wanted;
  view.reached(view.time(after + 1));
  if (view.query().which == "angular")
    return view.along(turnOver(view, after) -
                      (contact > 0 ? turnOver(view, contact - 1) : body.angularVelocity));
  return view.along(wayOver(view, after) - (contact > 0 ? wayOver(view, contact - 1) : body.linearVelocity));
}

double afterContact(const View& view) {
  if (view.trajectory().linearDerived) return afterContactOfPoses(view);
  const std::size_t contact = firstContact(view);
  const std::size_t frames = std::max(0, view.query().number);
  const std::size_t sample =
      view.query().number < 0 ? view.window().second : std::min(contact + frames, view.count() - 1);
  if (view.query().number >= 0 && contact + frames >= view.count())
    throw NoNumber{Measured::failed("ends before so many frames after its first contact")};
  view.reached(view.time(sample));
  if (view.query().which == "angular")
    return view.along(view.at(sample).angularVelocity - view.at(0).angularVelocity);
  return view.along(view.at(sample).linearVelocity - view.at(contact - 1).linearVelocity);
}

double lastImpact(const View& view) {
  const auto [first, last] = view.window();
  for (std::size_t sample = last; sample > first; --sample) {
    const Vec3 fall = interval(view, sample) * view.scene().gravity;
    const Vec3 jump = view.at(sample).linearVelocity - view.at(sample - 1).linearVelocity - fall;
    if (std::abs(view.axis().dot(jump)) > view.query().value) return view.time(sample);
  }
  throw NoNumber{Measured::failed("meets nothing")};
}

double sideOfPlane(const View& view) {
  const auto [first, last] = view.window();
  const auto side = [&](std::size_t sample) {
    return view.axis().dot(view.at(sample).position - *view.query().point);
  };
  if (side(last) * side(first) < 0) return 0;
  if (view.other() < 0) return 1;
  // Of its diameter: a larger share takes a body that is stuck for one that rests, a smaller one a soft
  // contact for one that is stuck.
  constexpr double kInside = 0.05;
  const Scene& scene = view.scene();
  const double diameter = 2 * scene.bodies[view.body()].shape->radius;
  const auto& states = view.trajectory().states;
  PassageFinder passages(view.trajectory().scene);
  if (passages.depth(view.body(), view.other(), states[last]) > kInside * diameter) return 0;
  for (std::size_t sample = first + 1; sample <= last; ++sample)
    if (passages.find(view.body(), view.other(), states[sample - 1], states[sample])) return 0;
  return 1;
}

double highest(const View& view) {
  const auto [first, last] = view.window();
  double maximum = -std::numeric_limits<double>::infinity();
  for (std::size_t sample = first; sample <= last; ++sample)
    maximum = std::max(maximum, displacement(view, sample));
  return maximum;
}

double energyRatio(const View& view) {
  const auto [first, last] = view.window();
  const double start = kineticEnergy(view, first);
  if (start <= 0) throw NoNumber{Measured::notApplicable("it has no energy at the start")};
  if (view.query().which == "last") return kineticEnergy(view, last) / start;
  double maximum = start;
  for (std::size_t sample = first; sample <= last; ++sample)
    maximum = std::max(maximum, kineticEnergy(view, sample));
  return maximum / start;
}

double momentumError(const View& view) {
  const auto [first, last] = view.window();
  const bool isAngular = view.query().which == "angular";
  const auto momentum = [&](std::size_t sample) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t index = 0; index < view.scene().bodies.size(); ++index) {
      const Body& body = view.scene().bodies[index];
      const BodyState& state = view.at(sample, static_cast<int>(index));
      if (body.motion == Motion::Static || !state.active) continue;
      const Vec3 linear = linearMomentum(body, state);
      sum += isAngular ? Vec3(state.position.cross(linear) + spinMomentum(body, state)) : linear;
    }
    const std::vector<Vec3>& pushedOut = view.trajectory().pushOutAngularMomentum;
    if (isAngular && !pushedOut.empty()) sum -= pushedOut[sample];
    return sum;
  };
  const Vec3 start = momentum(first);
  double worst = 0;
  for (std::size_t sample = first; sample <= last; ++sample)
    worst = std::max(worst, (momentum(sample) - start).norm());
  return worst;
}

double overlapOf(const View& view) {
  StepRecord record;
  StateReferee referee(view.trajectory().scene);
  referee.measure(view.states(view.when()), {}, view.when(), 0, record);
  return record.quantities[Quantity::Overlap];
}

double forceCentre(const View& view) {
  const auto [first, last] = view.window();
  double moment = 0, force = 0;
  for (std::size_t sample = std::max<std::size_t>(1, first); sample <= last; ++sample)
    eachContact(view, sample, [&](const Contact& contact, const Vec3& point) {
      moment += contact.normalImpulse * view.axis().dot(point);
      force += contact.normalImpulse;
    });
  if (force <= 0) throw NoNumber{Measured::failed("nothing presses")};
  return moment / force;
}

std::vector<Entry> makeTable() {
  const std::vector<std::string> window = {"from", "to"};
  const auto windowAnd = [&](std::vector<std::string> more) {
    more.insert(more.end(), window.begin(), window.end());
    return more;
  };
  return {
      {{"travel",
        "m",
        {"body"},
        windowAnd({"axis"}),
        {},
        false,
        "x(to) − x(from), along an axis or its length"},
       travel,
       displacement},
      {{"position",
        "m",
        {"body", "axis"},
        {"at", "point"},
        {},
        false,
        "along an axis, of the centre of mass or of a point of the body (as its shape is given)"},
       [](const View& view) { return view.along(placeOf(view, view.state(view.when()))); },
       [](const View& view, std::size_t sample) { return view.along(placeOf(view, view.at(sample))); }},
      {{"heading",
        "°",
        {"body"},
        window,
        {},
        false,
        "angle about the vertical from the first velocity to the way travelled, from x to z, counted on over "
        "180°"},
       heading,
       displacement},
      {{"azimuth",
        "°",
        {"body", "axis"},
        window,
        {},
        false,
        "angle about the vertical by which an axis of the body has gone round, from x to z, counted on over "
        "180°"},
       azimuth,
       nullptr},
      {{"velocity", "m/s", {"body"}, {"axis", "at"}, {}, false, "along an axis, or the speed"},
       [](const View& view) { return view.along(view.state(view.when()).linearVelocity); },
       speed},
      {{"acceleration", "m/s²", {"body", "axis", "from", "to"}, {}, {}, false, "Δv / Δt over the window"},
       [](const View& view) {
         return view.along(view.state(view.to()).linearVelocity - view.state(view.from()).linearVelocity) /
                (view.to() - view.from());
       },
       speed},
      {{"creep",
        "m/s",
        {"body", "from"},
        {"axis", "to"},
        {},
        false,
        "mean speed over the window: |x(to) − x(from)| / Δt"},
       [](const View& view) { return std::abs(travel(view)) / (view.to() - view.from()); },
       displacement},
      {{"tilt", "°", {"body"}, {"at"}, {}, false, "angle to the orientation at the start"},
       [](const View& view) { return tiltOf(view.at(0), view.state(view.when())); },
       tilt},
      {{"spin", "rad/s", {"body"}, {"axis", "at"}, {}, false, "along an axis, or |ω|"},
       [](const View& view) { return view.along(view.state(view.when()).angularVelocity); },
       spinOf},
      {{"turned", "rad", {"body", "axis"}, window, {}, false, "∫ ω · axis dt, by trapezoids"},
       turned,
       spinOf},
      {{"rate_at_tilt",
        "rad/s",
        {"body", "value"},
        window,
        {},
        false,
        "|ω| when the tilt first reaches `value` degrees"},
       [](const View& view) {
         const double time = passing(
             view, [&](std::size_t sample) { return tilt(view, sample); }, view.query().value, 1);
         return between(
             view, [&](std::size_t sample) { return view.at(sample).angularVelocity.norm(); }, time);
       },
       tilt},
      {{"time_below", "s", {"body", "value"}, window, {}, false, "when |ω| first falls below `value`"},
       [](const View& view) {
         return passing(
             view, [&](std::size_t sample) { return view.at(sample).angularVelocity.norm(); },
             view.query().value, 1);
       },
       spinOf},
      {{"zero_crossing",
        "s",
        {"body", "axis"},
        windowAnd({"number"}),
        {},
        false,
        "the `number`-th zero of ω along an axis of the body"},
       [](const View& view) {
         return passing(
             view, [&](std::size_t sample) { return view.axis().dot(spinInBody(view.at(sample))); }, 0,
             view.query().number);
       },
       [](const View& view, std::size_t sample) { return view.axis().dot(spinInBody(view.at(sample))); }},
      {{"rebound",
        "",
        {"body", "axis"},
        windowAnd({"point"}),
        {},
        false,
        "largest speed along the axis after the first contact over the largest against it before, of the "
        "centre of mass or of a point of the body (as its shape is given)"},
       rebound,
       [](const View& view, std::size_t sample) { return view.along(velocityOf(view, view.at(sample))); }},
      {{"last_impact",
        "s",
        {"body", "axis", "value"},
        window,
        {},
        false,
        "when the speed along the axis last changes by more than `value` from one sample to the next, "
        "besides "
        "g Δt"},
       lastImpact,
       speed},
      {{"velocity_after_contact",
        "",
        {"body"},
        windowAnd({"axis", "number", "which"}),
        {"linear", "angular"},
        false,
        "change of v (or of ω) from before the first contact to `number` frames after it; −1: to the end"},
       afterContact,
       speed},
      {{"side_of_plane",
        "",
        {"body", "axis", "point"},
        windowAnd({"other"}),
        {},
        false,
        "1 if the centre ends on the side of the plane where it begins, and the body is neither inside "
        "`other` at "
        "the end (deeper than a twentieth of its diameter) nor has gone through it between two samples, else "
        "0"},
       sideOfPlane,
       [](const View& view, std::size_t sample) {
         return view.axis().dot(view.at(sample).position - *view.query().point);
       }},
      {{"highest", "m", {"body", "axis"}, window, {}, false, "largest x − x(0) along the axis"},
       highest,
       displacement},
      {{"energy_ratio",
        "",
        {},
        windowAnd({"body", "which"}),
        {"largest", "last"},
        false,
        "largest, or last, kinetic energy over the first"},
       energyRatio,
       kineticEnergy},
      {{"kinetic_energy", "J", {}, {"body", "at"}, {}, false, "½ m v² + ½ ω · I ω, of all or of one body"},
       [](const View& view) {
         const double time = view.when();
         return between(
             view, [&](std::size_t sample) { return kineticEnergy(view, sample); }, time);
       },
       kineticEnergy},
      {{"momentum_error",
        "",
        {},
        windowAnd({"which"}),
        {"linear", "angular"},
        false,
        "largest |P − P(from)| of all bodies, or of L about the world's origin, without what displacements "
        "add that undo overlaps [N·s, N·m·s]"},
       momentumError,
       nullptr},
      {{"overlap", "m³", {}, {"at"}, {}, false, "volume of all overlaps, by the Referee"},
       overlapOf,
       nullptr},
      {{"self_convergence",
        "",
        {"body"},
        windowAnd({"axis", "which"}),
        {"travel", "heading"},
        false,
        "p = log₂ ((x₁ − x₂) / (x₂ − x₃)) of the travel, or of the heading, in the last three runs, each "
        "with "
        "half the step; 30 where no two of them differ by more than 10⁻⁹"},
       nullptr,
       nullptr},
      {{"foot_force",
        "N",
        {"body", "point", "radius"},
        window,
        {},
        true,
        "normal force near a point of the body (as its shape is given), mean over the window"},
       [](const View& view) {
         return forceIn(view, [&](std::size_t sample) { return normalForce(view, sample); });
       },
       normalForce},
      {{"force_centre",
        "m",
        {"body", "axis"},
        windowAnd({"other"}),
        {},
        true,
        "Σ N p · axis / Σ N over the contacts of the body"},
       forceCentre,
       nullptr},
      {{"friction_sum",
        "N",
        {},
        windowAnd({"body", "other", "which"}),
        {"mean", "largest", "first"},
        true,
        "Σ |friction force|, mean over the window, the largest, or that of the first step in which there is "
        "one"},
       [](const View& view) {
         return forceIn(view, [&](std::size_t sample) { return frictionForce(view, sample); });
       },
       frictionForce},
      {{"normal_sum",
        "N",
        {},
        windowAnd({"body", "other", "which"}),
        {"mean", "largest", "first"},
        true,
        "Σ normal force, mean over the window, the largest, or that of the first step in which there is one"},
       [](const View& view) {
         return forceIn(view, [&](std::size_t sample) { return normalForce(view, sample); });
       },
       normalForce},
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = makeTable();
  return table;
}
const Entry* entryOf(const std::string& key) {
  for (const Entry& entry : entries())
    if (entry.quantity.key == key) return &entry;
  return nullptr;
}

double selfConvergence(const QuantityQuery& query, const std::vector<MeasuredRun>& runs) {
  // Differences that are rounding have no order. A column that is exact gets the highest one, log₂ 10⁹.
  constexpr double kRounding = 1e-9, kMostOrder = 30;
  const Entry* entry = entryOf(query.which.empty() ? "travel" : query.which);
  std::vector<double> values;
  for (const MeasuredRun& run : runs) values.push_back(entry->value(View(query, run)));
  const std::size_t n = values.size();
  const double coarse = values[n - 3] - values[n - 2], fine = values[n - 2] - values[n - 1];
  if (std::abs(coarse) <= kRounding && std::abs(fine) <= kRounding) return kMostOrder;
  if (coarse == 0 || fine == 0 || coarse / fine < 0)
    throw NoNumber{{Measured::State::Undefined, NAN, "its differences do not shrink one way"}};
  return std::min(kMostOrder, std::log2(coarse / fine));
}

}  // namespace

const std::vector<TrajectoryQuantity>& trajectoryQuantityTable() {
  static const std::vector<TrajectoryQuantity> table = [] {
    std::vector<TrajectoryQuantity> quantities;
    for (const Entry& entry : entries()) quantities.push_back(entry.quantity);
    return quantities;
  }();
  return table;
}

const TrajectoryQuantity* findTrajectoryQuantity(const std::string& key) {
  for (const TrajectoryQuantity& quantity : trajectoryQuantityTable())
    if (quantity.key == key) return &quantity;
  return nullptr;
}

Measured evaluate(const QuantityQuery& query, const std::vector<MeasuredRun>& runs) {
  const Entry* entry = entryOf(query.quantity);
  if (!entry) return Measured::failed("there is no quantity '" + query.quantity + "'");
  try {
    for (const MeasuredRun& run : runs)
      if (entry->quantity.needsContacts && !run.trajectory->hasContacts)
        return Measured::notApplicable("the trajectory has no contacts");
    const double raw = entry->value ? entry->value(View(query, runs.front())) : selfConvergence(query, runs);
    const double value = (raw + query.add) / query.divide;
    if (!std::isfinite(value)) return Measured::failed("is not a finite number");
    return Measured::known(value);
  } catch (const NoNumber& no) {
    return no.measured;
  }
}

std::vector<std::pair<double, double>> courseOf(const QuantityQuery& query, const MeasuredRun& run) {
  const Entry* entry = entryOf(query.quantity);
  std::vector<std::pair<double, double>> course;
  if (!entry || !entry->course || (entry->quantity.needsContacts && !run.trajectory->hasContacts))
    return course;
  try {
    const View view(query, run);
    for (std::size_t sample = 0; sample < view.count(); ++sample)
      course.emplace_back(view.time(sample), entry->course(view, sample));
  } catch (const NoNumber&) {
    course.clear();
  }
  return course;
}

}  // namespace touchstone
