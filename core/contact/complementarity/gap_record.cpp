#include "core/contact/complementarity/gap_record.h"

#include <algorithm>
#include <cmath>

#include "core/scene/scale.h"

namespace touchstone {

namespace {

/// Gap of every contact at the end of the step.
std::vector<double> endGaps(const World& world, const ContactSetStep& step, const Velocities& velocities) {
  const Pose pose = poseAfter(world, velocities);
  const std::vector<PlacedPolytope> placed = placedPieces(world, pose);
  std::vector<double> gaps;
  for (ModelContact contact : step.contacts) {
    reevaluate(world, pose, placed, contact);
    gaps.push_back(contact.geometry.psi);
  }
  return gaps;
}

/// What the unknowns of primaries come to.
struct ForceOf {
  const ModelSettings& settings;
  const Velocities& velocities;  ///< at the end of the step

  /// Impulses and mode of a set's primary.
  /// @param z  applied, from the set's p on
  void addTo(const ModelSet& set, const ModelContact& primary, const double* z, Contact& contact) const {
    const double* beta = z + set.contacts.size();
    contact.normalImpulse = z[0];
    contact.mode = z[0] > 0 ? ContactMode::Sliding : ContactMode::Open;
    if (!(set.friction > 0)) return;
    const std::vector<Vec3> directions = frictionDirections(contact.normal, settings);
    for (std::size_t d = 0; d < directions.size(); ++d) contact.frictionImpulse += beta[d] * directions[d];
    if (settings.friction == FrictionShape::Disk) {
      contact.mode = modeWithinCone(z[0], set.friction * z[0], contact.frictionImpulse.norm(),
                                    slipSpeed(primary, directions) / settings.velocityUnit);
      return;
    }
    const double slip = beta[directions.size()];  // σ: the slip speed where it is positive
    if (z[0] > 0 && slip <= kSticks * settings.velocityUnit) contact.mode = ContactMode::Sticking;
  }

 private:
  double slipSpeed(const ModelContact& primary, const std::vector<Vec3>& tangents) const {
    double square = 0;
    for (const Vec3& d : tangents) {
      const PairJacobian along = pairJacobian(primary.bodyA, primary.bodyB, d, primary.armA, primary.armB);
      const double slip = along.a.dot(velocities[along.bodyA]) + along.b.dot(velocities[along.bodyB]);
      square += slip * slip;
    }
    return std::sqrt(square);
  }
};

}  // namespace

void writeGapRecord(const World& world, const SolvedStep& solved, const ModelSettings& settings,
                    StepRecord& record) {
  const ContactSetStep& step = solved.step;
  const Velocities velocities = velocitiesAfter(world, solved);
  const std::vector<double> ends = endGaps(world, step, velocities);
  const ForceOf force{settings, velocities};
  const WorldView view = viewOf(world);
  const double length = lengthOf(*world.scene);
  double residual = 0, depth = 0;
  int setNumber = 0, traps = 0;
  SetCounts counts;
  std::size_t largest = 0;
  for (const ModelContact& contact : step.contacts) depth = std::max(depth, -contact.geometry.psi);
  for (const IslandAnswer& answer : solved.answers) {
    residual = std::max(residual, answer.result.residual);
    if (answer.island.problem.b.size() > static_cast<Eigen::Index>(largest)) {
      largest = static_cast<std::size_t>(answer.island.problem.b.size());
      record.iterations = answer.result.iterations;
      record.deliveredBy = answer.result.deliveredBy;
      record.solverTolerance = answer.tolerance;
    }
    const Eigen::VectorXd z = appliedImpulses(answer.island.problem, answer.result.z);
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.island.sets[k];
      counts.add(set.type);
      const bool trap =
          isTrap(set.contacts.data(), static_cast<int>(set.contacts.size()), ends.data(), length);
      traps += trap;
      for (std::size_t place = 0; place < set.contacts.size(); ++place) {
        const ModelContact& found = step.contacts[set.contacts[place]];
        Contact contact = recordOf(view, found);
        contact.type = set.type;
        contact.set = setNumber;
        contact.primary = place == 0;
        contact.trap = trap;
        if (place == 0) force.addTo(set, found, z.data() + answer.island.first[k], contact);
        record.contacts.push_back(contact);
      }
      ++setNumber;
    }
  }
  for (const CrossSet& set : step.crossSets) {
    counts.add(ConstraintType::X);
    const bool trap = isTrap(set.contacts, 2, ends.data(), length);
    traps += trap;
    for (const int member : set.contacts) {
      Contact contact = recordOf(view, step.contacts[member]);
      contact.type = ConstraintType::X;
      contact.set = setNumber;
      contact.primary = member == set.contacts[0];
      contact.trap = trap;
      record.contacts.push_back(contact);
    }
    ++setNumber;
  }
  record.quantities[Quantity::Residual] = residual;
  record.quantities[Quantity::MethodDepth] = depth;
  record.quantities[Quantity::EnergyElastic] = 0;
  record.quantities[Quantity::Traps] = traps;
  writeSetCounts(counts, record);
}

void writeSetCounts(const SetCounts& counts, StepRecord& record) {
  record.quantities[Quantity::UnilateralSets] = counts.unilateral;
  record.quantities[Quantity::InequalitySets] = counts.inequality;
  record.quantities[Quantity::CrossSets] = counts.cross;
}

}  // namespace touchstone
