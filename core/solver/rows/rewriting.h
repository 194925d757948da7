#pragma once

#include <functional>

#include "core/solver/rows/constraint_kind.h"
#include "core/solver/rows/law.h"
#include "core/solver/rows/ncp_function.h"

namespace touchstone {

/// Writes the rows of a step again where the iterate of a solver leads, q(u) of StateView; on the host, from
/// several threads at once.
struct RowRewriting {
  /// Notes where velocities u lead a carrier; before write() and stiffness() of its blocks.
  std::function<void(int carrier, const CarrierVelocities& u)> place;
  /// Writes rows and gradients of a block at velocities u, where they lie in the table. The block has the
  /// same carriers, rows and units at each u.
  std::function<void(const RowBlock& block, const CarrierVelocities& u, const RowArrays& to)> write;
  /// Geometric stiffness K = −∂(Jᵀλ)/∂θ of a body by the rows of a joint [N·m].
  /// @param k  of the block's carriers   @param terms, z  of the block, by rows; impulses [rowCount]
  std::function<Mat3(const RowBlock& block, int k, const RowTerm* terms, const double* z,
                     const CarrierVelocities& u)>
      stiffness;
};

/// Form of Coulomb's friction as an equation of two rows.
enum class FrictionForm {
  W,  ///< Dᵀu + W β = 0 with W held (Macklin 2019, eq. 35): published; cycles where contacts share a body
      ///< that slides
  Split,  ///< Alart and Curnier 1991 with the limit held: the impulse along the slip is known, see DiskRows
  Full    ///< with the derivative of the limit: exact, and not symmetric
};

/// Form of the rows of contacts and limits.
enum class NormalForm {
  Published,  ///< gradients scaled by ∂φ/∂w, in the force too (Macklin 2019, eqs. 53 and 56)
  Divided     ///< each row divided by ∂φ/∂w: the same solution, and the impulses between are right
};

/// r of φ(w, r z) and of the rows of friction (Macklin 2019, eq. 66): 1, h² of normals and h of friction, or
/// that of the residual (Mass), where φ is of C = h w and λ = z/h.
enum class RowScaling { Identity, H2, Mass };

/// Equations of rows that are written again at each iterate, as Macklin 2019 has them and as they work.
struct EquationForms {
  NcpFunction function = NcpFunction::FischerBurmeister;
  FrictionForm friction = FrictionForm::Split;
  NormalForm normals = NormalForm::Divided;
  RowScaling scaling = RowScaling::Mass;
  /// At w = z = 0 Fischer–Burmeister's row is that of a closed contact, ∂φ/∂w = 1. The paper's choice 0
  /// (Macklin 2019, eqs. 26 and 27) opens every contact of bodies that touch at rest.
  bool isTouchingClosed = true;
};

/// Newton's method on rows that are written again at each iterate.
struct RewritingSettings {
  EquationForms forms;
  /// t: share of each step that is taken; 0: 1 where that lowers the residual, else newton::kUsualShare
  double damping = newton::kUsualShare;
  bool lastStepIsWhole = true;  ///< t = 1 in the last iteration: else a damped start from rest loses velocity
  bool startsAtRest = true;     ///< else at ν̃
  bool usesBest = true;         ///< the answer is the iterate with the smallest residual, not the last one
  double regularisation = 1e-6;    ///< ε: share of A_ii that is added to it
  double linearTolerance = 1e-14;  ///< on the relative residual of the linear system
  /// Geometric stiffness enters the matrix H: that of bodies by joints, and of particles by elements the
  /// diagonal secant (Macklin 2019, eqs. 71–74, with the sign of the secant).
  bool stiffensJoints = true, stiffensParticles = true;

  // Of solvers in the space of velocities:
  bool isWarm = false;      ///< the start is the answer of the last step
  bool isAccurate = false;  ///< Newton's rounds follow the sweeps of medium islands, too
  /// Islands of more carriers than smallIsland end at this natural residual, where it is the larger one [m/s]
  double largeTolerance = 0;
  int smallIsland = 40, mediumIsland = 200;
  /// An answer that a budget has ended is used as one up to this residual [m/s]; of larger islands
  double answered = 0, largeAnswered = 0;
};

/// Largest failures of the rows of each kind [m/s]; those of angles count as metres.
struct ResidualParts {
  double normal = 0;  ///< of contacts, limits and ropes
  double friction = 0, joints = 0, elastic = 0;
  double momentum = 0;  ///< |M⁻¹ g| of the carriers, g = M (ν − ν̃) − Fᵀz
  double stepSize = 0;  ///< ‖t Δν‖∞ of the step that led here
  double kinetic = 0;   ///< Σ g·M⁻¹ g [J]

  TS_HD static void keep(double value, double& largest) {  // what is no number is larger than all
    if (!(value <= largest)) largest = value;
  }
  /// Adds the failures of a unit. @param kind  of its block   @param rows, z, w, r, inverse  as eachFailure()
  TS_HD void addUnit(int kind, const Row* rows, int count, const double* z, const double* w, const double* r,
                     const double* inverse) {
    const bool isJoint = kind == kJointBlock || kind == kAttachmentBlock || kind >= kRegisteredBlock;
    eachFailure(rows, count, z, w, r, inverse, [&](int row, double failure) {
      const RowLaw law = rows[row].law;
      double& part = law == RowLaw::Disk                    ? friction
                     : isElementBlock(kind)                 ? elastic
                     : isJoint && law != RowLaw::Unilateral ? joints
                                                            : normal;
      keep(failure * static_cast<double>(rows[row].length), part);
    });
  }
  TS_HD void add(const ResidualParts& o) {
    keep(o.normal, normal);
    keep(o.friction, friction);
    keep(o.joints, joints);
    keep(o.elastic, elastic);
    keep(o.momentum, momentum);
    keep(o.stepSize, stepSize);
    kinetic += o.kinetic;
  }
  TS_HD double total() const {
    double largest = normal;
    keep(friction, largest);
    keep(joints, largest);
    keep(elastic, largest);
    keep(momentum, largest);
    return largest;
  }
};

}  // namespace touchstone
