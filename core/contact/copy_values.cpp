#include "core/contact/copy_values.h"

namespace touchstone {

std::vector<ParameterValues> valuesOfCopies(const Scene& scene, const std::string& method,
                                            const ParameterValues& values) {
  std::vector<ParameterValues> all(static_cast<std::size_t>(scene.copies), values);
  for (std::size_t copy = 0; copy < scene.copyParameters.size(); ++copy) {
    const auto own = scene.copyParameters[copy].find(method);
    if (own == scene.copyParameters[copy].end()) continue;
    for (const auto& [key, value] : own->second) all[copy][key] = value;
  }
  return all;
}

}  // namespace touchstone
