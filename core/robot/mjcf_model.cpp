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
    if (!m_model.off.equalities)
      forEachChild(root, "equality", [this](MjcfElement* section) { equality(section); });
    keyframes(root);
    if (!m_model.off.actuators)
      forEachChild(root, "actuator", [this](MjcfElement* section) { actuators(section); });
  }

 private:
  RobotLink& link(int index) { return m_model.tree.links[index]; }

  void equality(MjcfElement* section) {
    for (auto* child = section->FirstChildElement(); child; child = child->NextSiblingElement()) {
      m_document.applyDefaults(child, "main");
      const XmlView view = m_document.view(child);
      const std::string tag = view.tag();
      if (tag != "connect" && tag != "weld" && tag != "joint")
        view.fail("is an equality of the kind " + tag + ", which is not supported",
                  "use connect, weld or joint, or remove it");
      if (view.textOr("active", "true") == "false") {
        m_notes.add(view, "is not active: left out");
        continue;
      }
      if (tag == "joint")
        follow(view);
      else
        close(view, tag == "weld");
    }
  }

  void follow(const XmlView& element) {
    const int linkIndex = m_model.linkOfJoint(element, "joint1");
    if (!element.has("joint2")) {
      m_notes.add(element, "holds a joint at a constant: left out");
      return;
    }
    const int leaderIndex = m_model.linkOfJoint(element, "joint2");
    RobotJoint &joint = link(linkIndex).joint, &leader = link(leaderIndex).joint;
    if (!joint.moves() || !leader.moves())
      element.fail("couples joints without one coordinate", "name hinges and slides");
    if (linkIndex == leaderIndex) element.fail("couples a joint with itself", "name two joints");
    std::vector<double> c = {0, 1, 0, 0, 0};
    if (element.has("polycoef")) c = element.numbers("polycoef", 1, 5);
    c.resize(5, 0);
    if (c[2] != 0 || c[3] != 0 || c[4] != 0)
      element.fail("polycoef is not linear, which is not supported", "give a0 and a1 only");
    joint.mimic = leader.name;
    joint.ratio = c[1];
    joint.shift = joint.reference + c[0] - c[1] * leader.reference;
  }

  void close(const XmlView& element, bool isWeld) {
    if (!element.has("body1"))
      element.fail("names no body1 (sites are not supported)", "name body1, body2 and anchor");
    RobotLoop loop;
    loop.isWeld = isWeld;
    loop.name = element.textOr("name", "equality " + std::to_string(m_model.tree.loops.size() + 1));
    loop.file = element.file();
    loop.place = element.place();
    loop.linkA = m_model.linkOfBody(element, "body1");
    loop.linkB = element.has("body2") ? m_model.linkOfBody(element, "body2") : -1;
    loop.anchor = isWeld ? Vec3(0, 0, 0) : element.vector("anchor");
    if (element.has("relpose"))
      m_notes.add(element, "relpose is ignored: the bodies are welded as they are placed");
    m_model.tree.loops.push_back(loop);
  }

  void keyframes(MjcfElement* root) {
    std::string names;
    bool isFound = false;
    forEachChild(root, "keyframe", [&](MjcfElement* frames) {
      forEachChild(frames, "key", [&](MjcfElement* key) {
        const XmlView view = m_document.view(key);
        const std::string name = view.textOr("name", "");
        names += (names.empty() ? "'" : ", '") + name.substr(0, 60) + "'";
        if (m_options.keyframe.empty() || name != m_options.keyframe || isFound) return;
        isFound = true;
        if (view.has("qpos"))
          setPose(view, view.numbers("qpos", m_model.coordinateCount, m_model.coordinateCount));
        if (view.has("ctrl")) m_controls = view.numbers("ctrl", 0, 100'000);
      });
    });
    if (!m_options.keyframe.empty() && !isFound)
      throw SceneError(m_model.tree.file, "mujoco/keyframe", "has no key '" + m_options.keyframe + "'",
                       names.empty() ? "there are none" : "name one of " + names.substr(0, 300));
    if (!names.empty() && !isFound)
      m_notes.add(m_document.view(root),
                  "starts in the pose of the file, not in one of the keys " + names.substr(0, 300));
  }

  void setPose(const XmlView& keyframe, const std::vector<double>& qpos) {
    for (const MjcfKeyPlace& key : m_model.keyPlaces) {
      RobotLink& jointLink = link(key.link);
      const double* q = qpos.data() + key.first;
      if (jointLink.joint.moves()) jointLink.joint.start = q[0];
      const bool isFree = jointLink.joint.kind == RobotJoint::Kind::Free;
      if (jointLink.joint.moves() || (!isFree && jointLink.joint.kind != RobotJoint::Kind::Ball)) continue;
      const double* components = isFree ? q + 3 : q;
      Quaternion rotation(components[0], components[1], components[2], components[3]);
      if (!(rotation.norm() > 1e-9))
        keyframe.fail("qpos has a quaternion without length", "give unit quaternions");
      rotation.normalize();
      if (isFree) {
        jointLink.offset.position = Vec3(q[0], q[1], q[2]);
        jointLink.offset.orientation = rotation;
      } else {
        jointLink.offset = jointLink.offset *
                           RobotPose{jointLink.joint.anchor - rotation * jointLink.joint.anchor, rotation};
      }
    }
  }

  /// The ends of an actuator's range; infinite where it has none.
  /// @param least  out: the lower end   @return the upper end
  static double rangeOf(const XmlView& element, const char* range, const char* limited, double& least) {
    least = -HUGE_VAL;
    if (!element.has(range) || element.textOr(limited, "auto") == "false") return HUGE_VAL;
    const std::vector<double> ends = element.numbers(range, 2, 2);
    if (ends[0] > ends[1]) element.fail(std::string(range) + " has the least above the most", "swap them");
    if (ends[0] == 0 && ends[1] == 0) return HUGE_VAL;
    least = ends[0];
    return ends[1];
  }

  void actuators(MjcfElement* section) {
    for (auto* child = section->FirstChildElement(); child; child = child->NextSiblingElement()) {
      const XmlView before = m_document.view(child);
      if (before.tag() == "plugin") before.fail("is a plugin, which is not supported", "remove it");
      m_document.applyDefaults(child, "main");
      const XmlView view = m_document.view(child);
      const double control = m_actuators < m_controls.size() ? m_controls[m_actuators] : 0;
      ++m_actuators;
      if (!view.has("joint")) {
        m_notes.add(view, "acts on no joint: left out");
        continue;
      }
      const int linkIndex = m_model.linkOfJoint(view, "joint");
      if (!link(linkIndex).joint.moves()) {
        m_notes.add(view, "acts on a joint without one coordinate: left out");
        continue;
      }
      actuator(view, control, link(linkIndex).joint);
    }
  }

  void actuator(const XmlView& element, double control, RobotJoint& joint) {
    const double gear = element.has("gear") ? element.numbers("gear", 1, 6)[0] : 1;
    double least = 0, leastForce = 0;
    const double greatest = rangeOf(element, "ctrlrange", "ctrllimited", least);
    const double mostForce = rangeOf(element, "forcerange", "forcelimited", leastForce);
    const std::string tag = element.tag();
    if (tag == "motor") {
      const double largest = std::min(std::max(std::abs(greatest), std::abs(least)) * std::abs(gear),
                                      std::max(std::abs(mostForce), std::abs(leastForce)) * std::abs(gear));
      m_notes.add(element, "torque = gear × control" +
                               (std::isfinite(largest) ? ", at most " + fourDigits(largest) + " in size"
                                                       : std::string()) +
                               "; the control is 0, so that it does nothing");
      return;
    }
    // Force = gain control + bias − stiffness length − damping d(length)/dt, where length = gear ×
    // coordinate.
    double gain = 0, bias = 0, stiffness = 0, damping = 0;
    if (tag == "position") {
      gain = stiffness = element.nonNegativeOr("kp", 1);
      damping = element.nonNegativeOr("kv", 0);
    } else if (tag == "velocity") {
      gain = damping = element.nonNegativeOr("kv", 1);
    } else if (tag == "general" && element.textOr("biastype", "none") == "affine" &&
               element.textOr("gaintype", "fixed") == "fixed" &&
               element.textOr("dyntype", "none") == "none") {
      const std::vector<double> terms =
          element.has("biasprm") ? element.numbers("biasprm", 1, 10) : std::vector<double>{0};
      gain = element.has("gainprm") ? element.numbers("gainprm", 1, 10)[0] : 1;
      bias = terms[0];
      stiffness = terms.size() > 1 ? -terms[1] : 0;
      damping = terms.size() > 2 ? -terms[2] : 0;
    }
    if (!(stiffness >= 0) || !(damping >= 0) || !(stiffness > 0 || damping > 0) || gear == 0) {
      m_notes.add(element, "is no motor, position, velocity or affine servo: left out");
      return;
    }
    if (joint.stiffness > 0 || joint.damping > 0)
      m_notes.add(element,
                  "its servo is one drive with the spring and damper of the joint, with one largest force");
    control = std::clamp(control, least, greatest);
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
    m_notes.add(element, "a drive with stiffness " + fourDigits(k) + " and target " + fourDigits(target));
  }

  MjcfModel& m_model;
  const MjcfDocument& m_document;
  const RobotOptions& m_options;
  RobotNotes& m_notes;
  std::vector<double> m_controls;  ///< of the chosen key
  std::size_t m_actuators = 0;
};

}  // namespace

int MjcfModel::linkOfBody(const XmlView& element, const char* key) const {
  const std::string name = element.text(key);
  if (name == "world") return -1;
  const auto found = bodies.find(name);
  if (found == bodies.end())
    element.fail(std::string(key) + " names the body '" + name.substr(0, 60) + "', which is not in the model",
                 "correct the name");
  return found->second;
}

int MjcfModel::linkOfJoint(const XmlView& element, const char* key) const {
  const std::string name = element.text(key);
  const auto found = joints.find(name);
  if (found == joints.end())
    element.fail(
        std::string(key) + " names the joint '" + name.substr(0, 60) + "', which is not in the model",
        "correct the name");
  return found->second;
}

void finishModel(MjcfModel& model, const MjcfDocument& document, const RobotOptions& options,
                 RobotNotes& notes) {
  MjcfFinisher(model, document, options, notes).finish();
}

}  // namespace touchstone
