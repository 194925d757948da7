#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/work/result_folder.h"
#include "core/record/step_record.h"

namespace touchstone {

class Recording;
struct Scene;

/// Writes a recording for ParaView: for each pane `<number>-<label>-bodies.pvd` and `…-contacts.pvd`, which
/// name one .vtp file per frame. Files of an earlier export in the folder are replaced when the new ones are
/// complete, unless they have been changed since. Scenes with tetrahedra have `…-tetrahedra.pvd` with one
/// .vtu file per frame besides. For what is in the files see paraview_data.h.
/// @param progress  called with the completed share; returns false to cancel, which removes written files
/// @return false if cancelled   @throws std::runtime_error with the file that cannot be written
bool exportForParaview(const Recording& recording, const std::string& folder,
                       const std::function<bool(double)>& progress,
                       ResultFolder::Earlier earlier = ResultFolder::Earlier::Replace);

/// A pane whose records are to be exported.
struct ParaviewPane {
  std::string label;
  std::vector<long> frames;
  std::function<RecordPtr(long frame)> record;
};
/// The same for records of a scene from anywhere.
bool exportForParaview(const std::shared_ptr<const Scene>& scene, const std::vector<ParaviewPane>& panes,
                       const std::string& folder, const std::function<bool(double)>& progress,
                       ResultFolder::Earlier earlier = ResultFolder::Earlier::Replace);

}  // namespace touchstone
