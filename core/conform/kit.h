#pragma once

#include <string>
#include <vector>

#include "core/conform/phenomenon.h"
#include "core/robot/export/urdf_writer.h"

namespace touchstone {

/// The scene file of a run with the run's changes. @param withoutParameters  also without the values that the
/// scene suggests for methods   @throws SceneError
SourceFile sceneSourceOf(const PhenomenonRun& run, bool withoutParameters = false);

/// Names of the trajectory of a run in the folder of a foreign column, the preferred one first:
/// "SCENE.RUN.csv", and "SCENE.csv" for the first run of that scene.
std::vector<std::string> trajectoryNames(const Phenomenon& phenomenon, const PhenomenonRun& run);
/// The file of contacts beside a trajectory: "SCENE.RUN.contacts.csv".
std::string contactsNameOf(const std::string& trajectory);
/// The path of the trajectory of a run; empty if the folder has none.
std::string trajectoryIn(const std::string& folder, const Phenomenon& phenomenon, const PhenomenonRun& run);

/// Newton's coefficient that a run asks of every pair: its own, else the largest that its scene suggests for
/// a method, else 0.
double restitutionOf(const Scene& scene, const PhenomenonRun& run);

/// A run in words: the file that is asked for, frame, time and what is set.
std::string sentenceOf(const Phenomenon& phenomenon, const PhenomenonRun& run);

/// All runs of phenomena for authors of engines: each in runs/SCENE.RUN as scene.json (with the changes of
/// the run), bodies.json (bodies, solids, poses as numbers), scene.xml (MJCF) and urdf/ (see urdfFiles()).
struct Kit {
  /// JSON, "touchstone_kit": 1. It names for each run files, hash of the scene, frame, time, gravity,
  /// restitution, changes and measures. What a format refuses is in the run's "not_exported" with the reason.
  std::string manifest;
  std::vector<ExportedFile> files;       ///< names with folders
  std::vector<std::string> notExported;  ///< one sentence for each file of a run that is left out
};
/// The same bytes for the same phenomena.   @throws SceneError if two runs share the name of a trajectory
Kit kitOf(const std::vector<Phenomenon>& phenomena);

/// Contents of a folder of trajectories for one run.
struct RunCheck {
  std::string phenomenon, run, file;  ///< the preferred name if there is none
  bool isThere = false;
  std::vector<std::string> problems;  ///< with any of them numbers would be wrong or absent
  std::vector<std::string> notes;     ///< what is worth a look
};
struct FolderCheck {
  std::vector<RunCheck> runs;                ///< of the phenomena, in their order
  std::vector<std::string> strays;           ///< trajectories that no run asks for, with the nearest name
  std::vector<std::string> missing() const;  ///< names of trajectories that are not there
  std::size_t complete() const;              ///< runs without a problem
};
/// Reads every trajectory of a folder: is it there, of the right scene, long enough, dense enough, with all
/// bodies and columns?
/// @param known  further phenomena whose files are no strays; usually the battery
FolderCheck checkedFolder(const std::string& folder, const std::vector<Phenomenon>& phenomena,
                          const std::vector<Phenomenon>& known);

}  // namespace touchstone
