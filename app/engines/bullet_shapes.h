#pragma once

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

inline btVector3 bt(const Vec3& v) { return {btScalar(v.x()), btScalar(v.y()), btScalar(v.z())}; }
inline btQuaternion bt(const Quaternion& q) {
  return {btScalar(q.x()), btScalar(q.y()), btScalar(q.z()), btScalar(q.w())};
}
inline Vec3 ours(const btVector3& v) { return Vec3(v.x(), v.y(), v.z()); }
inline Quaternion ours(const btQuaternion& q) { return Quaternion(q.w(), q.x(), q.y(), q.z()).normalized(); }

/// Makes and keeps Bullet's shapes: planes, and convex pieces as round primitives,
/// boxes or hulls.
class BulletShapes {
 public:
  /// @param margin  of hulls, at most [m]
  explicit BulletShapes(double margin) : m_margin(margin) {}
  /// @param turn  from the axes of the shape to those of Bullet's body
  btCollisionShape* of(const Shape& shape, const Quaternion& turn);

 private:
  template <class Made, class... Arguments>
  Made* keep(Arguments&&... arguments) {
    auto made = std::make_shared<Made>(std::forward<Arguments>(arguments)...);
    m_kept.push_back(made);
    return made.get();
  }
  btCollisionShape* hullOf(const Polytope& piece);
  btCollisionShape* shapeOf(const RoundPiece& round);

  double m_margin;
  std::vector<std::shared_ptr<btCollisionShape>> m_kept;
};

}  // namespace touchstone
