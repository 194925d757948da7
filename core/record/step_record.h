#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/math/quaternion.h"
#include "core/record/contact.h"
#include "core/record/quantity.h"

namespace touchstone {

/// Energy: the energy rose by more than what was supplied, see Referee. After Diverged and Stopped (the step
/// could not be computed) the pane is frozen.
enum class StepStatus { Ok, Energy, NotConverged, NoSolution, Diverged, Stopped };
/// "ok", "energy", "not converged", "no solution", "diverged", "stopped"
const char* toString(StepStatus status);
/// True if the pane is frozen from this step on.
inline bool isFrozen(StepStatus status) {
  return status == StepStatus::Diverged || status == StepStatus::Stopped;
}

enum class Phase { Predict, BroadPhase, NarrowPhase, Assemble, Solve, Integrate, Measure, Count };
/// Wall-clock milliseconds of each phase.
using PhaseTimes = std::array<double, static_cast<int>(Phase::Count)>;

/// One iteration of a complementarity solver.
struct SolverIteration {
  double residual = 0;        ///< natural residual (Macklin 2019): max_i |min(A_ii z_i, w_i)| [m/s]
  double merit = 0;           ///< the solver's own merit; comparable only within one solver
  int linearIterations = 0;   ///< iterations of an inner linear solver that led to this iterate
  double linearResidual = 0;  ///< relative residual at its end
  // Of methods that tell them; else not a number, or empty.
  double stepSize = kNone;  ///< ‖t Δu‖∞ of the step that led to this iterate [m/s]
  double normal = kNone;    ///< largest |min(C, r λ_n)| [m]
  double friction = kNone;  ///< largest r |λ_f − proj(λ_f − Dᵀu / r)| [m/s]
  double joints = kNone;    ///< largest |c + E λ| [m, rad]
  double momentum = kNone;  ///< largest |M⁻¹ g| [m/s]
  /// Relative residual after each iteration of the inner linear solver.
  std::vector<float> linear = {};

  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
};

struct BodyState {
  Vec3 position = Vec3::Zero();
  Quaternion orientation = Quaternion::Identity();
  Vec3 linearVelocity = Vec3::Zero(), angularVelocity = Vec3::Zero();
  bool active = true;
};

/// Two bodies that overlap at the end of the step, as the Referee sees them.
struct Overlap {
  int bodyA = -1, bodyB = -1;
  double depth = 0;   ///< m
  double volume = 0;  ///< m³ (planar scenes m²); 0 where it is not computed (meshes without pieces)
  std::vector<Vec3> vertices;  ///< surface of the intersection for display [m, world]
  std::vector<std::array<int, 3>> triangles;
};

/// Action of the mouse spring in the last step of a frame.
struct PullRecord {
  int body = -1;
  Vec3 point = Vec3::Zero(), target = Vec3::Zero();  ///< world [m]
  double force = 0;                                  ///< N
};

/// A joint in a frame. Forces are means over the frame, on B, at B's anchor, along the axes of A's joint
/// frame (e₁: the axis of the joint); those of all its rows together, drives and limits included.
struct JointState {
  double error = 0, angle = 0;  ///< largest of its errors at the end of the frame [m], [rad]
  /// Coordinate with its turns [m, rad], at the end of the frame; not a number where the joint has none.
  double coordinate = std::numeric_limits<double>::quiet_NaN();
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  ///< N, N·m
  double drive = 0;                                  ///< of its drive, along the coordinate [N, N·m]
  double friction = 0;                               ///< of its dry friction, likewise
  int limit = 0;           ///< −1, 1: the lower or the upper limit carries force; a rope that is taut: 1
  bool isLargest = false;  ///< the drive was at its largest force in some step of the frame
};

/// Record of one frame of one pane. Immutable once published; everything downstream reads only this.
struct StepRecord {
  long frame = 0;   ///< 0 is the initial state
  double time = 0;  ///< at the end of the frame [s]
  double dt = 0;    ///< length of one step [s]
  int substeps = 1;
  std::string method;   ///< key
  std::string solver;   ///< "newton-fb-pcr": includes the linear solver unless it is the default; empty for
                        ///< methods without a solver
  std::string backend;  ///< where the step ran: "cpu", "cuda"; empty in records read from files
  StepStatus status = StepStatus::Ok;
  std::string statusText;  ///< one sentence for the badge's tooltip; empty if Ok
  std::vector<std::string> warnings;
  std::vector<BodyState> bodies;  ///< at the end of the frame; of one that deforms the centre of mass
  /// Particles of the bodies that deform, in their order, at the end of the frame: positions [m] and
  /// velocities [m/s].
  std::vector<Vec3> particles, particleVelocities;
  std::vector<JointState> joints;  ///< of the scene's joints
  std::vector<Contact> contacts;   ///< of the last substep
  /// Contacts of the earlier substeps, in order, if Simulation::recordAllContacts() requested them.
  std::vector<std::vector<Contact>> earlierContacts;
  std::vector<Overlap> overlaps;            ///< at the end of the frame
  std::vector<SolverIteration> iterations;  ///< of the last substep
  std::string deliveredBy;                  ///< solver whose answer was used
  double solverTolerance = 0;               ///< m/s, the line drawn in the convergence plot
  double limitingAccuracy = 0;              ///< what rounding leaves of the residual [m/s]; 0: not known
  int unsolved = 0;         ///< solves of the method's own problem without an answer, before any retry
  int brokenCrossSets = 0;  ///< see Quantity::BrokenCrossSets
  int solves = 0;           ///< complementarity problems solved, over all substeps
  int parts = 0;            ///< steps really taken: the substeps, or more if a method bisected one
  bool planar = false;      ///< the scene is planar: overlaps are areas
  double normalImpulseSum = 0, frictionImpulseSum = 0;  ///< Σ over contacts and substeps of magnitudes [N·s]
  /// Σ over contacts and substeps of the impulses of static bodies on dynamic ones [N·s], and about the world
  /// origin [N·m·s].
  Vec3 groundImpulse = Vec3::Zero(), groundAngularImpulse = Vec3::Zero();
  std::optional<PullRecord> pull;
  Vec3 pullImpulse = Vec3::Zero(), pullAngularImpulse = Vec3::Zero();  ///< Σ over substeps, as above
  double pullWork = 0;                                                 ///< Σ over substeps [J]
  /// Displacement of each body that undoes overlaps apart from the velocities, Σ over substeps [m]; empty
  /// where there was none.
  std::vector<Vec3> pushOut;
  double pushOutWork = 0;                      ///< J that these displacements add: of height, and of turns
  Vec3 pushOutAngularMomentum = Vec3::Zero();  ///< N·m·s about the world origin, likewise
  int endedByBudget = 0;  ///< solves whose answer is used above the tolerance, since their budget was spent
  Vec3 gravityMoment = Vec3::Zero();  ///< Σ over substeps of dt Σ x × m g about the world origin, x at the
                                      ///< step's start [N·m·s]
  QuantityValues quantities;          ///< NaN where a quantity does not apply
  PhaseTimes times{};                 ///< ms, summed over substeps
  unsigned long long stateHash = 0;
};
using RecordPtr = std::shared_ptr<const StepRecord>;

/// Keeps the worse status; of two alike, the later.
void raiseStatus(StepStatus status, const std::string& text, StepRecord& record);

}  // namespace touchstone
