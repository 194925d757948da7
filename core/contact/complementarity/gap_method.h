#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/host_method.h"
#include "core/contact/complementarity/narrow_phase.h"
#include "core/contact/complementarity/row_rules.h"

namespace touchstone {

/// Automatic `margin` and `feasible_depth`, as shares of lengthOf() the scene. A larger margin grows the
/// number of contacts, and what a step foresees. A smaller depth takes overlap for the back of a thin piece,
/// a larger one a plate.
inline constexpr double kMarginOfLength = 0.01, kFeasibleDepthOfLength = 5e-3;

/// What all complementarity methods share: parameters, and broad and narrow phase of convex pieces. They
/// differ in how they find impulses for the contacts.
class GapMethod : public HostMethod {
 public:
  explicit GapMethod(const World& world);

  void begin(const World& world) override {
    m_engine->setFindsContacts(needsContacts());
    m_engine->begin(world);
  }
  void await(PhaseTimes& times) override { m_engine->await(times); }
  void setParameters(const std::vector<ParameterValues>& ofReplicas) override;
  void useBackend(BackendKind backend, const World& world,
                  const std::shared_ptr<DeviceWorld>& deviceWorld) override;

  static std::vector<ParameterSpec> sharedParameters();
  static std::string refusal(const Scene& scene);

 protected:
  virtual const std::vector<ParameterSpec>& specs() const = 0;
  /// Contacts and sets of narrow phase, not only its pairs.
  virtual bool needsContacts() const { return true; }
  /// Of one replica, with its values.
  virtual RowRules ruleWith(const ParameterValues& values) const;
  /// [replicaCount] for ruleOf()
  const RowRules* rules() const { return m_rules.data(); }

  ModelSettings m_modelSettings;
  std::unique_ptr<NarrowPhase> m_engine;
  std::shared_ptr<DeviceWorld> m_deviceWorld;

 private:
  std::shared_ptr<const Scene> m_scene;
  std::vector<RowRules> m_rules;  ///< [replicaCount]
};

}  // namespace touchstone
