#include "core/contact/replica_values.h"

namespace touchstone {

std::vector<ParameterValues> valuesOfReplicas(const Scene& scene, const std::string& method,
                                              const ParameterValues& values) {
  std::vector<ParameterValues> result(scene.replicas, values);
  for (std::size_t replica = 0; replica < scene.replicaParameters.size(); ++replica) {
    const auto replicaValues = scene.replicaParameters[replica].find(method);
    if (replicaValues == scene.replicaParameters[replica].end()) continue;
    for (const auto& [key, value] : replicaValues->second) result[replica][key] = value;
  }
  return result;
}

}  // namespace touchstone
