#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "core/geometry/topology.h"
#include "core/scene/scene.h"

/// Small scenes for tests, made in code: no files, exact numbers.
namespace touchstone::test {

/// Box with the given edge lengths [m] as one convex piece and its triangulated surface, centred on the
/// origin.
std::shared_ptr<const Shape> boxShape(const Vec3& size);

/// Dynamic box of the given mass [kg] with the inertia of a homogeneous box.
Body box(const char* name, const Vec3& size, double mass, const Vec3& position);

/// Static plane y = height, normal up.
Body ground(double height = 0);

std::shared_ptr<Scene> scene(std::initializer_list<Body> bodies, double friction = 0);

/// A shipped scene.
std::shared_ptr<const Scene> shipped(const std::string& name);
/// The same with one coefficient of friction for all materials.
std::shared_ptr<Scene> shipped(const std::string& name, double friction);

/// A box that falls on the ground with a spin.
std::shared_ptr<Scene> tumblingBox();

/// A box on the ground and one that falls on it with a spin, dt = 2 ms: contacts stick and slide.
std::shared_ptr<Scene> tower();

/// Layers of boxes in rows, 2 mm apart, each layer rotated relative to the one below.
std::shared_ptr<Scene> pile(int side, int layers, double friction = 0.5);

/// A mass of 1 kg, nearly a point, on a massless arm of 1 m that turns about the z axis.
/// @param angle  from hanging down [rad]   @param inertia  of the mass about any axis [kg m²]
std::shared_ptr<Scene> pendulum(double angle, double inertia);

/// A slider of 2 kg on a vertical rail, with a drive that wants far more than the 8 N that it may give.
std::shared_ptr<Scene> weakLift();

/// 3 kg, 0.5 m below the end of a rope of 0.8 m.
std::shared_ptr<Scene> slackRope();

}  // namespace touchstone::test
