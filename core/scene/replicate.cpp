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
  auto all = std::make_shared<Scene>(scene);
  all->replicas = replicas;
  all->bodies.clear();
  all->joints.clear();
  all->noContact.clear();
  all->bodies.reserve(replicas * scene.bodies.size());
  for (int replica = 0; replica < replicas; ++replica) {
    const ReplicaVariation own = variation ? variation(replica) : ReplicaVariation();
    all->replicaParameters.push_back(own.parameters);
    int firstMaterial = 0;
    if (own.changeMaterial) {
      firstMaterial = countOf(all->materials);
      for (Material material : scene.materials) {
        own.changeMaterial(material);
        all->materials.push_back(std::move(material));
      }
    }
    const int firstBody = countOf(all->bodies), firstJoint = countOf(all->joints);
    for (Joint joint : scene.joints) {
      if (joint.bodyA >= 0) joint.bodyA += firstBody;
      joint.bodyB += firstBody;
      if (joint.mimic.joint >= 0) joint.mimic.joint += firstJoint;
      all->joints.push_back(std::move(joint));
    }
    for (const auto& [a, b] : scene.noContact) all->noContact.push_back({firstBody + a, firstBody + b});
    for (Body body : scene.bodies) {
      if (own.change) own.change(body);
      body.material += firstMaterial;
      body.replica = replica;
      all->bodies.push_back(std::move(body));
    }
    for (std::size_t body = firstBody; body < all->bodies.size(); ++body)
      reattach(*all, body, [firstBody](int other) { return firstBody + other; });
  }
  return all;
}

}  // namespace touchstone
