#include "core/scene/replicate.h"

#include <stdexcept>

#include "core/math/count.h"
#include "core/scene/attachment.h"

namespace touchstone {

std::shared_ptr<const Scene> replicated(const Scene& scene, int replicas,
                                        const std::function<ReplicaVariation(int replica)>& variation) {
  if (replicas < 1) throw std::invalid_argument("a scene needs at least one replica");
  if (scene.replicas != 1)
    throw std::invalid_argument("scene '" + scene.name +
                                "' is already made of replicas; replicate the original");
  auto copy = std::make_shared<Scene>(scene);
  copy->replicas = replicas;
  copy->bodies.clear();
  copy->joints.clear();
  copy->noContact.clear();
  copy->bodies.reserve(replicas * scene.bodies.size());
  for (int replica = 0; replica < replicas; ++replica) {
    const ReplicaVariation replicaChange = variation ? variation(replica) : ReplicaVariation();
    copy->replicaParameters.push_back(replicaChange.parameters);
    int firstMaterial = 0;
    if (replicaChange.changeMaterial) {
      firstMaterial = countOf(copy->materials);
      for (Material material : scene.materials) {
        replicaChange.changeMaterial(material);
        copy->materials.push_back(std::move(material));
      }
    }
    const int firstBody = countOf(copy->bodies), firstJoint = countOf(copy->joints);
    for (Joint joint : scene.joints) {
      if (joint.bodyA >= 0) joint.bodyA += firstBody;
      joint.bodyB += firstBody;
      if (joint.mimic.joint >= 0) joint.mimic.joint += firstJoint;
      copy->joints.push_back(std::move(joint));
    }
    for (const auto& [a, b] : scene.noContact) copy->noContact.push_back({firstBody + a, firstBody + b});
    for (Body body : scene.bodies) {
      if (replicaChange.change) replicaChange.change(body);
      body.material += firstMaterial;
      body.replica = replica;
      copy->bodies.push_back(std::move(body));
    }
    for (std::size_t body = firstBody; body < copy->bodies.size(); ++body)
      reattach(*copy, body, [firstBody](int other) { return firstBody + other; });
  }
  return copy;
}

}  // namespace touchstone
