#include "core/motion/flight.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/files/json_view.h"
#include "core/files/scene_error.h"
#include "core/geometry/aabb.h"

namespace touchstone {

namespace {

/// Fewer frames than these give no start, and no shear. More leave out short tosses; fewer let noise decide.
constexpr int kFewestFrames = 4, kFewestForShear = 8;
/// Share of the width below which a corner is at a static body. A larger value ends flights early; a smaller
/// one misses contacts of shapes that are a little too small.
constexpr double kTouch = 0.005;
/// Steps of Runge and Kutta per radian that a body turns: rounding of 1e-10 rad. More cost time only.
constexpr double kStepsPerRadian = 40;

using Vector6 = Eigen::Matrix<double, 6, 1>;

Quaternion rotated(const Vec3& turn) {
  const double angle = turn.norm();
  if (angle < 1e-300) return Quaternion::Identity();
  const Vec3 axis = turn / angle;
  const double sine = std::sin(0.5 * angle);
  return {std::cos(0.5 * angle), sine * axis.x(), sine * axis.y(), sine * axis.z()};
}

/// Samples of the flight that have a pose, as indices.
std::vector<std::size_t> flightSamples(const MotionTrack& track, const Flight& flight) {
  std::vector<std::size_t> places;
  for (std::size_t sample = flight.first; sample < flight.firstContact; ++sample)
    if (!track.samples[sample].isMissing) places.push_back(sample);
  return places;
}

double restHeight(const MotionTrack& track) {
  for (auto sample = track.samples.rbegin(); sample != track.samples.rend(); ++sample)
    if (!sample->isMissing) return sample->position.y();
  return 0;
}

/// Weighted least squares of x(t) − known(t) = x₀ + v t, and of horizontal axes + s (y − y_rest).
void fitPositions(const MotionTrack& track, const std::vector<std::size_t>& places, const Vec3& gravity,
                  const Body& body, Flight& flight) {
  const double start = track.samples[flight.first].time, rest = restHeight(track);
  const auto count = static_cast<Eigen::Index>(places.size());
  Eigen::MatrixXd times(count, 2);
  Eigen::VectorXd heights(count);
  Eigen::MatrixXd known(count, 3);
  for (Eigen::Index row = 0; row < count; ++row) {
    const MotionSample& sample = track.samples[places[static_cast<std::size_t>(row)]];
    const double time = sample.time - start;
    times.row(row) << 1, time;
    heights[row] = sample.position.y() - rest;
    known.row(row) =
        (sample.position + sample.orientation * body.centre - 0.5 * time * time * gravity).transpose();
  }
  const auto solver = times.colPivHouseholderQr();
  Eigen::MatrixXd fitted = solver.solve(known);
  // The vertical axis has no shear, so that what it leaves is noise.
  const Eigen::VectorXd left = known.col(1) - times * fitted.col(1);
  const double noise = left.squaredNorm() / std::max<double>(1, static_cast<double>(count - 2));
  if (count >= kFewestForShear) {
    const Eigen::VectorXd across = heights - times * solver.solve(heights);
    const double weight = across.squaredNorm() + noise / (kUsualShear * kUsualShear);
    for (const int axis : {0, 2}) {
      if (!(weight > 0)) continue;
      flight.shear[axis] = across.dot(known.col(axis)) / weight;
      known.col(axis) -= flight.shear[axis] * heights;
    }
    fitted = solver.solve(known);
  }
  flight.start.position = fitted.row(0).transpose();
  flight.start.linearVelocity = fitted.row(1).transpose();
  flight.residual = std::sqrt((known - times * fitted).squaredNorm() / static_cast<double>(count));
}

/// Σ of squared angles to the samples, and their vectors one after the other.
Eigen::VectorXd turnsLeft(const MotionTrack& track, const std::vector<std::size_t>& places,
                          const Mat3& inertia, Quaternion orientation, Vec3 spin) {
  Eigen::VectorXd left(3 * static_cast<Eigen::Index>(places.size()));
  double time = track.samples[places.front()].time;
  for (std::size_t place = 0; place < places.size(); ++place) {
    const MotionSample& sample = track.samples[places[place]];
    turnFreely(inertia, sample.time - time, orientation, spin);
    time = sample.time;
    left.segment<3>(3 * static_cast<Eigen::Index>(place)) = turnBetween(orientation, sample.orientation);
  }
  return left;
}

/// Gauss and Newton over the first orientation and the angular velocity.
void fitTurns(const MotionTrack& track, const std::vector<std::size_t>& places, const Mat3& inertia,
              Flight& flight) {
  const MotionSample &first = track.samples[places[0]], &second = track.samples[places[1]];
  Quaternion orientation = first.orientation;
  Vec3 spin = turnBetween(first.orientation, second.orientation) / (second.time - first.time);
  const double span = track.samples[places.back()].time - first.time;
  // Of the differences [rad]: the error of the derivative and that of rounding are both about 1e-8 of it.
  constexpr double kStep = 1e-6;
  for (int iteration = 0; iteration < 8; ++iteration) {
    const Eigen::VectorXd left = turnsLeft(track, places, inertia, orientation, spin);
    Eigen::MatrixXd slope(left.size(), 6);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 turn = kStep * Vec3::Unit(axis);
      slope.col(axis) =
          (turnsLeft(track, places, inertia, product(rotated(turn), orientation), spin) - left) / kStep;
      slope.col(3 + axis) =
          (turnsLeft(track, places, inertia, orientation, Vec3(spin + turn / span)) - left) / kStep;
    }
    const Vector6 change = slope.colPivHouseholderQr().solve(-left);
    orientation = product(rotated(Vec3(change.head<3>())), orientation).normalized();
    spin += change.tail<3>() / span;
    if (change.norm() < 1e-12) break;
  }
  const Eigen::VectorXd left = turnsLeft(track, places, inertia, orientation, spin);
  flight.start.orientation = orientation;
  flight.start.angularVelocity = spin;
  flight.turnResidual = std::sqrt(left.squaredNorm() / static_cast<double>(places.size()));
}

}  // namespace

int bodyOf(const MotionTrack& track, const Scene& scene, const std::string& file) {
  std::vector<std::string> moving;
  int found = -1;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Body& own = scene.bodies[body];
    if (own.motion == Motion::Static || own.deformable) continue;
    moving.push_back(own.name);
    if (track.body.empty() || own.name == track.body) found = static_cast<int>(body);
  }
  if (track.body.empty() && moving.size() != 1)
    throw SceneError(
        file, "",
        "has no column body, and the scene has " + std::to_string(moving.size()) + " rigid bodies that move",
        "add a column body with their names");
  if (found >= 0) return found;
  const std::string nearest = nearestName(track.body, moving);
  throw SceneError(file, "",
                   "names the body '" + track.body + "', which is no rigid body of the scene that moves",
                   nearest.empty() ? "use the names of the scene" : "did you mean '" + nearest + "'?");
}

double widthOf(const Body& body) {
  Aabb box;
  for (const TriangleMesh& surface : body.shape->surfaces)
    for (const Vec3& vertex : surface.vertices) box.add(vertex);
  return isSome(box) ? (box.high - box.low).minCoeff() : 1;
}

BodyState stateOf(const MotionSample& sample, const Body& body) {
  const Vec3 arm = sample.orientation * body.centre;
  BodyState state{Vec3(sample.position + arm), sample.orientation, Vec3::Zero(), Vec3::Zero(), true};
  if (sample.angularVelocity.allFinite()) state.angularVelocity = sample.angularVelocity;
  if (sample.velocity.allFinite()) state.linearVelocity = sample.velocity + state.angularVelocity.cross(arm);
  return state;
}

double deepestCorner(const Scene& scene, const Body& body, const Vec3& centre,
                     const Quaternion& orientation) {
  double deepest = std::numeric_limits<double>::infinity();
  for (const Body& other : scene.bodies) {
    if (other.motion != Motion::Static) continue;
    const bool isPlane = other.shape->kind == Shape::Kind::Plane;
    for (const TriangleMesh& surface : body.shape->surfaces)
      for (const Vec3& vertex : surface.vertices) {
        const Vec3 at = other.orientation.conjugate() * Vec3(centre + orientation * vertex - other.position);
        if (isPlane) deepest = std::min(deepest, other.shape->planeNormal.dot(at));
        for (const Polytope& piece : other.shape->pieces) {
          double outside = -std::numeric_limits<double>::infinity();
          for (const Polytope::Face& face : piece.faces)
            outside = std::max(outside, face.normal.dot(at) - face.offset);
          if (!piece.faces.empty()) deepest = std::min(deepest, outside);
        }
      }
  }
  return deepest;
}

void turnFreely(const Mat3& inertia, double time, Quaternion& orientation, Vec3& angularVelocity) {
  if (time == 0) return;
  const Mat3 inverse = inertia.inverse();
  Vec3 spin = orientation.conjugate() * angularVelocity;
  const auto spinRate = [&](const Vec3& w) { return Vec3(inverse * Vec3((inertia * w).cross(w))); };
  const auto turnRate = [](const Quaternion& q, const Vec3& w) {
    Quaternion rate = product(q, Quaternion(0, w.x(), w.y(), w.z()));
    rate.coeffs() *= 0.5;
    return rate;
  };
  const auto moved = [](const Quaternion& q, const Quaternion& rate, double by) {
    return Quaternion(q.w() + by * rate.w(), q.x() + by * rate.x(), q.y() + by * rate.y(),
                      q.z() + by * rate.z());
  };
  const int steps = std::max(1, static_cast<int>(std::ceil(kStepsPerRadian * spin.norm() * std::abs(time))));
  const double dt = time / steps;
  for (int step = 0; step < steps; ++step) {
    const Vec3 w1 = spinRate(spin), w2 = spinRate(spin + 0.5 * dt * w1), w3 = spinRate(spin + 0.5 * dt * w2),
               w4 = spinRate(spin + dt * w3);
    const Quaternion q1 = turnRate(orientation, spin),
                     q2 = turnRate(moved(orientation, q1, 0.5 * dt), spin + 0.5 * dt * w1),
                     q3 = turnRate(moved(orientation, q2, 0.5 * dt), spin + 0.5 * dt * w2),
                     q4 = turnRate(moved(orientation, q3, dt), spin + dt * w3);
    orientation.coeffs() += dt / 6 * (q1.coeffs() + 2 * q2.coeffs() + 2 * q3.coeffs() + q4.coeffs());
    orientation.normalize();
    spin += dt / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  angularVelocity = orientation * spin;
}

Flight flightOf(const MotionTrack& track, const Scene& scene, const Body& body) {
  Flight flight;
  const std::size_t count = track.samples.size();
  while (flight.first < count && track.samples[flight.first].isMissing) ++flight.first;
  std::size_t touch = flight.first;
  for (; touch < count; ++touch) {
    const MotionSample& sample = track.samples[touch];
    if (sample.isMissing) continue;
    const Vec3 centre = sample.position + sample.orientation * body.centre;
    if (deepestCorner(scene, body, centre, sample.orientation) <= kTouch * widthOf(body)) break;
  }
  flight.firstContact = touch < count && touch > flight.first ? touch - 1 : touch;
  const std::vector<std::size_t> places = flightSamples(track, flight);
  flight.frames = static_cast<int>(places.size());
  if (flight.first >= count)
    flight.problem = "it has no pose";
  else if (flight.frames < kFewestFrames)
    flight.problem = "it has " + std::to_string(flight.frames) + " frames of flight, and a start needs " +
                     std::to_string(kFewestFrames);
  else if (touch == count)
    flight.problem = "it touches nothing";
  if (!flight.problem.empty()) return flight;
  fitPositions(track, places, scene.gravity, body, flight);
  fitTurns(track, places, body.inertia, flight);
  return flight;
}

MotionTrack unsheared(const MotionTrack& track, const Flight& flight) {
  MotionTrack straight = track;
  const double rest = restHeight(track);
  for (MotionSample& sample : straight.samples)
    if (!sample.isMissing) sample.position -= flight.shear * (sample.position.y() - rest);
  return straight;
}

}  // namespace touchstone
