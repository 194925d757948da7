#include "core/engine/trajectory_engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/engine/engine.h"
#include "core/trajectory/interpolation.h"
#include "core/trajectory/trajectory_file.h"

namespace touchstone {

namespace {

class TrajectoryEngine : public Engine {
 public:
  TrajectoryEngine(std::shared_ptr<const Scene> scene, std::string path)
      : m_scene(std::move(scene)), m_path(std::move(path)) {
    // A recording opens also where the file is gone: the first step says so.
    try {
      std::vector<std::string> warnings;
      m_trajectory = trajectoryForPane(m_scene, m_path, warnings);
    } catch (const std::runtime_error& error) {
      m_problem = error.what();
    }
  }

  void begin(double time) override {
    m_time = time;
    m_hasStates = m_trajectory && covers(time);
  }
  void add(int, const BodyState&) override {}
  void step(double time, double dt) override {
    if (!m_trajectory) throw std::runtime_error(m_problem);
    m_time = time + dt;
    m_hasStates = covers(m_time);
  }
  void read(std::vector<BodyState>& states) const override {
    if (m_hasStates)
      states = stateAt(*m_trajectory, sampleTime(m_time));
    else if (m_trajectory)
      for (BodyState& state : states) state.active = false;
  }

 private:
  // Of a frame. Frame times are sums: a larger value takes a neighbouring sample for that of the frame, with
  // a smaller one rounding moves states between samples, or ends the motion a frame early.
  static constexpr double kSame = 1e-7;

  bool covers(double time) const {
    const double tolerance = kSame * m_scene->dt;
    return time >= m_trajectory->times.front() - tolerance && time <= m_trajectory->times.back() + tolerance;
  }
  /// The time of the sample at `time`, if there is one, else `time` itself.
  double sampleTime(double time) const {
    const std::vector<double>& times = m_trajectory->times;
    const auto after = std::lower_bound(times.begin(), times.end(), time);
    const double tolerance = kSame * m_scene->dt;
    if (after != times.end() && *after - time <= tolerance) return *after;
    if (after != times.begin() && time - *(after - 1) <= tolerance) return *(after - 1);
    return time;
  }

  std::shared_ptr<const Scene> m_scene;
  std::string m_path, m_problem;
  std::shared_ptr<const Trajectory> m_trajectory;  ///< null: m_problem says why
  double m_time = 0;
  bool m_hasStates = false;
};

}  // namespace

std::shared_ptr<const Trajectory> trajectoryForPane(const std::shared_ptr<const Scene>& scene,
                                                    const std::string& path,
                                                    std::vector<std::string>& warnings) {
  return std::make_shared<const Trajectory>(readTrajectory(scene, path, {}, &warnings));
}

void addTrajectoryEngine() {
  EngineInfo info;
  info.isPlayed = true;
  MethodInfo& method = info.method;
  method.key = kTrajectoryKey;
  method.name = "Trajectory";
  method.shortName = "Trajectory";
  method.source = "a motion from a file: of another engine, or measured";
  method.colour = 0x6E6E6E;
  method.dash = LineDash::DashDotDot;
  method.planar = method.joints = true;
  method.parameters = {fileSpec(kTrajectoryFile, "File",
                                "CSV file of poses over time; outside its times the pane has no data.")};
  method.refusal = [](const Scene&) { return std::string(); };
  method.clash = [](const ParameterValues& values, const std::string&) {
    const auto file = values.find(kTrajectoryFile);
    const bool isGiven = file != values.end() && !toString(file->second).empty();
    return isGiven ? std::string()
                   : "no file is given; add the pane with Add pane → Trajectory…, or set trajectory.file";
  };
  info.make = [](std::shared_ptr<const Scene> scene, const ParameterValues& values) {
    return std::make_unique<TrajectoryEngine>(std::move(scene), toString(values.at(kTrajectoryFile)));
  };
  addEngine(std::move(info));
}

}  // namespace touchstone
