#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

/// The content of one view at one time.
struct ViewFrame {
  RecordPtr record;                          ///< null: the scene as loaded
  RecordPtr reference;                       ///< of the reference pane, for ghost and difference
  QString referenceName;                     ///< label of that pane
  std::vector<RecordPtr> past;               ///< earlier frames, oldest first, for trails
  int picked = -1;                           ///< contact of the record
  std::vector<std::vector<Vec3>> highlight;  ///< picked features in the world: points, edges, polygons
  std::optional<Spring> pull;                ///< spring that the mouse holds before a step has recorded it
};

}  // namespace touchstone
