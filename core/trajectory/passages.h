#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/record/step_record.h"
#include "core/scene/scene.h"
#include "core/world/world.h"

namespace touchstone {

/// Two bodies of which one has gone through the other between two samples of a motion.
struct SweptPassage {
  int bodyA = -1, bodyB = -1;  ///< ascending
  double depth = 0;            ///< deepest overlap between the samples [m]
};

/// Finds what went through what between two samples. The bodies move along straight lines and turn about the
/// shorter arc; conservative advancement finds when they first overlap: no point of them comes nearer than by
///
///     |Δx_A − Δx_B| + r_A |Δθ_A| + r_B |Δθ_B|
///
/// in the interval, with the bounding radii r, so that no overlap is stepped over. A pair has passed where it
/// overlaps in between by more than at both samples, and either comes apart on the opposite side, or was
/// deeper by half of its thinner body. A half-space has no other side: who enters it overlaps with it.
/// Not thread-safe.
class PassageFinder {
 public:
  explicit PassageFinder(std::shared_ptr<const Scene> scene);
  /// All pairs that may collide, by body ids. @param before, after  [bodies]
  std::vector<SweptPassage> find(const std::vector<BodyState>& before, const std::vector<BodyState>& after);
  /// The same of one pair.
  std::optional<SweptPassage> find(int bodyA, int bodyB, const std::vector<BodyState>& before,
                                   const std::vector<BodyState>& after);
  /// The deepest overlap of a pair in one sample [m]; 0: they do not overlap.
  double depth(int bodyA, int bodyB, const std::vector<BodyState>& states);

 private:
  struct Sweep {
    const BodyState *startA, *endA, *startB, *endB;
    double way = 0;   ///< no point of them comes nearer than by this [m]
    double thin = 0;  ///< least width of the two bodies [m]
  };
  double gapAt(int bodyA, int bodyB, const Sweep& motion, double share, Vec3* normal);

  std::shared_ptr<const Scene> m_scene;
  World m_world;
  std::vector<double> m_width;  ///< [bodies] least width of a body's pieces [m]; 0: it has none
};

}  // namespace touchstone
