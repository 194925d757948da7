#include "core/motion/flight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/files/json_view.h"
#include "core/files/scene_error.h"
#include "core/geometry/aabb.h"
#include "core/math/count.h"
#include "core/math/quantile.h"

namespace touchstone {

namespace {

/// Fewer frames than these give no start, and no shear. More leave out short tosses; fewer let noise decide.
constexpr int kFewestFrames = 4, kFewestForShear = 8;
/// Share of the width below which a corner is at a static body. A larger value ends flights early; a smaller
/// one misses contacts of shapes that are a little too small.
constexpr double kTouch = 0.005;
/// Noise of coordinates is not less [m]: files round to about that. A larger value takes shear for noise.
constexpr double kFinestNoise = 1e-6;
/// Slow errors in units of the noise from frame to frame. A larger value joins tosses of unlike shear to one
/// group; with a smaller one the noise parts tosses of one group.
constexpr double kMostSlowNoise = 3;
/// Differences of neighbours; fewer give no median.
constexpr int kFewestNeighbours = 8;
/// Share of tosses that begin a group. A larger value parts groups by noise; a smaller one joins them.
constexpr double kNewGroup = 0.1;
/// Tosses. Of so many the shear is known; longer groups cost time only.
constexpr std::size_t kLongestGroup = 200;
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

/// Equations of the start: x(t) − known(t) = x₀ + v t, of which horizontal axes also have s (y − y_rest).
struct PositionRows {
  Eigen::MatrixXd times;    ///< [frames × 2]
  Eigen::VectorXd heights;  ///< y − y_rest
  Eigen::MatrixXd known;    ///< [frames × 3]
};

PositionRows positionRows(const MotionTrack& track, const Vec3& gravity, const Body& body,
                          const Flight& flight) {
  const std::vector<std::size_t> places = flightSamples(track, flight);
  const double start = track.samples[flight.first].time, rest = restHeight(track);
  const auto count = static_cast<Eigen::Index>(places.size());
  PositionRows rows{Eigen::MatrixXd(count, 2), Eigen::VectorXd(count), Eigen::MatrixXd(count, 3)};
  for (Eigen::Index row = 0; row < count; ++row) {
    const MotionSample& sample = track.samples[places[row]];
    const double time = sample.time - start;
    rows.times.row(row) << 1, time;
    rows.heights[row] = sample.position.y() - rest;
    rows.known.row(row) =
        (sample.position + sample.orientation * body.centre - 0.5 * time * time * gravity).transpose();
  }
  return rows;
}

Flight::Shear shearOf(const PositionRows& rows) {
  const auto solver = rows.times.colPivHouseholderQr();
  const auto residualOf = [&](const Eigen::VectorXd& values) {
    return Eigen::VectorXd(values - rows.times * solver.solve(values));
  };
  const auto count = countOf(rows.heights);
  Flight::Shear shear;
  // The vertical axis has no shear, so that what it leaves is noise.
  shear.noise = residualOf(rows.known.col(1)).squaredNorm();
  shear.freedoms = std::max(1, count - 2);
  if (count < kFewestForShear) return shear;
  const Eigen::VectorXd across = residualOf(rows.heights);
  shear.weight = across.squaredNorm();
  if (!(shear.weight > 0)) return shear;
  for (const int axis : {0, 2}) shear.slope[axis] = across.dot(rows.known.col(axis)) / shear.weight;
  return shear;
}

/// Least squares of the start under a given shear.
void fitPositions(const PositionRows& rows, const Vec3& shear, Flight& flight) {
  flight.shear = shear;
  const Eigen::MatrixXd straight = rows.known - rows.heights * shear.transpose();
  const Eigen::MatrixXd fitted = rows.times.colPivHouseholderQr().solve(straight);
  flight.start.position = fitted.row(0).transpose();
  flight.start.linearVelocity = fitted.row(1).transpose();
  flight.residual =
      std::sqrt((straight - rows.times * fitted).squaredNorm() / static_cast<double>(rows.heights.size()));
}

/// The shear that all flights of one toss show: they were recorded at once.
Flight::Shear sumOf(const std::vector<Flight::Shear>& shown) {
  Flight::Shear sum;
  for (const Flight::Shear& shear : shown) {
    sum.slope += shear.weight * shear.slope;
    sum.weight += shear.weight;
    sum.noise += shear.noise;
    sum.freedoms += shear.freedoms;
  }
  if (sum.weight > 0) sum.slope /= sum.weight;
  return sum;
}

/// Noise of a coordinate in flight, slow errors included [m].
double noiseOf(const std::vector<Flight::Shear>& tosses) {
  double squares = 0, freedoms = 0;
  std::vector<double> differences;  // of neighbours, in units of what noise of 1 m makes
  const Flight::Shear* before = nullptr;
  for (const Flight::Shear& toss : tosses) {
    squares += toss.noise;
    freedoms += toss.freedoms;
    if (!(toss.weight > 0)) continue;
    if (before)
      for (const int axis : {0, 2})
        differences.push_back(std::abs(toss.slope[axis] - before->slope[axis]) /
                              std::sqrt(1 / toss.weight + 1 / before->weight));
    before = &toss;
  }
  const double noise = std::max(kFinestNoise, freedoms > 0 ? std::sqrt(squares / freedoms) : 0);
  if (countOf(differences) < kFewestNeighbours) return noise;
  constexpr double kMedianOfNormal = 0.6745;  // of |x|, x of a standard normal distribution
  return std::clamp(median(differences) / kMedianOfNormal, noise, kMostSlowNoise * noise);
}

/// Group of each toss: Viterbi's cut of a sequence of which each part has a normally distributed shear.
std::vector<std::size_t> groupsOf(const std::vector<Flight::Shear>& tosses, double noise) {
  const std::size_t count = tosses.size();
  const double usual = kUsualShear * kUsualShear / (noise * noise);
  std::vector<double> cost(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin(count + 1, 0);
  cost[0] = 0;
  for (std::size_t end = 1; end <= count; ++end) {
    double weight = 0, squares = 0;
    Vec3 sum = Vec3::Zero();
    for (std::size_t first = end; first-- > 0 && end - first <= kLongestGroup;) {
      const Flight::Shear& toss = tosses[first];
      weight += toss.weight;
      sum += toss.weight * toss.slope;
      squares += toss.weight * toss.slope.squaredNorm();
      // −ln of the density of both axes and of a group of this length.
      const double spread = (squares - sum.squaredNorm() / (weight + 1 / usual)) / (noise * noise);
      const double groupCost = 0.5 * spread + std::log1p(weight * usual) - std::log(kNewGroup) -
                               static_cast<double>(end - first - 1) * std::log1p(-kNewGroup);
      if (cost[first] + groupCost < cost[end]) {
        cost[end] = cost[first] + groupCost;
        begin[end] = first;
      }
    }
  }
  std::vector<std::size_t> groups(count);
  for (std::size_t end = count; end > 0; end = begin[end])
    for (std::size_t toss = begin[end]; toss < end; ++toss) groups[toss] = begin[end];
  return groups;
}

/// Σ of squared angles to the samples, and their vectors one after the other.
Eigen::VectorXd turnsLeft(const MotionTrack& track, const std::vector<std::size_t>& places,
                          const Mat3& inertia, Quaternion orientation, Vec3 spin) {
  Eigen::VectorXd turns(3 * static_cast<Eigen::Index>(places.size()));
  double time = track.samples[places.front()].time;
  for (std::size_t place = 0; place < places.size(); ++place) {
    const MotionSample& sample = track.samples[places[place]];
    turnFreely(inertia, sample.time - time, orientation, spin);
    time = sample.time;
    turns.segment<3>(3 * static_cast<Eigen::Index>(place)) = rotationBetween(orientation, sample.orientation);
  }
  return turns;
}

/// Gauss and Newton over the first orientation and the angular velocity.
void fitTurns(const MotionTrack& track, const std::vector<std::size_t>& places, const Mat3& inertia,
              Flight& flight) {
  const MotionSample &first = track.samples[places[0]], &second = track.samples[places[1]];
  Quaternion orientation = first.orientation;
  Vec3 spin = rotationBetween(first.orientation, second.orientation) / (second.time - first.time);
  const double span = track.samples[places.back()].time - first.time;
  // Of the differences [rad]: the error of the derivative and that of rounding are both about 1e-8 of it.
  constexpr double kStep = 1e-6;
  for (int iteration = 0; iteration < 8; ++iteration) {
    const Eigen::VectorXd residual = turnsLeft(track, places, inertia, orientation, spin);
    Eigen::MatrixXd slope(residual.size(), 6);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 turn = kStep * Vec3::Unit(axis);
      slope.col(axis) =
          (turnsLeft(track, places, inertia, product(rotated(turn), orientation), spin) - residual) / kStep;
      slope.col(3 + axis) =
          (turnsLeft(track, places, inertia, orientation, Vec3(spin + turn / span)) - residual) / kStep;
    }
    const Vector6 change = slope.colPivHouseholderQr().solve(-residual);
    orientation = product(rotated(Vec3(change.head<3>())), orientation).normalized();
    spin += change.tail<3>() / span;
    if (change.norm() < 1e-12) break;
  }
  const Eigen::VectorXd residual = turnsLeft(track, places, inertia, orientation, spin);
  flight.start.orientation = orientation;
  flight.start.angularVelocity = spin;
  flight.turnResidual = std::sqrt(residual.squaredNorm() / static_cast<double>(places.size()));
}

}  // namespace

int bodyOf(const MotionTrack& track, const Scene& scene, const std::string& file) {
  std::vector<std::string> moving;
  int found = -1;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Body& candidate = scene.bodies[body];
    if (candidate.motion == Motion::Static || candidate.deformable) continue;
    moving.push_back(candidate.name);
    if (track.body.empty() || candidate.name == track.body) found = static_cast<int>(body);
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
        const Vec3 local =
            other.orientation.conjugate() * Vec3(centre + orientation * vertex - other.position);
        if (isPlane) deepest = std::min(deepest, other.shape->planeNormal.dot(local));
        for (const Polytope& piece : other.shape->pieces) {
          double outside = -std::numeric_limits<double>::infinity();
          for (const Polytope::Face& face : piece.faces)
            outside = std::max(outside, face.normal.dot(local) - face.offset);
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
  flight.frames = countOf(places);
  if (flight.first >= count)
    flight.problem = "it has no pose";
  else if (flight.frames < kFewestFrames)
    flight.problem = "it has " + std::to_string(flight.frames) + " frames of flight, and a start needs " +
                     std::to_string(kFewestFrames);
  else if (touch == count)
    flight.problem = "it touches nothing";
  if (!flight.problem.empty()) return flight;
  const PositionRows rows = positionRows(track, scene.gravity, body, flight);
  flight.own = shearOf(rows);
  fitPositions(rows, shearsOfGroups({}, {{flight.own}}).front(), flight);
  fitTurns(track, places, body.inertia, flight);
  return flight;
}

std::vector<Vec3> shearsOfGroups(const std::vector<std::string>& names,
                                 const std::vector<std::vector<Flight::Shear>>& shown) {
  std::vector<Flight::Shear> tosses;
  for (const std::vector<Flight::Shear>& toss : shown) tosses.push_back(sumOf(toss));
  const double noise = noiseOf(tosses);
  std::vector<std::size_t> groups;
  if (names.empty()) {
    groups = groupsOf(tosses, noise);
  } else {
    std::map<std::string, std::size_t> known;
    for (const std::string& name : names) groups.push_back(known.emplace(name, known.size()).first->second);
  }
  std::map<std::size_t, Flight::Shear> sums;
  for (std::size_t toss = 0; toss < tosses.size(); ++toss) {
    Flight::Shear& sum = sums[groups[toss]];
    sum.slope += tosses[toss].weight * tosses[toss].slope;
    sum.weight += tosses[toss].weight;
  }
  std::vector<Vec3> shears;
  for (const std::size_t group : groups) {
    const Flight::Shear& sum = sums[group];
    shears.push_back(sum.slope / (sum.weight + noise * noise / (kUsualShear * kUsualShear)));
  }
  return shears;
}

std::vector<std::vector<Flight>> flightsOf(const RecordedMotion& motion, const Scene& scene) {
  std::vector<std::vector<Flight>> flights;
  std::vector<std::vector<Flight::Shear>> shown;
  std::vector<std::string> names;
  const auto bodyAt = [&](const MotionTrack& track) -> const Body& {
    return scene.bodies[bodyOf(track, scene, motion.file)];
  };
  for (const Toss& toss : motion.tosses) {
    flights.emplace_back();
    shown.emplace_back();
    if (motion.hasGroups) names.push_back(toss.group);
    for (const MotionTrack& track : toss.tracks) {
      flights.back().push_back(flightOf(track, scene, bodyAt(track)));
      if (flights.back().back().problem.empty()) shown.back().push_back(flights.back().back().own);
    }
  }
  const std::vector<Vec3> shears = shearsOfGroups(names, shown);
  for (std::size_t toss = 0; toss < flights.size(); ++toss)
    for (std::size_t track = 0; track < flights[toss].size(); ++track) {
      Flight& flight = flights[toss][track];
      if (!flight.problem.empty()) continue;
      const MotionTrack& recorded = motion.tosses[toss].tracks[track];
      fitPositions(positionRows(recorded, scene.gravity, bodyAt(recorded), flight), shears[toss], flight);
    }
  return flights;
}

MotionTrack unsheared(const MotionTrack& track, const Flight& flight) {
  MotionTrack straight = track;
  const double rest = restHeight(track);
  for (MotionSample& sample : straight.samples)
    if (!sample.isMissing) sample.position -= flight.shear * (sample.position.y() - rest);
  return straight;
}

}  // namespace touchstone
