#pragma once

#include "core/constraints/row_terms.h"
#include "core/contact/nsn/nonsmooth_newton.h"

namespace touchstone::nsn {

/// A row of the equations with its geometric gradient.
struct NewtonRow {
  RowTerms terms;
  LinearRow equation;
  double scale = 1;                ///< of its gradient in the equations: LinearRow::share
  double force = 0;                ///< λ of this iterate, along the row
  int follower = -1;               ///< of a normal: the row of its slip, whose force follows it …
  double followerShare = 0;        ///< … by μ
  Vec3 direction = Vec3(0, 0, 0);  ///< of a contact: on B
};

/// Unknowns of an iterate.
struct Unknowns {
  Motions u;                                                     ///< velocities
  std::vector<Vec3> contacts;                                    ///< as IslandContact::force
  std::vector<JointForces> joints;                               ///< without their sums
  std::vector<std::array<double, ElementRows::kMost>> elements;  ///< multipliers of strains
  std::vector<Vec3> attachments;
};

/// A step of Newton's method.
struct NewtonStep {
  Motions u;                   ///< Δu
  std::vector<double> forces;  ///< Δλ, of all rows
  int linearIterations = 0;
  double linearResidual = 0;  ///< relative …
  std::vector<float> linear;  ///< … after each iteration
};

/// Gaps, gradients and equations of an island at one iterate. Never changed: a step leads to others.
class Equations {
 public:
  Equations(const Island& island, const Settings& settings, Unknowns unknowns);
  /// The equations where a share t of a step leads.
  Equations after(const NewtonStep& step, double t) const;

  const std::vector<NewtonRow>& rows() const { return m_rows; }  ///< of joints, then of contacts
  /// g = M (u − ũ) − h Jᵀ λ with the gradients of the equations [N·s].
  const Motions& momentum() const { return m_momentum; }
  double total() const { return m_residuals.total(m_island->h); }
  /// Residuals and merit.
  Iterate iterate() const;
  /// The iterate becomes the answer, with its residual.
  void write(Answer& answer) const;
  /// [bodies] Σ K with K_B = −[λ]×[r_B]×, K_A = +[λ]×[r_A]× over the point rows of joints.
  std::vector<Mat3> geometricStiffness() const;
  /// [bodies] what geometric stiffness adds to the masses of particles, −min(0, c) with the secant
  ///     c_k = h ([J(q) − J(q⁻)]ᵀ λ)_k / Δu_k
  /// of the step that led here (Macklin 2019, eq. 73, corrected); empty at the start [kg]
  const std::vector<Vec3>& secantMasses() const { return m_secantMasses; }

 private:
  /// The rows of a joint by JointConstraint::Slot; −1: none.
  struct JointPlace {
    int first = 0;
    std::array<int, JointConstraint::SlotCount> row;
    JointPlace() { row.fill(-1); }
  };

  void addJoint(std::size_t index);
  void addContact(std::size_t index);
  void addAttachment(std::size_t index);
  void addElement(std::size_t index);
  void addTetrahedron(std::size_t index, const Vec3 x[4]);
  void addClothRow(std::size_t index, int corners, const Vec3* gradient, double c, double stiffness);
  void placeElement(const IslandElement& element, Vec3 x[4]) const;
  /// A contact at this iterate. With the arms both bodies have the exact gradient of the gap.
  struct ContactPlace {
    ContactAxes axes;
    Vec3 armA, armB;  ///< m
    double gap = 0;   ///< m
  };
  ContactPlace placeOf(const IslandContact& contact) const;
  NewtonRow contactRow(const IslandContact& contact, const Vec3& armA, const Vec3& armB,
                       const Vec3& direction) const;
  /// Σ λ J of an element with multipliers of its strains, on its corners [N].
  void addElementForces(std::size_t index, const std::array<double, ElementRows::kMost>& force, double factor,
                        std::vector<Vec3>& sums) const;
  void findSecantMasses(const Equations& before, const Motions& change);
  void setUnilateral(NewtonRow& row, double gap, double force);
  void setBilateral(NewtonRow& row, const JointConstraint& constraint, double force);
  static void setGiven(NewtonRow& row, double force);
  void setDrive(NewtonRow& row, const JointConstraint& drive, double force);
  void findMomentum();
  double limitingAccuracy() const;
  void addForces(std::size_t joint, JointForces& forces) const;
  void addStiffness(std::size_t joint, std::vector<Mat3>& stiffness) const;
  BodyPose poseOf(int body, const BodyPose& fixed) const;
  PlacedConstraints placedJoint(std::size_t index) const;
  template <class Keep>
  void eachConstraint(std::size_t index, const Keep& keep) const;
  double scaleOf(double published, double mass) const;
  double coupling(const RowTerms& row) const;

  const Island* m_island;
  const Settings* m_settings;
  Unknowns m_unknowns;
  std::vector<BodyPose> m_poses;  ///< [bodies] at the end of the step
  std::vector<NewtonRow> m_rows;
  std::vector<JointPlace> m_places;
  std::vector<ElementRows> m_elements;  ///< of tetrahedra; of cloth as one row
  std::vector<int> m_firstOfElement;
  std::vector<Vec3> m_secantMasses;
  std::vector<double> m_gaps;       ///< [contacts]
  std::vector<ContactAxes> m_axes;  ///< [contacts]
  int m_firstAttachment = 0, m_firstContact = 0;
  Residuals m_residuals;
  Motions m_momentum;
};

}  // namespace touchstone::nsn
