#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/conform/column.h"

namespace touchstone {

// Closed forms of the phenomena: exact answers of rigid mechanics with Coulomb friction, and what the theory
// of a method predicts in their place. SI units, angles in radians unless said otherwise.

/// g (sin θ − μ cos θ), or 0 inside the friction cone: a box on a slope [m/s²].
double slopeAcceleration(double gravity, double angle, double friction);
/// v₀² / 2μg: where a puck stops [m].
double stoppingDistance(double speed, double friction, double gravity);

/// A rotation about the vertical that friction stops.
struct SpinDown {
  double angle = 0, time = 0, drift = 0;  ///< rad, s, m
};
/// A body with inertia I about the vertical on three equal feet at the radius r: torque μ m g r.
SpinDown tripodSpinDown(double inertia, double speed, double friction, double mass, double gravity,
                        double radius);
/// The same where friction lies in a pyramid of `facets` directions, the first along x and each foot with
/// the direction that opposes its velocity most; until |ω| < `end` [rad/s]. Integrated.
SpinDown pyramidSpinDown(int facets, double inertia, double speed, double friction, double mass,
                         double gravity, double radius, double end);

/// A puck in a direction `angle` from x under such a pyramid: where it stops.
struct PyramidPuck {
  double ratio = 1;    ///< distance over that of the cone
  double heading = 0;  ///< from its first direction [rad]
};
PyramidPuck pyramidPuck(int facets, double angle);

/// A force along the ground (x, z).
struct GroundForce {
  double x = 0, z = 0;
};
/// The force of friction nearest to the one that would hold a body, where its size is at most `limit`: a
/// disc, a polygon of `facets` corners of which the first lies on x, or the square |x|, |z| ≤ limit. A body
/// that starts from rest, or sticks in an impact with equal inertia in all directions, gets this one: it
/// spends most against the motion that is left.
GroundForce frictionNearest(const ColumnModel& model, const GroundForce& wanted, double limit);

/// A tripod on equal feet at the radius r, h below its centre of mass, that slides and spins until it rests.
/// Unit mass; friction of a foot opposes its velocity, in a disc (facets 0) or a pyramid whose first corner
/// lies on x; the weight on the feet follows from the balance of moments. Integrated.
struct SlideAndSpin {
  double path = 0, drift = 0, angle = 0;  ///< along the first velocity and to the side [m], rad
  double time = 0;                        ///< when the spin falls below `end` [s]
};
SlideAndSpin slideAndSpin(int facets, double inertia, double speed, double spin, double friction,
                          double radius, double height, double gravity, double end);

/// An impact with a point straight below the centre: impulses p_n = m (1 + e) v_n and, along the ground, what
/// stops the point, m v_t / (1 + m d²/I), or as much as friction gives.
struct ObliqueImpact {
  double change = 0;  ///< of the velocity along the first one along the ground [m/s]
  double spin = 0;    ///< rad/s
};

/// Rate of a box b × H on a slope θ that tips about its lower edge from rest, when it has tilted
/// by φ [rad/s]. ω² = 2 g d (cos(θ − β) − cos(φ + θ − β)) / (I + d²), d half its diagonal, tan β = b / H.
double tippingRate(double width, double height, double slope, double tilt, double gravity);

/// Sides that a regular N-gon prism of unit mass turns in `time` with plastic impacts and no slip, from just
/// past a corner: ω⁺ = κ ω⁻ at each, κ = (I + R² cos 2π/N) / (I + R²), I = R² (2 + cos 2π/N) / 6.
double wheelSides(int sides, double radius, double rate, double gravity, double time);
double wheelFactor(int sides);

/// Crossed rods meet edge on edge at the distances sA and sB from their centres: impulse (1 + e) v / K,
/// K = 2/m + sA²/I + sB²/I, I = m (L² + w²) / 12 [N·s].
double crossedImpulse(double mass, double length, double width, double sA, double sB, double speed,
                      double restitution);

/// The least friction with which a plank of length L and thickness t leans on a smooth wall at the angle α
/// from it: μ = (tan α − t/L) / 2.
double ladderFriction(double angle, double thickness, double length);
/// Its lean after `time` if it slides with friction μ at the floor, both contacts kept [rad]. Integrated.
double ladderLean(double angle, double thickness, double length, double friction, double gravity,
                  double time);

/// A thin rod that slides on its end at the angle θ from the ground, s = sin θ, c = cos θ:
/// A = 1 + 3c² − 3μ s c; N = m g / A where A > 0.
double painleveFactor(double tangent, double friction);
double painleveThreshold(double tangent);  ///< the friction of A = 0
/// Impact without collision that stops its foot: velocity of the centre and spin.
struct PainleveImpact {
  double vx = 0, vy = 0, spin = 0;
};
PainleveImpact painleveImpact(double tangent, double halfLength, double speed);

/// Time of the first zero of the middle spin of a free body with principal inertias a < b < c [s], where
/// spinA or spinC is 0 at the start: K(m)/q; the others follow every 2 K/q.
double freeSpinZero(double a, double b, double c, double spinA, double spinB, double spinC);

/// Mean restitution of a free impact of a mass on a spring whose force is that of the instant x + θ h v of
/// each step, over all phases of arrival; σ = h² k / m.
double springRestitution(double instant, double sigma);

/// A closed form that a phenomenon's file can name as the answer of a model.
struct ClosedForm {
  std::string key;
  std::vector<std::string> arguments;
  std::function<double(const std::map<std::string, double>& arguments, const ColumnModel& model)> value;
};
const std::vector<ClosedForm>& closedFormTable();
const ClosedForm* findClosedForm(const std::string& key);

}  // namespace touchstone
