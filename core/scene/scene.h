#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/math/quaternion.h"
#include "core/scene/deformable/deformable.h"
#include "core/scene/joint.h"
#include "core/scene/parameter.h"
#include "core/shape/shape.h"

namespace touchstone {

/// Material of a body. The friction of a pair is the geometric mean of both coefficients.
struct Material {
  std::string name = "default";
  double density = 1000;      ///< kg/m³; of polygons kg/m²
  double staticFriction = 0;  ///< Coulomb coefficient, ≥ dynamicFriction
  double dynamicFriction = 0;
  /// Distance from its surface at which a contact holds others; of a pair the sum. Non-smooth Newton alone
  /// has it [m].
  double thickness = 0;
};

enum class Motion { Dynamic, Static };

/// One body as given by the scene. A body that deforms has its particles beside it; its position is that of
/// its centre of mass at the start, and its angular velocity is 0.
struct Body {
  std::string name;
  std::shared_ptr<const Shape> shape;
  Motion motion = Motion::Dynamic;
  int material = 0;              ///< index into Scene::materials
  double mass = 0;               ///< kg; 0 for static bodies
  Mat3 inertia = Mat3::Zero();   ///< kg·m², body frame, about the centre of mass
  double volume = 0;             ///< m³; of polygons their area [m²]
  Vec3 position = Vec3::Zero();  ///< centre of mass, world frame [m]
  Vec3 centre = Vec3::Zero();    ///< centre of mass in the frame of the shape's file [m]; 0 for static bodies
  Quaternion orientation = Quaternion::Identity();
  Vec3 linearVelocity = Vec3::Zero(), angularVelocity = Vec3::Zero();  ///< m/s, rad/s, world frame
  /// The body is not active before this time [s]: it neither moves, nor collides, nor is drawn.
  double releaseTime = 0;
  bool visible = true;  ///< false: drawn as an outline only (walls in front of the scene)
  int replica = 0;      ///< index of its replica (see replicated()); bodies of different replicas never meet
  std::shared_ptr<const Deformable> deformable;  ///< null: rigid
};

/// A camera position that shows the scene well.
struct SuggestedView {
  Vec3 eye = Vec3(2, 1.5, 3), target = Vec3::Zero();
};

/// An analytic solution that plots draw with the results of the methods: value(t) = Σ coefficients[i] tⁱ in
/// the unit of the quantity, with t the simulated time [s].
struct AnalyticCurve {
  std::string quantity;  ///< key of the quantity, such as energy_kinetic
  std::string formula;   ///< shown in the legend
  std::vector<double> coefficients;
  double at(double time) const {
    double value = 0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) value = value * time + *c;
    return value;
  }
};

/// Range by which a seed changes the start of a scene: each dynamic body independently, uniformly.
struct StartVariation {
  double position = 0;  ///< along each horizontal axis, ± this [m]
  double angle = 0;     ///< rotation by up to this angle about any axis (planar scenes: about z) [rad]
  double spin = 0;      ///< added to the angular velocity, ± this about each axis [rad/s]
};

/// The content of a scene file. Immutable after load; shared by all panes.
struct Scene {
  std::string name;                  ///< identifier, also used in file names
  std::string title;                 ///< one line for the gallery
  std::string lesson;                ///< a few sentences, Markdown: what to look for, what to change
  std::string file;                  ///< file from which it was loaded
  Vec3 gravity = Vec3(0, -9.81, 0);  ///< m/s²
  double dt = 0.01;                  ///< frame and step length [s]; panes divide it by their substeps
  double duration = 5;               ///< suggested time to run [s]
  bool planar = false;               ///< all bodies are polygons (or planes) that stay in the plane z = 0
  std::vector<Material> materials;
  std::vector<Body> bodies;                   ///< static and dynamic; the index is the body id everywhere
  std::vector<Joint> joints;                  ///< of its bodies; the index is the joint id everywhere
  std::vector<std::array<int, 2>> noContact;  ///< pairs of bodies that pass through each other
  std::vector<std::string> methods;           ///< suggested panes, for example {"dpf", "cpf", "lcp", "peg"}
  std::map<std::string, ParameterValues> parameters;  ///< suggested values by method key
  std::vector<AnalyticCurve> analytic;                ///< drawn in the plots of their quantities
  SourceFiles sources;                                ///< the scene file and each mesh file
  /// For the user, one line each: what an import made of its file, and per mesh the size and mass that were
  /// assumed for it.
  std::vector<std::string> notes;
  StartVariation variation;  ///< variation that varied() applied to the start
  int seed = 0;              ///< 0: the start is as in the file
  SuggestedView view;
  double size = 1;    ///< diagonal of the box around all bounded bodies at the start [m]
  double length = 0;  ///< `length_scale` of the file [m]; 0: from the bodies, see lengthOf()
  int replicas =
      1;  ///< number of replicas in one scene, by replicated(); each has its own bodies and parameters
  /// [replicas] or empty: values by method key that replace those of the replica's pane.
  std::vector<std::map<std::string, ParameterValues>> replicaParameters;
};

}  // namespace touchstone
