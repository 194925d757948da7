#include "core/conform/references.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace touchstone {

namespace {

/// The direction of a pyramid that opposes a velocity most.
std::array<double, 2> opposing(int facets, double vx, double vz) {
  std::array<double, 2> best{0, 0};
  double largest = 0;
  for (int k = 0; k < facets; ++k) {
    const double angle = 2 * M_PI * k / facets;
    const double power = -(std::cos(angle) * vx + std::sin(angle) * vz);
    if (power > largest) {
      largest = power;
      best = {std::cos(angle), std::sin(angle)};
    }
  }
  return best;
}

double of(const std::map<std::string, double>& arguments, const char* key) { return arguments.at(key); }

}  // namespace

double slopeAcceleration(double gravity, double angle, double friction) {
  return std::max(0.0, gravity * (std::sin(angle) - friction * std::cos(angle)));
}

double stoppingDistance(double speed, double friction, double gravity) {
  return speed * speed / (2 * friction * gravity);
}

SpinDown tripodSpinDown(double inertia, double speed, double friction, double mass, double gravity,
                        double radius) {
  const double deceleration = friction * mass * gravity * radius / inertia;
  return {speed * speed / (2 * deceleration), speed / deceleration, 0};
}

SpinDown pyramidSpinDown(int facets, double inertia, double speed, double friction, double mass,
                         double gravity, double radius, double end) {
  constexpr int kFeet = 3;
  constexpr double kStep = 2e-6;  // s; ten times finer changes the sixth digit
  SpinDown result;
  double spin = speed, phase = 0, x = 0, z = 0, vx = 0, vz = 0;
  const double force = friction * mass * gravity / kFeet;
  // The first foot of the tripod of the battery.
  const double first = 0.2;
  double time = 0;
  for (; std::abs(spin) >= end && time < 10; time += kStep) {
    double fx = 0, fz = 0, torque = 0;
    for (int foot = 0; foot < kFeet; ++foot) {
      // About y a turn by φ takes (cos a, sin a) of (x, z) to a − φ.
      const double a = first + 2 * M_PI * foot / kFeet - phase;
      const double rx = radius * std::cos(a), rz = radius * std::sin(a);
      const auto direction = opposing(facets, vx + spin * rz, vz - spin * rx);
      fx += force * direction[0];
      fz += force * direction[1];
      torque += force * (rz * direction[0] - rx * direction[1]);
    }
    spin += kStep * torque / inertia;
    vx += kStep * fx / mass;
    vz += kStep * fz / mass;
    phase += kStep * spin;
    x += kStep * vx;
    z += kStep * vz;
  }
  result.angle = phase;
  result.time = time;
  result.drift = std::hypot(x, z);
  return result;
}

GroundForce frictionNearest(const ColumnModel& model, const GroundForce& wanted, double limit) {
  if (model.words.count("box"))
    return {std::clamp(wanted.x, -limit, limit), std::clamp(wanted.z, -limit, limit)};
  const double size = std::hypot(wanted.x, wanted.z);
  if (model.facets < 3)
    return size <= limit ? wanted : GroundForce{wanted.x * limit / size, wanted.z * limit / size};
  // The facet whose normal is nearest to the wanted force; along it not beyond its corners.
  const double half = M_PI / model.facets, step = 2 * half;
  const double normal = (std::floor(std::atan2(wanted.z, wanted.x) / step) + 0.5) * step;
  const double c = std::cos(normal), s = std::sin(normal);
  const double out = c * wanted.x + s * wanted.z, far = limit * std::cos(half);
  if (out <= far) return wanted;
  const double along =
      std::clamp(c * wanted.z - s * wanted.x, -limit * std::sin(half), limit * std::sin(half));
  return {c * far - s * along, s * far + c * along};
}

SlideAndSpin slideAndSpin(int facets, double inertia, double speed, double spin, double friction,
                          double radius, double height, double gravity, double end) {
  constexpr int kFeet = 3;
  constexpr double kStep = 2e-6;   // s; ten times finer changes the sixth digit
  constexpr double kStill = 2e-4;  // m/s; smaller speeds chatter across the corners of a pyramid
  const double first = 0.2;        // of the tripod of the battery
  SlideAndSpin result;
  double x = 0, z = 0, vx = speed, vz = 0, phase = 0;
  for (double time = 0; time < 10 && std::hypot(vx, vz) + radius * std::abs(spin) > kStill; time += kStep) {
    if (std::abs(spin) >= end) result.time = time;
    double rx[kFeet], rz[kFeet], ux[kFeet], uz[kFeet], a[kFeet], b[kFeet];
    for (int foot = 0; foot < kFeet; ++foot) {
      const double angle = first + 2 * M_PI * foot / kFeet - phase;
      rx[foot] = radius * std::cos(angle), rz[foot] = radius * std::sin(angle);
      const double fx = vx + spin * rz[foot], fz = vz - spin * rx[foot], size = std::hypot(fx, fz);
      const auto direction = facets < 3
                                 ? std::array<double, 2>{size > 0 ? -fx / size : 0, size > 0 ? -fz / size : 0}
                                 : opposing(facets, fx, fz);
      ux[foot] = friction * direction[0], uz[foot] = friction * direction[1];
      // Moments of a unit of weight on this foot about x and z of the centre.
      a[foot] = -height * uz[foot] - rz[foot];
      b[foot] = rx[foot] + height * ux[foot];
    }
    // Σ N = g, Σ N a = 0, Σ N b = 0, by Cramer's rule.
    double weight[kFeet], sum = 0;
    for (int foot = 0; foot < kFeet; ++foot) {
      const int next = (foot + 1) % kFeet, last = (foot + 2) % kFeet;
      weight[foot] = a[next] * b[last] - a[last] * b[next];
      sum += weight[foot];
    }
    double fx = 0, fz = 0, torque = 0;
    for (int foot = 0; foot < kFeet; ++foot) {
      const double normal = gravity * weight[foot] / sum;
      fx += normal * ux[foot];
      fz += normal * uz[foot];
      torque += normal * (rz[foot] * ux[foot] - rx[foot] * uz[foot]);
    }
    vx += kStep * fx;
    vz += kStep * fz;
    spin += kStep * torque / inertia;
    x += kStep * vx;
    z += kStep * vz;
    phase += kStep * spin;
  }
  result.path = x;
  result.drift = z;
  result.angle = phase;
  return result;
}

PyramidPuck pyramidPuck(int facets, double angle) {
  // In units of v₀ and μg: the cone stops at ½. Halving the step changes the fifth digit.
  constexpr double kStep = 1e-5;
  double vx = std::cos(angle), vz = std::sin(angle), x = 0, z = 0;
  for (int step = 0; step < 1'000'000; ++step) {
    const auto direction = opposing(facets, vx, vz);
    const double nextX = vx + kStep * direction[0], nextZ = vz + kStep * direction[1];
    // Where the change leaves nothing to oppose, the puck has stopped.
    const double before = std::hypot(vx, vz);
    if (before < kStep) break;
    vx = std::abs(nextX) < kStep && std::abs(vx) < 2 * kStep ? 0 : nextX;
    vz = std::abs(nextZ) < kStep && std::abs(vz) < 2 * kStep ? 0 : nextZ;
    x += kStep * vx;
    z += kStep * vz;
  }
  return {std::hypot(x, z) / 0.5, std::atan2(z, x) - angle};
}

double tippingRate(double width, double height, double slope, double tilt, double gravity) {
  const double half = 0.5 * std::hypot(width, height), beta = std::atan2(width, height);
  const double inertia = (width * width + height * height) / 12;
  return std::sqrt(2 * gravity * half * (std::cos(slope - beta) - std::cos(tilt + slope - beta)) /
                   (inertia + half * half));
}

double wheelFactor(int sides) {
  const double c = std::cos(2 * M_PI / sides), inertia = (2 + c) / 6;
  return (inertia + c) / (inertia + 1);
}

double wheelSides(int sides, double radius, double rate, double gravity, double time) {
  // Between corners an inverted pendulum about the touching corner, from −π/N to π/N.
  const double half = M_PI / sides, c = std::cos(2 * half);
  const double inertia = radius * radius * ((2 + c) / 6 + 1), kappa = wheelFactor(sides);
  constexpr double kStep = 1e-6;  // s
  double angle = -half, spin = rate, turned = 0;
  for (double now = 0; now < time; now += kStep) {
    spin += kStep * gravity * radius * std::sin(angle) / inertia;
    const double next = angle + kStep * spin;
    if (next < -half && spin < 0) break;  // it cannot get over the corner: it rocks
    if (next >= half) {
      turned += half - angle;
      angle = -half + (next - half);
      turned += next - half;
      spin *= kappa;
      continue;
    }
    turned += next - angle;
    angle = next;
  }
  return turned / (2 * half);
}

double crossedImpulse(double mass, double length, double width, double sA, double sB, double speed,
                      double restitution) {
  const double inertia = mass * (length * length + width * width) / 12;
  return (1 + restitution) * speed / (2 / mass + sA * sA / inertia + sB * sB / inertia);
}

double ladderFriction(double angle, double thickness, double length) {
  return 0.5 * (std::tan(angle) - thickness / length);
}

double ladderLean(double angle, double thickness, double length, double friction, double gravity,
                  double time) {
  // u = (sin α, cos α) from foot to head, the wall on the right. Foot −l u + t w and head l u + t w with w =
  // (cos α, −sin α) keep their contacts: the centre is l cos α + t sin α high and l sin α + t cos α from the
  // wall. Unit mass: N = g + ÿ, W = μ N − ẍ, and moments about the centre.
  const double l = length / 2, t = thickness / 2, inertia = (length * length + thickness * thickness) / 12;
  constexpr double kStep = 1e-6;  // s
  double a = angle, rate = 0;
  for (double now = 0; now < time; now += kStep) {
    const double s = std::sin(a), c = std::cos(a), square = rate * rate;
    // −ẍ = x₁ α̈ + x₂ α̇² and ÿ = y₁ α̈ + y₂ α̇²; so N = n₁ α̈ + n₀ and W = w₁ α̈ + w₀.
    const double x1 = l * c - t * s, x2 = -l * s - t * c, y1 = -l * s + t * c, y2 = -l * c - t * s;
    const double n1 = y1, n0 = gravity + y2 * square;
    const double w1 = friction * n1 + x1, w0 = friction * n0 + x2 * square;
    const double ofNormal = l * s - t * c - friction * (l * c + t * s), ofWall = l * c - t * s;
    rate += kStep * (ofNormal * n0 - ofWall * w0) / (inertia - ofNormal * n1 + ofWall * w1);
    a += kStep * rate;
  }
  return a;
}

double painleveFactor(double tangent, double friction) {
  const double c = 1 / std::sqrt(1 + tangent * tangent), s = tangent * c;
  return 1 + 3 * c * c - 3 * friction * s * c;
}

double painleveThreshold(double tangent) {
  const double c = 1 / std::sqrt(1 + tangent * tangent), s = tangent * c;
  return (1 + 3 * c * c) / (3 * s * c);
}

PainleveImpact painleveImpact(double tangent, double halfLength, double speed) {
  // The foot slides along −x, the rod leans over it: foot at (−l c, −l s) from the centre. Its velocity
  // becomes 0: p_t along x and p_n along y solve the rod's 2 × 2 system of inverse masses.
  const double c = 1 / std::sqrt(1 + tangent * tangent), s = tangent * c, l = halfLength;
  const double i = l * l / 3;  // of unit mass
  const double xx = 1 + l * l * s * s / i, xy = -l * l * s * c / i, yy = 1 + l * l * c * c / i;
  const double det = xx * yy - xy * xy, pt = yy * speed / det, pn = -xy * speed / det;
  return {-speed + pt, pn, std::abs(-l * c * pn + l * s * pt) / i};
}

double freeSpinZero(double a, double b, double c, double spinA, double spinB, double spinC) {
  // Jacobi's solution of Euler's equations; energy and momentum choose the branch.
  const double energy = a * spinA * spinA + b * spinB * spinB + c * spinC * spinC;
  const double momentum = a * a * spinA * spinA + b * b * spinB * spinB + c * c * spinC * spinC;
  const double ofLow = (b - a) * (c * energy - momentum), ofHigh = (c - b) * (momentum - a * energy);
  const double q = std::sqrt(std::max(ofLow, ofHigh) / (a * b * c));
  return std::comp_ellint_1(std::sqrt(std::min(ofLow, ofHigh) / std::max(ofLow, ofHigh))) / q;
}

double springRestitution(double instant, double sigma) {
  constexpr int kPhases = 2000;
  double sum = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    // Units of h and the speed before: x in steps. One-sided spring for x < 0.
    double v = -1, x = (phase + 0.5) / kPhases;
    for (int step = 0; step < 100'000; ++step) {
      const double depth = -(x + instant * v);
      if (depth > 0) v += sigma * depth;
      x += v;
      if (v > 0 && x > 0 && x + instant * v > 0) break;
    }
    sum += v;
  }
  return sum / kPhases;
}

namespace {

/// σ of a contact of this effective mass, and e of it.
double restitutionOf(double mass, const ColumnModel& model) {
  if (model.words.count("elastic") == 0) return model.restitution;
  return springRestitution(model.instant, model.step * model.step * model.stiffness / mass);
}

using Arguments = std::map<std::string, double>;
constexpr double kRadians = M_PI / 180;  // of a degree
constexpr double kGravity = 9.81;

/// Σ m g / n k over the faces that carry a body: `load` is Σ m. A stiffness that each contact chooses for
/// itself has no such sum: not a number.
double springSink(const Arguments& a, const ColumnModel& m) {
  return m.stiffness > 0 ? of(a, "load") * kGravity / (of(a, "contacts") * m.stiffness) : NAN;
}

/// Acceleration of a box that is pulled along the ground by g sin θ, θ the angle of a slope, in a direction.
GroundForce dragged(const Arguments& a, const ColumnModel& m) {
  const double slope = std::atan(of(a, "tangent")), angle = of(a, "angle_deg") * kRadians;
  const double pull = kGravity * std::sin(slope);
  const GroundForce wanted{pull * std::cos(angle), pull * std::sin(angle)};
  const GroundForce held = frictionNearest(m, wanted, of(a, "friction") * kGravity * std::cos(slope));
  return {wanted.x - held.x, wanted.z - held.z};
}

ObliqueImpact obliqueImpact(const Arguments& a, const ColumnModel& m) {
  const double mass = of(a, "mass"), arm = of(a, "radius"), angle = of(a, "angle_deg") * kRadians;
  // A spring has the restitution of its scheme; all others are asked for one.
  const double e = m.words.count("elastic") ? restitutionOf(mass, m) : of(a, "restitution");
  const double stops = mass * of(a, "tangential") / (1 + mass * arm * arm / of(a, "inertia"));
  const GroundForce wanted{stops * std::cos(angle), stops * std::sin(angle)};
  const GroundForce held = frictionNearest(m, wanted, of(a, "friction") * mass * (1 + e) * of(a, "normal"));
  return {-(held.x * std::cos(angle) + held.z * std::sin(angle)) / mass,
          std::hypot(held.x, held.z) * arm / of(a, "inertia")};
}

SlideAndSpin slideAndSpinOf(const Arguments& a, const ColumnModel& m, double end) {
  return slideAndSpin(m.facets, of(a, "inertia"), of(a, "speed"), of(a, "spin"), of(a, "friction"),
                      of(a, "radius"), of(a, "height"), kGravity, end);
}

std::vector<ClosedForm> makeForms() {
  const std::vector<std::string> ofImpact = {"friction", "normal",  "tangential", "restitution",
                                             "mass",     "inertia", "radius",     "angle_deg"};
  const std::vector<std::string> ofTripod = {"inertia", "speed", "spin", "friction", "radius", "height"};
  return {
      {"drag_creep",
       {"tangent", "friction", "angle_deg", "from", "to"},
       [](const Arguments& a, const ColumnModel& m) {
         const GroundForce acceleration = dragged(a, m);
         return 0.5 * (of(a, "from") + of(a, "to")) * std::hypot(acceleration.x, acceleration.z);
       }},
      {"drag_acceleration",
       {"tangent", "friction", "angle_deg"},
       [](const Arguments& a, const ColumnModel& m) {
         const GroundForce acceleration = dragged(a, m);
         const double angle = of(a, "angle_deg") * kRadians;
         return acceleration.x * std::cos(angle) + acceleration.z * std::sin(angle);
       }},
      {"oblique_change", ofImpact,
       [](const Arguments& a, const ColumnModel& m) { return obliqueImpact(a, m).change; }},
      {"oblique_spin", ofImpact,
       [](const Arguments& a, const ColumnModel& m) { return obliqueImpact(a, m).spin; }},
      {"slide_spin_path", ofTripod,
       [](const Arguments& a, const ColumnModel& m) { return slideAndSpinOf(a, m, 0).path; }},
      {"slide_spin_drift", ofTripod,
       [](const Arguments& a, const ColumnModel& m) { return slideAndSpinOf(a, m, 0).drift; }},
      {"slide_spin_angle", ofTripod,
       [](const Arguments& a, const ColumnModel& m) { return slideAndSpinOf(a, m, 0).angle; }},
      {"slide_spin_time",
       {"inertia", "speed", "spin", "friction", "radius", "height", "end"},
       [](const Arguments& a, const ColumnModel& m) { return slideAndSpinOf(a, m, of(a, "end")).time; }},
      {"restitution",
       {"mass"},
       [](const Arguments& a, const ColumnModel& m) { return restitutionOf(of(a, "mass"), m); }},
      // Springs at rest: each face is entered by load · g / (contacts · k), summed over the faces below.
      {"springs_height",
       {"height", "load", "contacts"},
       [](const Arguments& a, const ColumnModel& m) { return of(a, "height") - springSink(a, m); }},
      {"springs_overlap",
       {"area", "load", "contacts"},
       [](const Arguments& a, const ColumnModel& m) { return of(a, "area") * springSink(a, m); }},
      {"regularised_creep",
       {"ratio"},
       [](const Arguments& a, const ColumnModel& m) {
         return m.weighting > 0 ? -std::log(1 - of(a, "ratio")) / m.weighting : 0;
       }},
      {"cradle_other",
       {"mass", "index"},
       [](const Arguments& a, const ColumnModel& m) {
         const double e = restitutionOf(of(a, "mass"), m);
         return std::pow(0.5 * (1 + e), of(a, "index")) * 0.5 * (1 - e);
       }},
      {"cradle_last",
       {"mass"},
       [](const Arguments& a, const ColumnModel& m) {
         return std::pow(0.5 * (1 + restitutionOf(of(a, "mass"), m)), 4);
       }},
      {"crossed_impulse",
       {"mass", "length", "width", "a", "b", "speed"},
       [](const Arguments& a, const ColumnModel& m) {
         const double plastic = crossedImpulse(of(a, "mass"), of(a, "length"), of(a, "width"), of(a, "a"),
                                               of(a, "b"), of(a, "speed"), 0);
         return plastic * (1 + restitutionOf(plastic / of(a, "speed"), m));
       }},
      {"pyramid_ratio",
       {"angle_deg"},
       [](const Arguments& a, const ColumnModel& m) {
         return pyramidPuck(m.facets, of(a, "angle_deg") * kRadians).ratio;
       }},
      {"pyramid_heading",
       {"angle_deg"},
       [](const Arguments& a, const ColumnModel& m) {
         return pyramidPuck(m.facets, of(a, "angle_deg") * kRadians).heading / kRadians;
       }},
      {"box_ratio",
       {"angle_deg"},
       [](const Arguments& a, const ColumnModel&) {
         const double c = std::cos(of(a, "angle_deg") * kRadians),
                      s = std::sin(of(a, "angle_deg") * kRadians);
         return std::hypot(c * c, s * s);
       }},
      {"box_heading",
       {"angle_deg"},
       [](const Arguments& a, const ColumnModel&) {
         const double c = std::cos(of(a, "angle_deg") * kRadians),
                      s = std::sin(of(a, "angle_deg") * kRadians);
         return std::atan2(s * s, c * c) / kRadians - of(a, "angle_deg");
       }},
      {"pyramid_spin_angle",
       {"inertia", "spin", "friction", "radius", "end"},
       [](const Arguments& a, const ColumnModel& m) {
         return pyramidSpinDown(m.facets, of(a, "inertia"), of(a, "spin"), of(a, "friction"), 1, 9.81,
                                of(a, "radius"), of(a, "end"))
             .angle;
       }},
      {"pyramid_spin_time",
       {"inertia", "spin", "friction", "radius", "end"},
       [](const Arguments& a, const ColumnModel& m) {
         return pyramidSpinDown(m.facets, of(a, "inertia"), of(a, "spin"), of(a, "friction"), 1, 9.81,
                                of(a, "radius"), of(a, "end"))
             .time;
       }},
      {"pyramid_spin_drift",
       {"inertia", "spin", "friction", "radius", "end"},
       [](const Arguments& a, const ColumnModel& m) {
         return pyramidSpinDown(m.facets, of(a, "inertia"), of(a, "spin"), of(a, "friction"), 1, 9.81,
                                of(a, "radius"), of(a, "end"))
             .drift;
       }},
  };
}

}  // namespace

const std::vector<ClosedForm>& closedFormTable() {
  static const std::vector<ClosedForm> table = makeForms();
  return table;
}

const ClosedForm* findClosedForm(const std::string& key) {
  for (const ClosedForm& form : closedFormTable())
    if (form.key == key) return &form;
  return nullptr;
}

}  // namespace touchstone
