#include "core/motion/toss_runs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <stdexcept>

#include "core/run/simulation.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

/// Worlds in one run. On the CPU a larger value keeps short tosses running for long ones; a smaller one
/// leaves threads without work. A device needs many.
constexpr std::size_t kWorldsOnCpu = 128, kWorldsOnDevice = 65536;
/// Share of a frame by which a recorded time may lie behind a frame and still be at it: rounding of times.
constexpr double kSameTime = 1e-6;

Quaternion between(const Quaternion& a, const Quaternion& b, double share) {
  const Vec3 turn = share * rotationBetween(a, b);
  const double angle = turn.norm();
  if (angle < 1e-300) return a;
  const Vec3 axis = std::sin(0.5 * angle) / angle * turn;
  return product(Quaternion(std::cos(0.5 * angle), axis.x(), axis.y(), axis.z()), a);
}

/// One world: a toss in a variation.
struct TossWorld {
  std::size_t toss = 0;
  int variation = 0;
};

void place(const ComparedToss& toss, const Scene& scene, Body& body) {
  for (const ComparedToss::Part& part : toss.parts) {
    if (scene.bodies[part.body].name != body.name) continue;
    const BodyState& start = part.flight.start;
    body.position = start.position;
    body.orientation = start.orientation;
    body.linearVelocity = start.linearVelocity;
    body.angularVelocity = start.angularVelocity;
    body.releaseTime = 0;
  }
}

}  // namespace

double recordedWidthOf(const Scene& scene) {
  const auto source = scene.sources.find(std::filesystem::path(scene.file).filename().string());
  if (source == scene.sources.end()) return 0;
  const nlohmann::json json = nlohmann::json::parse(*source->second.bytes, nullptr, false);
  return json.is_object() ? json.value("recorded_width", 0.0) : 0;
}

ComparedTosses comparedTosses(const RecordedMotion& motion, const Scene& scene) {
  ComparedTosses result;
  const std::vector<std::vector<Flight>> flights = flightsOf(motion, scene);
  const double width = recordedWidthOf(scene);
  for (std::size_t number = 0; number < motion.tosses.size(); ++number) {
    const Toss& toss = motion.tosses[number];
    ComparedToss compared;
    compared.name = toss.name;
    std::string problem;
    for (std::size_t place = 0; place < toss.tracks.size(); ++place) {
      const MotionTrack& track = toss.tracks[place];
      ComparedToss::Part part;
      part.body = bodyOf(track, scene, motion.file);
      const Body& body = scene.bodies[part.body];
      part.width = width > 0 ? width : widthOf(body);
      part.flight = flights[number][place];
      if (!part.flight.problem.empty()) {
        problem = part.flight.problem;
        break;
      }
      part.track = unsheared(track, part.flight);
      compared.parts.push_back(std::move(part));
    }
    if (problem.empty()) {
      const ComparedToss::Part& first = compared.parts.front();
      compared.start = first.track.samples[first.flight.first].time;
      compared.firstContact = std::numeric_limits<double>::infinity();
      for (const ComparedToss::Part& part : compared.parts) {
        if (part.track.samples[part.flight.first].time != compared.start)
          problem = "its bodies start at different times";
        compared.firstContact =
            std::min(compared.firstContact, part.track.samples[part.flight.firstContact].time);
        for (const MotionSample& sample : part.track.samples)
          if (!sample.isMissing) compared.end = std::max(compared.end, sample.time);
      }
    }
    if (problem.empty())
      result.tosses.push_back(std::move(compared));
    else
      result.left.push_back((toss.name.empty() ? "The toss" : "Toss " + toss.name) +
                            " is left out: " + problem);
  }
  return result;
}

std::vector<ComparedToss> drawn(const std::vector<ComparedToss>& tosses, int count, int seed) {
  std::vector<std::size_t> order(tosses.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const std::size_t wanted = std::min(tosses.size(), static_cast<std::size_t>(std::max(0, count)));
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  // Fisher and Yates; std::shuffle gives other orders on other systems.
  for (std::size_t place = 0; place < wanted; ++place)
    std::swap(order[place], order[place + random() % (tosses.size() - place)]);
  order.resize(wanted);
  std::sort(order.begin(), order.end());
  std::vector<ComparedToss> chosen;
  for (std::size_t index : order) chosen.push_back(tosses[index]);
  return chosen;
}

TossComparison::TossComparison(const Scene& scene, const ComparedToss& toss)
    : m_scene(&scene), m_toss(&toss), m_centreEnd(toss.parts.size()), m_turnEnd(toss.parts.size()) {
  for (const ComparedToss::Part& part : toss.parts) {
    m_before.push_back(part.flight.start);
    m_next.push_back(part.flight.first);
  }
}

void TossComparison::compare(const ComparedToss::Part& part, std::size_t index, const BodyState& state) {
  const MotionSample& sample = part.track.samples[m_next[index]];
  const Body& body = m_scene->bodies[part.body];
  const Vec3 origin = state.position - state.orientation * body.centre;
  m_centreEnd[index] = (origin - sample.position).norm() / part.width;
  m_turnEnd[index] = rotationBetween(state.orientation, sample.orientation).norm() * 180 / M_PI;
  if (sample.time < m_toss->firstContact) return;
  m_centreSum += m_centreEnd[index];
  m_turnSum += m_turnEnd[index];
  ++m_count;
}

void TossComparison::add(double time, const BodyState* states) {
  const double span = time - m_time;
  for (std::size_t index = 0; index < m_toss->parts.size(); ++index) {
    const ComparedToss::Part& part = m_toss->parts[index];
    const BodyState &before = m_before[index], &after = states[part.body];
    const std::vector<MotionSample>& samples = part.track.samples;
    for (std::size_t& next = m_next[index]; next < samples.size(); ++next) {
      const double sampleTime = samples[next].time - m_toss->start;
      if (sampleTime > time + kSameTime * span) break;
      if (samples[next].isMissing) continue;
      const double share = span > 0 ? std::clamp((sampleTime - m_time) / span, 0.0, 1.0) : 1;
      BodyState state = after;
      if (share < 1 - kSameTime) {
        state.position = before.position + share * (after.position - before.position);
        state.orientation = between(before.orientation, after.orientation, share);
      }
      compare(part, index, state);
    }
    m_before[index] = after;
  }
  m_time = time;
}

TossError TossComparison::result() const {
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  TossError error;
  error.centreMean = m_count > 0 ? m_centreSum / static_cast<double>(m_count) : kNaN;
  error.turnMean = m_count > 0 ? m_turnSum / static_cast<double>(m_count) : kNaN;
  error.centreEnd = mean(m_centreEnd);
  error.turnEnd = mean(m_turnEnd);
  return error;
}

std::vector<TossError> tossErrors(const Scene& scene, const PaneSettings& settings, double dt,
                                  const std::vector<ComparedToss>& tosses, int variations,
                                  const std::function<ReplicaVariation(int variation)>& variationOf,
                                  const std::function<void(double share)>& progress) {
  std::vector<TossWorld> worlds;
  for (std::size_t toss = 0; toss < tosses.size(); ++toss)
    for (int variation = 0; variation < variations; ++variation) worlds.push_back({toss, variation});
  // Tosses of about one length run together.
  const auto lengthOf = [&](const TossWorld& world) {
    return tosses[world.toss].end - tosses[world.toss].start;
  };
  std::stable_sort(worlds.begin(), worlds.end(),
                   [&](const TossWorld& a, const TossWorld& b) { return lengthOf(a) < lengthOf(b); });
  std::vector<TossError> errors(worlds.size());
  const std::size_t atOnce = settings.backend == BackendKind::Cpu ? kWorldsOnCpu : kWorldsOnDevice;
  const std::size_t bodies = scene.bodies.size();
  for (std::size_t first = 0; first < worlds.size(); first += atOnce) {
    const std::size_t count = std::min(atOnce, worlds.size() - first);
    const auto replicas = replicated(scene, static_cast<int>(count), [&](int replica) {
      const TossWorld& world = worlds[first + replica];
      ReplicaVariation variation = variationOf ? variationOf(world.variation) : ReplicaVariation();
      variation.change = [&, toss = world.toss](Body& body) { place(tosses[toss], scene, body); };
      return variation;
    });
    Simulation simulation(replicas, settings, dt);
    simulation.setStatesOnly(true);
    std::vector<TossComparison> comparisons;
    std::vector<double> failedAt(count, -1);
    for (std::size_t world = 0; world < count; ++world)
      comparisons.emplace_back(scene, tosses[worlds[first + world].toss]);
    const double longest = lengthOf(worlds[first + count - 1]);
    const long frames = static_cast<long>(std::ceil(longest / dt - kSameTime));
    for (long frame = 0; frame <= frames; ++frame) {
      const RecordPtr record = frame == 0 ? simulation.current() : simulation.step();
      const World& state = simulation.world();
      for (std::size_t world = 0; world < count; ++world) {
        const bool isStopped = (world < state.replicaFrozen.size() && state.replicaFrozen[world]) ||
                               record->status == StepStatus::Diverged ||
                               record->status == StepStatus::Stopped;
        if (isStopped && failedAt[world] < 0) failedAt[world] = record->time;
        comparisons[world].add(static_cast<double>(frame) * dt, record->bodies.data() + world * bodies);
      }
      if (progress)
        progress((static_cast<double>(first) + static_cast<double>(count) * static_cast<double>(frame) /
                                                   std::max(1.0, static_cast<double>(frames))) /
                 static_cast<double>(worlds.size()));
    }
    for (std::size_t world = 0; world < count; ++world) {
      const TossWorld& tossWorld = worlds[first + world];
      TossError error = comparisons[world].result();
      if (failedAt[world] >= 0 && failedAt[world] <= lengthOf(tossWorld)) error.failedAt = failedAt[world];
      errors[tossWorld.toss * variations + tossWorld.variation] = error;
    }
  }
  return errors;
}

}  // namespace touchstone
