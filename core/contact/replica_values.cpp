#include "core/contact/replica_values.h"

namespace touchstone {

std::vector<ParameterValues> valuesOfReplicas(const Scene& scene, const std::string& method,
                                              const ParameterValues& values) {
  std::vector<ParameterValues> all(scene.replicas, values);
  for (std::size_t replica = 0; replica < scene.replicaParameters.size(); ++replica) {
    const auto own = scene.replicaParameters[replica].find(method);
    if (own == scene.replicaParameters[replica].end()) continue;
    for (const auto& [key, value] : own->second) all[replica][key] = value;
  }
  return all;
}

}  // namespace touchstone
