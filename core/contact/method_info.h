#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/scene/parameter.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Dash of a method's curves.
enum class LineDash { Solid, Dash, Dot, DashDot, DashDotDot };

/// Action of the contacts of a penalty method, with default parameters.
struct PenaltyTraits {
  /// θ: the instant of the step, 0 … 1, whose depth the force has on average. A body with the stability
  /// number σ rests (1 − θ σ) m g / k deep.
  double instant = 0;
  /// The force follows the depth over the step; else it is that of one instant all step long.
  bool followsDepth = false;
};

/// Treatment of bodies that deform. Explicit: the forces of their elements are part of v*, and its contacts
/// act on their particles. Rows: elements are rows of its equations.
enum class Deformables { Refused, Explicit, Rows };

/// A method as the program offers it. Panes, command line, palette, help and recordings know nothing else of
/// it.
struct MethodInfo {
  std::string key;             ///< "cpf"
  std::string name;            ///< "Continuous penalty forces"
  std::string shortName;       ///< "CPF"
  std::string source;          ///< "Tang et al. 2012"
  unsigned colour = 0x808080;  ///< 0xRRGGBB
  LineDash dash = LineDash::Solid;
  std::vector<ParameterSpec> parameters;
  std::optional<PenaltyTraits> penalty;  ///< none: it has no springs
  bool planar = false;                   ///< can run scenes of polygons
  bool joints = false;                   ///< holds bodies that joints join
  Deformables deformables = Deformables::Refused;
  /// Momentum balances in every frame to rounding; else as far as the method has converged, with the step.
  bool balances = true;
  /// And angular momentum with joints as well; else as far as its projection of positions lets it.
  bool balancesJoints = true;
  std::vector<std::string> solvers;  ///< keys that it can use, default first; empty if it needs none
  /// Why the method cannot run this scene ("bodies[2] has no convex pieces; …"), or empty; null: it can run
  /// all.
  std::function<std::string(const Scene&)> refusal;
  /// Why these values cannot go with the solver, or empty; null: all can.
  std::function<std::string(const ParameterValues&, const std::string& solver)> clash;
  /// The part of its step with a solver that runs on the CPU while the rest runs on CUDA, or empty: nothing;
  /// null: nothing with any solver.
  std::function<std::string(const std::string& solver)> staysOnHost;
};

/// The parameter with this key, or null.
const ParameterSpec* findParameter(const MethodInfo& method, const std::string& key);

/// All methods in the order in which they are offered; pointers into it stay valid.
const std::deque<MethodInfo>& methodTable();
/// The method with this key, or null.
const MethodInfo* findMethod(const std::string& key);
/// Why the method cannot run this scene, or empty.
std::string refusalOf(const MethodInfo& method, const Scene& scene);
/// Appends a method to the table. Call before other threads read it. @throws std::logic_error if the key is
/// taken
void addMethod(MethodInfo info);
/// Offers a solver to the methods that have a choice of solvers.
void offerSolver(const std::string& key);

/// Contacts in the record of a step: all, and the sums of their impulses; the sums alone; or neither. Only
/// the contacts of a frame's last step are used.
enum class Recorded { All, Sums, None };

/// Value that a method uses for a parameter that is kAutomatic. @param step  length of one step [s]   @return
/// none: it is chosen for each contact, or the key has none
std::optional<AutomaticValue> automaticValueOf(const Scene& scene, const std::string& method,
                                               const std::string& key, double step);

}  // namespace touchstone
