#include "core/motion/motion_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/math/quantile.h"
#include "core/motion/flight.h"
#include "core/motion/motion_file.h"

namespace touchstone {

namespace {

// What is still good. Larger values hide a trap; smaller ones call the noise of good recordings one.
constexpr double kNormError = 1e-3;
constexpr double kGravityError = 0.005;     // of g
constexpr double kSidewaysPull = 0.005;     // of g
constexpr double kLengthShare = 0.02;       // of the width: heights, depths
constexpr double kCentreShare = 0.01;       // of the width: centre of mass
constexpr double kNoiseShare = 0.01;        // of the width
constexpr double kTilt = 0.5 * M_PI / 180;  // of the table [rad]
constexpr double kIntervalSpread = 0.01;    // of the interval between frames
constexpr double kManyErrors = 3;           // standard errors beyond which a difference counts
/// A reading fits this much better than another one before it is called the right one.
constexpr double kClearlyBetter = 2;
/// Samples at the end of a toss that are at rest, and at its start that show which way things fall.
constexpr std::size_t kRestFrames = 5, kStartFrames = 8;
constexpr int kFewestOfFit = 8;

/// A track with what is known of it.
struct Track {
  const MotionTrack* track = nullptr;
  const Body* body = nullptr;
  Flight flight;
  std::vector<const MotionSample*> given;  ///< samples that have a pose
};

std::vector<Track> tracksOf(const RecordedMotion& motion, const Scene& scene) {
  const std::vector<std::vector<Flight>> flights = flightsOf(motion, scene);
  std::vector<Track> tracks;
  for (std::size_t toss = 0; toss < motion.tosses.size(); ++toss)
    for (std::size_t place = 0; place < flights[toss].size(); ++place) {
      const MotionTrack& motionTrack = motion.tosses[toss].tracks[place];
      Track track{&motionTrack, &scene.bodies[bodyOf(motionTrack, scene, motion.file)], {}, {}};
      track.flight = flights[toss][place];
      for (const MotionSample& sample : motionTrack.samples)
        if (!sample.isMissing) track.given.push_back(&sample);
      tracks.push_back(std::move(track));
    }
  return tracks;
}

enum class Difference { Backward, Forward, Central };
constexpr Difference kDifferences[] = {Difference::Backward, Difference::Forward, Difference::Central};
const char* nameOf(Difference difference) {
  return difference == Difference::Backward  ? "backward"
         : difference == Difference::Forward ? "forward"
                                             : "central";
}

/// Calls visit(sample, from, to) for each sample with the neighbours whose difference is meant, none missing.
template <class Visit>
void eachDifference(const RecordedMotion& motion, Difference difference, const Visit& visit) {
  for (const Toss& toss : motion.tosses)
    for (const MotionTrack& track : toss.tracks)
      for (std::size_t place = 1; place + 1 < track.samples.size(); ++place) {
        const MotionSample &before = track.samples[place - 1], &sample = track.samples[place],
                           &after = track.samples[place + 1];
        if (before.isMissing || sample.isMissing || after.isMissing) continue;
        visit(sample, difference == Difference::Forward ? sample : before,
              difference == Difference::Backward ? sample : after);
      }
}

/// Samples slower than this share of the fast ones are as good as at rest, and say nothing.
constexpr double kMoving = 0.2;

/// The 90th percentile of a vector's length: most of a recording may be at rest.
double fastOf(const RecordedMotion& motion, Vec3 MotionSample::*value) {
  std::vector<double> lengths;
  for (const Toss& toss : motion.tosses)
    for (const MotionTrack& track : toss.tracks)
      for (const MotionSample& sample : track.samples)
        if (!sample.isMissing && (sample.*value).allFinite()) lengths.push_back((sample.*value).norm());
  return quantile(lengths, 0.9);
}

/// Median distance of velocities from differences of positions, of samples that move [m/s].
double velocityError(const RecordedMotion& motion, Difference difference, double fast) {
  std::vector<double> errors;
  eachDifference(
      motion, difference,
      [&](const MotionSample& sample, const MotionSample& start, const MotionSample& end) {
        if (sample.velocity.norm() >= kMoving * fast)
          errors.push_back(
              (sample.velocity - (end.position - start.position) / (end.time - start.time)).norm());
      });
  return median(errors);
}

/// The same of angular velocities and differences of orientations [rad/s].
double spinError(const RecordedMotion& motion, Difference difference, double fast) {
  std::vector<double> errors;
  eachDifference(
      motion, difference,
      [&](const MotionSample& sample, const MotionSample& start, const MotionSample& end) {
        if (sample.angularVelocity.norm() >= kMoving * fast)
          errors.push_back((sample.angularVelocity -
                            rotationBetween(start.orientation, end.orientation) / (end.time - start.time))
                               .norm());
      });
  return median(errors);
}

MotionCheck normCheck(const RecordedMotion& motion) {
  return {"norm", "Quaternions", formatted("| |q| − 1 | is at most %.1e", motion.normError),
          motion.normError <= kNormError,
          "they were normalised; check that the four columns are a quaternion"};
}

MotionCheck velocityCheck(const RecordedMotion& motion) {
  MotionCheck check{"velocity", "Velocities", "none given", true, ""};
  if (!motion.hasVelocity) return check;
  const double fast = fastOf(motion, &MotionSample::velocity);
  double least = 1e300, central = 0;
  Difference best = Difference::Central;
  check.finding = "off differences of positions by (median)";
  for (const Difference difference : kDifferences) {
    const double error = velocityError(motion, difference, fast);
    check.finding += formatted(" %.3g m/s (%s)", error, nameOf(difference));
    if (difference == Difference::Central) central = error;
    if (!(error < least)) continue;
    least = error;
    best = difference;
  }
  // Share of the speed that no difference of positions is off. A larger value takes other numbers for
  // velocities.
  constexpr double kVelocityShare = 0.2;
  if (least > kVelocityShare * fast) {
    check.isGood = false;
    check.remedy = "they are no velocities of these positions: check unit, up axis and columns";
  } else if (best != Difference::Central && central > kClearlyBetter * least) {
    check.isGood = false;
    check.remedy =
        std::string("they are ") + nameOf(best) +
        " differences, half a frame off: start from the fit of the flight, not from a line of the file";
  }
  return check;
}

const char* wordOf(MotionFormat::QuaternionOrder order) {
  return order == MotionFormat::QuaternionOrder::RealFirst ? "wxyz" : "xyzw";
}
const char* wordOf(MotionFormat::SpinFrame frame) {
  return frame == MotionFormat::SpinFrame::World ? "world" : "body";
}

MotionCheck spinCheck(const RecordedMotion& motion) {
  MotionCheck check{"angular_velocity", "Angular velocities", "none given", true, ""};
  if (!motion.hasAngularVelocity) return check;
  // Share of the spin below which no reading is better than another. A larger value hides a wrong reading.
  constexpr double kSameSpin = 1e-3;
  double least = 1e300, givenError = 1e300;
  MotionFormat best = motion.format;
  Difference bestDifference = Difference::Central;
  const double fast = fastOf(motion, &MotionSample::angularVelocity);
  for (const auto order : {MotionFormat::QuaternionOrder::RealFirst, MotionFormat::QuaternionOrder::RealLast})
    for (const auto frame : {MotionFormat::SpinFrame::World, MotionFormat::SpinFrame::Body}) {
      MotionFormat other = motion.format;
      other.quaternion = order;
      other.omega = frame;
      const bool isOwn = order == motion.format.quaternion && frame == motion.format.omega;
      const RecordedMotion reading = readAs(motion, other);
      for (const Difference difference : kDifferences) {
        const double error = spinError(reading, difference, fast);
        if (isOwn) givenError = std::min(givenError, error);
        if (error < least) {
          least = error;
          best = other;
          bestDifference = difference;
        }
      }
    }
  check.finding = formatted(
      "off differences of orientations by %.3g rad/s (median) as they are read; best %.3g rad/s "
      "with quaternions %s, ω of the %s, %s",
      givenError, least, wordOf(best.quaternion), wordOf(best.omega), nameOf(bestDifference));
  if (givenError <= kClearlyBetter * least || !(givenError > kSameSpin * fast)) return check;
  check.isGood = false;
  if (best.quaternion != motion.format.quaternion)
    check.remedy += std::string("\"quaternion\": \"") + wordOf(best.quaternion) + "\" ";
  if (best.omega != motion.format.omega)
    check.remedy += std::string("\"omega\": \"") + wordOf(best.omega) + "\" ";
  check.remedy = "write " + check.remedy + "in motion.json";
  return check;
}

/// Interval that differences of positions and velocities agree on, by the interval of the times (median).
double intervalShare(const RecordedMotion& motion, Difference difference) {
  std::vector<double> shares;
  const double fast = fastOf(motion, &MotionSample::velocity);
  eachDifference(motion, difference,
                 [&](const MotionSample& sample, const MotionSample& start, const MotionSample& end) {
                   const double square = sample.velocity.squaredNorm();
                   if (square > 0 && sample.velocity.norm() >= kMoving * fast)
                     shares.push_back((end.position - start.position).dot(sample.velocity) /
                                      (square * (end.time - start.time)));
                 });
  return median(shares);
}

MotionCheck timeCheck(const RecordedMotion& motion) {
  std::vector<double> intervals;
  for (const Toss& toss : motion.tosses)
    for (const MotionTrack& track : toss.tracks)
      for (std::size_t place = 1; place < track.samples.size(); ++place)
        intervals.push_back(track.samples[place].time - track.samples[place - 1].time);
  if (intervals.empty()) return {"times", "Times", "one frame only", false, "give more frames"};
  const double usual = median(intervals);
  const double spread = (quantile(intervals, 0.95) - quantile(intervals, 0.05)) / usual;
  MotionCheck check{"times", "Times",
                    formatted("%.4g ms between frames (%.4g Hz), 5th to 95th percentile ± %.2g %%",
                              1e3 * usual, 1 / usual, 50 * spread),
                    spread <= kIntervalSpread, "frames are not equidistant: fits use the times as they are"};
  // True velocities go with central differences; those of some files are backward differences themselves.
  const double central = intervalShare(motion, Difference::Central),
               backward = intervalShare(motion, Difference::Backward);
  const double share = std::abs(backward - 1) < std::abs(central - 1) ? backward : central;
  if (std::isnan(share)) return check;
  check.finding += formatted("; velocities ask for %.4g ms", 1e3 * usual * share);
  if (std::abs(share - 1) > kIntervalSpread && check.isGood) {
    check.isGood = false;
    check.remedy = "check the rate, and the unit of the velocities";
  }
  return check;
}

/// Median over tosses of the acceleration along each axis over their first frames [m/s²].
Vec3 startAcceleration(const std::vector<Track>& tracks) {
  std::vector<double> found[3];
  for (const Track& track : tracks) {
    const std::size_t count = std::min(kStartFrames, track.given.size());
    if (count < 4) continue;
    Eigen::MatrixXd design(static_cast<Eigen::Index>(count), 3), places(static_cast<Eigen::Index>(count), 3);
    for (std::size_t sample = 0; sample < count; ++sample) {
      const double time = track.given[sample]->time - track.given[0]->time;
      design.row(static_cast<Eigen::Index>(sample)) << 1, time, 0.5 * time * time;
      places.row(static_cast<Eigen::Index>(sample)) = track.given[sample]->position.transpose();
    }
    const Eigen::MatrixXd fitted = design.colPivHouseholderQr().solve(places);
    for (int axis = 0; axis < 3; ++axis) found[axis].push_back(fitted(2, axis));
  }
  return {median(found[0]), median(found[1]), median(found[2])};
}

MotionCheck upCheck(const std::vector<Track>& tracks, const RecordedMotion& motion) {
  MotionCheck check{"up", "Up axis", "too few frames to tell", true, ""};
  const Vec3 pull = startAcceleration(tracks);
  if (!pull.allFinite()) return check;
  check.finding =
      formatted("tosses begin with an acceleration of (%.3g, %.3g, %.3g) m/s²", pull.x(), pull.y(), pull.z());
  int largest = 0;
  for (int axis : {1, 2})
    if (std::abs(pull[axis]) > std::abs(pull[largest])) largest = axis;
  if (largest == 1 && pull.y() < 0) return check;
  check.isGood = false;
  const bool isZ = largest == 2 && motion.format.up == MotionFormat::Up::Y;
  const bool isY = largest == 2 && motion.format.up == MotionFormat::Up::Z;
  check.remedy = isZ   ? "write \"up\": \"z\" in motion.json"
                 : isY ? "write \"up\": \"y\" in motion.json"
                       : "turn the file so that things fall along −y, or along −z with \"up\": \"z\"";
  return check;
}

/// Gravity along y and the centre of mass from the flights of all tosses at once. Each toss has a start, a
/// velocity and a shear of its own, which are projected out.
struct JointFit {
  int tosses = 0;
  double gravity = 0, gravityError = 0;                            ///< m/s², with its standard error
  Vec3 centre = Vec3::Zero(), centreError = Vec3::Constant(kNaN);  ///< m
};

using Matrix4 = Eigen::Matrix4d;
using Vector4 = Eigen::Vector4d;

struct Normal {
  Matrix4 matrix = Matrix4::Zero();
  Vector4 side = Vector4::Zero();
};

/// The equations of one flight for (½ t² along y, −R e₁, −R e₂, −R e₃) without what is its own.
Normal normalOf(const Track& track) {
  const auto count = static_cast<Eigen::Index>(track.flight.frames);
  Eigen::MatrixXd known(3 * count, 4);
  Eigen::VectorXd place(3 * count);
  Eigen::MatrixXd times(count, 2);
  Eigen::VectorXd heights(count);
  const MotionSample& first = *track.given.front();
  for (Eigen::Index row = 0; row < count; ++row) {
    const MotionSample& sample = *track.given[row];
    const double time = sample.time - first.time;
    times.row(row) << 1, time;
    heights[row] = sample.position.y();
    const Mat3 turn = sample.orientation.toRotationMatrix();
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Index coordinate = axis * count + row;
      known.row(coordinate) << (axis == 1 ? 0.5 * time * time : 0), -turn(axis, 0), -turn(axis, 1),
          -turn(axis, 2);
      place[coordinate] = sample.position[axis];
    }
  }
  const auto solver = times.householderQr();
  const auto without = [&](const auto& values) {
    const Eigen::MatrixXd plain = values;
    return Eigen::MatrixXd(plain - times * solver.solve(plain));
  };
  const Eigen::VectorXd across = without(heights).col(0);
  const double noise = std::max(track.flight.residual, 1e-9);
  const double weight = across.squaredNorm() + noise * noise / (kUsualShear * kUsualShear);
  Normal normal;
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::MatrixXd k = without(known.middleRows(axis * count, count));
    const Eigen::VectorXd p = without(place.segment(axis * count, count)).col(0);
    normal.matrix += k.transpose() * k;
    normal.side += k.transpose() * p;
    if (axis == 1) continue;
    const Vector4 both = k.transpose() * across;
    normal.matrix -= both * both.transpose() / weight;
    normal.side -= both * across.dot(p) / weight;
  }
  return normal;
}

JointFit jointFit(const std::vector<Track>& tracks) {
  std::vector<Normal> normals;
  Normal total;
  for (const Track& track : tracks)
    if (track.flight.problem.empty() && track.flight.frames >= kFewestOfFit) {
      normals.push_back(normalOf(track));
      total.matrix += normals.back().matrix;
      total.side += normals.back().side;
    }
  JointFit fit;
  fit.tosses = countOf(normals);
  if (normals.empty()) return fit;
  const auto solved = [](const Normal& normal) { return Vector4(normal.matrix.ldlt().solve(normal.side)); };
  const Vector4 found = solved(total);
  fit.gravity = found[0];
  fit.centre = found.tail<3>();
  if (normals.size() < 3) return fit;
  // Jackknife: the spread over fits that leave out one toss.
  Vector4 sum = Vector4::Zero(), squares = Vector4::Zero();
  for (const Normal& normal : normals) {
    const Vector4 other = solved({total.matrix - normal.matrix, total.side - normal.side}) - found;
    sum += other;
    squares += other.cwiseAbs2();
  }
  const double count = static_cast<double>(normals.size());
  const Vector4 error = ((count - 1) / count * (squares - sum.cwiseAbs2() / count)).cwiseMax(0).cwiseSqrt();
  fit.gravityError = error[0];
  fit.centreError = error.tail<3>();
  return fit;
}

MotionCheck gravityCheck(const JointFit& fit, const Scene& scene) {
  MotionCheck check{"free_fall", "Free fall", "no flight is long enough to tell", true, ""};
  const double given = -scene.gravity.y();
  if (fit.tosses == 0 || !(given > 0)) return check;
  const double found = -fit.gravity, scale = found / given;
  check.finding =
      formatted("g = %.4g ± %.1g m/s² in %d flights; the scene has %.4g: lengths would be %.4g of true",
                found, fit.gravityError, fit.tosses, given, scale);
  if (std::abs(scale - 1) <= kGravityError || std::abs(found - given) <= kManyErrors * fit.gravityError)
    return check;
  check.isGood = false;
  check.remedy =
      std::abs(scale - 1) > 0.5
          ? "check unit and up axis in motion.json"
          : formatted(
                "compare in the units of the recording (gravity %.4g in the scene), or write \"unit\": "
                "%.6g times the unit in motion.json",
                found, 1 / scale);
  return check;
}

MotionCheck restCheck(const std::vector<Track>& tracks, const Scene& scene) {
  MotionCheck check{"table", "Resting places", "the scene has nothing to rest on", true, ""};
  std::vector<double> gaps, scales;
  std::vector<Vec3> places;
  for (const Track& track : tracks) {
    if (track.given.empty()) continue;
    const MotionSample& last = *track.given.back();
    const BodyState state = stateOf(last, *track.body);
    const double gap = deepestCorner(scene, *track.body, state.position, state.orientation);
    if (!std::isfinite(gap)) continue;
    gaps.push_back(gap);
    scales.push_back(last.position.y() / (last.position.y() - gap));
    places.push_back(last.position);
  }
  if (gaps.empty()) return check;
  const double gap = median(gaps), width = widthOf(*tracks.front().body);
  check.finding = formatted(
      "the lowest corners rest %.3g mm above the table (median); lengths would be %.4g of the shape's",
      1e3 * gap, median(scales));
  bool isTilted = false;
  if (gaps.size() >= 3) {
    Eigen::MatrixXd design(static_cast<Eigen::Index>(gaps.size()), 3);
    Eigen::VectorXd heights(static_cast<Eigen::Index>(gaps.size()));
    for (std::size_t row = 0; row < gaps.size(); ++row) {
      design.row(static_cast<Eigen::Index>(row)) << 1, places[row].x(), places[row].z();
      heights[static_cast<Eigen::Index>(row)] = gaps[row];
    }
    const Eigen::Vector3d plane = design.colPivHouseholderQr().solve(heights);
    const double tilt = std::atan(std::hypot(plane[1], plane[2])),
                 distance = (heights - design * plane).norm();
    const double error = distance / std::sqrt(static_cast<double>(gaps.size()));
    check.finding +=
        formatted("; plane tilted by %.2g°, heights off it by %.2g mm", tilt * 180 / M_PI, 1e3 * error);
    isTilted = tilt > kTilt;
  }
  if (isTilted) {
    check.isGood = false;
    check.remedy = "turn the file so that the table is level, or tilt the table in the scene";
  } else if (std::abs(gap) > kLengthShare * width) {
    check.isGood = false;
    const double scale = median(scales);
    check.remedy = scale > 500 && scale < 2000 ? "write \"unit\": \"mm\" in motion.json"
                   : scale > 50 && scale < 200 ? "write \"unit\": \"cm\" in motion.json"
                                               : "check unit, table height and size of the shape";
  }
  return check;
}

MotionCheck depthCheck(const RecordedMotion& motion, const std::vector<Track>& tracks, const Scene& scene) {
  MotionCheck check{"depth", "Deepest corner", "the scene has nothing to sink into", true, ""};
  const auto depthsOf = [&](const RecordedMotion& reading) {
    std::vector<double> depths;
    for (const Toss& toss : reading.tosses)
      for (const MotionTrack& track : toss.tracks) {
        const Body& body = scene.bodies[bodyOf(track, scene, motion.file)];
        for (const MotionSample& sample : track.samples) {
          if (sample.isMissing) continue;
          const BodyState state = stateOf(sample, body);
          depths.push_back(-deepestCorner(scene, body, state.position, state.orientation));
        }
      }
    return depths;
  };
  const std::vector<double> depths = depthsOf(motion);
  if (depths.empty() || !std::isfinite(depths.front())) return check;
  const double usual = quantile(depths, 0.99), worst = quantile(depths, 1),
               width = widthOf(*tracks.front().body);
  check.finding = formatted("1 %% of the frames are deeper than %.2g mm in the table, the worst %.2g mm",
                            1e3 * usual, 1e3 * worst);
  if (usual <= kLengthShare * width) return check;
  check.isGood = false;
  MotionFormat other = motion.format;
  other.quaternion = other.quaternion == MotionFormat::QuaternionOrder::RealFirst
                         ? MotionFormat::QuaternionOrder::RealLast
                         : MotionFormat::QuaternionOrder::RealFirst;
  const double otherDepth = quantile(depthsOf(readAs(motion, other)), 0.99);
  check.remedy = otherDepth * kClearlyBetter < usual
                     ? formatted("write \"quaternion\": \"%s\" in motion.json: then it is %.2g mm",
                                 wordOf(other.quaternion), 1e3 * otherDepth)
                     : "the shape is larger than the real one or has sharper edges; check unit and size";
  return check;
}

MotionCheck noiseCheck(const std::vector<Track>& tracks) {
  std::vector<double> flight, turn, rest;
  for (const Track& track : tracks) {
    if (track.flight.problem.empty()) {
      flight.push_back(track.flight.residual);
      turn.push_back(track.flight.turnResidual);
    }
    for (std::size_t back = 1; back < std::min(kRestFrames, track.given.size()); ++back) {
      const auto* late = track.given[track.given.size() - back];
      rest.push_back((late->position - track.given[track.given.size() - back - 1]->position).norm());
    }
  }
  MotionCheck check{"noise", "Noise", formatted("at rest %.2g mm from frame to frame", 1e3 * median(rest)),
                    true, ""};
  if (flight.empty()) return check;
  const double width = widthOf(*tracks.front().body);
  check.finding += formatted("; in flight %.2g mm and %.2g° about the fit (medians)", 1e3 * median(flight),
                             median(turn) * 180 / M_PI);
  check.isGood = median(flight) <= kNoiseShare * width && !(median(rest) > kNoiseShare * width);
  if (!check.isGood) check.remedy = "starts are as uncertain as this: compare medians over many tosses";
  return check;
}

MotionCheck pullCheck(const std::vector<Track>& tracks, const Scene& scene) {
  std::vector<double> pulls;
  for (const Track& track : tracks)
    if (track.flight.problem.empty() && track.flight.frames >= kFewestOfFit)
      pulls.push_back(track.flight.shear.norm());
  MotionCheck check{"pull", "Sideways pull", "no flight is long enough to tell", true, ""};
  if (pulls.empty()) return check;
  const double pull = median(pulls);
  check.finding = formatted("%.2g m/s² in flight (median), a shear of %.2g mrad", pull * scene.gravity.norm(),
                            1e3 * pull);
  check.isGood = pull <= kSidewaysPull;
  if (!check.isGood) check.remedy = "the measured frame is sheared: starts and recording are freed of it";
  return check;
}

MotionCheck centreCheck(const JointFit& fit, const std::vector<Track>& tracks) {
  MotionCheck check{"centre_of_mass", "Centre of mass", "no flight is long enough to tell", true, ""};
  if (fit.tosses == 0) return check;
  const Body& body = *tracks.front().body;
  const bool isOneBody =
      std::all_of(tracks.begin(), tracks.end(), [&](const Track& track) { return track.body == &body; });
  const double width = widthOf(body);
  if (!isOneBody) {
    check.finding = "several bodies: not looked for";
    return check;
  }
  // What is known to no better than this says nothing.
  constexpr double kUnknown = 0.1;
  if (!(fit.centreError.norm() <= kUnknown * width) && fit.tosses >= 3) {
    check.finding = "the flights turn too little to tell";
    return check;
  }
  check.finding = formatted(
      "flights turn about (%.2g, %.2g, %.2g) ± (%.1g, %.1g, %.1g) mm in the frame of the shape; "
      "the scene has (%.2g, %.2g, %.2g)",
      1e3 * fit.centre.x(), 1e3 * fit.centre.y(), 1e3 * fit.centre.z(), 1e3 * fit.centreError.x(),
      1e3 * fit.centreError.y(), 1e3 * fit.centreError.z(), 1e3 * body.centre.x(), 1e3 * body.centre.y(),
      1e3 * body.centre.z());
  const Vec3 off = fit.centre - body.centre;
  bool isOff = false;
  for (int axis = 0; axis < 3; ++axis)
    isOff = isOff || (std::abs(off[axis]) > kCentreShare * width &&
                      std::abs(off[axis]) > kManyErrors * fit.centreError[axis]);
  check.isGood = !isOff;
  // In tenths of a millimetre, without a sign of zero.
  const auto tenths = [](double value) { return std::round(1e4 * value) / 1e4 + 0.0; };
  if (isOff)
    check.remedy = formatted("write \"centre_of_mass\": [%.4f, %.4f, %.4f] for the body",
                             tenths(fit.centre.x()), tenths(fit.centre.y()), tenths(fit.centre.z()));
  return check;
}

MotionCheck gapCheck(const RecordedMotion& motion, const std::vector<Track>& tracks) {
  long inFlight = 0;
  for (const Track& track : tracks)
    for (std::size_t sample = track.flight.first; sample < track.flight.firstContact; ++sample)
      inFlight += track.track->samples[sample].isMissing;
  return {"gaps", "Gaps",
          formatted("%ld frames without a pose, %ld of them in flight", motion.gaps, inFlight),
          motion.gaps == 0, "they stay gaps: fits and errors leave them out"};
}

}  // namespace

std::vector<MotionCheck> motionChecks(const RecordedMotion& motion, const Scene& scene) {
  const std::vector<Track> tracks = tracksOf(motion, scene);
  const JointFit fit = jointFit(tracks);
  return {normCheck(motion),        velocityCheck(motion),
          spinCheck(motion),        timeCheck(motion),
          upCheck(tracks, motion),  gravityCheck(fit, scene),
          restCheck(tracks, scene), depthCheck(motion, tracks, scene),
          noiseCheck(tracks),       pullCheck(tracks, scene),
          centreCheck(fit, tracks), gapCheck(motion, tracks)};
}

std::string checkText(const std::vector<MotionCheck>& checks) {
  std::string text;
  for (const MotionCheck& check : checks) {
    text += std::string(check.isGood ? "ok    " : "LOOK  ") + check.title + ": " + check.finding;
    if (!check.isGood) text += ". " + check.remedy;
    text += '\n';
  }
  return text;
}

}  // namespace touchstone
