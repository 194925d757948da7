#include "core/record/quantity.h"

#include <limits>

#include "core/record/step_record.h"

namespace touchstone {

QuantityValues::QuantityValues() { values.fill(std::numeric_limits<double>::quiet_NaN()); }

const std::vector<QuantityInfo>& quantityTable() {
  using Q = Quantity;
  static const std::vector<QuantityInfo> table = {
      {Q::NormalForce, "normal_force", "Normal force", "Σ|Fn|", "N", "normal_force_N",
       "Sum over contacts of the normal impulse, averaged over the frame: Σ J / dt.", false},
      {Q::FrictionForce, "friction_force", "Friction force", "Σ|Ft|", "N", "friction_force_N",
       "Sum over contacts of the magnitude of the friction impulse, averaged over the frame.", false},
      {Q::PenetrationMax, "penetration_max", "Deepest penetration", "δ max", "m", "penetration_max_m",
       "Deepest geometric penetration of any two bodies at the end of the frame, by the Referee: "
       "separating-axis depth of "
       "convex pieces, depth of vertices below planes, distance of inside vertices to the surface of meshes.",
       false},
      {Q::PenetrationMean, "penetration_mean", "Mean penetration", "δ mean", "m", "penetration_mean_m",
       "Mean of the depth over the pairs of bodies that penetrate; 0 if none does.", false},
      {Q::Overlap, "overlap", "Overlap volume", "V", "m³", "overlap_m3",
       "Sum over pairs of bodies of the exact intersection volume of their convex pieces. Pairs with a mesh "
       "that has no "
       "pieces: sampled on a 20³ grid.",
       false},
      {Q::MethodDepth, "method_depth", "Depth in the method", "δ method", "m", "method_depth_m",
       "Largest depth that the method itself worked with in its last step: for penalty methods the depth of "
       "a feature pair, "
       "for complementarity methods −min ψ.",
       true},
      {Q::EnergyKinetic, "energy_kinetic", "Kinetic energy", "T", "J", "energy_kinetic_J",
       "Σ ½ m v² + ½ ω·I ω.", false},
      {Q::EnergyPotential, "energy_potential", "Potential energy", "V g", "J", "energy_potential_J",
       "Σ −m g·x of released bodies, relative to the world's origin.", false},
      {Q::EnergyElastic, "energy_elastic", "Elastic energy", "V e", "J", "energy_elastic_J",
       "Energy in the penalty springs, Σ ½ k δ²; 0 for methods without springs.", true},
      {Q::EnergyTotal, "energy_total", "Total energy", "E", "J", "energy_total_J",
       "Kinetic + potential + elastic.", false},
      {Q::EnergyDrift, "energy_drift", "Energy change since the start", "ΔE", "J", "energy_drift_J",
       "Total energy minus that of the start; bodies released later count from their release.", false},
      {Q::MomentumLinear, "momentum_linear", "Linear momentum", "|p|", "N·s", "momentum_linear_Ns",
       "|Σ m v|.", false},
      {Q::MomentumLinearError, "momentum_linear_error", "Error of linear momentum", "|Δp|", "N·s",
       "momentum_linear_error_Ns",
       "Distance of Σ m v from start + gravity + recorded impulses of static bodies: what the method lost or "
       "invented.",
       false},
      {Q::MomentumAngular, "momentum_angular", "Angular momentum", "|L|", "N·m·s", "momentum_angular_Nms",
       "|Σ x × m v + I ω| about the world's origin.", false},
      {Q::MomentumAngularError, "momentum_angular_error", "Error of angular momentum", "|ΔL|", "N·m·s",
       "momentum_angular_error_Nms",
       "Distance of the angular momentum from start + gravity + recorded impulses of static bodies, about "
       "the world's origin.",
       false},
      {Q::Jitter, "jitter", "Jitter", "v j", "m/s", "jitter_m_per_s",
       "Root mean square, over bodies with contact, of the velocity minus its low-pass (time constant 0.25 "
       "s).",
       false},
      {Q::Residual, "residual", "Natural residual", "r", "m/s", "residual_m_per_s",
       "max over rows of |min(A_ii z_i, w_i)|, the same scaling for all solvers (Macklin 2019).", true},
      {Q::Iterations, "iterations", "Solver iterations", "n it", "", "iterations",
       "Iterations or pivots of the solver in the last step of the frame.", true},
      {Q::Contacts, "contacts", "Contacts", "n c", "", "contacts",
       "Contacts recorded in the last step of the frame.", false},
      {Q::Traps, "traps", "Standard-model traps", "n trap", "", "traps",
       "Sets of at least two contacts whose end state is free (max ψ ≥ −1e-6 m) though some ψ < −1e-6 m: the "
       "standard model "
       "would have forbidden it (Williams 2017). Depends on ε and ε_θ.",
       true},
      {Q::UnilateralSets, "sets_u", "U constraints", "n U", "", "sets_u",
       "Unilateral constraints in the last step (Williams 2017).", true},
      {Q::InequalitySets, "sets_i", "I constraints", "n I", "", "sets_i",
       "Inter-contact constraint sets in the last step.", true},
      {Q::CrossSets, "sets_x", "X constraints", "n X", "", "sets_x",
       "Cross-contact constraint sets in the last step.", true},
      {Q::TimePredict, "time_predict", "Time: predict", "t predict", "ms", "time_predict_ms",
       "Wall clock, summed over substeps.", false},
      {Q::TimeBroadPhase, "time_broad_phase", "Time: broad phase", "t broad", "ms", "time_broad_phase_ms",
       "Wall clock.", false},
      {Q::TimeNarrowPhase, "time_narrow_phase", "Time: narrow phase", "t narrow", "ms",
       "time_narrow_phase_ms", "Wall clock.", false},
      {Q::TimeAssemble, "time_assemble", "Time: assemble", "t assemble", "ms", "time_assemble_ms",
       "Wall clock.", false},
      {Q::TimeSolve, "time_solve", "Time: solve", "t solve", "ms", "time_solve_ms", "Wall clock.", false},
      {Q::TimeIntegrate, "time_integrate", "Time: integrate", "t integrate", "ms", "time_integrate_ms",
       "Wall clock.", false},
      {Q::TimeMeasure, "time_measure", "Time: measure", "t measure", "ms", "time_measure_ms",
       "Wall clock of the Referee.", false},
      {Q::TimeStep, "time_step", "Step time", "t step", "ms", "time_step_ms",
       "Wall clock of one frame, all its substeps, without the Referee. Panes that run concurrently share "
       "the cores.",
       false}};
  return table;
}

const QuantityInfo& quantityInfo(Quantity q) { return quantityTable()[static_cast<std::size_t>(q)]; }

const char* toString(StepStatus status) {
  switch (status) {
    case StepStatus::Ok:
      return "ok";
    case StepStatus::NotConverged:
      return "not converged";
    case StepStatus::NoSolution:
      return "no solution";
    case StepStatus::Diverged:
      break;
  }
  return "diverged";
}

}  // namespace touchstone
