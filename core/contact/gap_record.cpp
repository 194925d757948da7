#include "core/contact/gap_record.h"

#include <algorithm>

namespace touchstone {

namespace {

/// Gap of every contact at the end of the step.
std::vector<double> endGaps(const World& world, const SolvedStep& solved) {
  const Pose pose = poseAfter(world, velocitiesAfter(world, solved));
  const std::vector<PlacedPolytope> placed = placedPieces(world, pose);
  std::vector<double> gaps;
  for (ModelContact contact : solved.step.contacts) {
    reevaluate(world, pose, placed, contact);
    gaps.push_back(contact.geometry.psi);
  }
  return gaps;
}

/// Impulses and mode of a primary whose unknowns start at index p, with a pyramid.
void addForce(const ModelSet& set, const IslandAnswer& answer, int p, const ModelSettings& settings,
              Contact& contact) {
  const Eigen::VectorXd& z = answer.result.z;
  const int beta = p + static_cast<int>(set.contacts.size());
  contact.normalImpulse = std::max(0.0, z[p]);
  contact.mode = contact.normalImpulse > 0 ? ContactMode::Sliding : ContactMode::Open;
  if (!(set.friction > 0)) return;
  const std::vector<Vec3> directions = frictionDirections(contact.normal, settings);
  for (int d = 0; d < settings.facets; ++d)
    contact.frictionImpulse += std::max(0.0, z[beta + d]) * directions[d];
  const double slip = z[beta + settings.facets];  // σ: the slip speed where it is positive
  if (contact.normalImpulse > 0 && slip <= kSticks) contact.mode = ContactMode::Sticking;
}

}  // namespace

void writeGapRecord(const World& world, const SolvedStep& solved, const ModelSettings& settings,
                    StepRecord& record) {
  const GapStep& step = solved.step;
  const std::vector<double> ends = endGaps(world, solved);
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
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.island.sets[k];
      counts.add(set.type);
      const bool trap = isTrap(set.contacts.data(), static_cast<int>(set.contacts.size()), ends.data());
      traps += trap;
      for (std::size_t place = 0; place < set.contacts.size(); ++place) {
        Contact contact = recordOf(step.contacts[set.contacts[place]]);
        contact.type = set.type;
        contact.set = setNumber;
        contact.primary = place == 0;
        contact.trap = trap;
        if (place == 0) addForce(set, answer, answer.island.first[k], settings, contact);
        record.contacts.push_back(contact);
      }
      ++setNumber;
    }
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
