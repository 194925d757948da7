#pragma once

#include <QMetaType>
#include <algorithm>

#include "core/math/vec.h"

namespace touchstone {

/// Perspective camera of a view, world frame.
struct CameraState {
  Vec3 eye = Vec3(2, 1.5, 3), target = Vec3::Zero(), up = Vec3(0, 1, 0);
  double angle = 30;  ///< vertical opening [degrees] of the frame, see frameHeight()
};

/// Height of the largest box of 4:3 that fits into a view [logical pixels]. The box is the frame of the
/// camera: all of it is visible in every view.
inline double frameHeight(double width, double height) {
  constexpr double kShape = 4.0 / 3;  // a larger value shrinks bodies in usual views; a smaller one cuts them
  return std::min(height, width / kShape);
}

/// Position of the camera relative to the scene: PlusX is at +x and looks along −x.
enum class ViewAxis { PlusX, MinusX, PlusY, MinusY, PlusZ, MinusZ };

}  // namespace touchstone

Q_DECLARE_METATYPE(touchstone::CameraState)
