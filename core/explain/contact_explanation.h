#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/step_detail.h"
#include "core/record/step_record.h"

namespace touchstone {

/// One row of a complementarity problem, 0 ≤ multiplier ⊥ slack ≥ 0.
struct ExplanationRow {
  std::string name;               ///< "p", "c2", "beta1", "sigma"
  std::string meaning;            ///< one line
  double multiplier = 0;          ///< z_i [N·s]; slack rows and σ [m/s]
  double slack = 0;               ///< w_i = (A z + b)_i [m/s]; of the cone row [N·s]
  double residual = 0;            ///< |min(A_ii z_i, w_i)|, A_ii replaced by 1 where it is ≤ 0
  std::vector<double> residuals;  ///< after each iteration of the solver
};

/// What happened to one contact inside one step: how a student sees why a method over- or underestimates.
struct ContactExplanation {
  double dt = 0;                 ///< s
  std::vector<double> fraction;  ///< samples of the step, 0 … 1
  std::vector<double> predicted,
      taken;                  ///< gap over the predicted motion (no contact) and over that which was taken
                              ///< [m], negative = overlapping; NaN where it is not defined
  std::vector<double> force;  ///< normal force that the method applies [N]; its mean over the step times
                              ///< dt is the impulse
  std::vector<double> undampedForce;             ///< penalty: the part of the spring [N]
  std::vector<std::array<double, 2>> intervals;  ///< CPF: where the pair penetrates, step fractions
  double impulse = 0;                            ///< that was applied, normal part [N·s]
  /// Penalty: part of the impulse that damping added, and what is allowed of the depth took away
  /// (allowedNext()) [N·s].
  double damping = 0;
  /// Penalty, without damping: h k δ(1), the impulse of the depth at the end of the predicted step alone
  /// [N·s], and h k ∫ δ dt over the time inside, as CPF takes it.
  double atEnd = 0, overStep = 0;
  double stiffness = 0;  ///< penalty: k [N/m]
  bool hasPolynomial = false;
  std::array<double, 4> polynomial{};  ///< penalty: G(t) = Σ c_i tⁱ; gap = G / |m| [m³; of a plane m]
  std::vector<ExplanationRow> rows;    ///< complementarity
  int problemRows = 0;                 ///< of the island's problem
  int leftOutRows = 0;       ///< of a problem that is too large to be shown row by row (StepDetail), or 0
  bool solvedAgain = false;  ///< for residuals per iteration; left out beyond kSolvedAgainRows
  int iterations = 0;
};

/// Rows up to which a problem is solved again while the user waits.
inline constexpr int kSolvedAgainRows = 400;

/// Explains contacts of one scene.
class ContactExplainer {
 public:
  explicit ContactExplainer(std::shared_ptr<const Scene> scene);
  /// @param contact  of the record of that step   @param solver  key that solved it, for residuals per
  /// iteration
  ContactExplanation explain(const Contact& contact, const StepDetail& detail, const std::string& method,
                             const std::string& solver) const;

 private:
  void explainPenalty(const Contact& contact, const StepDetail& detail, const std::string& method,
                      ContactExplanation& explanation) const;
  void explainForces(const Contact& contact, const StepDetail& detail, const std::string& method,
                     ContactExplanation& explanation) const;
  void explainGap(const Contact& contact, const StepDetail& detail, const std::string& solver,
                  ContactExplanation& explanation) const;
  void rowsAt(const Pose& pose, const FeaturePair& pair, Vec3 rows[4]) const;
  PairMotion motionBetween(const FeaturePair& pair, const Pose& from, const Pose& to) const;
  /// The motion of a pair on the path that was taken.
  PairMotion takenMotion(const PairDetail& pair, const Contact& contact, const StepDetail& detail) const;

  World m_world;
};

}  // namespace touchstone
