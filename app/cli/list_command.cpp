#include <algorithm>
#include <iomanip>
#include <iostream>

#include "app/cli/commands.h"
#include "core/contact/method.h"
#include "core/files/scene_error.h"
#include "core/run/backend_table.h"
#include "core/solver/dense/problem.h"

namespace touchstone::cli {

namespace {

void printMethods() {
  std::cout << "Methods\n";
  for (const MethodInfo& method : methodTable()) {
    std::cout << "  " << std::left << std::setw(12) << method.key << method.name << " (" << method.source
              << ")\n";
    for (const ParameterSpec& spec : method.parameters)
      std::cout << "      " << std::setw(22) << spec.key << toString(spec.standard)
                << (spec.unit.empty() ? "" : " " + spec.unit) << "\n";
  }
}

void printScenes() {
  for (const std::string& folder : sceneFolders()) {
    std::cout << "Scenes in " << folder << "\n";
    for (const std::string& path : findScenes(folder)) {
      try {
        const auto scene = loadScene(path);
        std::cout << "  " << std::left << std::setw(14) << scene->name << scene->title << "\n";
      } catch (const SceneError& error) {
        std::cout << "  " << error.what() << "\n";
      }
    }
  }
}

}  // namespace

int list() {
  printMethods();
  std::cout << "Solvers\n";
  for (const SolverInfo& solver : solverTable())
    std::cout << "  " << std::left << std::setw(12) << solver.key << solver.name << "\n";
  printScenes();
  std::cout << "Backends\n";
  for (const BackendInfo& backend : backendTable())
    std::cout << "  " << std::left << std::setw(12) << backend.key << backend.state << "\n";
  return kDone;
}

}  // namespace touchstone::cli
