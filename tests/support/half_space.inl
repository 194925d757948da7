#pragma once

#include <cmath>

#include "core/contact/contact_memory.inl"
#include "core/contact/method.h"
#include "core/parallel/reduce.h"
#include "core/world/world.h"

namespace touchstone::test {

namespace detail {

struct PushBody {  // one body per index
  WorldView world;
  const double* stiffness;  // [replicaCount] N/m
  double damping;           // N·s/m
  double* depth;            // [bodyCount] of the last step, in; of this one, out [m]
  TS_HD void operator()(int body) const {
    const double before = depth[body], now = std::fmax(0.0, -world.position[body].z());
    depth[body] = isDynamic(world, body) ? now : 0;
    if (!(depth[body] > 0)) return;
    const double force = stiffness[world.bodies[body].replica] * now + damping * (now - before) / world.dt;
    world.nextLinearVelocity[body].z() += world.inverseMass[body] * world.dt * std::fmax(0.0, force);
  }
};

}  // namespace detail

template <class Backend>
class HalfSpaceOn : public Method<Backend> {
 public:
  HalfSpaceOn(const World& world, const std::vector<ParameterValues>& ofReplicas)
      : m_bodyCount(world.position.size()) {
    HalfSpaceOn::setParameters(ofReplicas);
  }

  void prepare(const Backend& backend, const World&) override {
    backend.upload(m_stiffness.data(), m_stiffness.size(), m_stiffnessThere);
    m_depths.fit(backend, m_bodyCount);
  }
  ReplicaSet respond(const Backend& backend, const MethodStep& step) override {
    const WorldView& world = step.view;
    constexpr double kDamping = 20;
    forEach(backend, world.bodyCount,
            detail::PushBody{world, m_stiffnessThere.data(), kDamping, m_depths.data()});
    m_scratch.resize(m_bodyCount);
    copyWithin(backend, static_cast<const double*>(m_depths.data()), world.bodyCount, m_scratch.data());
    m_deepest = reducedOnDevice(backend, m_scratch.data(), world.bodyCount, Larger{});
    return {};
  }

  void sendSums(const Backend& backend) override { m_deepestHere.start(backend, m_deepest, 1); }
  void finishRecord(StepRecord& record) override {
    record.quantities[Quantity::MethodDepth] = *m_deepestHere.wait();
  }

  void setParameters(const std::vector<ParameterValues>& ofReplicas) override;
  void eachMemoryArray(const std::function<void(MemoryArray<Backend>&)>& visit) override { visit(m_depths); }

 private:
  std::size_t m_bodyCount;
  std::vector<double> m_stiffness;  ///< [replicaCount] N/m
  typename Backend::template Array<double> m_stiffnessThere, m_scratch;
  MemoryItems<Backend, double> m_depths;  ///< [bodyCount] m
  const double* m_deepest = nullptr;      ///< on the backend
  typename Backend::template Download<double> m_deepestHere;
};

/// A method that only tests have: an elastic half-space pushes up bodies whose centre is below z = 0, with a
/// damped spring F = k δ + c dδ/dt. Everything of it is here; a test adds it with
///     registerMethods<Backends…>(MethodList<HalfSpace>())
struct HalfSpace {
  static MethodInfo describe() {
    MethodInfo info;
    info.key = "half-space";
    info.name = "Elastic half-space";
    info.shortName = "HALF";
    info.source = "the tests";
    info.colour = 0x123456;
    info.dash = LineDash::DashDotDot;
    info.penalty = PenaltyTraits{};
    info.parameters = {numberSpec("stiffness", "Stiffness k", "N/m", "Force per depth of a centre.", 1000.0,
                                  1e-3, 1e9, true)};
    return info;
  }
  template <class Backend>
  static std::unique_ptr<Method<Backend>> make(const Backend&, const MethodSetup& setup) {
    return std::make_unique<HalfSpaceOn<Backend>>(setup.world, setup.ofReplicas);
  }
};

template <class Backend>
void HalfSpaceOn<Backend>::setParameters(const std::vector<ParameterValues>& ofReplicas) {
  const std::vector<ParameterSpec> specs = HalfSpace::describe().parameters;
  m_stiffness.clear();
  for (const ParameterValues& values : ofReplicas)
    m_stiffness.push_back(numberOf(specs, values, "stiffness"));
}

}  // namespace touchstone::test
