#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// What one view draws at one time.
struct ViewFrame {
  RecordPtr record;                          ///< null: the scene as loaded
  RecordPtr reference;                       ///< of the reference pane at that time, for ghost and difference
  QString referenceName;                     ///< what that pane runs
  std::vector<RecordPtr> past;               ///< frames before, oldest first, for trails
  int picked = -1;                           ///< contact of the record
  std::vector<std::vector<Vec3>> highlight;  ///< picked features in the world: points, edges, polygons
  std::optional<Spring> pull;                ///< that the mouse holds, though no step has recorded it yet
};

}  // namespace touchstone
