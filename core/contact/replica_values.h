#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

/// [replicaCount] The values of each replica: those given, with what the replica has of its own over them.
std::vector<ParameterValues> valuesOfReplicas(const Scene& scene, const std::string& method,
                                              const ParameterValues& values);

}  // namespace touchstone
