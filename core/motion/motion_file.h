#pragma once

#include <string>

#include "core/motion/motion.h"

namespace touchstone {

/// Reads a recorded motion: CSV with a header line and one line per body and time,
///
///     time_s,x_m,y_m,z_m,qw,qx,qy,qz[,vx,vy,vz][,wx,wy,wz][,body][,toss][,group]
///
/// in any order. Lines that begin with # are skipped before the header. A line whose pose is empty is a gap
/// and stays one. A file `motion.json` in the same folder says how this one differs from that form.
/// @throws SceneError as FILE:LINE:COLUMN: problem; remedy, with the column as a count of characters
RecordedMotion readMotion(const std::string& path);

/// The same of a file whose form is known; a `motion.json` is not read.
RecordedMotion readMotion(const std::string& path, const MotionFormat& format);

/// The same motion where its file is read in another form. Columns and rate do not change.
RecordedMotion readAs(const RecordedMotion& motion, const MotionFormat& format);

/// The content of a `motion.json`:
///
///     {"columns": {"x_m": "pos_x"}, "unit": "mm", "up": "z", "quaternion": "xyzw", "omega": "body",
///      "rate_hz": 240}
///
/// Each field may be left out. `unit` is m, cm, mm, in, or a length in metres.   @throws SceneError
MotionFormat motionFormatOf(const std::string& text, const std::string& file);

}  // namespace touchstone
