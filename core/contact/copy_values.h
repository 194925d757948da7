#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

/// [copyCount] The values of each copy of a scene: those given, with what the copy has of its own over them.
std::vector<ParameterValues> valuesOfCopies(const Scene& scene, const std::string& method,
                                            const ParameterValues& values);

}  // namespace touchstone
