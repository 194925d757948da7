#include "core/store/poses.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/files/sha256.h"
#include "core/files/text_forms.h"
#include "core/record/integrator.h"
#include "core/store/csv.h"
#include "touchstone_version.h"

namespace touchstone {

namespace {

/// A name that fits into a line that begins with #.
std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

/// A coordinate in a body's own frame, with rounding of zero removed.
std::string lengthText(const Body& body, double length) {
  // Relative to the body. A larger value zeroes real offsets; a smaller one prints rounding noise.
  constexpr double kRounding = 1e-14;
  return csvNumber(std::abs(length) <= kRounding * body.shape->radius ? 0 : length);
}

/// Head of both files.
std::string firstLines(const std::string& form, const Scene& scene, const std::string& pane) {
  std::string header = "# " + form + ": 1\n# scene: " + oneLine(scene.name) + "\n";
  const auto file = scene.sources.find(std::filesystem::path(scene.file).filename().string());
  if (file != scene.sources.end()) header += "# scene_sha256: " + sha256(*file->second.bytes) + "\n";
  return header + "# engine: touchstone " TS_VERSION " (" + oneLine(pane) + ")\n# length: m\n# up: y\n";
}

std::string contactLinesOf(const std::string& time, const std::vector<Contact>& contacts,
                           const Scene& scene) {
  std::string lines;
  for (const Contact& contact : contacts) {
    const Body &a = scene.bodies[contact.bodyA], &b = scene.bodies[contact.bodyB];
    const Vec3 point = a.motion == Motion::Static   ? contact.pointB
                       : b.motion == Motion::Static ? contact.pointA
                                                    : Vec3(0.5 * (contact.pointA + contact.pointB));
    lines += time + ',' + csvText(a.name) + ',' + csvText(b.name) + csvVector(point) +
             csvVector(contact.normal) + ',' + csvNumber(contact.normalImpulse) +
             csvVector(contact.frictionImpulse) + ',' + csvNumber(contact.gap) + '\n';
  }
  return lines;
}

}  // namespace

std::string poseHeader(const Scene& scene, const std::string& pane, double dt) {
  std::string header = firstLines("touchstone_trajectory", scene, pane);
  header += "# frame: com\n# omega: world\n";
  if (dt > 0) header += "# step: " + csvNumber(dt) + "\n# integrator: " + kSemiImplicitEuler + "\n";
  for (const Body& body : scene.bodies)
    if (body.motion == Motion::Dynamic)
      header += "# centre_of_mass: " + oneLine(body.name) + " " + lengthText(body, body.centre.x()) + " " +
                lengthText(body, body.centre.y()) + " " + lengthText(body, body.centre.z()) + "\n";
  return header + "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
}

std::string poseLines(const StepRecord& record, const Scene& scene) {
  const std::string time = csvNumber(record.time);
  std::string lines;
  for (std::size_t index = 0; index < record.bodies.size(); ++index) {
    const BodyState& body = record.bodies[index];
    if (scene.bodies[index].motion == Motion::Static || !body.active) continue;
    lines += time + ',' + csvText(scene.bodies[index].name);
    const Quaternion& q = body.orientation;
    lines += csvVector(body.position) + ',' + csvNumber(q.w()) + csvVector(q.vec()) +
             csvVector(body.linearVelocity) + csvVector(body.angularVelocity) + '\n';
  }
  return lines;
}

std::string poseContactHeader(const Scene& scene, const std::string& pane, bool complete) {
  return firstLines("touchstone_contacts", scene, pane) +
         "# kind: impulse\n# complete: " + (complete ? "yes" : "no") +
         "\ntime,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz,gap\n";
}

std::string poseContactLines(const StepRecord& record, const Scene& scene) {
  const std::string time = csvNumber(record.time);
  std::string lines;
  for (const std::vector<Contact>& contacts : record.earlierContacts)
    lines += contactLinesOf(time, contacts, scene);
  return lines + contactLinesOf(time, record.contacts, scene);
}

}  // namespace touchstone
