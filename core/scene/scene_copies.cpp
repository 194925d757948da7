#include "core/scene/scene_copies.h"

#include <algorithm>
#include <cmath>

#include "core/math/count.h"
#include "core/scene/attachment.h"
#include "core/scene/deformable/tet_lattice.h"

namespace touchstone {

void readCopies(const JsonView& root, Scene& scene) {
  if (!root.has("copies")) return;
  const JsonView view = root.at("copies");
  view.allowOnly({"count", "spacing"});
  const std::vector<double> counts = view.at("count").numbers(2), spacing = view.at("spacing").numbers(2);
  const auto isCount = [](double n) { return n >= 1 && n <= 1000 && n == std::floor(n); };
  if (counts.size() != 2 || !isCount(counts[0]) || !isCount(counts[1]))
    view.at("count").fail("must be two whole numbers from 1 to 1000", "give how many along x and along z");
  if (spacing.size() != 2 || !(spacing[0] > 0) || !(spacing[1] > 0))
    view.at("spacing").fail("must be two positive numbers", "give the distances along x and z in metres");
  std::size_t moving = 0;
  for (const Body& body : scene.bodies) moving += body.motion == Motion::Dynamic ? 1 : 0;
  const int columns = static_cast<int>(counts[0]), rows = static_cast<int>(counts[1]);
  const std::size_t copies = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows),
                    total = scene.bodies.size() + (copies - 1) * moving;
  if (total > kMaxBodies)
    view.at("count").fail("makes " + std::to_string(total) + " bodies of the " + std::to_string(kMaxBodies) +
                              " that a scene may have",
                          "give fewer copies");
  for (const Body& body : scene.bodies)
    if (const std::size_t blank = body.name.rfind(' ');
        blank != std::string::npos &&
        body.name.find_first_not_of("0123456789", blank + 1) == std::string::npos)
      view.fail("number bodies from 2 on, and '" + body.name + "' has a number already", "rename it");
  std::size_t elements = 0;
  for (const Body& body : scene.bodies)
    if (body.deformable)
      elements += std::max(body.deformable->rest.size(), body.deformable->tetrahedra.size());
  if (copies * elements > kMostTetrahedra)
    view.at("count").fail("makes more than 2 million particles or tetrahedra", "give fewer copies");
  const std::vector<Body> bodies = scene.bodies;
  const std::vector<Joint> joints = scene.joints;
  const std::vector<std::array<int, 2>> noContact = scene.noContact;
  for (std::size_t copy = 1; copy < copies; ++copy) {
    const std::string suffix = " " + std::to_string(copy + 1);
    const Vec3 offset(spacing[0] * static_cast<double>(copy % columns), 0,
                      spacing[1] * static_cast<double>(copy / columns));
    std::vector<int> place(bodies.size());  // of each body in this copy
    for (std::size_t index = 0; index < bodies.size(); ++index) {
      place[index] = static_cast<int>(index);
      if (bodies[index].motion != Motion::Dynamic) continue;
      place[index] = countOf(scene.bodies);
      scene.bodies.push_back(bodies[index]);
      scene.bodies.back().name += suffix;
      scene.bodies.back().position += offset;
    }
    for (std::size_t index = 0; index < bodies.size(); ++index)
      if (place[index] != static_cast<int>(index))
        reattach(scene, place[index], [&place](int body) { return place[body]; });
    for (const auto& [a, b] : noContact) scene.noContact.push_back({place[a], place[b]});
    const int firstJoint = countOf(scene.joints);
    for (Joint joint : joints) {
      joint.name += suffix;
      // What does not move stays where it is, and the anchor on it moves.
      const auto move = [&](int& body, Vec3& anchor) {
        if (body < 0) {
          anchor += offset;
          return;
        }
        const Body& held = bodies[body];
        if (held.motion != Motion::Dynamic) anchor += held.orientation.conjugate() * offset;
        body = place[body];
      };
      move(joint.bodyA, joint.frames.anchorA);
      move(joint.bodyB, joint.frames.anchorB);
      if (joint.mimic.joint >= 0) joint.mimic.joint += firstJoint;
      scene.joints.push_back(std::move(joint));
    }
  }
}

}  // namespace touchstone
