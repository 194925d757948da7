#pragma once

#include <string>
#include <vector>

#include "core/contact/method_info.h"
#include "core/parallel/backend_kind.h"

namespace touchstone {

constexpr int kMostSubsteps = 100'000;

/// Method of a pane, with its settings.
struct PaneSettings {
  std::string method = "cpf";
  std::string solver;                      ///< empty: the method's default
  int substeps = 1;                        ///< steps per frame
  ParameterValues parameters;              ///< over the scene's suggestions, which are over the defaults
  BackendKind backend = BackendKind::Cpu;  ///< wanted; see Simulation::backend()
};
inline bool operator==(const PaneSettings& a, const PaneSettings& b) {
  return a.method == b.method && a.solver == b.solver && a.substeps == b.substeps &&
         a.parameters == b.parameters && a.backend == b.backend;
}

/// The method, and in `settings` its default solver where they name none.
/// @throws std::invalid_argument if method, solver or substeps are refused; the text says why and what to do
const MethodInfo& resolve(const Scene& scene, PaneSettings& settings);
/// Values in force of resolved settings: the method's defaults, over them the scene's suggestions, over them
/// the settings' own.   @throws std::invalid_argument if a parameter is refused
ParameterValues valuesInForce(const Scene& scene, const PaneSettings& settings);
/// Settings with their solver and every value in force, targets of drives included: a manifest has them.
/// @throws std::invalid_argument if the scene refuses them
PaneSettings inForce(const Scene& scene, PaneSettings settings);
/// Targets of drives are set like parameters, with this before the joint's name: "drive:elbow" [m, rad].
constexpr char kDriveKey[] = "drive:";
/// The word kAutomatic gives a drive back to the scene.
/// [joints] of the scene: targets that these settings give in the place of the scene's; not a number where
/// they give none.
std::vector<double> driveTargetsOf(const Scene& scene, const PaneSettings& settings);
/// Why so many steps per frame are refused, or empty.
std::string substepsProblem(double substeps);
/// Why these settings cannot run this scene and what would, or empty. Nothing is computed. The one check of
/// all settings, wherever they come from.
std::string refusal(const Scene& scene, const PaneSettings& settings);

/// Checks the parts of a scene file that concern methods and quantities, which its loader does not know: the
/// methods that it suggests, their parameters, solvers and substeps, the quantities of its analytic curves.
/// @throws SceneError naming the field
void checkSuggestions(const Scene& scene);
/// Substeps and solver as the scene suggests them for the method; without a word of the scene as many
/// substeps as explicit elasticity takes, and closingSubsteps() of automatic springs.
PaneSettings suggestedPane(const Scene& scene, const std::string& method);
/// Substeps of a pane whose words name none: those that the scene suggests.
constexpr int kAsSuggested = 0;
/// The settings that the words of a pane mean in a scene. Words without a solver, or with kAsSuggested
/// substeps, take what suggestedPane() has. All readers of panes end here, so that equal words give equal
/// runs.
PaneSettings completed(PaneSettings words, const Scene& scene);
/// Sets what the card uses unless a column says otherwise: accurate answers.
void takeAccurateForms(PaneSettings& settings);
/// Sets what studies use unless they say otherwise: accurate answers, and overlaps that are undone by the
/// velocities, as the papers have it.
void takePublishedForms(PaneSettings& settings);
/// A pane for each method that the scene suggests.
/// @throws SceneError as checkSuggestions() does, and for a method that cannot run the scene
std::vector<PaneSettings> suggestedPanes(const Scene& scene);

}  // namespace touchstone
