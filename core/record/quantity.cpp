#include "core/record/quantity.h"

#include <limits>

#include "core/record/step_record.h"

namespace touchstone {

QuantityValues::QuantityValues() { values.fill(std::numeric_limits<double>::quiet_NaN()); }

namespace {

std::vector<QuantityInfo> spatialTable() {
  using Q = Quantity;
  return {
      {Q::NormalForce, "normal_force", "Normal force", "Σ|Fn|", "N", "normal_force_N",
       "Σ J_n / Δt: magnitudes of the normal impulses of all contacts and substeps of the frame, divided by "
       "the length of the frame. Forces inside a pile count at every contact.",
       false},
      {Q::FrictionForce, "friction_force", "Friction force", "Σ|Ft|", "N", "friction_force_N",
       "Σ |J_t| / Δt: magnitudes of the friction impulses of all contacts and substeps of the frame, divided "
       "by the length of the frame.",
       false},
      {Q::PenetrationMax, "penetration_max", "Deepest penetration", "δ max", "m", "penetration_max_m",
       "max δ over pairs of bodies, from the geometry at the end of the frame, the same for every method. "
       "Convex pieces: δ = −(largest separating gap over face normals and edge × edge), for the deepest pair "
       "of pieces. Plane: deepest vertex. With a mesh without pieces: the largest sum of the distances to "
       "both surfaces over vertices and samples that lie in both bodies, a lower bound. No value where all "
       "pairs are with open surfaces, as those of cloth, and none is with a plane.",
       false},
      {Q::PenetrationMean, "penetration_mean", "Mean penetration", "δ mean", "m", "penetration_mean_m",
       "Σ δ / n over the n pairs of bodies that penetrate at the end of the frame; 0 if none does.", false},
      {Q::Overlap, "overlap", "Overlap volume", "V", "m³", "overlap_m3",
       "Σ V(A ∩ B) over pairs of bodies at the end of the frame. Convex pieces: exact, by clipping and the "
       "divergence theorem, summed over pairs of pieces (pieces of one body that overlap count twice). Below "
       "planes: exact. With a mesh without pieces: samples at 24³ cell centres of the box that both boxes "
       "share, and the step carries a warning. Open surfaces, as those of cloth, have no volume: without a "
       "pair of other bodies there is no value.",
       false},
      {Q::MethodDepth, "method_depth", "Depth in the method", "δ method", "m", "method_depth_m",
       "Largest depth that the method itself worked with in its last step. Penalty methods: the depth of a "
       "feature pair; complementarity methods: −min ψ.",
       true},
      {Q::EnergyKinetic, "energy_kinetic", "Kinetic energy", "T", "J", "energy_kinetic_J",
       "T = Σ ½ m v² + ½ ω·I ω over released dynamic bodies.", false},
      {Q::EnergyPotential, "energy_potential", "Potential energy", "V g", "J", "energy_potential_J",
       "V = Σ −m g·(x − ½ h v) over released dynamic bodies, relative to the world's origin. The velocity of "
       "symplectic Euler belongs to the middle of a step of length h, so the height is taken there too: the "
       "energy of a free fall is then constant. With x at the end of the step it would fall by ½ m g² h t.",
       false},
      {Q::EnergyElastic, "energy_elastic", "Elastic energy", "V e", "J", "energy_elastic_J",
       "Σ ½ k δ² in the springs of penalty methods, as the method reports it, ½ c²/E of compliant joints, "
       "and the work that the springs of drives have taken.",
       true},
      {Q::EnergyTotal, "energy_total", "Total energy", "E", "J", "energy_total_J",
       "E = T + V + V_e, kinetic, potential and elastic.", false},
      {Q::EnergyDrift, "energy_drift", "Energy change since the start", "ΔE", "J", "energy_drift_J",
       "E − E_start. The energy of a body that is released later is added to E_start at its release, so that "
       "a release is no drift, and so is the work of the mouse spring and of drives: given forces, and what "
       "moves the ends of their springs and dampers.",
       false},
      {Q::MomentumLinear, "momentum_linear", "Linear momentum", "|p|", "N·s", "momentum_linear_Ns",
       "|P|, P = Σ m v over released dynamic bodies.", false},
      {Q::MomentumLinearError, "momentum_linear_error", "Error of linear momentum", "|Δp|", "N·s",
       "momentum_linear_error_Ns",
       "|P − P_expected|, P_expected = P_start + Σ dt m g + Σ J: gravity and the recorded contact impulses "
       "that static bodies gave. Rounding only, if the method gives equal and opposite impulses.",
       false},
      {Q::MomentumAngular, "momentum_angular", "Angular momentum", "|L|", "N·m·s", "momentum_angular_Nms",
       "|L|, L = Σ x × m v + I ω about the world's origin.", false},
      {Q::MomentumAngularError, "momentum_angular_error", "Error of angular momentum", "|ΔL|", "N·m·s",
       "momentum_angular_error_Nms",
       "|L − L_expected|, L_expected = L_start + Σ dt x × m g + Σ p × J about the world's origin: gravity "
       "and the recorded contact impulses J that static bodies gave at the points p.",
       false},
      {Q::Jitter, "jitter", "Jitter", "v j", "m/s", "jitter_m_per_s",
       "√(Σ |v − v_slow|² / n) over the n dynamic bodies with a contact impulse in the last step; v_slow "
       "follows the velocity v of the centre of mass as a first-order low-pass with time constant 0.25 s. "
       "Rattling shows, steady motion does not.",
       false},
      {Q::JointError, "joint_error", "Error of joints", "c max", "m", "joint_error_m",
       "max |c| over the rigid rows of all joints at the end of the frame, the same for every method: "
       "distance "
       "of anchors [m], and angles [rad] times the scene's length.",
       false},
      {Q::StrainMax, "strain_max", "Largest strain", "ε max", "", "strain_max",
       "max |s − 1| over the three principal stretches s of all tetrahedra, the smallest negative where one "
       "is "
       "inverted, and max |ℓ / L − 1| over the edges of cloth, at the end of the frame, the same for every "
       "method.",
       false},
      {Q::VolumeError, "volume_error", "Error of volume", "|ΔV| / V", "", "volume_error",
       "max over the bodies with tetrahedra of |Σ V det F / Σ V − 1|, V the volume of a tetrahedron at rest: "
       "how far the volume of a whole body is from that at rest, at the end of the frame, the same for every "
       "method.",
       false},
      {Q::Crossings, "crossings", "Crossings of surfaces", "n cross", "", "crossings",
       "Pairs of an edge and a triangle that it goes through at the end of the frame, the same for every "
       "method: in surfaces that touch themselves, and between open surfaces of two bodies that may touch. "
       "Only scenes with bodies that deform have such surfaces.",
       false},
      {Q::Residual, "residual", "Natural residual", "r", "m/s", "residual_m_per_s",
       "max_i |min(A_ii z_i, w_i)|, A_ii ≤ 0 replaced by 1, |w_i| on free rows: the same for all solvers "
       "(Macklin 2019). The worst of the substeps.",
       true},
      {Q::Iterations, "iterations", "Solver iterations", "n it", "", "iterations",
       "Iterations, sweeps or pivots of the solver in the last step of the frame, the start included.", true},
      {Q::Solves, "solves", "Problems solved", "n solve", "", "solves",
       "Complementarity problems solved in the frame: one per island and linearisation, retries included.",
       true},
      {Q::StepParts, "step_parts", "Steps taken", "n step", "", "step_parts",
       "Steps really taken in the frame: its substeps, and more where PEG's exact step halved one.", true},
      {Q::Contacts, "contacts", "Contacts", "n c", "", "contacts",
       "Contacts recorded in the last step of the frame, open ones included.", false},
      {Q::Traps, "traps", "Standard-model traps", "n trap", "", "traps",
       "Sets of at least two contacts whose end state is free (max ψ ≥ −2e-6 ℓ) though some ψ < −2e-6 ℓ, "
       "with "
       "the scene's length ℓ: the standard model would have forbidden it (Williams 2017). Depends on ε and "
       "ε_θ.",
       true},
      {Q::UnilateralSets, "sets_u", "U constraints", "n U", "", "sets_u",
       "Unilateral constraints in the last step (Williams 2017).", true},
      {Q::InequalitySets, "sets_i", "I constraints", "n I", "", "sets_i",
       "Inter-contact constraint sets in the last step.", true},
      {Q::CrossSets, "sets_x", "X constraints", "n X", "", "sets_x",
       "Cross-contact constraint sets in the last step.", true},
      {Q::BrokenCrossSets, "sets_x_broken", "Violated X constraints", "n X viol.", "", "sets_x_broken",
       "Cross-contact constraint sets that the answers of all steps of the frame violate. With x_sets = "
       "published "
       "no force enforces them; the answer is checked, and the step is kept.",
       true},
      {Q::TimePredict, "time_predict", "Time: predict", "t predict", "ms", "time_predict_ms",
       "Wall clock of the step without contact and of placing vertices, summed over the substeps of the "
       "frame.",
       false},
      {Q::TimeBroadPhase, "time_broad_phase", "Time: broad phase", "t broad", "ms", "time_broad_phase_ms",
       "Wall clock of finding pairs by their boxes, summed over the substeps of the frame.", false},
      {Q::TimeNarrowPhase, "time_narrow_phase", "Time: narrow phase", "t narrow", "ms",
       "time_narrow_phase_ms",
       "Wall clock of feature pairs, constraint sets and contact memory, summed over the substeps of the "
       "frame.",
       false},
      {Q::TimeAssemble, "time_assemble", "Time: assemble", "t assemble", "ms", "time_assemble_ms",
       "Wall clock of building the complementarity problems, summed over the substeps of the frame.", false},
      {Q::TimeSolve, "time_solve", "Time: solve", "t solve", "ms", "time_solve_ms",
       "Wall clock of solvers, and of forces for penalty methods, summed over the substeps of the frame.",
       false},
      {Q::TimeIntegrate, "time_integrate", "Time: integrate", "t integrate", "ms", "time_integrate_ms",
       "Wall clock of moving the bodies, summed over the substeps of the frame.", false},
      {Q::TimeMeasure, "time_measure", "Time: measure", "t measure", "ms", "time_measure_ms",
       "Wall clock of the Referee; not part of the step time.", false},
      {Q::TimeStep, "time_step", "Step time", "t step", "ms", "time_step_ms",
       "Wall clock of one frame, all its substeps, without the Referee. Panes that run concurrently share "
       "the cores.",
       false}};
}

std::vector<QuantityInfo> planarTable() {
  std::vector<QuantityInfo> table = spatialTable();
  QuantityInfo& overlap = table[static_cast<int>(Quantity::Overlap)];
  overlap.label = "Overlap area";
  overlap.symbol = "A";
  overlap.unit = "m²";
  overlap.column = "overlap_m2";
  overlap.help =
      "Σ area(A ∩ B) over pairs of bodies at the end of the frame: exact, by clipping and the shoelace "
      "formula, summed "
      "over pairs of pieces (pieces of one body that overlap count twice).";
  return table;
}

}  // namespace

const std::vector<QuantityInfo>& quantityTable(bool planar) {
  static const std::vector<QuantityInfo> tables[] = {spatialTable(), planarTable()};
  return tables[planar];
}

const QuantityInfo& quantityInfo(Quantity q, bool planar) {
  return quantityTable(planar)[static_cast<int>(q)];
}

const QuantityInfo* findQuantity(const std::string& key) {
  for (const QuantityInfo& info : quantityTable())
    if (info.key == key) return &info;
  return nullptr;
}

const char* toString(StepStatus status) {
  switch (status) {
    case StepStatus::Ok:
      return "ok";
    case StepStatus::Energy:
      return "energy";
    case StepStatus::NotConverged:
      return "not converged";
    case StepStatus::NoSolution:
      return "no solution";
    case StepStatus::Diverged:
      return "diverged";
    case StepStatus::Stopped:
      break;
  }
  return "stopped";
}

void raiseStatus(StepStatus status, const std::string& text, StepRecord& record) {
  if (status == StepStatus::Ok || status < record.status) return;
  record.status = status;
  record.statusText = text;
}

}  // namespace touchstone
