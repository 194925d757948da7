#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/gap_rule.h"
#include "core/contact/gap_step.h"
#include "core/contact/piece_engine.h"

namespace touchstone {

/// What `lcp` and `peg` share: finding sets, islands, solving, applying, recording. They differ in toSets()
/// and in what they do about an island that has no solution.
class GapMethod : public ContactMethod {
 public:
  GapMethod(const World& world, const std::string& solver);

  CandidateNeeds needs(const World&) const override { return {}; }
  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override;
  void setParameters(const ParameterValues& values) override;
  void reset(const World& world) override;
  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<BackendWorld>& there) override;
  std::string memory() const override;
  void restoreMemory(const std::string& bytes) override;

  static std::vector<ParameterSpec> sharedParameters();
  static std::string refusal(const Scene& scene);
  static std::string staysOnHost();
  static std::vector<std::string> solvers() { return {"auto", "newton-fb", "lemke"}; }

 protected:
  /// The model's sets out of the constraint sets that narrow phase found.
  virtual void toSets(const FoundContacts& found, std::vector<ModelSet>& sets) const = 0;
  /// Solves one island, with the model's retries; notes them in the record.
  virtual IslandAnswer solveIsland(const World& world, const GapStep& step, const std::vector<int>& island,
                                   StepRecord& record) = 0;
  /// The whole step: contacts, sets and answers. Here one linearisation, island by island.
  virtual void solveStep(const World& world, GapStep& step, std::vector<IslandAnswer>& answers,
                         StepRecord& record, PhaseClock& clock);
  virtual const std::vector<ParameterSpec>& specs() const = 0;
  IslandAnswer solveSets(const World& world, const GapStep& step, std::vector<ModelSet> sets,
                         const std::vector<int>& island) const;
  /// Where there is no solution: the answer of the softened problem A + δ diag(A), which violates
  /// contradicting rows evenly. The run goes on from it; its residual is that of the true problem.
  void useCompromise(IslandAnswer& answer) const;

  std::string m_solverKey;
  std::unique_ptr<ComplementaritySolver> m_solver;
  SolverSettings m_solverSettings;
  ModelSettings m_modelSettings;
  GapRule m_rule;
  std::vector<PiecePair> m_pairs;  ///< of broad phase in this step
  mutable int m_solves = 0;        ///< complementarity problems solved in this step

 private:
  double broadMargin(const World& world) const;
  GapStep find(const World& world);
  Eigen::VectorXd warmStart(const GapStep& step, const std::vector<ModelSet>& sets,
                            const IslandProblem& island) const;
  void explain(const GapStep& step, const std::vector<IslandAnswer>& answers);
  void remember(const GapStep& step, const std::vector<IslandAnswer>& answers);
  using SetKey = std::array<int, 6>;
  static SetKey keyOf(const GapStep& step, const ModelSet& set);
  std::map<SetKey, Eigen::VectorXd> m_warm;  ///< last unknowns by the primary's features
  std::unique_ptr<PieceEngine> m_engine;
};

}  // namespace touchstone
