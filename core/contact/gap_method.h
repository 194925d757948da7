#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/complementarity_model.h"

namespace touchstone {

/// What `lcp` and `peg` share: finding sets, islands, solving, applying, recording. They differ in toSets()
/// and in what they do about an island that has no solution.
class GapMethod : public ContactMethod {
 public:
  GapMethod(const World& world, const std::string& solver);

  CandidateNeeds needs(const World& world) const override;
  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override;
  void setParameters(const ParameterValues& values) override;
  void reset(const World& world) override;

  static std::vector<ParameterSpec> sharedParameters();
  static std::string refusal(const Scene& scene);
  static std::vector<std::string> solvers() { return {"auto", "newton-fb", "lemke"}; }

 protected:
  /// Contacts and sets of the whole step.
  struct Step {
    std::vector<ModelContact> contacts;
    std::vector<ModelSet> sets;
    Velocities free;  ///< ν̃
  };
  /// Answer of one island: z, and the sets as they were solved (a retry may have changed them).
  struct Answer {
    IslandProblem island;
    SolverResult result;
    std::vector<ModelSet> sets;  ///< all sets of the step, as solved
  };

  /// The model's sets out of the constraint sets of a pair of pieces.
  virtual void toSets(const PairConstraints& pair, int firstContact, double friction,
                      std::vector<ModelSet>& sets) const = 0;
  /// Solves one island, with the model's retries; notes them in the record.
  virtual Answer solveIsland(const World& world, const Step& step, const std::vector<int>& island,
                             StepRecord& record) = 0;
  virtual const std::vector<ParameterSpec>& specs() const = 0;
  /// Velocities after the step; `plain` is the answer of one linearisation. Hook for re-linearisation.
  virtual void refine(const World&, Step&, std::vector<Answer>&, StepRecord&) {}

  Answer solveSets(const World& world, const Step& step, std::vector<ModelSet> sets,
                   const std::vector<int>& island) const;
  /// Where there is no solution: the answer of the softened problem A + δ diag(A), which violates
  /// contradicting rows evenly. The run goes on from it; its residual is that of the true problem.
  void useCompromise(Answer& answer) const;
  Velocities velocitiesAfter(const World& world, const Step& step, const std::vector<Answer>& answers) const;
  /// Gaps, normals and points of all contacts with the bodies moved by h times the velocities.
  std::vector<PieceContact> movedGeometry(const World& world, const Step& step, const Velocities& velocities,
                                          std::vector<Vec3>* positions = nullptr) const;
  double rateOf(double psi, double dt) const;

  std::string m_solverKey;
  std::unique_ptr<ComplementaritySolver> m_solver;
  SolverSettings m_solverSettings;
  ModelSettings m_modelSettings;
  ConstraintSettings m_constraints;
  double m_margin = 0, m_stabilisation = 1, m_correctionCap = 0;

 private:
  Step find(const World& world, const Candidates& candidates) const;
  void addPiecePair(const World& world, const PiecePair& pair, const std::vector<PlacedPolytope>& placed,
                    Step& step) const;
  void addPlanePair(const World& world, const PiecePair& pair, const std::vector<PlacedPolytope>& placed,
                    Step& step) const;
  void addContact(const World& world, const PieceContact& geometry, int bodyA, int bodyB, int pieceA,
                  int pieceB, bool flipped, Step& step) const;
  double epsilonOf(const World& world, int bodyA, int bodyB) const;
  Eigen::VectorXd warmStart(const Step& step, const std::vector<ModelSet>& sets,
                            const IslandProblem& island) const;
  void remember(const Step& step, const std::vector<Answer>& answers);
  void writeRecord(const World& world, const Step& step, const std::vector<Answer>& answers,
                   StepRecord& record) const;

  using SetKey = std::array<int, 6>;
  static SetKey keyOf(const Step& step, const ModelSet& set);
  std::map<SetKey, Eigen::VectorXd> m_warm;  ///< last unknowns by the primary's features
};

}  // namespace touchstone
