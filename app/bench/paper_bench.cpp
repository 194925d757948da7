#include "app/bench/paper_bench.h"

#include <cmath>
#include <string>

#include "app/bench/stopwatch.h"
#include "app/work/program_info.h"
#include "core/math/quantile.h"
#include "core/robot/scene_readers.h"
#include "core/run/simulation.h"
#include "core/scene/replicate.h"

namespace touchstone::cli {

namespace {

/// A line of the paper's table, h = 1/120 s.
struct PaperScene {
  const char* name;        ///< of our scene
  const char* row;         ///< of the paper
  const char* counts;      ///< NsnParameters: Newton × linear
  double assembly, solve;  ///< ms, GTX 1070
  int replicas;            ///< as in the paper
  double skipped;          ///< s before what is measured: until bodies are in contact
  bool isSoft = false;  ///< bodies deform: beside the paper's counts the settings of the scene are measured
};

constexpr PaperScene kScenes[] = {{"arch", "Arch", "6x20", 0.15, 7.75, 1, 0.1},
                                  {"tables", "Table Pile", "4x20", 0.1, 3.7, 1, 3},
                                  {"beam-insertion", "Fetch Beam", "6x50", 0.2, 18.6, 1, 1},
                                  {"hands", "Allegro DexNet, one hand", "8x20", 0.4, 10.0, 1, 1},
                                  {"humanoids-400", "Humanoid Run", "4x10", 0.8, 8.9, 1, 0.5},
                                  {"drawer", "Yumi Cabinet", "5x25", 1.8, 56.0, 200, 0.5},
                                  {"soft-ball-hand", "Allegro Ball", "6x50", 0.35, 11.4, 1, 1, true},
                                  {"soft-gripper", "PneuNet", "4x80", 0.3, 22.25, 1, 1, true},
                                  {"tomato-scale", "Fetch Tomato", "4x50", 0.45, 12.2, 1, 1, true}};

/// A scene of Tang et al. 2012, section 6: frames per second on a core of 2.4 GHz.
struct TangScene {
  const char* name;  ///< of our scene
  const char* what;  ///< of the paper
  int triangles;     ///< printed
  double rate;       ///< printed [1/s]
  double skipped;    ///< s
};

constexpr TangScene kTangScenes[] = {{"octopus-bowl", "octopus in a bowl", 14700, 10, 0.03},
                                     {"cloth-and-tori", "tori on cloth", 65000, 6, 0.2},
                                     {"tori-on-cloth", "tori on cloth", 65000, 6, 0.1},
                                     {"soft-bucket", "bucket", 103000, 3, 0.4},
                                     {"bucket-of-forty", "bucket", 103000, 3, 0.1}};

/// Measures of steps.
struct PaperMeasures {
  std::vector<double> times, residuals, contacts;
  double deepest = 0;
};

PaperMeasures measureSteps(const std::shared_ptr<const Scene>& scene, const PaneSettings& settings,
                           double skipped) {
  constexpr int kFewest = 12;         // fewer: the median is one of them by chance
  constexpr double kEnough = 0.5;     // s simulated
  constexpr double kMostTime = 30e3;  // ms: the largest scenes take seconds for a step
  Simulation simulation(scene, settings, scene->dt);
  const auto before = std::lround(skipped / scene->dt), after = std::lround(kEnough / scene->dt);
  double spent = 0;
  for (long frame = 0; frame < before && spent < kMostTime; ++frame)
    spent += simulation.step()->quantities[Quantity::TimeStep];
  PaperMeasures measures;
  spent = 0;
  for (long frame = 0; frame < after; ++frame) {
    const RecordPtr record = simulation.step();
    double time = 0;
    for (int phase = 0; phase < static_cast<int>(Phase::Measure); ++phase) time += record->times[phase];
    measures.times.push_back(time);
    measures.residuals.push_back(record->quantities[Quantity::Residual]);
    measures.contacts.push_back(static_cast<double>(record->contacts.size()));
    const double depth = record->quantities[Quantity::PenetrationMax];
    if (depth > measures.deepest) measures.deepest = depth;
    spent += time;
    if (frame + 1 >= kFewest && spent > kMostTime) break;
  }
  return measures;
}

}  // namespace

void benchNsn(BenchTable& table) {
  for (const PaperScene& paper : kScenes) {
    const std::string name = std::string("nsn/") + paper.name;
    table.attempt(name, [&] {
      std::shared_ptr<const Scene> scene = loadScene(resolveScene(paper.name));
      if (paper.replicas > 1) scene = replicated(*scene, paper.replicas);
      table.add({name + "/paper (" + paper.row + ", " + paper.counts + "), assembly and solve, GTX 1070",
                 "ms", paper.assembly + paper.solve});
      for (const bool isPublished : {true, false}) {
        PaneSettings settings = suggestedPane(*scene, "nsn");
        settings.parameters["counts"] = std::string(isPublished ? paper.counts : "own");
        if (isPublished && paper.isSoft)
          for (const char* key : {"linear_solver", "geometric"}) settings.parameters.erase(key);
        if (!isPublished && !paper.isSoft) {
          settings.parameters["max_iterations"] = 8.0;
          settings.parameters["linear_iterations"] = 40.0;
        }
        const PaperMeasures measured = measureSteps(scene, settings, paper.skipped);
        const std::string row = name + (isPublished    ? std::string("/") + paper.counts
                                        : paper.isSoft ? "/settings of the scene"
                                                       : "/8x40, last step whole");
        table.add(medianRow(row, "ms per step", measured.times));
        table.add({row + "/residual", "m/s", median(measured.residuals)});
        table.add({row + "/deepest", "m", measured.deepest});
        table.add({row + "/contacts", "", median(measured.contacts)});
      }
    });
  }
}

void benchSoft(BenchTable& table) {
  for (const TangScene& paper : kTangScenes) {
    const std::string name = std::string("soft/") + paper.name;
    table.attempt(name, [&] {
      const std::shared_ptr<const Scene> scene = loadScene(resolveScene(paper.name));
      std::size_t triangles = 0;
      for (const Body& body : scene->bodies)
        for (const TriangleMesh& surface : body.shape->surfaces) triangles += surface.triangles.size();
      table.add({name + "/paper (" + paper.what + ", " + std::to_string(paper.triangles) +
                     " triangles), one core of 2.4 GHz",
                 "frames/s", paper.rate});
      table.add({name + "/triangles", "", static_cast<double>(triangles)});
      const PaneSettings settings = suggestedPane(*scene, "cpf");
      PaperMeasures measured = measureSteps(scene, settings, paper.skipped);
      for (double& time : measured.times) time = 1e3 / time;
      table.add(medianRow(name + "/cpf, " + std::to_string(settings.substeps) + " steps per frame",
                          "frames/s", measured.times));
      table.add({name + "/deepest", "m", measured.deepest});
      table.add({name + "/contacts", "", median(measured.contacts)});
    });
  }
}

}  // namespace touchstone::cli
