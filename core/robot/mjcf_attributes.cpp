#include "core/robot/mjcf_attributes.h"

#include <cstring>
#include <map>
#include <set>
#include <string>

namespace touchstone {

namespace {

using Names = std::set<std::string>;

const Names kPose = {"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"};
/// Attributes of any element that only name it, or are seen.
const Names kWithoutEffect = {"name", "class", "childclass", "group", "rgba", "material", "user"};

Names withPose(Names names) {
  names.insert(kPose.begin(), kPose.end());
  return names;
}

/// The attributes that the importer reads, or notes by itself, by element. Elements that are not listed are
/// noted as a whole.
const std::map<std::string, Names>& readAttributes() {
  static const Names actuator = {"joint",       "gear",       "kp",           "kv",      "ctrlrange",
                                 "ctrllimited", "forcerange", "forcelimited", "gainprm", "biasprm",
                                 "biastype",    "gaintype",   "dyntype"};
  static const std::map<std::string, Names> names = {
      {"mujoco", {"model"}},
      {"compiler",
       {"angle", "coordinate", "eulerseq", "assetdir", "meshdir", "texturedir", "strippath", "autolimits",
        "inertiafromgeom", "settotalmass", "boundmass", "boundinertia", "balanceinertia", "inertiagrouprange",
        "discardvisual", "usethread"}},
      {"option", {"gravity", "timestep", "wind", "density", "viscosity"}},
      {"flag",
       {"gravity", "contact", "limit", "equality", "frictionloss", "passive", "spring", "damper", "actuation",
        "constraint",
        // What is computed, not what is modelled:
        "warmstart", "sensor", "energy", "fwdinv", "invdiscrete", "island", "multiccd", "nativeccd",
        "autoreset", "refsafe"}},
      {"mesh", {"file", "scale", "refpos", "refquat", "smoothnormal", "content_type"}},
      {"body", withPose({})},
      {"frame", withPose({})},
      {"inertial", withPose({"mass", "diaginertia", "fullinertia"})},
      {"freejoint", {}},
      {"joint",
       {"type", "pos", "axis", "range", "limited", "stiffness", "damping", "armature", "frictionloss", "ref",
        "springref", "springdamper"}},
      {"geom",
       withPose({"type", "size", "fromto", "mesh", "friction", "density", "mass", "contype", "conaffinity"})},
      {"exclude", {"body1", "body2"}},
      {"equality/connect", {"active", "body1", "body2", "anchor"}},
      {"equality/weld", {"active", "body1", "body2", "relpose"}},
      {"equality/joint", {"active", "joint1", "joint2", "polycoef"}},
      {"key", {"qpos", "ctrl"}},
      {"motor", actuator},
      {"position", actuator},
      {"velocity", actuator},
      {"general", actuator}};
  return names;
}

bool isDrawn(const std::string& tag) {
  static const Names drawn = {"site",      "camera",  "light",    "visual",
                              "statistic", "texture", "material", "skin"};
  return drawn.count(tag) > 0;
}

void note(const XmlView& element, const Names& read, RobotNotes& notes) {
  for (auto* attribute = element.element().FirstAttribute(); attribute; attribute = attribute->Next()) {
    const std::string name = attribute->Name();
    if (read.count(name) == 0 && kWithoutEffect.count(name) == 0)
      notes.add(element, "the attribute " + name.substr(0, 60) + " is passed over");
  }
}

void visit(const XmlView& element, const std::string& parent, RobotNotes& notes) {
  const std::string tag = element.tag();
  if (isDrawn(tag) || tag == "default") return;
  const auto& names = readAttributes();
  auto found = names.find(parent == "equality" ? "equality/" + tag : tag);
  if (found == names.end() && parent == "equality") found = names.find(tag);
  if (found != names.end()) note(element, found->second, notes);
  for (const XmlView& child : element.children()) visit(child, tag, notes);
}

}  // namespace

void notePassedOver(const XmlView& root, RobotNotes& notes) { visit(root, "", notes); }

}  // namespace touchstone
