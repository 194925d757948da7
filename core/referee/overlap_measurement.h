#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/record/step_record.h"
#include "core/world/device_world.h"

namespace touchstone {

/// Finds overlaps, on a backend, in the same way for every method.
///
/// | pair | depth | volume |
/// |---|---|---|
/// | convex pieces | largest separating-axis depth of two pieces | Σ of exact intersections of two pieces |
/// | body and plane | deepest vertex | exact part below the plane (Σ over pieces or closed surfaces) |
/// | with a mesh without pieces | max of d_A + d_B over vertices and samples in both, d ≥ 0 the distances to
/// the surfaces: a lower bound of the depth | samples |
///
/// Samples are the centres of 24³ cells of the box that both bodies' boxes share. Keeps its arrays between
/// calls. Not thread-safe.
class OverlapMeasurement {
 public:
  virtual ~OverlapMeasurement() = default;
  /// See DeviceWorld::inspect().
  virtual void inspect(bool on) = 0;
  /// Finds all pairs of bodies that overlap in the present state on the backend, with depth, volume and
  /// surface of the intersection, sorted by body ids. Bodies that cannot collide (both static, not released)
  /// are left out.
  /// @param sampled  out: true if a volume comes from samples
  virtual std::vector<Overlap> find(const World& world, bool& sampled) = 0;
};

/// Creates the engine of a backend for the bodies of a world. @param there  the world on that backend
/// @throws std::runtime_error if no engine is registered for it
std::unique_ptr<OverlapMeasurement> makeOverlapMeasurement(BackendKind backend, const World& world,
                                                           const std::shared_ptr<DeviceWorld>& deviceWorld);

/// Registers the factory of a backend. gpu/ calls it, because core/ never includes gpu/.
using OverlapMeasurementFactory = std::function<std::unique_ptr<OverlapMeasurement>(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)>;
void registerOverlapMeasurement(BackendKind backend, OverlapMeasurementFactory factory);

}  // namespace touchstone
