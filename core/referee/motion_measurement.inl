#pragma once

#include "core/parallel/copy.h"
#include "core/parallel/device/double_buffer.h"
#include "core/parallel/sum.h"
#include "core/referee/motion_measurement.h"
#include "core/world/device_world.inl"

namespace touchstone {

namespace detail {

struct MeasureMotion {  // one carrier per index
  WorldView world;
  Vec3 gravity;
  const unsigned char* touches;
  double share, halfStep;
  const Vec3* slow;
  Vec3* nextSlow;
  MotionSums* out;
  TS_HD void operator()(int carrier) const {
    MotionSums sums;
    Vec3 average = slow[carrier];
    const int body = world.carrierBody[carrier];
    if (isDynamic(world, carrier)) {
      const Vec3& velocity = world.linearVelocity[carrier];
      average += share * (velocity - average);
      sums.momenta = carrier == body ? momentaOf(1 / world.inverseMass[body], world.bodies[body].inertia,
                                                 gravity, world.position[body], world.orientation[body],
                                                 velocity, world.angularVelocity[body], halfStep)
                                     : momentaOfParticle(1 / world.inverseMass[carrier], gravity,
                                                         world.position[carrier], velocity, halfStep);
      if (touches[body]) {
        sums.unrest = (velocity - average).squaredNorm();
        sums.touching = 1;
      }
    }
    nextSlow[carrier] = average;
    out[carrier] = sums;
  }
};

}  // namespace detail

/// start() writes new slow velocities to a second array, and the old ones stay valid until keep(): a backend
/// that fails between both calls does no damage.
template <class Backend>
class MotionMeasurementOn : public MotionMeasurement {
 public:
  MotionMeasurementOn(const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_deviceWorld(worldOn<Backend>(deviceWorld)) {
    const std::size_t carriers = world.position.size();
    m_slow[1].resize(carriers);
    m_terms.resize(scratchForSum(static_cast<int>(carriers)));
    m_sum.resize(1);
    fill(m_backend, m_sum.data(), 1, MotionSums());  // the result for a world without bodies
    setSlowVelocities(std::vector<Vec3>(carriers, Vec3::Zero()));
  }

  void setSlowVelocities(const std::vector<Vec3>& velocities) override {
    m_backend.upload(velocities.data(), velocities.size(), m_slow[m_valid]);
    send(m_slow[m_valid]);
    m_slowHere.wait();
    m_slowHere.keep();
  }
  const Vec3* slowVelocities() override { return m_slowHere.items(); }

  void start(const World& world, const std::vector<unsigned char>& touches, double share,
             double halfStep) override {
    const WorldView view = m_deviceWorld->view(world);
    const int next = 1 - m_valid;
    m_backend.upload(touches.data(), touches.size(), m_touches);
    forEach(m_backend, view.carrierCount,
            detail::MeasureMotion{view, world.scene->gravity, m_touches.data(), share, halfStep,
                                  m_slow[m_valid].data(), m_slow[next].data(), m_terms.data()});
    sumOnDevice(m_backend, m_terms.data(), 1, view.carrierCount, m_sum.data());
    m_sumHere.start(m_backend, static_cast<const MotionSums*>(m_sum.data()), 1);
    send(m_slow[next]);
  }
  MotionSums finish() override {
    m_slowHere.wait();
    return *m_sumHere.wait();
  }
  void keep() override {
    m_slowHere.keep();
    m_valid = 1 - m_valid;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  void send(const Array<Vec3>& slow) { m_slowHere.start(m_backend, slow.data(), slow.size()); }

  std::shared_ptr<DeviceWorldOn<Backend>> m_deviceWorld;
  Backend m_backend;  ///< its own backend: the next step may already run
  Array<Vec3> m_slow[2];
  int m_valid = 0;  ///< index of the valid array of m_slow
  Array<unsigned char> m_touches;
  Array<MotionSums> m_terms, m_sum;
  typename Backend::template Download<MotionSums> m_sumHere;
  DoubleBuffer<Backend, Vec3> m_slowHere;
};

}  // namespace touchstone
