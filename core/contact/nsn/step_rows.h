#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "core/constraints/attachment_rows.h"
#include "core/constraints/edge_rows.h"
#include "core/constraints/element_rows.h"
#include "core/constraints/gap_contact_rows.h"
#include "core/constraints/hinge_rows.h"
#include "core/constraints/joint_rows.h"
#include "core/constraints/kinds/host_kinds.h"
#include "core/contact/manifold/model_contact.h"
#include "core/contact/manifold/row_rules.h"
#include "core/contact/nsn/nsn_parameters.h"
#include "core/contact/nsn/surface_contacts.h"
#include "core/solver/rows/rewriting.h"
#include "core/solver/rows/rows_detail.h"
#include "core/solver/rows/unit_match.h"

namespace touchstone::nsn {

/// Forces of the last step, with which a warm start begins.
struct WarmForces {
  /// Contacts of a block.
  struct Block {
    std::vector<RowKey> keys;
    std::vector<UnitPlace> places;
    std::vector<Vec3> forces;  ///< on B [N]
  };
  std::map<BlockKey, Block> contacts;
  /// Multipliers of the strains of elements, of cloth one, by element [N·m].
  std::map<int, std::array<double, ElementRows::kMost>> elements;
};

/// The contacts of a step: between convex pieces, and between surfaces of which one deforms.
struct StepContacts {
  std::vector<ModelContact> pieces;
  std::vector<SurfaceContact> surfaces;
};

/// A contact with rows.
struct RowContact {
  bool isOfPieces;
  int index;  ///< of StepContacts
  int gap;    ///< of those between pieces, or between surfaces, see StepRows::gapOf()
  int block, unit, firstRow, rowCount;
};

/// The rows of a step: contacts, joints, attachments and elements, at any state of it.
class StepRows {
 public:
  /// @param world  after predict()   @param rules  one, or [replicaCount]
  /// @param velocityUnit  velocityUnitOf() the scene [m/s]
  StepRows(const World& world, const StepContacts& contacts, const std::vector<RowRules>& rules,
           const Values& values, double velocityUnit);
  StepRows(const StepRows&) = delete;

  const RowBuffer& rows() const { return m_rows; }  ///< where the step starts
  const std::vector<RowContact>& contacts() const { return m_contacts; }
  const GapContact& gapOf(const RowContact& contact) const {
    return (contact.isOfPieces ? m_pieceGaps : m_surfaceGaps)[contact.gap];
  }
  bool hasElements() const { return m_hasElements; }
  /// Impulses of all rows from forces of the last step, see UnitMatch [N·s, N·m·s].
  /// @param length  lengthOf() the scene [m]
  std::vector<double> startOf(const WarmForces& forces, double length) const;
  /// (p, along its tangents) of a contact on B [N·s]. @param z  impulses of all rows
  static Vec3 impulseOf(const RowContact& contact, const double* z);
  /// Adds the force of a contact to those of its block. @param u  where z leads   @param z  impulses of all
  /// rows
  void addForce(const RowContact& contact, const CarrierVelocities& u, const double* z,
                WarmForces& forces) const;
  /// Calls use(block, element, force) for each element. @param z  impulses of all rows
  template <class Use>
  void eachElement(const double* z, const Use& use) const {
    for (int index = 0; index < countOf(m_rows.blocks); ++index) {
      const RowBlock& block = m_rows.blocks[index];
      if (isElement(block)) use(index, elementOf(block), forceOfElement(block, z));
    }
  }
  /// Writes the rows again for as long as this lives.
  RowRewriting rewriting() const;
  StateView stateAt(const CarrierVelocities& u) const { return {m_world, m_world.dt, &u}; }
  /// The rows at the end of the step with their answer, for the inspector.
  RowsDetail detail(const CarrierVelocities& u, const std::vector<double>& z,
                    const std::vector<int>& islandOfBlock) const;
  /// The largest ε/2 (Σ |M⁻¹ Fᵀ z| + |x|/h) of the carriers of an island: the rounding of its answer (as
  /// Macklin 2019, eq. 92) [m/s]. @param inIsland  [blocks] of rows()
  double limitingAccuracy(const std::vector<char>& inIsland, const CarrierVelocities& u,
                          const double* z) const;

 private:
  using StrainForce = std::array<double, ElementRows::kMost>;

  void addContacts(const StepContacts& contacts, const std::vector<RowRules>& rules, double velocityUnit);
  GapContact gapOf(const ModelContact& contact, const RowRules& rule, double velocityUnit) const;
  GapContact gapOf(const SurfaceContact& contact, const RowRules& rule) const;
  ContactSide sideOf(int body, const Vec3& point) const;
  void findContacts(const StepContacts& contacts);
  static bool isElement(const RowBlock& block) { return isElementBlock(block.key.kind); }
  int elementOf(const RowBlock& block) const;
  StrainForce forceOfElement(const RowBlock& block, const double* z) const;
  void setStart(const RowBlock& block, const StrainForce& force, double* z) const;
  void setStart(const RowContact& contact, const Vec3& force, double* z) const;
  bool hasConstantBasis(const RowBlock& block, ElementRows& rows) const;

  const World& m_world;
  std::vector<GapContact> m_pieceGaps, m_surfaceGaps;
  std::vector<int> m_indexOfPiece, m_indexOfSurface;  ///< [gaps] of StepContacts
  std::vector<RowKey> m_keys;                         ///< [m_contacts]
  JointSlots m_slots;
  JointBlocks m_joints;
  AttachmentRows m_attachments;
  TetrahedronRows m_tetrahedra;
  EdgeRows m_edges;
  HingeRows m_hinges;
  std::unique_ptr<GapContactRows> m_pieceRows, m_surfaceRows;
  HostKinds m_kinds;
  RowBuffer m_rows;
  std::vector<RowContact> m_contacts;
  mutable std::vector<BodyPose> m_poses;  ///< [bodies] of the iterates of rewriting()
  bool m_normalsTurn, m_hasElements;
};

}  // namespace touchstone::nsn
