#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/record/step_record.h"
#include "core/world/device_world.h"

namespace touchstone {

/// Finds what overlaps, on a backend, the same way for every method.
///
/// | pair | depth | volume |
/// |---|---|---|
/// | convex pieces | largest separating-axis depth of two pieces | Σ of exact intersections of two pieces |
/// | body and plane | deepest vertex | exact part below the plane (Σ over pieces or closed surfaces) |
/// | with a mesh without pieces | max of d_A + d_B over vertices and samples in both, d ≥ 0 the distances to
/// the surfaces: a lower bound of the depth | samples |
///
/// Samples: the centres of 24³ cells of the box that both bodies' boxes share. Keeps its arrays; one thread
/// at a time.
class OverlapEngine {
 public:
  virtual ~OverlapEngine() = default;
  /// As DeviceWorld::inspect().
  virtual void inspect(bool on) = 0;
  /// All pairs of bodies that overlap now, as they are on the backend, with depth, volume and the surface of
  /// the intersection, sorted by body ids. Bodies that cannot collide (both static, not released) are left
  /// out.
  /// @param sampled  out: a volume comes from samples
  virtual std::vector<Overlap> find(const World& world, bool& sampled) = 0;
};

/// Engine of a backend for the bodies of a world. @param there  the world on that backend   @throws
/// std::runtime_error if none is registered for it
std::unique_ptr<OverlapEngine> makeOverlapEngine(BackendKind backend, const World& world,
                                                 const std::shared_ptr<DeviceWorld>& deviceWorld);

/// How gpu/ adds its engine: core never includes gpu/.
using OverlapEngineFactory = std::function<std::unique_ptr<OverlapEngine>(
    const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)>;
void registerOverlapEngine(BackendKind backend, OverlapEngineFactory factory);

}  // namespace touchstone
