#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/contact/method.h"
#include "core/parallel/device/deferred_lists.h"
#include "tests/support/separate_backend.h"

namespace touchstone::test {

using SeparateLoops = WithoutWaiting<SeparateBackend>;

/// A method of the separate device, of which a test changes one answer.
class WrappedMethod : public Method<SeparateLoops> {
 public:
  explicit WrappedMethod(std::unique_ptr<Method> own) : m_own(std::move(own)) {}
  bool waits() const override { return m_own->waits(); }
  void prepare(const SeparateLoops& backend, const World& world) override { m_own->prepare(backend, world); }
  Needs needs(const SeparateLoops& backend, const WorldView& world) override {
    return m_own->needs(backend, world);
  }
  void begin(const SeparateLoops& backend, const WorldView& world) override { m_own->begin(backend, world); }
  ReplicaSet respond(const SeparateLoops& backend, const MethodStep& step) override {
    return m_own->respond(backend, step);
  }
  void rejoin(const SeparateLoops& backend, const WorldView& world) override {
    m_own->rejoin(backend, world);
  }
  void settle(const SeparateLoops& backend, const WorldView& world,
              const CandidateView& candidates) override {
    m_own->settle(backend, world, candidates);
  }
  void moveApart(const SeparateLoops& backend, const WorldView& world) override {
    m_own->moveApart(backend, world);
  }
  JointProjection jointProjection() const override { return m_own->jointProjection(); }
  void setRecorded(Recorded recorded) override { m_own->setRecorded(recorded); }
  void sendSums(const SeparateLoops& backend) override { m_own->sendSums(backend); }
  void finishRecord(StepRecord& record) override { m_own->finishRecord(record); }
  void sendContacts(const SeparateLoops& backend) override { m_own->sendContacts(backend); }
  void awaitContacts() override { m_own->awaitContacts(); }
  void addContacts(const SeparateLoops& backend, StepRecord& record) override {
    m_own->addContacts(backend, record);
  }
  void setParameters(const std::vector<ParameterValues>& ofReplicas) override {
    m_own->setParameters(ofReplicas);
  }
  void eachMemoryArray(const std::function<void(MemoryArray<SeparateLoops>&)>& visit) override {
    m_own->eachMemoryArray(visit);
  }

 private:
  std::unique_ptr<Method> m_own;
};

// Call them after useSeparateDevice().

/// Wraps every method of the device.
template <class Wrapped>
void wrapMethods() {
  for (auto& [key, maker] : methodMakers<SeparateLoops>())
    maker = [own = maker](const SeparateLoops& backend, const MethodSetup& setup) {
      return std::make_unique<Wrapped>(own(backend, setup));
    };
}
/// The device refuses every method with this text.
inline void refuseMethods(const std::string& text) {
  for (auto& [key, maker] : methodMakers<SeparateLoops>())
    maker = [text](const SeparateLoops&, const MethodSetup&) -> std::unique_ptr<Method<SeparateLoops>> {
      throw std::runtime_error(text);
    };
}

}  // namespace touchstone::test
