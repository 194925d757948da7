#pragma once

#include <map>

#include "core/contact/cpf_memory.h"
#include "core/contact/pair_engine.h"

namespace touchstone {

/// The pairs of a step with the path that they are run over.
struct PairBatch {
  std::vector<FeaturePair> pairs;
  std::vector<PairInput> inputs;
  std::vector<PairResult> results;
};

/// Where a pair that acts touches, and with what.
struct PairAction {
  Vec3 impulse = Vec3::Zero();       ///< on A (vertex, first edge) [N·s]
  double depth = 0;                  ///< that the method works with [m]
  double weights[4] = {0, 0, 0, 0};  ///< of the point where the impulse acts, unclamped
};

/// Penalty methods on feature pairs that continuous collision detection finds and memory tracks until their
/// depth returns to zero (Tang 2012, section 3.2): what `cpf` and `dpf-ccd` share. They differ in actionOf()
/// alone.
///
/// Two passes per step: impulses come from the predicted path, memory from the corrected one.
class TrackedPenalty : public ContactMethod {
 public:
  TrackedPenalty(const World& world, BackendKind backend);

  CandidateNeeds needs(const World& world) const override;
  void setParameters(const ParameterValues& values) override;
  void reset(const World& world) override;
  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override;
  void settle(const World& world, const Candidates& candidates) override;
  std::string memory() const override;
  void restoreMemory(const std::string& bytes) override;

  static std::vector<ParameterSpec> trackedParameters();

 protected:
  virtual const std::vector<ParameterSpec>& specs() const = 0;
  /// Impulse of a pair over the predicted path, without damping. @return false: it does not act in this step
  virtual bool actionOf(const PairInput& input, const PairResult& result, PairAction& action) const = 0;
  /// Stability number up to which a permanent contact does not grow (penalty.md, section 6).
  virtual double stabilityLimit() const = 0;
  virtual bool wantsQuadrature() const { return false; }

  double m_stiffness = 0, m_damping = 0;  ///< of the running step [N/m], [N·s/m]

 private:
  PairBatch prepared(const World& world, const Candidates& candidates, const std::vector<Vec3>& ends,
                     const std::vector<Quaternion>& endOrientation) const;
  PairInput inputOf(const World& world, const FeaturePair& pair, const std::vector<Vec3>& ends,
                    const std::vector<Quaternion>& endOrientation) const;
  std::vector<PenaltyContact> contactsOf(const World& world, const PairBatch& batch, StepRecord& record);
  PenaltyContact contactOf(const World& world, const FeaturePair& pair, const PairResult& result,
                           const PairAction& action) const;

  std::shared_ptr<const Scene> m_scene;  ///< holds the meshes of the trees
  std::vector<std::shared_ptr<const MeshTree>> m_trees;
  std::unique_ptr<PairEngine> m_engine;
  std::vector<Vec3> m_edgeFaceSums;  ///< [edgeCount] body frame
  CpfMemory m_memory;
  std::map<FeaturePair, FrictionAnchor> m_newAnchors;
  StiffnessSettings m_stiffnessOverTime;
  FrictionSettings m_friction;
  bool m_adoptAlways = true, m_reseat = true, m_twoSided = false, m_entryPoint = false, m_normalise = false;
  bool m_first = true;
};

/// I_d = −c s (g(t_b) − g(t_a)) n̄ along n̄ = s m(t̄) / |m(t̄)|, clamped so that the contact never pulls: the
/// impulse with damping over one interval.
Vec3 withDamping(const PairMotion& motion, const PenetrationInterval& interval, double damping,
                 const Vec3& impulse);

}  // namespace touchstone
