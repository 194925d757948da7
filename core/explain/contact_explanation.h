#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/step_detail.h"
#include "core/explain/row_explanation.h"
#include "core/geometry/pair_motion.h"
#include "core/record/step_record.h"
#include "core/world/world.h"

namespace touchstone {

struct PairDetail;  // core/contact/penalty/penalty_detail.h

/// One row of a complementarity problem, 0 ≤ multiplier ⊥ slack ≥ 0.
struct ExplanationRow {
  std::string name;               ///< "p", "c2", "beta1", "sigma"
  std::string meaning;            ///< one line
  double multiplier = 0;          ///< z_i [N·s]; slack rows and σ [m/s]
  double slack = 0;               ///< w_i = (A z + b)_i [m/s]; of the cone row [N·s]
  double residual = 0;            ///< |min(A_ii z_i, w_i)|, with A_ii replaced by 1 if it is ≤ 0
  std::vector<double> residuals;  ///< after each iteration of the solver
};

/// The inside of one step for one contact: shows why a method over- or underestimates its impulse.
struct ContactExplanation {
  double dt = 0;                 ///< s
  std::vector<double> fraction;  ///< samples of the step, 0 … 1
  std::vector<double> predicted,
      taken;                  ///< gap over the predicted motion (no contact) and over the real motion [m],
                              ///< negative = overlapping; NaN where undefined
  std::vector<double> force;  ///< normal force of the method [N]; its mean over the step times dt is the
                              ///< impulse
  std::vector<double> undampedForce;             ///< penalty: the part of the spring [N]
  std::vector<std::array<double, 2>> intervals;  ///< CPF: intervals in which the pair penetrates, step
                                                 ///< fractions
  double impulse = 0;                            ///< normal part of the applied impulse [N·s]
  /// Penalty: the part of the impulse from damping, minus what the allowed depth removes (allowedNext())
  /// [N·s].
  double damping = 0;
  /// Penalty, without damping [N·s]: h k δ(1), the impulse of the depth at the end of the predicted step
  /// alone, and h k ∫ δ dt over the time inside, as in CPF.
  double atEnd = 0, overStep = 0;
  double stiffness = 0;  ///< penalty: k [N/m]
  bool hasPolynomial = false;
  std::array<double, 4> polynomial{};  ///< penalty: G(t) = Σ c_i tⁱ; gap = G / |m| [m³; for a plane m]
  std::vector<ExplanationRow> rows;    ///< complementarity
  int problemRows = 0;                 ///< rows of the island's problem
  int leftOutRows = 0;       ///< rows of a problem that is too large to be shown row by row (StepDetail), or
                             ///< 0
  bool solvedAgain = false;  ///< solved again for the residuals per iteration; not beyond kSolvedAgainRows
  int iterations = 0;
};

/// Most rows of a problem that is solved again for the residuals per iteration. A larger value makes the user
/// wait; a smaller one hides the iterations of more contacts.
inline constexpr int kSolvedAgainRows = 400;

/// Explains contacts of one scene.
class ContactExplainer {
 public:
  explicit ContactExplainer(std::shared_ptr<const Scene> scene);
  /// @param contact  of the record of that step   @param solver  key of the solver, for the residuals per
  /// iteration
  ContactExplanation explain(const Contact& contact, const StepDetail& detail, const std::string& method,
                             const std::string& solver) const;
  /// The rows of a step; none where its method solved none.
  std::vector<ExplainedRow> rowsIn(const StepDetail& detail) const;

 private:
  void explainPenalty(const Contact& contact, const StepDetail& detail, const std::string& method,
                      ContactExplanation& explanation) const;
  void explainForces(const Contact& contact, const StepDetail& detail, const std::string& method,
                     ContactExplanation& explanation) const;
  void explainGap(const Contact& contact, const StepDetail& detail, const std::string& solver,
                  ContactExplanation& explanation) const;
  void rowsAt(const Pose& pose, const FeaturePair& pair, Vec3 rows[4]) const;
  PairMotion motionBetween(const FeaturePair& pair, const Pose& start, const Pose& end) const;
  /// The motion of a pair along the real path of the step.
  PairMotion takenMotion(const PairDetail& pair, const Contact& contact, const StepDetail& detail) const;

  World m_world;
};

}  // namespace touchstone
