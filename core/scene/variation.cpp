#include "core/scene/variation.h"

#include <cmath>
#include <cstdint>

#include "core/scene/attachment.h"

namespace touchstone {

namespace {

/// SplitMix64: short, and gives the same numbers everywhere, which the distributions of <random> do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}
  double symmetric(double extent) { return extent * (2 * unit() - 1); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t next() {
    std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t m_state;
};

Vec3 anyDirection(Random& random) {
  while (true) {
    const double x = random.symmetric(1), y = random.symmetric(1), z = random.symmetric(1);
    const double length = std::sqrt(x * x + y * y + z * z);
    if (length > 0.1 && length <= 1) return Vec3(x, y, z) / length;
  }
}

}  // namespace

std::shared_ptr<const Scene> varied(const Scene& scene, const StartVariation& variation, int seed) {
  auto result = std::make_shared<Scene>(scene);
  result->variation = variation;
  result->seed = seed;
  if (seed == 0) return result;
  Random random(static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15ull);
  for (Body& body : result->bodies) {
    if (body.motion == Motion::Static) continue;
    body.position.x() += random.symmetric(variation.position);
    const double depth = random.symmetric(variation.position),
                 rotationAngle = random.symmetric(variation.angle);
    const Vec3 axis = anyDirection(random);
    const Vec3 spin(random.symmetric(variation.spin), random.symmetric(variation.spin),
                    random.symmetric(variation.spin));
    if (scene.planar) {
      body.orientation =
          (Quaternion(std::cos(0.5 * rotationAngle), 0, 0, std::sin(0.5 * rotationAngle)) * body.orientation)
              .normalized();
      body.angularVelocity.z() += spin.z();
    } else {
      body.position.z() += depth;
      body.orientation = (Quaternion(Eigen::AngleAxisd(rotationAngle, axis)) * body.orientation).normalized();
      if (!body.deformable) body.angularVelocity += spin;
    }
  }
  reattachAll(*result);
  return result;
}

}  // namespace touchstone
