#include "core/contact/penalty/penalty_method.h"

#include "core/contact/penalty/penalty_responses.inl"
#include "core/contact/replica_values.h"
#include "core/detect/candidates.h"
#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

CandidateView viewOf(const Candidates& candidates) {
  return {candidates.features.data(),
          {static_cast<int>(candidates.features.size()), nullptr},
          candidates.vertexSurface.data(),
          {static_cast<int>(candidates.vertexSurface.size()), nullptr}};
}

class PenaltyMethod : public ContactMethod {
 public:
  PenaltyMethod(const std::string& key, const World& world, const ParameterValues& values)
      : m_key(key), m_scene(world.scene), m_response(makePenaltyResponse(key, m_backend, world)) {
    PenaltyMethod::setParameters(values);
  }

  CandidateNeeds needs(const World& world) const override {
    CandidateNeeds needs;
    needs.features = true;
    needs.kinds = m_response->featureNeeds();
    m_response->prepare(m_backend, world.time);
    const double* margins = m_response->margins(m_backend, touchstone::viewOf(world));
    needs.margins.assign(margins, margins + m_scene->replicas);
    return needs;
  }
  void respond(World& world, const Candidates& candidates, StepRecord& record, PhaseClock& clock) override {
    m_response->respond(m_backend, touchstone::viewOf(world), viewOf(candidates), clock, m_detail);
    m_response->sendSums(m_backend);
    m_response->finishRecord(record);
  }
  void addContacts(StepRecord& record) override { m_response->addContacts(m_backend, record); }
  void settle(const World& world, const Candidates& candidates) override {
    m_response->settle(m_backend, touchstone::viewOf(world), viewOf(candidates));
  }
  void setParameters(const ParameterValues& values) override {
    m_response->setParameters(valuesOfReplicas(*m_scene, m_key, values));
  }
  void reset(const World&) override { m_response->reset(m_backend); }
  void setStatesOnly(bool on) override { m_response->setStatesOnly(on); }
  std::string memory() const override {
    m_response->sendMemory(m_backend);
    m_response->keepMemory();
    return m_response->keptMemory();
  }
  void restoreMemory(const std::string& bytes) override { m_response->restoreMemory(m_backend, bytes); }

 private:
  std::string m_key;
  std::shared_ptr<const Scene> m_scene;
  HostBackend m_backend;
  std::unique_ptr<PenaltyResponse<HostBackend>> m_response;
};

}  // namespace

std::unique_ptr<ContactMethod> penaltyMethod(const std::string& key, const World& world,
                                             const ParameterValues& values) {
  return std::make_unique<PenaltyMethod>(key, world, values);
}

}  // namespace touchstone
