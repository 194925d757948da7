#include "core/scene/replicate.h"

#include <stdexcept>

namespace touchstone {

std::shared_ptr<const Scene> replicated(const Scene& scene, int copies,
                                        const std::function<CopyVariation(int copy)>& variation) {
  if (copies < 1) throw std::invalid_argument("a scene needs at least one copy of itself");
  if (scene.copies != 1)
    throw std::invalid_argument("scene '" + scene.name +
                                "' is already made of copies; replicate the original");
  auto all = std::make_shared<Scene>(scene);
  all->copies = copies;
  all->bodies.clear();
  all->bodies.reserve(static_cast<std::size_t>(copies) * scene.bodies.size());
  for (int copy = 0; copy < copies; ++copy) {
    const CopyVariation own = variation ? variation(copy) : CopyVariation();
    all->copyParameters.push_back(own.parameters);
    int firstMaterial = 0;
    if (own.changeMaterial) {
      firstMaterial = static_cast<int>(all->materials.size());
      for (Material material : scene.materials) {
        own.changeMaterial(material);
        all->materials.push_back(std::move(material));
      }
    }
    for (Body body : scene.bodies) {
      if (own.change) own.change(body);
      body.material += firstMaterial;
      body.copy = copy;
      all->bodies.push_back(std::move(body));
    }
  }
  return all;
}

}  // namespace touchstone
