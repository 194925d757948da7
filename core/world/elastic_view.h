#pragma once

#include "core/elasticity/tetrahedron.h"

namespace touchstone {

/// A vertex of a surface that follows particles: x = Σ w x_c. Of a rigid body: carriers[0] = −1.
struct VertexCarriers {
  int carriers[4] = {-1, -1, -1, -1};  ///< of the world; −1: unused
  double weights[4] = {0, 0, 0, 0};    ///< Σ = 1
};

/// A tetrahedron of the world.
struct TetrahedronElement {
  int carriers[4];
  int material;  ///< into ElasticView::materials
  TetrahedronRest rest;
};

/// Gathers the values of the four carriers of an element. @param values  [carrierCount] positions or
/// velocities
TS_HD inline void gatherCorners(const int carriers[4], const Vec3* values, Vec3 x[4]) {
  for (int k = 0; k < 4; ++k) x[k] = values[carriers[k]];
}

/// An edge of cloth.
struct EdgeElement {
  int carriers[2];
  double length;     ///< at rest [m]
  double stiffness;  ///< N/m; HUGE_VAL: inextensible
};

/// A hinge of cloth.
struct HingeElement {
  int carriers[4];
  double angle;      ///< at rest [rad]
  double stiffness;  ///< N·m
};

/// Pointers to the elements of all bodies that deform, and to the constants of their particles, on the host
/// or on a device. Elements have one numbering: tetrahedra, then edges, then hinges. A slot is the corner c
/// of the element e: 4 e + c.
struct ElasticView {
  int tetrahedronCount = 0, edgeCount = 0, hingeCount = 0;
  const TetrahedronElement* tetrahedra = nullptr;
  const EdgeElement* edges = nullptr;
  const HingeElement* hinges = nullptr;
  const ElasticMaterial* materials = nullptr;  ///< of the running step
  const int* firstSlot = nullptr;              ///< [particleCount + 1] into `slots`
  const int* slots = nullptr;                  ///< of each particle, ascending
  const double* masses = nullptr;              ///< [particleCount] kg
  const double* massDamping = nullptr;         ///< [particleCount] α [1/s]
  const int* hold = nullptr;                   ///< [particleCount] into `holdVelocities`; −1: free
  const Vec3* holdVelocities = nullptr;        ///< of the running step [m/s]
  Vec3* slotForces = nullptr;                  ///< [4 × elements] of the running step [N]

  TS_HD int elementCount() const { return tetrahedronCount + edgeCount + hingeCount; }
};

}  // namespace touchstone
