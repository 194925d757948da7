#pragma once

#include <cstdio>
#include <cstring>
#include <memory>

#include "core/constraints/joint_islands.h"
#include "core/contact/drive_parameter.h"
#include "core/contact/method.h"
#include "core/contact/penalty/automatic_springs.h"
#include "core/contact/penalty/face_pairs.inl"
#include "core/contact/penalty/penalty_impulses.inl"
#include "core/contact/penalty/penalty_parameters.h"
#include "core/contact/step_detail.h"
#include "core/detect/candidates.h"
#include "core/detect/feature_broad_phase.inl"
#include "core/detect/surface_tables.inl"
#include "core/record/phase_clock.h"

namespace touchstone {

/// A penalty method on a backend: everything between broad phase and integration. Written against WorldView,
/// so that it neither knows nor asks where the arrays live.
template <class Backend>
class PenaltyMethod : public Method<Backend> {
 public:
  PenaltyMethod(const Backend& backend, const World& world)
      : m_scene(world.scene), m_faces(backend, world), m_elasticStepLimit(explicitStepLimit(*world.scene)) {
    for (const Body& body : world.scene->bodies)
      m_areAllConvex = m_areAllConvex && (body.shape->surfaces.empty() || !body.shape->pieces.empty());
  }

  void rejoin(const Backend& backend, const WorldView& world) override {
    if (m_isRecorded) m_impulses.record(backend, world, m_contacts.data(), m_contacts.extent());
  }

  void prepare(const Backend& backend, const World& world) override {
    std::vector<PenaltyNumbers> now;
    for (PenaltySettings& settings : m_settings) {
      settings.numbers.perturbation = settings.stiffness.factorAt(world.time);
      settings.numbers.stiffness = settings.stiffness.mean * settings.numbers.perturbation;
      now.push_back(settings.numbers);
    }
    if (isJointed()) sendMobilities(backend, world);
    const bool same = now.size() == m_sent.size() &&
                      std::memcmp(now.data(), m_sent.data(), now.size() * sizeof(PenaltyNumbers)) == 0;
    if (same) return;
    backend.upload(now.data(), now.size(), m_numbers);
    m_sent = now;
  }

  Needs needs(const Backend& backend, const WorldView& world) override {
    const double* margins = marginsOf(backend, world);
    return {true, featureNeeds(), margins};
  }

  void sendSums(const Backend& backend) override {
    if (m_isRecorded) m_impulses.sendSums(backend);
    m_areContactsSent = false;
  }
  void finishRecord(StepRecord& record) override {
    if (m_isRecorded) warn(m_impulses.addQuantities(record), record);
  }
  void sendContacts(const Backend& backend) override {
    if (m_isRecorded) m_impulses.sendContacts(backend);
    m_areContactsSent = true;
  }
  void awaitContacts() override {
    if (m_areContactsSent) m_impulses.awaitContacts();
  }
  void addContacts(const Backend& backend, StepRecord& record) override {
    if (!m_areContactsSent) sendContacts(backend);
    if (m_isRecorded) m_impulses.addContacts(record);
  }
  DriveIntegration driveIntegration() const override { return m_drives; }
  void setRecorded(Recorded recorded) override { m_isRecorded = recorded != Recorded::None; }
  void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& visit) override {
    m_faces.eachMemoryArray(visit);
  }

 protected:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void setNumbers(const std::vector<ParameterSpec>& specs, const std::vector<ParameterValues>& values) {
    m_settings.clear();
    for (const ParameterValues& parameters : values)
      m_settings.push_back(penaltySettings(*m_scene, specs, parameters));
    m_isAnyAutomatic = false;
    for (const PenaltySettings& settings : m_settings)
      m_isAnyAutomatic = m_isAnyAutomatic || !(settings.stiffness.mean > 0) || settings.numbers.damping < 0;
    m_isAnyStiffnessAutomatic =
        std::any_of(m_settings.begin(), m_settings.end(),
                    [](const PenaltySettings& settings) { return !(settings.stiffness.mean > 0); });
    m_drives = driveIntegrationOf(choiceOf(specs, values.front(), kDriveIntegration));
    m_normalise = choiceOf(specs, values.front(), "normalise") == "pairs";
    m_areFacesUsed = choiceOf(specs, values.front(), "contacts") == "faces";
    m_faces.use(m_areFacesUsed, choiceOf(specs, values.front(), "rebound") == "stored");
  }
  /// The numbers of this step, on the backend.
  const PenaltyNumbers* numbers() const { return m_numbers.data(); }
  /// Largest distance of two boxes that make a candidate [replicaCount], on the backend [m].
  virtual const double* marginsOf(const Backend&, const WorldView&) { return nullptr; }
  virtual FeatureNeeds featureNeeds() const {
    FeatureNeeds needs;
    needs.convexPairs = !m_areFacesUsed;
    needs.surfaces = !(m_areFacesUsed && m_areAllConvex);
    return needs;
  }
  /// Fits automatic springs to the contacts that there are, and adds friction.
  void addFriction(const Backend& backend, const WorldView& world, PenaltyContact* contacts,
                   const Extent& extent) {
    m_impulses.list(backend, world, contacts, extent);
    if (!m_normalise) fit(backend, world, contacts, extent);
    m_impulses.addFriction(backend, world, numbers(), jointedBodies(), contacts, extent);
  }
  /// After friction, as `normalise` says.
  void normalise(const Backend& backend, const WorldView& world, PenaltyContact* contacts,
                 const Extent& extent) {
    if (!m_normalise) return;
    m_impulses.normalisePairs(backend, contacts, extent);
    fit(backend, world, contacts, extent);
  }
  /// After friction: applies the contacts. @param before  those of features, which come before those of faces
  void applyContacts(const Backend& backend, const WorldView& world, const Extent& before) {
    m_dt = world.dt;
    PenaltyContact* contacts = m_contacts.data();
    m_faces.boundEnergy(backend, world, contacts, before, [&] { m_impulses.apply(backend, world); });
    if (m_isRecorded) m_impulses.beginRecord(backend, world, contacts, m_contacts.extent());
    m_impulses.apply(backend, world);
    m_faces.keepEnergy(backend, world, contacts, before);
    if (m_isRecorded) m_impulses.record(backend, world, contacts, m_contacts.extent());
  }
  virtual void warn(const typename PenaltyImpulses<Backend>::Summary& summary, StepRecord& record) const {
    const double limit = m_stabilityLimit, given = m_settings.front().stiffness.mean;
    char text[240];
    if (summary.stability > limit) {  // an automatic stiffness stays below it
      const int times = static_cast<int>(std::ceil(std::sqrt(summary.stability / limit)));
      std::snprintf(
          text, sizeof text,
          "stability number up to %.2g, safe below %.2g: a stiffness of %.2g N/m would do, or %d times as "
          "many substeps",
          summary.stability, limit, given * limit / summary.stability, std::max(2, times));
      record.warnings.push_back(text);
    }
    warnOfSubsteps(record);
    const std::optional<RestDepth> rest = restDepthOf(*m_scene, given, m_dt, m_standing);
    if (!rest || !rest->isDeep()) return;
    if (given > 0)
      std::snprintf(
          text, sizeof text,
          "k = %.3g N/m lets '%s' rest %.2g m deep, %.2g %% of its size; 1 %% takes %.2g N/m or more", given,
          rest->body.c_str(), rest->depth, 100 * rest->depth / rest->size, rest->stiffness);
    else
      std::snprintf(text, sizeof text,
                    "an automatic stiffness lets '%s' rest %.2g m deep, %.2g %% of its size; %d times as "
                    "many substeps reach 1 %%",
                    rest->body.c_str(), rest->depth, 100 * rest->depth / rest->size, rest->times);
    record.warnings.push_back(text);
  }

  /// Warns of too few substeps for explicit elasticity.
  void warnOfSubsteps(StepRecord& record) const {
    constexpr int kMany = 200;
    if (m_elasticStepLimit == HUGE_VAL) return;  // nothing deforms
    const int needed = explicitSubsteps(*m_scene, m_scene->dt);
    char text[200];
    if (m_dt > m_elasticStepLimit * (1 + 1e-9)) {
      std::snprintf(text, sizeof text,
                    "explicit elasticity is stable up to a step of %.2g s: %d substeps would do",
                    m_elasticStepLimit, needed);
      record.warnings.push_back(text);
    } else if (m_scene->dt > kMany * m_dt) {
      std::snprintf(text, sizeof text,
                    "explicit elasticity of bodies this stiff takes %d substeps; nsn takes one", needed);
      record.warnings.push_back(text);
    }
  }

  std::shared_ptr<const Scene> m_scene;
  std::vector<PenaltySettings> m_settings;  ///< [replicaCount]
  FacePairs<Backend> m_faces;
  PenaltyImpulses<Backend> m_impulses;
  List<Backend, PenaltyContact> m_contacts;  ///< of the step: of pairs of features, sorted, then of faces

  /// Largest stability number that is safe for the method, see PenaltyImpulses::Summary::stability.
  double m_stabilityLimit = 0;
  bool m_isRecorded = true;  ///< contacts or their sums

 private:
  /// A step of which no record is made needs no stability number.
  void fit(const Backend& backend, const WorldView& world, PenaltyContact* contacts, const Extent& extent) {
    if (m_isAnyAutomatic || m_isRecorded)
      m_impulses.fit(backend, world, numbers(), jointedBodies(), m_stabilityLimit, contacts, extent);
  }

  /// Joints count for springs that the method chooses.
  bool isJointed() const { return m_isAnyStiffnessAutomatic && !m_scene->joints.empty(); }
  void sendMobilities(const Backend& backend, const World& world) {
    const JointMobilities mobilities = jointMobilities(world);
    backend.upload(mobilities.islandOf.data(), mobilities.islandOf.size(), m_islandOf);
    backend.upload(mobilities.first.data(), mobilities.first.size(), m_islandFirst);
    backend.upload(mobilities.bodies.data(), mobilities.bodies.size(), m_islandBodies);
    backend.upload(mobilities.ofBody.data(), mobilities.ofBody.size(), m_mobilities);
    m_standing = standingMasses(world, mobilities);
  }
  detail::JointedBodies jointedBodies() const {
    if (!isJointed()) return {};
    return {m_islandOf.data(), m_islandFirst.data(), m_islandBodies.data(), m_mobilities.data(), numbers()};
  }

  DriveIntegration m_drives = DriveIntegration::Trapezoidal;
  double m_dt = 0;            ///< of the last step [s]
  double m_elasticStepLimit;  ///< explicitStepLimit() [s]
  bool m_areContactsSent = false, m_areFacesUsed = true, m_areAllConvex = true;
  bool m_isAnyAutomatic = true, m_isAnyStiffnessAutomatic = true, m_normalise = false;
  std::vector<PenaltyNumbers> m_sent;
  Array<PenaltyNumbers> m_numbers;
  Array<int> m_islandOf, m_islandFirst, m_islandBodies;  ///< see JointMobilities
  Array<Mobility> m_mobilities;
  std::vector<double> m_standing;  ///< see standingMasses()
};

}  // namespace touchstone
