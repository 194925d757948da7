#include "core/verify/analytic_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/geometry/topology.h"
#include "core/run/pane_name.h"
#include "core/run/simulation.h"
#include "core/solver/solver_traits.h"
#include "core/world/world.h"

namespace touchstone {

namespace {

constexpr double kGravity = 9.81;  // m/s²

Body boxOf(const Vec3& size, double mass, const Vec3& position) {
  Polytope box;
  for (int corner = 0; corner < 8; ++corner)
    box.vertices.push_back(0.5 * Vec3(corner & 1 ? size.x() : -size.x(), corner & 2 ? size.y() : -size.y(),
                                      corner & 4 ? size.z() : -size.z()));
  for (const std::vector<int>& face : std::vector<std::vector<int>>{
           {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}})
    box.faces.push_back({face, Vec3::Zero(), 0});
  buildTopology(box);
  auto shape = std::make_shared<Shape>();
  shape->pieces.push_back(box);
  shape->surfaces.push_back(triangulated(box));
  shape->radius = 0.5 * size.norm();
  Body body;
  body.name = "box";
  body.shape = shape;
  body.mass = mass;
  const Vec3 s = size.cwiseProduct(size);
  body.inertia = (mass / 12 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y())).asDiagonal();
  body.volume = size.prod();
  body.position = position;
  return body;
}

Body plane() {
  auto shape = std::make_shared<Shape>();
  shape->kind = Shape::Kind::Plane;
  Body body;
  body.name = "ground";
  body.shape = shape;
  body.motion = Motion::Static;
  return body;
}

std::shared_ptr<Scene> sceneOf(std::vector<Body> bodies, double dt, double friction = 0, bool falls = true) {
  auto scene = std::make_shared<Scene>();
  scene->name = scene->file = "analytic";
  Material material;
  material.staticFriction = material.dynamicFriction = friction;
  scene->materials.push_back(material);
  scene->bodies = std::move(bodies);
  scene->dt = dt;
  scene->size = 1;
  scene->gravity = falls ? Vec3(0, -kGravity, 0) : Vec3(0, 0, 0);
  return scene;
}

struct Pane {
  const char* name;
  const char* step;  ///< of PEG, or null
  const MethodInfo& method() const { return *findMethod(paneNamed(name).method); }
  bool isPenalty() const { return method().penalty.has_value(); }
  PaneSettings settings() const {
    PaneSettings paneSettings = paneNamed(name);
    if (step) paneSettings.parameters["step"] = std::string(step);
    if (isPenalty()) paneSettings.substeps = 8;
    if (traitsOf(paneSettings.solver).sweeps) paneSettings.parameters["max_iterations"] = 1000.0;
    return paneSettings;
  }
  std::string label() const { return step ? std::string(name) + " " + step : name; }
};

constexpr Pane kPanes[] = {{"dpf", nullptr},
                           {"dpf-ccd", nullptr},
                           {"cpf", nullptr},
                           {"lcp", nullptr},
                           {"lcp-lemke", nullptr},
                           {"lcp-pgs", nullptr},
                           {"peg", "plain"},
                           {"lcp-newton-fb-pcr", nullptr},
                           {"peg", "relinearise"},
                           {"peg", "exact"},
                           {"peg-pgs", "plain"},
                           {"peg-newton-fb-pcr", "plain"},
                           {"peg-newton-fb-pcr", "exact"}};

struct Wanted {
  const char *test, *unit;
  double exact, tolerance;
};

class Checks {
 public:
  explicit Checks(const std::function<void(const AnalyticCheck&)>& report) : m_told(report) {}

  void run(const Pane& pane) {
    fall(pane);
    spin(pane);
    slide(pane);
    rest(pane);
    impact(pane);
    if (findParameter(pane.method(), "restitution")) bounce(pane);
  }

  std::vector<AnalyticCheck> checks;

 private:
  static RecordPtr advance(Simulation& simulation, double until) {
    RecordPtr record = simulation.current();
    while (simulation.world().time < until - 0.5 * simulation.dt()) record = simulation.step();
    return record;
  }

  void tell(const Pane& pane, const Wanted& wanted, double measured) {
    checks.push_back({wanted.test, pane.label(), wanted.unit, wanted.exact, measured, wanted.tolerance});
    if (m_told) m_told(checks.back());
  }

  void fall(const Pane& pane) {
    Simulation simulation(sceneOf({plane(), boxOf(Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 20, 0))}, 0.01),
                          pane.settings(), 0.01);
    const RecordPtr record = advance(simulation, 1);
    tell(pane, {"free fall, 1 s: change of energy", "J", 0, 1e-9}, record->quantities[Quantity::EnergyDrift]);
  }

  /// Torque-free rotation about the axis of the middle moment: RK4 gives the zeros of ω_x in the body frame.
  void spin(const Pane& pane) {
    Body body = boxOf(Vec3(0.2, 0.1, 0.3), 1, Vec3(0, 0, 0));
    body.angularVelocity = Vec3(8, 0.1, 0);
    PaneSettings settings = pane.settings();
    settings.substeps = 1;
    Simulation simulation(sceneOf({body}, 0.002, 0, false), settings, 0.002);
    const double start = simulation.current()->quantities[Quantity::EnergyKinetic];
    double worst = 0, before = 8, crossing = 0;
    for (int frame = 1; frame <= 5000; ++frame) {
      const RecordPtr record = simulation.step();
      worst = std::max(worst, std::abs(record->quantities[Quantity::EnergyKinetic] / start - 1));
      const double now =
          (simulation.world().orientation[0].conjugate() * simulation.world().angularVelocity[0]).x();
      if (crossing == 0 && before > 0 && now <= 0) crossing = 0.002 * (frame - 1 + before / (before - now));
      before = now;
    }
    tell(pane, {"free rotation, 10 s: largest change of energy", "", 0, 1e-3}, worst);
    tell(pane, {"free rotation: ω_x = 0 in the body's frame", "s", 1.4056, 0.014056}, crossing);
  }

  void slide(const Pane& pane) {
    Body body = boxOf(Vec3(0.2, 0.1, 0.2), 1, Vec3(0, 0.05, 0));
    body.linearVelocity = 2 * Vec3(std::cos(0.4), 0, std::sin(0.4));
    Simulation simulation(sceneOf({plane(), body}, 0.002, 0.3), pane.settings(), 0.002);
    advance(simulation, 1);
    const Vec3 way = simulation.world().position[1];
    const bool isPyramid = !traitsOf(pane.settings().solver).cone;
    // A friction pyramid with eight facets brakes with at least cos(π/8) of the friction.
    tell(pane,
         {"sliding, v₀ = 2 m/s, μ = 0.3: way", "m", 4 / (2 * 0.3 * kGravity), isPyramid ? 0.06 : 0.0035},
         Vec3(way.x(), 0, way.z()).norm());
  }

  void rest(const Pane& pane) {
    constexpr double kStiffness = 2e4, kMass = 1;
    PaneSettings settings = pane.settings();
    if (pane.isPenalty()) settings.parameters["stiffness"] = kStiffness;
    Simulation simulation(sceneOf({plane(), boxOf(Vec3(0.2, 0.1, 0.3), kMass, Vec3(0, 0.05, 0))}, 0.004, 0.3),
                          settings, 0.004);
    advance(simulation, 2);
    double force = 0, depth = 0;
    // Frames of the mean. More take longer; with fewer, oscillation about the rest enters the mean.
    constexpr int kFrames = 500;
    for (int frame = 0; frame < kFrames; ++frame) {
      const RecordPtr record = simulation.step();
      force += record->quantities[Quantity::NormalForce] / kFrames;
      depth += (0.05 - simulation.world().position[1].y()) / kFrames;
    }
    tell(pane, {"weight at rest, mean over 2 s", "N", kMass * kGravity, 0.02}, force);
    const double h = 0.004 / settings.substeps, sigma = h * h * 4 * kStiffness / kMass;
    const double exact =
        pane.isPenalty() ? (1 - pane.method().penalty->instant * sigma) * kMass * kGravity / (4 * kStiffness)
                         : 0;
    tell(pane, {"depth at rest, (1 − θ σ) m g / 4 k", "m", exact, std::max(1e-8, 0.02 * exact)}, depth);
  }

  void impact(const Pane& pane) {
    Body bodyOnLeft = boxOf(Vec3(0.2, 0.2, 0.2), 1, Vec3(-0.2, 0.3, 0.1)),
         right = boxOf(Vec3(0.2, 0.3, 0.2), 4, Vec3(0.15, 0.37, 0.12));
    bodyOnLeft.linearVelocity = Vec3(2, 0, 0);
    bodyOnLeft.angularVelocity = Vec3(3, 5, -4);
    Simulation simulation(sceneOf({bodyOnLeft, right}, 0.001, 0.3, false), pane.settings(), 0.001);
    double angular = 0, linear = 0, size = 0;
    for (int frame = 0; frame < 400; ++frame) {
      const RecordPtr record = simulation.step();
      linear = std::max(linear, record->quantities[Quantity::MomentumLinearError]);
      angular = std::max(angular, record->quantities[Quantity::MomentumAngularError]);
      size = std::max(size, record->quantities[Quantity::MomentumAngular]);
    }
    tell(pane, {"oblique hit: change of linear momentum", "N·s", 0, 1e-12 * 2}, linear);
    tell(pane, {"oblique hit: change of angular momentum", "N·m·s", 0, 1e-12 * size}, angular);
    if (pane.isPenalty()) return;
    Body slow = boxOf(Vec3(0.2, 0.2, 0.2), 4, Vec3(0.15, 0, 0)),
         fast = boxOf(Vec3(0.2, 0.2, 0.2), 1, Vec3(-0.15, 0, 0));
    fast.linearVelocity = Vec3(1, 0, 0);
    Simulation flush(sceneOf({fast, slow}, 0.005, 0, false), pane.settings(), 0.005);
    advance(flush, 0.3);
    tell(pane, {"flush boxes of 1 and 4 kg meet: speed", "m/s", 0.2, 1e-7},
         flush.world().linearVelocity[1].x());
  }

  void bounce(const Pane& pane) {
    PaneSettings settings = pane.settings();
    settings.parameters["restitution"] = 0.8;
    Simulation simulation(sceneOf({plane(), boxOf(Vec3(0.2, 0.2, 0.2), 1, Vec3(0, 1.1, 0))}, 0.001), settings,
                          0.001);
    const double impactTime = std::sqrt(2 / kGravity);
    advance(simulation, impactTime + 0.05);
    double highest = 0;
    for (int frame = 0; frame < 700; ++frame) {
      simulation.step();
      highest = std::max(highest, simulation.world().position[1].y() - 0.1);
    }
    tell(pane, {"drop of 1 m with e = 0.8: rebound", "m", 0.64, 0.01}, highest);
  }

  const std::function<void(const AnalyticCheck&)>& m_told;
};

}  // namespace

std::vector<AnalyticCheck> analyticChecks(const std::function<void(const AnalyticCheck&)>& report) {
  Checks checks(report);
  for (const Pane& pane : kPanes) checks.run(pane);
  return std::move(checks.checks);
}

}  // namespace touchstone
