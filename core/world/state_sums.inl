#pragma once

#include "core/parallel/reduce.h"
#include "core/parallel/sum.h"
#include "core/world/divergence.h"

namespace touchstone {

namespace detail {

constexpr int kNoneDiverged = 2147483647;

struct FlagDiverged {  // one carrier per index
  WorldView world;
  int* out;  // its body if it has diverged, else kNoneDiverged
  TS_HD void operator()(int carrier) const {
    out[carrier] = hasDiverged(world, carrier) ? world.carrierBody[carrier] : kNoneDiverged;
  }
};

struct FirstMomentOf {  // one carrier per index
  WorldView world;
  Vec3* out;  // kg·m
  TS_HD void operator()(int body) const {
    out[body] = isDynamic(world, body) ? Vec3(world.position[body] / world.inverseMass[body]) : Vec3(0, 0, 0);
  }
};

}  // namespace detail

/// Sums over the state of all carriers, on a backend. Needs at least one body.
template <class Backend>
class StateSums {
 public:
  /// [1] Σ m x of dynamic carriers [kg·m].
  const Vec3* findFirstMoment(const Backend& backend, const WorldView& view) {
    m_moments.resize(scratchForSum(view.carrierCount));
    m_firstMoment.resize(1);
    forEach(backend, view.carrierCount, detail::FirstMomentOf{view, m_moments.data()});
    sumOnDevice(backend, m_moments.data(), 1, view.carrierCount, m_firstMoment.data());
    return m_firstMoment.data();
  }
  /// [1] the lowest body that has diverged, or kNoneDiverged.
  const int* findDiverged(const Backend& backend, const WorldView& view) {
    m_flags.resize(view.carrierCount);
    forEach(backend, view.carrierCount, detail::FlagDiverged{view, m_flags.data()});
    return reducedOnDevice(backend, m_flags.data(), view.carrierCount, Smaller{});
  }

  // Both of them for the host. They wait for the result, and work without bodies too.

  Vec3 firstMoment(const Backend& backend, const WorldView& view) {
    Vec3 moment(0, 0, 0);
    if (view.bodyCount > 0) backend.download(findFirstMoment(backend, view), 1, &moment);
    return moment;
  }
  /// @return −1: none
  int divergedBody(const Backend& backend, const WorldView& view) {
    int body = detail::kNoneDiverged;
    if (view.bodyCount > 0) backend.download(findDiverged(backend, view), 1, &body);
    return body == detail::kNoneDiverged ? -1 : body;
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;

  Array<Vec3> m_moments, m_firstMoment;
  Array<int> m_flags;
};

}  // namespace touchstone
