#pragma once

#include <ode/ode.h>

#include <deque>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

/// A rotation as ODE has it, scalar first.
struct OdeQuaternion {
  dQuaternion q;
  explicit OdeQuaternion(const Quaternion& turn) : q{turn.w(), turn.x(), turn.y(), turn.z()} {}
};

/// Makes ODE's geometries of bodies, and keeps the arrays that they read: planes, and convex pieces as round
/// primitives, boxes or, because ODE's own convex shapes miss contacts, as meshes.
class OdeShapes {
 public:
  OdeShapes() = default;
  ~OdeShapes() { clear(); }
  OdeShapes(const OdeShapes&) = delete;
  OdeShapes& operator=(const OdeShapes&) = delete;

  /// @param body  that they follow; null: they stay at the pose   @param index  of the body in the scene
  void add(const Shape& shape, const Vec3& position, const Quaternion& orientation, dBodyID body, int index,
           dSpaceID space);
  /// After the space has gone.
  void clear();

 private:
  struct Mesh {
    std::vector<double> vertices;
    std::vector<dTriIndex> triangles;
    dTriMeshDataID data = nullptr;
  };
  dGeomID meshOf(const Polytope& piece, dSpaceID space);
  std::deque<Mesh> m_meshes;
};

/// The index that add() was given.
inline int bodyIndexOf(dGeomID geom) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(dGeomGetData(geom)));
}

}  // namespace touchstone
