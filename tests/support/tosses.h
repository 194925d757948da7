#pragma once

#include <cmath>
#include <random>

#include "core/files/text_forms.h"
#include "core/motion/motion_file.h"
#include "core/run/simulation.h"
#include "tests/scene/scene_folder.h"

/// Tosses that are made up, with known truth.
namespace touchstone::test {

/// A box of 100 mm on a plane, with its centre of mass where `centre` says, as a scene file has it.
inline QByteArray tossScene(double friction, const QByteArray& centre = "[0, 0, 0]",
                            const QByteArray& more = {}) {
  const QByteArray material =
      "\"materials\": [{\"name\": \"m\", \"friction\": " + QByteArray::number(friction) +
      "}], \"parameters\": {\"lcp\": {\"friction_facets\": 16, \"substeps\": 12}}, "
      "\"methods\": [\"lcp\"], \"dt\": 0.005, ";
  return SceneFolder::withBodies(
      R"({"name": "table", "motion": "static", "material": "m", "shape": {"type": "plane"}},
         {"name": "box", "material": "m", "mass": 0.4, "inertia": [0.0008, 0.0008, 0.0008], "centre_of_mass": )" +
          centre + R"(, "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "position": [0, 0.2, 0]})",
      material + more);
}

/// How a box is tossed: it turns, or it stays level and slides after a short drop.
enum class TossKind { Tumbling, Sliding };

/// A scene whose box starts elsewhere, the same for the same number.
inline std::shared_ptr<const Scene> tossed(const Scene& scene, int number, TossKind kind) {
  auto start = std::make_shared<Scene>(scene);
  std::mt19937_64 random(static_cast<std::uint64_t>(number) + 17);
  const auto symmetric = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  Body& box = start->bodies[1];
  const Quaternion turn = Quaternion(symmetric(), symmetric(), symmetric(), symmetric()).normalized();
  box.orientation = turn;
  box.position = Vec3(0.2 * symmetric(), 0.26 + 0.04 * symmetric(), 0.2 * symmetric());
  box.linearVelocity = Vec3(0.7 * symmetric(), 0.3 * symmetric(), 0.7 * symmetric());
  box.angularVelocity = Vec3(5 * symmetric(), 5 * symmetric(), 5 * symmetric());
  if (kind == TossKind::Tumbling) return start;
  const double yaw = M_PI * symmetric();
  box.orientation = Quaternion(std::cos(0.5 * yaw), 0, std::sin(0.5 * yaw), 0);
  box.position.y() = 0.1;
  box.linearVelocity = Vec3(0.9 + 0.2 * symmetric(), 0, 0.5 * symmetric());
  box.angularVelocity = Vec3::Zero();
  return start;
}

inline MotionSample sampleOf(const Body& body, const BodyState& state, double time) {
  MotionSample sample;
  const Vec3 arm = state.orientation * body.centre;
  sample.time = time;
  sample.position = state.position - arm;
  sample.orientation = state.orientation;
  sample.velocity = state.linearVelocity - state.angularVelocity.cross(arm);
  sample.angularVelocity = state.angularVelocity;
  return sample;
}

/// Tosses as lcp computes them, recorded at every frame.
inline RecordedMotion simulatedTosses(const Scene& scene, int count, int frames = 120,
                                      TossKind kind = TossKind::Tumbling) {
  RecordedMotion motion;
  motion.hasVelocity = motion.hasAngularVelocity = true;
  PaneSettings pane = suggestedPane(scene, "lcp");
  for (int number = 0; number < count; ++number) {
    Toss toss{std::to_string(number), {}, {{"", {}}}};
    Simulation simulation(tossed(scene, number, kind), pane, scene.dt);
    simulation.setStatesOnly(true);
    for (int frame = 0; frame <= frames; ++frame) {
      const RecordPtr record = frame == 0 ? simulation.current() : simulation.step();
      toss.tracks[0].samples.push_back(sampleOf(scene.bodies[1], record->bodies[1], frame * scene.dt));
    }
    motion.tosses.push_back(std::move(toss));
  }
  return motion;
}

/// Changes every sample.
template <class Change>
RecordedMotion changed(RecordedMotion motion, const Change& change) {
  for (Toss& toss : motion.tosses)
    for (MotionTrack& track : toss.tracks)
      for (std::size_t frame = 0; frame < track.samples.size(); ++frame) change(track.samples[frame], frame);
  return motion;
}

/// As a CSV file of that form. It is written here from the definitions, not by what reads it.
inline std::string csvOf(const RecordedMotion& motion, const MotionFormat& format = {}) {
  std::string text = "toss,time_s,x_m,y_m,z_m,qw,qx,qy,qz";
  if (motion.hasVelocity) text += ",vx,vy,vz";
  if (motion.hasAngularVelocity) text += ",wx,wy,wz";
  text += '\n';
  const auto inFile = [&](const Vec3& v) {
    return format.up == MotionFormat::Up::Z ? Vec3(v.x(), -v.z(), v.y()) : v;
  };
  for (const Toss& toss : motion.tosses)
    for (const MotionSample& sample : toss.tracks[0].samples) {
      text += toss.name + "," + csvNumber(sample.time);
      if (sample.isMissing) {
        text += std::string(motion.hasVelocity && motion.hasAngularVelocity ? 13 : 7, ',') + '\n';
        continue;
      }
      // The file's axes are ours turned by +90° about x.
      const Quaternion fromOurs = format.up == MotionFormat::Up::Z
                                      ? Quaternion(std::sqrt(0.5), std::sqrt(0.5), 0, 0)
                                      : Quaternion(1, 0, 0, 0);
      const Quaternion q = fromOurs * sample.orientation;
      text += csvVector(inFile(sample.position) / format.unit);
      text += format.quaternion == MotionFormat::QuaternionOrder::RealLast
                  ? csvVector(q.vec()) + "," + csvNumber(q.w())
                  : "," + csvNumber(q.w()) + csvVector(q.vec());
      if (motion.hasVelocity) text += csvVector(inFile(sample.velocity) / format.unit);
      const Vec3 spin = inFile(sample.angularVelocity);
      if (motion.hasAngularVelocity)
        text += csvVector(format.omega == MotionFormat::SpinFrame::Body ? Vec3(q.conjugate() * spin) : spin);
      text += '\n';
    }
  return text;
}

/// What is read of such a file.
inline RecordedMotion readBack(SceneFolder& folder, const RecordedMotion& motion, const MotionFormat& written,
                               const MotionFormat& read) {
  return readMotion(folder.write("written.csv", csvOf(motion, written).c_str()), read);
}

}  // namespace touchstone::test
