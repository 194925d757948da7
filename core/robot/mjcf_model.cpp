#include "core/robot/mjcf_model.h"

#include <algorithm>
#include <cmath>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

class MjcfFinisher {
 public:
  MjcfFinisher(MjcfModel& model, const MjcfDocument& document, const RobotOptions& options, RobotNotes& notes)
      : m_model(model), m_document(document), m_options(options), m_notes(notes) {}

  void finish() {
    MjcfElement* root = m_document.root();
    forEachChild(root, "equality", [this](MjcfElement* each) { equality(each); });
    keyframes(root);
    forEachChild(root, "actuator", [this](MjcfElement* each) { actuators(each); });
  }

 private:
  RobotLink& link(int index) { return m_model.tree.links[index]; }

  void equality(MjcfElement* section) {
    for (auto* each = section->FirstChildElement(); each; each = each->NextSiblingElement()) {
      m_document.applyDefaults(each, "main");
      const XmlView at = m_document.view(each);
      const std::string tag = at.tag();
      if (tag != "connect" && tag != "weld" && tag != "joint")
        at.fail("is an equality of the kind " + tag + ", which is not supported",
                "use connect, weld or joint, or remove it");
      if (at.textOr("active", "true") == "false") {
        m_notes.add(at, "is not active: left out");
        continue;
      }
      if (tag == "joint")
        follow(at);
      else
        close(at, tag == "weld");
    }
  }

  void follow(const XmlView& at) {
    const int own = m_model.linkOfJoint(at, "joint1");
    if (!at.has("joint2")) {
      m_notes.add(at, "holds a joint at a constant: left out");
      return;
    }
    const int other = m_model.linkOfJoint(at, "joint2");
    RobotJoint &joint = link(own).joint, &leader = link(other).joint;
    if (!joint.moves() || !leader.moves())
      at.fail("couples joints without one coordinate", "name hinges and slides");
    if (own == other) at.fail("couples a joint with itself", "name two joints");
    std::vector<double> c = {0, 1, 0, 0, 0};
    if (at.has("polycoef")) c = at.numbers("polycoef", 1, 5);
    c.resize(5, 0);
    if (c[2] != 0 || c[3] != 0 || c[4] != 0)
      at.fail("polycoef is not linear, which is not supported", "give a0 and a1 only");
    joint.mimic = leader.name;
    joint.ratio = c[1];
    joint.shift = joint.reference + c[0] - c[1] * leader.reference;
  }

  void close(const XmlView& at, bool isWeld) {
    if (!at.has("body1")) at.fail("names no body1 (sites are not supported)", "name body1, body2 and anchor");
    RobotLoop loop;
    loop.isWeld = isWeld;
    loop.name = at.textOr("name", "equality " + std::to_string(m_model.tree.loops.size() + 1));
    loop.file = at.file();
    loop.place = at.place();
    loop.linkA = m_model.linkOfBody(at, "body1");
    loop.linkB = at.has("body2") ? m_model.linkOfBody(at, "body2") : -1;
    loop.anchor = isWeld ? Vec3(0, 0, 0) : at.vector("anchor");
    if (at.has("relpose")) m_notes.add(at, "relpose is ignored: the bodies are welded as they are placed");
    m_model.tree.loops.push_back(loop);
  }

  void keyframes(MjcfElement* root) {
    std::string names;
    bool isFound = false;
    forEachChild(root, "keyframe", [&](MjcfElement* frames) {
      forEachChild(frames, "key", [&](MjcfElement* key) {
        const XmlView at = m_document.view(key);
        const std::string name = at.textOr("name", "");
        names += (names.empty() ? "'" : ", '") + name.substr(0, 60) + "'";
        if (m_options.keyframe.empty() || name != m_options.keyframe || isFound) return;
        isFound = true;
        if (at.has("qpos")) setPose(at, at.numbers("qpos", m_model.coordinateCount, m_model.coordinateCount));
        if (at.has("ctrl")) m_controls = at.numbers("ctrl", 0, 100'000);
      });
    });
    if (!m_options.keyframe.empty() && !isFound)
      throw SceneError(m_model.tree.file, "mujoco/keyframe", "has no key '" + m_options.keyframe + "'",
                       names.empty() ? "there are none" : "name one of " + names.substr(0, 300));
    if (!names.empty() && !isFound)
      m_notes.add(m_document.view(root),
                  "starts in the pose of the file, not in one of the keys " + names.substr(0, 300));
  }

  void setPose(const XmlView& at, const std::vector<double>& qpos) {
    for (const MjcfKeyPlace& key : m_model.keyPlaces) {
      RobotLink& own = link(key.link);
      const double* q = qpos.data() + key.first;
      if (own.joint.moves()) own.joint.start = q[0];
      const bool isFree = own.joint.kind == RobotJoint::Kind::Free;
      if (own.joint.moves() || (!isFree && own.joint.kind != RobotJoint::Kind::Ball)) continue;
      const double* turn = isFree ? q + 3 : q;
      Quaternion rotation(turn[0], turn[1], turn[2], turn[3]);
      if (!(rotation.norm() > 1e-9)) at.fail("qpos has a quaternion without length", "give unit quaternions");
      rotation.normalize();
      if (isFree) {
        own.offset.position = Vec3(q[0], q[1], q[2]);
        own.offset.orientation = rotation;
      } else {
        own.offset = own.offset * RobotPose{own.joint.anchor - rotation * own.joint.anchor, rotation};
      }
    }
  }

  /// The ends of an actuator's range; infinite where it has none.
  /// @param least  out: the lower end   @return the upper end
  static double rangeOf(const XmlView& at, const char* range, const char* limited, double& least) {
    least = -HUGE_VAL;
    if (!at.has(range) || at.textOr(limited, "auto") == "false") return HUGE_VAL;
    const std::vector<double> ends = at.numbers(range, 2, 2);
    if (ends[0] > ends[1]) at.fail(std::string(range) + " has the least above the most", "swap them");
    if (ends[0] == 0 && ends[1] == 0) return HUGE_VAL;
    least = ends[0];
    return ends[1];
  }

  void actuators(MjcfElement* section) {
    for (auto* each = section->FirstChildElement(); each; each = each->NextSiblingElement()) {
      const XmlView before = m_document.view(each);
      if (before.tag() == "plugin") before.fail("is a plugin, which is not supported", "remove it");
      m_document.applyDefaults(each, "main");
      const XmlView at = m_document.view(each);
      const double control = m_actuators < m_controls.size() ? m_controls[m_actuators] : 0;
      ++m_actuators;
      if (!at.has("joint")) {
        m_notes.add(at, "acts on no joint: left out");
        continue;
      }
      const int own = m_model.linkOfJoint(at, "joint");
      if (!link(own).joint.moves()) {
        m_notes.add(at, "acts on a joint without one coordinate: left out");
        continue;
      }
      actuator(at, control, link(own).joint);
    }
  }

  void actuator(const XmlView& at, double control, RobotJoint& joint) {
    const double gear = at.has("gear") ? at.numbers("gear", 1, 6)[0] : 1;
    double least = 0, leastForce = 0;
    const double most = rangeOf(at, "ctrlrange", "ctrllimited", least);
    const double mostForce = rangeOf(at, "forcerange", "forcelimited", leastForce);
    const std::string tag = at.tag();
    if (tag == "motor") {
      const double largest = std::min(std::max(std::abs(most), std::abs(least)) * std::abs(gear),
                                      std::max(std::abs(mostForce), std::abs(leastForce)) * std::abs(gear));
      m_notes.add(
          at, "torque = gear × control" +
                  (std::isfinite(largest) ? ", at most " + fourDigits(largest) + " in size" : std::string()) +
                  "; the control is 0, so that it does nothing");
      return;
    }
    // Force = gain control + bias − stiffness length − damping d(length)/dt, where length = gear ×
    // coordinate.
    double gain = 0, bias = 0, stiffness = 0, damping = 0;
    if (tag == "position") {
      gain = stiffness = at.nonNegativeOr("kp", 1);
      damping = at.nonNegativeOr("kv", 0);
    } else if (tag == "velocity") {
      gain = damping = at.nonNegativeOr("kv", 1);
    } else if (tag == "general" && at.textOr("biastype", "none") == "affine" &&
               at.textOr("gaintype", "fixed") == "fixed" && at.textOr("dyntype", "none") == "none") {
      const std::vector<double> terms =
          at.has("biasprm") ? at.numbers("biasprm", 1, 10) : std::vector<double>{0};
      gain = at.has("gainprm") ? at.numbers("gainprm", 1, 10)[0] : 1;
      bias = terms[0];
      stiffness = terms.size() > 1 ? -terms[1] : 0;
      damping = terms.size() > 2 ? -terms[2] : 0;
    }
    if (!(stiffness >= 0) || !(damping >= 0) || !(stiffness > 0 || damping > 0) || gear == 0) {
      m_notes.add(at, "is no motor, position, velocity or affine servo: left out");
      return;
    }
    if (joint.stiffness > 0 || joint.damping > 0)
      m_notes.add(at,
                  "its servo is one drive with the spring and damper of the joint, with one largest force");
    control = std::clamp(control, least, most);
    const double k = stiffness * gear * gear,
                 target = stiffness > 0 ? (gain * control + bias) / (stiffness * gear) : 0;
    if (joint.stiffness + k > 0)
      joint.target = (joint.stiffness * joint.target + k * target) / (joint.stiffness + k);
    joint.stiffness += k;
    if (tag == "velocity" && joint.damping + damping > 0)
      joint.rate = damping * gear * control / (joint.damping + damping * gear * gear);
    joint.damping += damping * gear * gear;
    const double largest = std::max(std::abs(leastForce), std::abs(mostForce)) * std::abs(gear);
    if (std::isfinite(largest) && largest > 0) joint.mostForce = largest;
    m_notes.add(at, "a drive with stiffness " + fourDigits(k) + " and target " + fourDigits(target));
  }

  MjcfModel& m_model;
  const MjcfDocument& m_document;
  const RobotOptions& m_options;
  RobotNotes& m_notes;
  std::vector<double> m_controls;  ///< of the chosen key
  std::size_t m_actuators = 0;
};

}  // namespace

int MjcfModel::linkOfBody(const XmlView& at, const char* key) const {
  const std::string name = at.text(key);
  if (name == "world") return -1;
  const auto found = bodies.find(name);
  if (found == bodies.end())
    at.fail(std::string(key) + " names the body '" + name.substr(0, 60) + "', which is not in the model",
            "correct the name");
  return found->second;
}

int MjcfModel::linkOfJoint(const XmlView& at, const char* key) const {
  const std::string name = at.text(key);
  const auto found = joints.find(name);
  if (found == joints.end())
    at.fail(std::string(key) + " names the joint '" + name.substr(0, 60) + "', which is not in the model",
            "correct the name");
  return found->second;
}

void finishModel(MjcfModel& model, const MjcfDocument& document, const RobotOptions& options,
                 RobotNotes& notes) {
  MjcfFinisher(model, document, options, notes).finish();
}

}  // namespace touchstone
