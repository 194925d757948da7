#include "core/explain/row_explanation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/constraints/joint_constraints.h"
#include "core/constraints/kinds/registered_kinds.h"
#include "core/math/count.h"
#include "core/solver/product/row_product.inl"

namespace touchstone {

namespace {

std::string numberText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

std::string quoted(const World& world, int body) {
  return body < 0 ? "the world" : "'" + world.scene->bodies[body].name + "'";
}

/// "vertex 3 – face 1", as RowKey has them.
std::string featuresText(const RowKey& key) {
  const auto kind = static_cast<FeaturePairKind>(key.kind / 2);
  const char* first = "vertex ";
  const char* second = kind == FeaturePairKind::VertexFace ? "face " : "plane ";
  if (kind == FeaturePairKind::EdgeEdge) first = second = "edge ";
  if (kind != FeaturePairKind::EdgeEdge && key.kind % 2 == 0) std::swap(first, second);
  const bool isPlane = kind == FeaturePairKind::VertexPlane;
  const auto featureText = [isPlane](const char* name, int feature) {
    return isPlane && name[0] == 'p' ? std::string("plane") : name + std::to_string(feature);
  };
  return featureText(first, key.featureA) + " – " + featureText(second, key.featureB);
}

/// The body of an element, by its first particle.
std::string elementText(const World& world, const char* kind, int number, int carrier) {
  return std::string(kind) + " " + std::to_string(number) + " of " +
         quoted(world, world.carrierBody[carrier]);
}

std::string ownerOf(const World& world, const BlockKey& key) {
  const ElasticBodies& elastic = *world.elastic;
  switch (key.kind) {
    case kPieceBlock:
    case kPlaneBlock: {
      const int first = world.pieces->body[key.first],
                second = key.kind == kPlaneBlock ? key.second : world.pieces->body[key.second];
      return quoted(world, std::min(first, second)) + " – " + quoted(world, std::max(first, second));
    }
    case kJointBlock:
      return "joint '" + world.scene->joints[key.first].name + "'";
    case kAttachmentBlock: {
      const ElasticBodies::Attachment& attachment = elastic.attachments[key.first];
      return "attachment " + std::to_string(key.first) + " of " +
             quoted(world, world.carrierBody[attachment.carrier]) + " to " + quoted(world, attachment.body);
    }
    case kTetrahedronBlock:
      return elementText(world, "tetrahedron", key.first, elastic.tetrahedra[key.first].carriers[0]);
    case kEdgeBlock:
      return elementText(world, "edge", key.first, elastic.edges[key.first].carriers[0]);
    case kHingeBlock:
      return elementText(world, "hinge", key.first, elastic.hinges[key.first].carriers[0]);
    default:
      break;
  }
  if (key.kind >= kRegisteredBlock)
    return registeredKey(key.kind - kRegisteredBlock) + " " + std::to_string(key.first);
  const auto kind = static_cast<FeaturePairKind>(key.kind - kSurfaceBlock);
  const bool isEdges = kind == FeaturePairKind::EdgeEdge;
  const int first = isEdges ? world.surface->edgeBody[key.first] : world.surface->vertexBody[key.first];
  return quoted(world, first) + ", " + (isEdges ? "edge " : "vertex ") + std::to_string(key.first) +
         (isEdges                                ? " – edge " + std::to_string(key.second)
          : kind == FeaturePairKind::VertexPlane ? " – " + quoted(world, key.second)
                                                 : " – face " + std::to_string(key.second));
}

bool isContact(int kind) { return kind <= kPlaneBlock || (kind >= kSurfaceBlock && kind < kRegisteredBlock); }

/// First of the rows that hold a joint which is about an angle.
int firstAngleOf(const Joint& joint) {
  return jointRows(joint.kind, joint.frames, joint.length, BodyPose(), BodyPose()).firstAngle;
}

/// @param inUnit  row of the unit
std::string nameOf(const World& world, const RowsDetail& rows, const RowUnit& unit, int inUnit) {
  const RowBlock& block = rows.table.rows.blocks[unit.block];
  const int row = unit.firstRow + inUnit, inBlock = row - block.firstRow;
  const Row& ask = rows.table.rows.rows[row];
  if (isContact(block.key.kind)) {
    if (ask.law == RowLaw::Disk) return "friction " + std::to_string(ask.leader);
    if (ask.law == RowLaw::Member) return "member " + std::to_string(inUnit - unit.groupRows + 2);
    return ask.law == RowLaw::Maximum ? "normal, primary" : "normal";
  }
  if (block.key.kind == kJointBlock) {
    const Joint& joint = world.scene->joints[block.key.first];
    switch (rows.slots[row]) {
      case JointConstraint::Lower:
        return ask.law == RowLaw::Free ? "locked" : "lower limit";
      case JointConstraint::Upper:
        return "upper limit";
      case JointConstraint::Driven:
        return "drive";
      case JointConstraint::DryFriction:
        return "dry friction";
      case JointConstraint::Mimic:
        return "follows '" + world.scene->joints[joint.mimic.joint].name + "'";
      case JointConstraint::Given:
        return "given force";
      default:
        break;
    }
    if (joint.kind == JointKind::Rope || joint.kind == JointKind::Distance) return "length";
    const int firstAngle = firstAngleOf(joint), hold = rows.slots[row];
    return hold < firstAngle ? "point " + std::to_string(hold + 1)
                             : "angle " + std::to_string(hold - firstAngle + 1);
  }
  if (block.key.kind == kTetrahedronBlock) return "strain " + std::to_string(inBlock + 1);
  if (block.key.kind == kEdgeBlock) return "length";
  if (block.key.kind == kHingeBlock) return "bend";
  return "row " + std::to_string(inBlock + 1);
}

std::string lawText(const Row& row) {
  switch (row.law) {
    case RowLaw::Free:
      return "w = 0";
    case RowLaw::Unilateral:
      return "0 ≤ z ⊥ w ≥ 0";
    case RowLaw::Symmetric:
      return "|z| ≤ " + numberText(row.bound);
    case RowLaw::Fixed:
      return "z = " + numberText(row.bound);
    case RowLaw::Disk:
      return "|β| ≤ " + numberText(row.bound) + " p";
    case RowLaw::Maximum:
      return "0 ≤ z ⊥ max w ≥ 0";
    case RowLaw::Member:
      return "z = 0";
  }
  return {};
}

/// Units of a row, by what it is about.
void setUnits(const World& world, const RowsDetail& rows, const RowBlock& block, int row,
              ExplainedRow& explained) {
  if (block.key.kind == kTetrahedronBlock) {
    explained.rateUnit = "1/s";
    explained.impulseUnit = "J·s";
    return;
  }
  bool isAngle = block.key.kind == kHingeBlock;
  if (block.key.kind == kJointBlock) {
    const Joint& joint = world.scene->joints[block.key.first];
    const int slot = rows.slots[row];
    isAngle =
        slot >= JointConstraint::Lower ? joint.kind != JointKind::Prismatic : slot >= firstAngleOf(joint);
  }
  if (!isAngle) return;
  explained.rateUnit = "rad/s";
  explained.impulseUnit = "N·m·s";
}

}  // namespace

std::vector<ExplainedRow> explainedRows(const World& world, const RowsDetail& rows) {
  std::vector<ExplainedRow> explained;
  std::vector<Vec3> linear = rows.table.linear, angular = rows.table.angular;  // views may change them
  const RowsView view = rows.table.view();
  const CarrierVelocities velocities{linear.data(), angular.data()};
  for (const RowBlock& block : rows.table.rows.blocks) {
    const std::string ofBlock = ownerOf(world, block.key);
    for (int number = block.firstUnit; number < block.firstUnit + block.unitCount; ++number) {
      const RowUnit& unit = view.units[number];
      const int count = unit.rowCount;
      const Row* const asks = view.rows + unit.firstRow;
      const double* const z = rows.impulses.data() + unit.firstRow;
      std::vector<double> w(count), r(count), inverse(count), failures(count, 0.0);
      setRates(view, unit, velocities, z, w.data());
      setScales(view, unit, rows.table.metric(), r.data(), inverse.data());
      eachFailure(asks, count, z, w.data(), r.data(), inverse.data(), [&](int row, double failure) {
        failures[row] = failure * static_cast<double>(asks[row].length);
        if (isDiskOfTwo(asks, row, count)) failures[row + 1] = failures[row];
      });
      std::string owner = ofBlock;
      if (block.key.kind <= kPlaneBlock) owner += ", " + featuresText(rows.keys[number]);
      for (int row = 0; row < count; ++row) {
        if (asks[row].flags & kTransient) continue;
        ExplainedRow out;
        out.block = block.key;
        out.island = block.island;
        out.isOfContact = isContact(block.key.kind);
        out.owner = owner;
        out.name = nameOf(world, rows, unit, row);
        out.law = lawText(asks[row]);
        out.rate = w[row];
        for (int member = row + 1; asks[row].law == RowLaw::Maximum && member < count; ++member)
          if (asks[member].law == RowLaw::Member) out.rate = std::max(out.rate, w[member]);
        out.impulse = z[row];
        out.residual = failures[row];
        setUnits(world, rows, block, unit.firstRow + row, out);
        explained.push_back(std::move(out));
      }
    }
  }
  return explained;
}

BlockKey blockOf(const Contact& contact) {
  if (contact.pieceA >= 0 && contact.pieceB >= 0) return {kPieceBlock, contact.pieceA, contact.pieceB};
  if (contact.pieceA >= 0) return {kPlaneBlock, contact.pieceA, contact.bodyB};
  if (contact.pieceB >= 0) return {kPlaneBlock, contact.pieceB, contact.bodyA};
  const int kind = kSurfaceBlock + static_cast<int>(contact.kind);
  return contact.vertexOnA ? BlockKey{kind, contact.featureA, contact.featureB}
                           : BlockKey{kind, contact.featureB, contact.featureA};
}

}  // namespace touchstone
