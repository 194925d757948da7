#include "app/cli/list_command.h"
#include <CLI/CLI.hpp>

#include <iostream>

#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "core/contact/method_info.h"
#include "core/files/scene_error.h"
#include "core/files/text_columns.h"
#include "core/robot/scene_readers.h"
#include "core/run/backend_table.h"
#include "core/solver/dense/problem.h"
#include "core/solver/solver_traits.h"

namespace touchstone::cli {

namespace {

using Rows = std::vector<std::vector<std::string>>;

void printMethods() {
  std::cout << "Methods\n";
  for (const MethodInfo& method : methodTable()) {
    std::cout << "  " << method.key << "  " << method.name << " (" << method.source << ")\n";
    Rows rows;
    for (const ParameterSpec& spec : method.parameters)
      rows.push_back({spec.key, toString(spec.standard) + (spec.unit.empty() ? "" : " " + spec.unit)});
    std::cout << inColumns(rows, 6);
  }
}

void printScenes() {
  for (const std::string& folder : sceneFolders()) {
    std::cout << "Scenes in " << folder << "\n";
    Rows rows;
    std::string unreadable;
    for (const std::string& path : findScenes(folder)) {
      try {
        const auto scene = loadScene(path);
        rows.push_back({scene->name, scene->title});
      } catch (const SceneError& error) {
        unreadable += "  " + std::string(error.what()) + "\n";
      }
    }
    std::cout << inColumns(rows, 2) << unreadable;
  }
}

}  // namespace

int list() {
  printMethods();
  Rows solvers, backends;
  for (const SolverTraits& solver : solverTable()) solvers.push_back({solver.key, solver.name});
  for (const BackendInfo& backend : backendTable()) backends.push_back({backend.key, backend.state});
  std::cout << "Solvers\n" << inColumns(solvers, 2);
  printScenes();
  std::cout << "Backends\n" << inColumns(backends, 2);
  return kDone;
}

Declared declareList(CLI::App&, const CommandLine&) {
  return [] { return list(); };
}

}  // namespace touchstone::cli
