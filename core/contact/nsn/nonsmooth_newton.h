#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/constraints/joint_constraints.h"
#include "core/contact/nsn/nonsmooth_rows.h"
#include "core/solver/linear/linear.h"
#include "core/world/elastic_view.h"
#include "core/world/free_rotation.h"

namespace touchstone::nsn {

/// Bodies whose geometric stiffness enters the mass matrix H: bodies that joints hold, which keeps loaded
/// chains from exploding; particles (Macklin 2019, eqs. 71–74, with the sign of the secant); both, or
/// nothing.
enum class Geometric { Off, Joints, Particles, All };

struct Settings {
  NcpFunction function = NcpFunction::FischerBurmeister;
  RowForm rows = RowForm::Divided;
  FrictionForm friction = FrictionForm::Split;
  RowScaling scaling = RowScaling::Mass;
  Geometric geometric = Geometric::All;
  ElasticRows elastic = ElasticRows::Six;
  LinearSolver linear = LinearSolver::Pcr;
  bool isTouchingRepaired = true;  ///< see normalRow()
  double damping = kUsualShare;  ///< t: share of each step that is taken; 0: 1 where that lowers the residual
  bool normalsTurn = true;       ///< with IslandContact::turnsWith; else held in the step, as published
  bool lastStepIsWhole = true;  ///< t = 1 in the last iteration: else a damped start from rest loses velocity
  bool usesBest = true;         ///< the answer is the iterate with the smallest residual, not the last one
  int iterations = 20, linearIterations = 40;
  double tolerance = 0;            ///< on the total residual, below which the iteration ends [m/s]
  double linearTolerance = 1e-14;  ///< on the relative residual of the linear system
  double regularisation = 1e-6;    ///< ε: share of A_ii that is added to it
};

/// A body or a particle of an island, at the start of the step.
struct IslandBody {
  bool isParticle = false;  ///< has a position only
  BodyPose pose;
  BodyConstants constants;
  double inverseMass = 0;                                      ///< 1/kg
  Mat3 inertia = Mat3::Zero(), inverseInertia = Mat3::Zero();  ///< world frame
  Vec3 linear = Vec3(0, 0, 0), angular = Vec3(0, 0, 0);        ///< ũ: with all forces but those of rows
};

/// A side of a contact on a body that deforms: the point Σ w x, of which held particles are known.
struct DeformedSide {
  struct Share {
    int body;  ///< particle of the island
    double weight;
  };
  std::vector<Share> shares;          ///< empty and `isUsed`: all of its particles are held
  Vec3 held = Vec3(0, 0, 0);          ///< Σ w x of held particles, at the end of the step [m]
  Vec3 heldVelocity = Vec3(0, 0, 0);  ///< Σ w v of them [m/s]
  bool isUsed = false;                ///< the body deforms
};

/// Features with which the normal of a contact turns: a face on one of its bodies, or an edge of each.
enum class TurnsWith { Nothing, FaceOfA, FaceOfB, Edges };

/// A contact: C = n · (b − a) − d ≥ 0 with n from A to B. What turns with a face, or with edges, is exact for
/// a plane and a point, and for two lines.
struct IslandContact {
  int a = -1, b = -1;         ///< bodies of the island; −1: one that does not move, or deforms
  Vec3 pointA, pointB;        ///< in the frames of the bodies; of one that does not move in the world [m]
  DeformedSide sideA, sideB;  ///< in the place of body and point
  Vec3 normal;                ///< world, at the start of the step
  TurnsWith turnsWith = TurnsWith::Nothing;
  Vec3 edgeA = Vec3(0, 0, 0), edgeB = Vec3(0, 0, 0);  ///< TurnsWith::Edges: unit vectors, as the points
  double thickness = 0;                               ///< d [m]
  double friction = 0;                                ///< μ
  Vec3 force = Vec3(0, 0, 0);                         ///< start: (λ_n, λ_f along tangentBasis()) on B [N]
};

/// Normal and tangents of a contact at an iterate, world.
struct ContactAxes {
  Vec3 normal, first, second;  ///< in the plane `second` is 0
};

/// A joint with what it remembers.
struct IslandJoint {
  const Joint* joint = nullptr;
  int a = -1, b = -1;               ///< as in IslandContact
  BodyPose fixedA, fixedB;          ///< of a body that does not move
  int mimicked = -1;                ///< joint of the island whose coordinate it follows
  double coordinate = 0;            ///< at the start of the step, with its turns
  JointDrive::Aim aim = {0, 0, 0};  ///< of its drive, for the step
};

/// An element of a body that deforms: one of the three.
struct IslandElement {
  const TetrahedronElement* tetrahedron = nullptr;
  const EdgeElement* edge = nullptr;
  const HingeElement* hinge = nullptr;
  const ElasticMaterial* material = nullptr;  ///< of the tetrahedron
  std::array<int, 4> bodies{-1, -1, -1, -1};  ///< particles of the island; −1: held, or none
  std::array<Vec3, 4> held{};                 ///< of held particles: where they are at the end of the step
  std::array<Vec3, 4> heldVelocities{};       ///< and how they move [m/s]
  std::array<double, ElementRows::kMost> force{};  ///< start: multipliers of its strains [N·m]; of cloth one
};

/// A particle that is part of a body: x_p = x_B + R r.
struct IslandAttachment {
  int particle = -1, body = -1;  ///< of the island; a body that does not move: −1
  Vec3 point;                    ///< r in the frame of the body; of one that does not move in the world [m]
  Vec3 force = Vec3(0, 0, 0);    ///< start: on the particle [N]
};

struct Island {
  double h = 0;  ///< s
  bool planar = false;
  std::vector<IslandBody> bodies;
  std::vector<IslandContact> contacts;
  std::vector<IslandJoint> joints;
  std::vector<IslandElement> elements;
  std::vector<IslandAttachment> attachments;
};

/// Distance of an iterate from a solution, as measured in every pane of this method (independent of function,
/// scaling and form).
struct Residuals {
  double normal = 0;    ///< max |min(C, r λ_n)| with r = h² [J M⁻¹ Jᵀ] [m]
  double friction = 0;  ///< max r |λ_f − proj(λ_f − Dᵀu / r)| [m/s]
  double joints = 0;    ///< max |c + E λ|, attachments included [m, rad]
  double momentum = 0;  ///< max |M⁻¹ g| [m/s]
  double elastic = 0;   ///< max |r| / |J| of the rows of elements: a displacement [m]
  double total(double h) const {
    return std::fmax(std::fmax(std::fmax(normal / h, friction), std::fmax(joints / h, momentum)),
                     elastic / h);
  }
};

struct Iterate {
  Residuals residuals;
  double merit = 0;     ///< ½ |(g, h)|² of its own equations
  double stepSize = 0;  ///< ‖t Δu‖∞ of the step that led here [m/s, rad/s]
  int linearIterations = 0;
  double linearResidual = 0;
  std::vector<float> linear;  ///< relative residual after each of them
};

/// Forces that hold a joint together, on B [N, N·m].
struct JointForces {
  std::array<double, JointConstraint::SlotCount> rows{};  ///< by JointConstraint::Slot
  /// Σ λ J of them on its bodies, and on those of the joint that it follows.
  JacobianRow wrench, led;
};

struct Answer {
  std::vector<Vec3> linear, angular;  ///< [bodies]
  std::vector<Vec3> contacts;         ///< as IslandContact::force
  std::vector<double> gaps;           ///< [contacts] C [m]
  std::vector<ContactAxes> axes;      ///< [contacts] along which the forces are
  std::vector<JointForces> joints;
  std::vector<std::array<double, ElementRows::kMost>> elements;  ///< as IslandElement::force
  std::vector<Vec3> attachments;                                 ///< as IslandAttachment::force
  std::vector<Iterate> iterates;                                 ///< the first is the start
  double residual = 0;                                           ///< total, of the answer [m/s]
  /// Bound of its rounding error, ε (max_b Σ |M⁻¹ Jᵀ h λ| + max |x| / h): the terms of a body's velocity and
  /// the positions that gaps are differences of (as Macklin 2019, eq. 92) [m/s].
  double limitingAccuracy = 0;
  bool isSolved = false;  ///< that is within the tolerance
};

/// Non-smooth Newton for one island (Macklin 2019, eqs. 53, 56, 57, 59 and 60): u and λ such that
///     M (u − ũ) = h Jᵀ λ,   φ(C(q), λ_n) = 0,   c_b(q) + E λ_b = 0,   friction (FrictionForm),   q = q(u)
/// Gaps, gradients, normals and joints are evaluated at every iterate.
Answer solve(const Island& island, const Settings& settings);

class BatchedLinearSystems;  // core/contact/nsn/linear_systems.h

/// An island to solve with others.
struct IslandTask {
  const Island* island = nullptr;
  const Settings* settings = nullptr;
  bool isReported = false;  ///< Iterate::linear is wanted
};

/// solve() for islands at once, with the same answers. In each iteration an engine of a device solves the
/// linear systems (Pcr, Pcg, Jacobi) of all islands that have not ended; other systems, and everything else,
/// are solved here, islands beside each other. On the host each island goes its way from start to end.
std::vector<Answer> solveTogether(const std::vector<IslandTask>& tasks, BatchedLinearSystems& engine);

}  // namespace touchstone::nsn
