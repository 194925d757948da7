#include "core/scene/attachment.h"

#include <algorithm>

#include "core/scene/deformable_file.h"
#include "core/scene/scene_copies.h"

namespace touchstone {

namespace {

// A larger value only lets a damaged file take more time; a smaller one refuses usable
// scenes.
constexpr std::size_t kMostAttached = 1000;

/// A particle's place in the frame of a rigid body.
Vec3 localPlace(const Scene& scene, const Body& deformingBody, int particle, int body) {
  const Body& rigid = scene.bodies[body];
  const Vec3 place =
      deformingBody.position + deformingBody.orientation * deformingBody.deformable->rest[particle];
  return rigid.orientation.conjugate() * Vec3(place - rigid.position);
}

int rigidBodyNamed(const JsonView& view, const Scene& scene, const Body& deformingBody) {
  const std::string name = view.text();
  std::vector<std::string> known;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Body& other = scene.bodies[body];
    known.push_back(other.name);
    if (other.name != name) continue;
    if (other.deformable) view.fail("names '" + name + "', which deforms", "attach to a rigid body");
    if (other.motion == Motion::Dynamic && other.releaseTime != deformingBody.releaseTime)
      view.fail("names a body with another release time", "release both at the same time");
    return static_cast<int>(body);
  }
  const std::string nearest = nearestName(name, known);
  view.fail("names the body '" + name + "', which is not in bodies",
            nearest.empty() ? "add it there or correct the name" : "did you mean '" + nearest + "'?");
}

void readAttached(const JsonView& list, Scene& scene, Body& deformingBody) {
  Deformable changed = *deformingBody.deformable;
  std::vector<bool> isBound(changed.rest.size(), false);
  for (const HeldParticles& held : changed.held)
    for (int particle : held.particles) isBound[particle] = true;
  for (const JsonView& json : list.items(kMostAttached)) {
    json.allowOnly({"body", "box"});
    const int body = rigidBodyNamed(json.at("body"), scene, deformingBody);
    for (int particle : particlesIn(json.at("box"), changed, deformingBody.centre)) {
      if (isBound[particle])
        json.at("box").fail("has a particle in it that is held or attached already",
                            "give boxes that do not overlap");
      isBound[particle] = true;
      changed.attachments.push_back({particle, body, localPlace(scene, deformingBody, particle, body)});
    }
  }
  deformingBody.deformable = std::make_shared<const Deformable>(std::move(changed));
}

}  // namespace

void readAttachments(const JsonView& root, Scene& scene) {
  const std::vector<JsonView> views = root.at("bodies").items(kMaxBodies);
  for (std::size_t body = 0; body < views.size(); ++body)
    if (scene.bodies[body].deformable && views[body].at("deformable").has("attach"))
      readAttached(views[body].at("deformable").at("attach"), scene, scene.bodies[body]);
}

void reattach(Scene& scene, std::size_t body, const std::function<int(int)>& place) {
  Body& deformingBody = scene.bodies[body];
  if (!deformingBody.deformable || deformingBody.deformable->attachments.empty()) return;
  Deformable changed = *deformingBody.deformable;
  for (ParticleAttachment& attachment : changed.attachments) {
    attachment.body = place(attachment.body);
    attachment.local = localPlace(scene, deformingBody, attachment.particle, attachment.body);
  }
  deformingBody.deformable = std::make_shared<const Deformable>(std::move(changed));
}

void reattachAll(Scene& scene) {
  for (std::size_t body = 0; body < scene.bodies.size(); ++body)
    reattach(scene, body, [](int same) { return same; });
}

}  // namespace touchstone
