#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contact/memory_array.h"
#include "core/contact/method.h"

namespace touchstone {

/// A method whose solve is driven by the host, with engines on a backend: lcp and peg. HostMethodOn makes a
/// Method of it.
class HostMethod {
 public:
  virtual ~HostMethod() = default;

  /// Backend of the parts of the step that have an engine on each backend: all but what
  /// MethodInfo::staysOnHost names. Called before all else. @throws std::runtime_error if the backend has
  /// none
  virtual void useBackend(BackendKind backend, const World& world,
                          const std::shared_ptr<DeviceWorld>& deviceWorld) = 0;
  virtual void begin(const World& world) = 0;
  virtual void await(PhaseTimes& times) = 0;
  /// From contacts to velocities, and the record of it.
  virtual void respond(World& world, StepRecord& record, PhaseClock& clock) = 0;
  /// Sets whether the next respond() may ask for an unfinished step to be bisected.
  virtual void setMayBisect(bool on) = 0;
  /// Replicas for which the last respond() did not end, or none.
  virtual ReplicaSet wantsBisection() const = 0;
  virtual void setRecorded(RecordedContacts recorded) = 0;
  virtual void addContacts(StepRecord& record) = 0;
  virtual void setStatesOnly(bool on) = 0;
  virtual void setParameters(const std::vector<ParameterValues>& ofReplicas) = 0;

  /// See Method.
  virtual JointProjection jointProjection() const { return {}; }

  /// Forgets contact memory: the world's state was set from outside (start, fork).
  virtual void reset() = 0;
  // As MemoryArray.
  virtual void sendMemory() = 0;
  virtual void keepMemory() = 0;
  virtual std::string keptMemory() = 0;
  virtual void restoreMemory(const std::string& bytes) = 0;

  /// Sets the detail that the next steps fill, or null: none.
  void explainTo(StepDetail* detail) { m_detail = detail; }

 protected:
  StepDetail* m_detail = nullptr;
};

template <class Backend>
class HostMethodOn : public Method<Backend> {
 public:
  HostMethodOn(std::unique_ptr<HostMethod> method, const MethodSetup& setup)
      : m_method(std::move(method)), m_deviceWorld(setup.deviceWorld), m_memory(*m_method) {
    m_method->useBackend(Backend::kOnHost ? BackendKind::Cpu : BackendKind::Cuda, setup.world,
                         setup.deviceWorld);
  }

  bool isLedByHost() const override { return true; }
  JointProjection jointProjection() const override { return m_method->jointProjection(); }
  void begin(const World& world) override { m_method->begin(world); }
  void await(PhaseTimes& times) override { m_method->await(times); }
  ReplicaSet solve(World& world, bool mayBisect, StepRecord& record, PhaseClock& clock,
                   StepDetail* detail) override {
    if (detail) m_deviceWorld->downloadStep(world);
    m_method->explainTo(detail);
    m_method->setMayBisect(mayBisect);
    m_method->respond(world, record, clock);
    m_method->explainTo(nullptr);
    return m_method->wantsBisection();
  }

  void setRecorded(RecordedContacts recorded) override { m_method->setRecorded(recorded); }
  void addContacts(const Backend&, StepRecord& record) override { m_method->addContacts(record); }
  void setStatesOnly(bool on) override { m_method->setStatesOnly(on); }
  void setParameters(const std::vector<ParameterValues>& ofReplicas) override {
    m_method->setParameters(ofReplicas);
  }
  void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& visit) override { visit(m_memory); }

 private:
  /// Its engines keep memory themselves; a step that begins changes none of it.
  class Memory : public MemoryArray<Backend> {
   public:
    explicit Memory(HostMethod& method) : m_method(method) {}
    void remember(const Backend&) override {}
    void rollBack(const Backend&) override {}
    void reset(const Backend&) override { m_method.reset(); }
    void send(const Backend&) override { m_method.sendMemory(); }
    void await() override {}
    void keep() override { m_method.keepMemory(); }
    void put(ByteWriter& bytes, bool) override { bytes.append(m_method.keptMemory()); }
    void restore(const Backend&, ByteReader& bytes, bool) override { m_method.restoreMemory(bytes.rest()); }

   private:
    HostMethod& m_method;
  };

  std::unique_ptr<HostMethod> m_method;
  std::shared_ptr<DeviceWorld> m_deviceWorld;
  Memory m_memory;
};

/// The members of a HostMethod that MethodList needs. @tparam Info  has makeHostMethod(setup)
template <class Info>
struct MadeOnHost {
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend&, const MethodSetup& setup) {
    return std::make_unique<HostMethodOn<Backend>>(Info::makeHostMethod(setup), setup);
  }
};

}  // namespace touchstone
