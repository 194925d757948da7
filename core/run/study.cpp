#include "core/run/study.h"

#include <algorithm>
#include <cmath>

#include "core/math/quantile.h"
#include "core/math/quaternion.h"
#include "core/scene/frame_count.h"

namespace touchstone {

namespace {

/// SplitMix64: a few lines that give the same numbers everywhere, which the distributions of <random> do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}
  double symmetric(double extent) { return extent * (2 * unit() - 1); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t next() {
    std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  std::uint64_t m_state;
};

Vec3 anyDirection(Random& random) {
  while (true) {
    const double x = random.symmetric(1), y = random.symmetric(1), z = random.symmetric(1);
    const double length = std::sqrt(x * x + y * y + z * z);
    if (length > 0.1 && length <= 1) return Vec3(x, y, z) / length;
  }
}

/// Why this frame is the end of a run, or empty.
std::string crashOf(const StepRecord& record, double crashSpeed) {
  if (record.status != StepStatus::Ok) {
    std::string text = std::string(toString(record.status)) + ": " + record.statusText;
    std::replace(text.begin(), text.end(), ',', ';');  // so that even who splits lines at commas reads them
    return text;
  }
  for (const BodyState& body : record.bodies)
    if (body.active && body.linearVelocity.norm() > crashSpeed) return "too fast";
  return {};
}

}  // namespace

std::shared_ptr<const Scene> varied(const Scene& scene, const StartVariation& variation, int seed) {
  auto result = std::make_shared<Scene>(scene);
  if (seed == 0) return result;
  Random random(static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15ull);
  for (Body& body : result->bodies) {
    if (body.motion == Motion::Static) continue;
    body.position.x() += random.symmetric(variation.position);
    const double depth = random.symmetric(variation.position), turn = random.symmetric(variation.angle);
    const Vec3 axis = anyDirection(random);
    const Vec3 spin(random.symmetric(variation.spin), random.symmetric(variation.spin),
                    random.symmetric(variation.spin));
    if (scene.planar) {
      body.orientation =
          (Quaternion(std::cos(0.5 * turn), 0, 0, std::sin(0.5 * turn)) * body.orientation).normalized();
      body.angularVelocity.z() += spin.z();
    } else {
      body.position.z() += depth;
      body.orientation = (Quaternion(Eigen::AngleAxisd(turn, axis)) * body.orientation).normalized();
      body.angularVelocity += spin;
    }
  }
  return result;
}

std::optional<StudyRun> runOne(const Study& study, std::shared_ptr<const Scene> scene, const StudyPane& pane,
                               double dt, int seed, const std::function<bool()>& goesOn) {
  Simulation simulation(varied(*scene, study.variation, seed), pane.settings, dt);
  StudyRun run;
  run.pane = pane.label;
  run.dt = dt;
  run.seed = seed;
  std::vector<double> overlaps, times;
  long traps = 0, solves = 0;
  const long frames = frameCount(study.time, dt);
  while (run.frames < frames && run.crashedAt < 0) {
    if (goesOn && !goesOn()) return std::nullopt;
    const RecordPtr record = simulation.step();
    run.unsolved += record->unsolved;
    run.reason = crashOf(*record, study.crashSpeed);
    if (!run.reason.empty()) {
      run.crashedAt = record->time;
      break;
    }
    ++run.frames;
    overlaps.push_back(record->quantities[Quantity::Overlap]);
    times.push_back(record->quantities[Quantity::TimeStep]);
    run.depthMax = std::max(run.depthMax, record->quantities[Quantity::PenetrationMax]);
    traps += record->quantities[Quantity::Traps] > 0;
    solves += record->solves;
    run.halved += record->parts > record->substeps;
  }
  const double counted = static_cast<double>(std::max(1l, run.frames));
  run.overlapMedian = median(overlaps);
  run.overlapQuartile = quantile(overlaps, 0.75);
  run.overlapMax = quantile(overlaps, 1);
  run.trapShare = static_cast<double>(traps) / counted;
  run.solves = static_cast<double>(solves) / counted;
  run.milliseconds = median(times);
  return run;
}

}  // namespace touchstone
