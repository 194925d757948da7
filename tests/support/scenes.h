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

}  // namespace touchstone::test
