#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/math/not_a_number.h"
#include "core/math/quaternion.h"

namespace touchstone {

/// A body at one recorded time. World frame, SI units, y up; the pose is that of the origin of the body's
/// shape, as `position` in scenes, with the axes of the shape.
struct MotionSample {
  double time = 0;         ///< s
  bool isMissing = false;  ///< a gap: the file has the time but no pose
  Vec3 position = Vec3::Zero();
  Quaternion orientation = Quaternion::Identity();
  Vec3 velocity = Vec3::Constant(kNaN);         ///< of that origin [m/s]; not a number: none given
  Vec3 angularVelocity = Vec3::Constant(kNaN);  ///< rad/s; likewise
};

/// One body in one toss.
struct MotionTrack {
  std::string body;                   ///< as the file names it; empty: the file has no such column
  std::vector<MotionSample> samples;  ///< ascending times
};

/// Bodies that were recorded together, from a start to an end.
struct Toss {
  std::string name;   ///< as the file names it; empty: the file has no such column
  std::string group;  ///< which tosses were recorded together; empty: the file has no such column
  std::vector<MotionTrack> tracks;
};

/// Layout of a motion file, as a `motion.json` beside it says.
struct MotionFormat {
  enum class Up { Y, Z };
  enum class QuaternionOrder { RealFirst, RealLast };
  enum class SpinFrame { World, Body };
  std::map<std::string, std::string> columns;  ///< name that the file uses, by the usual name
  double unit = 1;                             ///< length of the file's unit [m]
  Up up = Up::Y;  ///< Z: (x, y, z) → (x, z, −y); the axes of the body keep their names
  QuaternionOrder quaternion = QuaternionOrder::RealFirst;
  SpinFrame omega = SpinFrame::World;
  double rate = 0;  ///< Hz, of a file without times; 0: it has times
};

/// A recorded motion.
struct RecordedMotion {
  std::string file;
  MotionFormat format;
  std::vector<Toss> tosses;  ///< in the order of the file
  long gaps = 0;             ///< samples without a pose
  double normError = 0;      ///< largest ||q| − 1| before quaternions were normalised
  bool hasVelocity = false, hasAngularVelocity = false;
  bool hasGroups = false;
};

}  // namespace touchstone
