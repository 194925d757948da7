#include "core/run/pane_name.h"

namespace touchstone {

std::string paneName(const PaneSettings& settings) {
  return settings.method + (settings.solver.empty() ? "" : "-" + settings.solver);
}

PaneSettings paneNamed(const std::string& name) {
  PaneSettings settings;
  settings.method = name;
  if (findMethod(name)) return settings;
  for (const MethodInfo& method : methodTable())
    if (name.rfind(method.key + "-", 0) == 0) {
      settings.method = method.key;
      settings.solver = name.substr(method.key.size() + 1);
    }
  return settings;
}

}  // namespace touchstone
