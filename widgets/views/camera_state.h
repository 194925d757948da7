#pragma once

#include <QMetaType>

#include "core/math/vec.h"

namespace touchstone {

/// Perspective camera of a view, world frame.
struct CameraState {
  Vec3 eye = Vec3(2, 1.5, 3), target = Vec3::Zero(), up = Vec3(0, 1, 0);
  double angle = 30;  ///< vertical opening [degrees] of views at least 4:3 wide; narrower views keep the
                      ///< width of a 4:3 view
};

/// Position of the camera relative to the scene: PlusX is at +x and looks along −x.
enum class ViewAxis { PlusX, MinusX, PlusY, MinusY, PlusZ, MinusZ };

}  // namespace touchstone

Q_DECLARE_METATYPE(touchstone::CameraState)
