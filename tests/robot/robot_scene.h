#pragma once

#include <algorithm>
#include <stdexcept>

#include "core/scene/joint_rows.h"
#include "core/scene/scene.h"

/// Questions of the tests of imported robots to a scene.
namespace touchstone::test {

inline const Body& body(const Scene& scene, const std::string& name) {
  for (const Body& body : scene.bodies)
    if (body.name == name) return body;
  throw std::runtime_error("no body " + name);
}

inline const Joint& joint(const Scene& scene, const std::string& name) {
  for (const Joint& joint : scene.joints)
    if (joint.name == name) return joint;
  throw std::runtime_error("no joint " + name);
}

inline bool isNoted(const Scene& scene, const char* place, const char* text) {
  return std::any_of(scene.notes.begin(), scene.notes.end(), [&](const std::string& note) {
    return note.find(place) != std::string::npos && note.find(text) != std::string::npos;
  });
}

inline double coordinateOf(const Scene& scene, const std::string& name) {
  const Joint& named = joint(scene, name);
  const auto pose = [&](int index) {
    return index < 0 ? BodyPose() : BodyPose{scene.bodies[index].position, scene.bodies[index].orientation};
  };
  return jointCoordinate(named.kind, named.frames, pose(named.bodyA), pose(named.bodyB)).value;
}

inline bool areKeptApart(const Scene& scene, const std::string& a, const std::string& b) {
  return std::any_of(scene.noContact.begin(), scene.noContact.end(), [&](const std::array<int, 2>& pair) {
    const std::string &first = scene.bodies[pair[0]].name, &second = scene.bodies[pair[1]].name;
    return (first == a && second == b) || (first == b && second == a);
  });
}

}  // namespace touchstone::test
