#include "app/cli/verify_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "app/bench/ccd_queries.h"
#include "app/cli/checks.h"
#include "app/cli/pane_options.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "core/engine/engine.h"
#include "core/files/scene_error.h"
#include "core/parallel/device/graph_captures.h"
#include "core/parallel/parallel_for.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/run/pane_name.h"
#include "core/scene/replicate.h"
#include "core/scene/scale.h"
#include "core/store/provenance.h"
#include "core/verify/analytic_checks.h"
#include "core/verify/backend_check.h"

namespace touchstone::cli {

namespace {

// Frames of a check. More take long; with fewer some shipped scenes reach no contact.
constexpr int kFrames = 150;
// Frames for methods that the scene does not list, some of which take a second per frame. More if bodies have
// not touched.
constexpr int kFramesOfOthers = 30;
// Scenes up to this size also run as many replicas. A larger value takes long; a smaller one skips scenes.
constexpr std::size_t kFewBodies = 5;
/// Number of replicas. More take longer; fewer test fewer differences between replicas.
constexpr int kWorlds = 12;

struct Row {
  std::string scene, method, check, result;
  bool passed;
  bool isJudged = true;  ///< else the row only tells
};

void print(const Row& row) {
  std::printf("%-4s  %-20s %-26s %-34s %s\n",
              !row.isJudged ? "told"
              : row.passed  ? "ok"
                            : "FAIL",
              row.scene.c_str(), row.method.c_str(), row.check.c_str(), row.result.c_str());
  std::fflush(stdout);
}

std::string text(const char* pattern, double value) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, pattern, value);
  return buffer;
}

std::vector<RecordPtr> records(const std::shared_ptr<const Scene>& scene, const PaneSettings& settings,
                               int frames) {
  Simulation simulation(scene, settings, scene->dt);
  std::vector<RecordPtr> result;
  for (int frame = 0; frame < frames; ++frame) result.push_back(simulation.step());
  return result;
}

Row threadsAgree(const std::shared_ptr<const Scene>& scene, const PaneSettings& settings,
                 const std::vector<RecordPtr>& many) {
  const ThreadLimit one(1);
  const std::vector<RecordPtr> single = records(scene, settings, kFrames);
  for (int frame = 0; frame < kFrames; ++frame)
    if (single[frame]->stateHash != many[frame]->stateHash)
      return {scene->name, nameWithStep(settings), "same bits on any number of threads",
              "differs from frame " + std::to_string(frame + 1), false};
  return {scene->name, nameWithStep(settings), "same bits on any number of threads",
          std::to_string(kFrames) + " frames", true};
}

/// Checks that momentum changes only by gravity and by impulses of static bodies. Errors of the record are
/// relative to the momentum that gravity alone would have supplied in that time; for angular momentum in each
/// frame, about the world's origin. Of a method that does not balance to rounding (MethodInfo) they are
/// reported, and so is the angular one of bodies that deform: two surfaces take an impulse at a point of
/// their own each.
void tellMomentum(const Scene& scene, const MethodInfo& method, const std::string& pane,
                  const std::vector<RecordPtr>& run, const std::function<void(const Row&)>& note) {
  // Accepted relative errors. Larger values hide lost momentum; smaller ones report rounding.
  constexpr double kLinear = 1e-9, kAngular = 1e-12;
  double mass = 0;
  bool deforms = false;
  for (const Body& body : scene.bodies) {
    mass += body.mass;
    deforms = deforms || body.deformable;
  }
  double linear = 0, angular = 0, before = 0, impulse = 0, arm = extentOf(scene);
  long linearCount = 0, angularCount = 0;  // frames with a measured error
  for (const RecordPtr& record : run) {
    if (isFrozen(record->status)) break;  // the pane is frozen from here on and has no weight
    const double ofLinear = record->quantities[Quantity::MomentumLinearError],
                 ofAngular = record->quantities[Quantity::MomentumAngularError];
    linearCount += std::isfinite(ofLinear);
    angularCount += std::isfinite(ofAngular);
    if (std::isfinite(ofLinear)) linear = std::max(linear, ofLinear);
    if (std::isfinite(ofAngular)) angular = std::max(angular, std::abs(ofAngular - before));
    before = ofAngular;
    impulse = std::max({impulse, mass * scene.gravity.norm() * record->time, record->normalImpulseSum,
                        record->quantities[Quantity::MomentumLinear]});
    for (const BodyState& body : record->bodies)
      if (body.active) arm = std::max(arm, body.position.norm());
  }
  const auto shown = [](const char* pattern, double value, long count) {
    return count > 0 ? text(pattern, value) : std::string("is measured in no frame");
  };
  note({scene.name, pane, "linear momentum balances", shown("largest error %.1e N·s", linear, linearCount),
        linear <= kLinear * impulse, method.balances && linearCount > 0});
  note({scene.name, pane, "angular momentum balances",
        shown("largest error in a frame %.1e N·m·s", angular, angularCount),
        angular <= kAngular * arm * impulse * run.front()->substeps,
        method.balances && (method.balancesJoints || scene.joints.empty()) && !deforms && angularCount > 0});
}

/// Runs scenes with known solutions.
bool verifyAnalytic() {
  std::printf("\n%-4s  %-26s %-46s %12s %12s %10s\n", "", "method", "test", "exact", "here", "tolerance");
  bool passed = true;
  analyticChecks([&passed](const AnalyticCheck& check) {
    std::printf("%-4s  %-26s %-46s %12.6g %12.6g %10.2g %s\n", check.passed() ? "ok" : "FAIL",
                check.pane.c_str(), check.test.c_str(), check.exact, check.measured, check.tolerance,
                check.unit.c_str());
    std::fflush(stdout);
    passed = passed && check.passed();
  });
  return passed;
}

void printHead() {
  std::printf("%-6s %-20s %-26s %7s %11s %9s %11s %11s %8s %10s\n", "", "scene", "method", "frames",
              "candidates", "contacts", "impulse", "state [m]", "repeats", "mean force");
}

void print(const BackendCheck& check) {
  if (!check.ran) {
    std::printf("%-6s %-20s %-26s %s\n", "FAIL", check.scene.c_str(), check.method.c_str(),
                printable(check.reason).c_str());
    return;
  }
  const auto count = [](long total, long different) {
    return std::to_string(total) + (different > 0 ? " (" + std::to_string(different) + " differ)" : "");
  };
  std::printf("%-6s %-20s %-26s %7d %11s %9s %11.1e %11.1e %8s %9.2g%%\n", check.passed ? "ok" : "FAIL",
              check.scene.c_str(), check.method.c_str(), check.frames,
              count(check.candidates, check.otherCandidates).c_str(),
              count(check.contacts, check.otherContacts).c_str(), check.impulse, check.position,
              check.repeats ? "yes" : "NO", 100 * check.meanForce);
  if (!check.passed) std::printf("%-6s %s\n", "", printable(check.reason).c_str());
  std::fflush(stdout);
}

/// Prints the largest difference of each quantity after one step, over all scenes, and its scene.
void printQuantities(const std::vector<BackendCheck>& checks) {
  std::printf(
      "\nLargest difference of each quantity after one step, of its size + 0.001 in its unit (bar %.0e):\n",
      kQuantityTolerance);
  for (const QuantityInfo& info : quantityTable()) {
    const BackendCheck* worst = nullptr;
    for (const BackendCheck& check : checks) {
      const double difference = check.quantities[info.quantity];
      if (!std::isnan(difference) && (!worst || difference > worst->quantities[info.quantity]))
        worst = &check;
    }
    if (!worst) continue;
    const double difference = worst->quantities[info.quantity];
    std::printf("  %-24s %9.1e  %s\n", info.key.c_str(), difference,
                difference > 0 ? (worst->scene + ", " + worst->method).c_str() : "");
  }
  std::printf("\n");
}

/// The panes, and those with solvers that have a step of their own (matrix-free).
std::vector<PaneSettings> withSolversOfTheirOwn(const std::vector<PaneSettings>& panes) {
  std::vector<PaneSettings> extended;
  for (const PaneSettings& pane : panes) {
    extended.push_back(pane);
    for (const char* name : {"lcp-pgs", "lcp-newton-fb-pcr", "peg-pgs", "peg-newton-fb-pcr"}) {
      const PaneSettings other = paneNamed(name);
      if (other.method != pane.method) continue;
      extended.push_back(pane);
      extended.back().solver = other.solver;
      for (const auto& [key, value] : other.parameters) extended.back().parameters[key] = value;
    }
    const ParameterSpec* step = findParameter(*findMethod(pane.method), "step");
    if (!step || std::count(step->choices.begin(), step->choices.end(), "exact") == 0) continue;
    extended.push_back(extended.back());
    extended.back().parameters["step"] = std::string("exact");
  }
  return extended;
}

std::vector<PaneSettings> paneOfEachMethod() {
  std::vector<PaneSettings> panes;
  for (const MethodInfo* method : contactMethods()) panes.push_back(paneNamed(method->key));
  return panes;
}

/// Many replicas of a scene, each with its own friction, stiffness (LCP and PEG: stabilisation and most
/// iterations) and start.
std::shared_ptr<const Scene> worldsOf(const Scene& scene) {
  const auto worlds = replicated(scene, kWorlds, [&scene](int replica) {
    const double share = (1.0 + replica) / kWorlds;
    ReplicaVariation variation;
    for (const MethodInfo* method : contactMethods()) {
      if (findParameter(*method, "baumgarte")) {
        variation.parameters[method->key]["baumgarte"] = share;
        variation.parameters[method->key]["max_iterations"] = 10.0 * (1 + replica);
      }
      if (!findParameter(*method, "stiffness")) continue;
      const ParameterValues values = valuesInForce(scene, paneNamed(method->key));
      const auto stiffness = automaticValueOf(scene, method->key, "stiffness", scene.dt);
      variation.parameters[method->key]["stiffness"] =
          share * numberOr(method->parameters, values, "stiffness", stiffness ? stiffness->most : 1);
    }
    variation.change = [share](Body& body) {
      if (body.motion == Motion::Dynamic) body.linearVelocity.y() -= 0.1 * share;
    };
    variation.changeMaterial = [share](Material& material) {
      material.staticFriction = material.dynamicFriction = share;
    };
    return variation;
  });
  const auto named = std::make_shared<Scene>(*worlds);
  named->name += " x" + std::to_string(kWorlds);
  return named;
}

std::vector<std::shared_ptr<const Scene>> withWorlds(const std::vector<std::string>& paths) {
  std::vector<std::shared_ptr<const Scene>> scenes;
  for (const std::string& path : paths) {
    scenes.push_back(loadScene(path));
    const Scene& scene = *scenes.back();
    if (scene.bodies.size() <= kFewBodies) scenes.push_back(worldsOf(scene));
  }
  return scenes;
}

/// Runs every method on every scene that it accepts. @return false if one failed
bool verifyDevice(BackendKind backend, const std::vector<std::string>& paths) {
  bool passed = true;
  std::vector<BackendCheck> checks;
  std::printf(
      "Each compared frame starts from the CPU's state and contact memory on both sides. Columns: candidates "
      "and contacts of the CPU\n(and how many only one side has), largest difference of an impulse, of the "
      "frame's largest (bar %.0e), of a state (bar %.0e of the\nscene's size), whether two runs on the "
      "device "
      "give the same bits, and how far the mean normal force of separate runs\ndiffers (told, not judged: "
      "contact is chaotic). 'x%d': as many worlds of the scene at once, each with numbers of its own.\n",
      kImpulseTolerance, kPositionTolerance, kWorlds);
  printHead();
  for (const auto& scene : withWorlds(paths)) {
    const std::vector<PaneSettings> suggested = suggestedPanes(*scene);
    for (const PaneSettings& settings : withSolversOfTheirOwn(paneOfEachMethod())) {
      if (!refusal(*scene, settings).empty()) continue;
      const bool isSuggested = std::any_of(suggested.begin(), suggested.end(), [&](const PaneSettings& pane) {
        return pane.method == settings.method;
      });
      BackendCheck check = checkBackend(scene, settings, backend, isSuggested ? kFrames : kFramesOfOthers);
      check.method = nameWithStep(settings);
      print(check);
      checks.push_back(check);
      passed = passed && check.passed;
    }
  }
  if (checks.empty()) std::printf("FAIL   no method accepts any of these scenes\n");
  printQuantities(checks);
  const auto idle = std::count_if(checks.begin(), checks.end(), [](const BackendCheck& check) {
    return check.ran && check.framesWithContacts == 0;
  });
  std::printf("Rows without a contact to compare: %ld of %zu\n", static_cast<long>(idle), checks.size());
  return passed && !checks.empty();
}

}  // namespace

int verify(const std::string& backend, const std::vector<std::string>& names) {
  const BackendKind kind = backendOf(backend);
  std::vector<std::string> scenes;
  for (const std::string& name : names) scenes.push_back(resolveScene(name));
  if (scenes.empty()) scenes = findScenes(datasetsFolder() + "/scenes");
  if (scenes.empty())
    throw std::invalid_argument(
        "verify: there is no scene in " + datasetsFolder() +
        "/scenes; set TOUCHSTONE_DATASETS to the folder of the datasets, or name scenes "
        "with --scenes");
  std::cout << provenanceText() << "\n\n" << std::flush;
  bool passed = true;
  if (kind == BackendKind::Cuda) {
    passed = verifyDevice(kind, scenes);
    const GraphCaptures graphs = graphCaptures();
    std::printf("Sequences of loops that became CUDA graphs: %ld; refused by the driver: %ld%s\n",
                graphs.taken, graphs.refused,
                graphs.refused > 0 ? (" (" + graphs.reason + "): slower, and no less right").c_str() : "");
    std::cout << (passed ? "All checks passed.\n" : "Some checks FAILED.\n");
    return passed ? kDone : kSimulationFailed;
  }
  long judged = 0;
  const auto note = [&passed, &judged](const Row& row) {
    print(row);
    judged += row.isJudged;
    passed = passed && (row.passed || !row.isJudged);
  };
  for (const std::string& path : scenes) {
    const auto scene = loadScene(path);
    constexpr std::size_t kMostBodies = 1000;  // more take minutes and show nothing that fewer do not
    if (names.empty() && scene->bodies.size() > kMostBodies) {
      std::printf("%s: %zu bodies; left out unless --scenes names it\n", scene->name.c_str(),
                  scene->bodies.size());
      continue;
    }
    const long before = judged;
    for (const PaneSettings& settings : withSolversOfTheirOwn(suggestedPanes(*scene))) {
      const std::vector<RecordPtr> run = records(scene, settings, kFrames);
      note(threadsAgree(scene, settings, run));
      tellMomentum(*scene, *findMethod(settings.method), nameWithStep(settings), run, note);
    }
    if (judged > before) continue;
    std::printf("FAIL  %-15s suggests no method, so that nothing of it is checked\n", scene->name.c_str());
    passed = false;
  }
  passed = verifyAnalytic() && passed;
  std::cout << judged << " checks of scenes\n";
  std::cout << (passed ? "All checks passed.\n" : "Some checks FAILED.\n");
  return passed ? kDone : kSimulationFailed;
}

namespace {

struct VerifyOptions {
  std::string backend = "cpu";
  std::vector<std::string> scenes;
  std::string queries;  ///< folder, or empty
};

}  // namespace

Declared declareVerify(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<VerifyOptions>();
  command.add_option("--backend", options->backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  command.add_option("--scenes", options->scenes, "only these scenes, for example pour,incline")
      ->delimiter(',');
  command.add_option(
      "--ccd-queries", options->queries,
      "folder with …/edge-edge/*.csv and …/vertex-face/*.csv: check collision detection against them");
  return [&command, options] {
    refuseIdle(command, {{"--backend", {}, {"--ccd-queries"}}, {"--scenes", {}, {"--ccd-queries"}}});
    return options->queries.empty() ? verify(options->backend, options->scenes)
                                    : verifyCcdQueries(options->queries);
  };
}

}  // namespace touchstone::cli
