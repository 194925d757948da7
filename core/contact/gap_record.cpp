#include "core/contact/gap_record.h"

#include <algorithm>
#include <cmath>

namespace touchstone {

namespace {

constexpr double kSticks = 1e-9;  // m/s: slower is no slip

/// The solver's relative tolerance on the equilibrated residual as a bound on the natural residual [m/s].
double toleranceOf(const ComplementarityProblem& problem, double tolerance) {
  double offset = 0, largest = 0;
  for (int row = 0; row < problem.b.size(); ++row) {
    const double diagonal = problem.A(row, row), s = diagonal > 0 ? std::sqrt(diagonal) : 1;
    offset = std::max(offset, std::abs(problem.b[row] / s));
    largest = std::max(largest, s);
  }
  return tolerance * (1 + offset) * largest;
}

/// Gap of every contact at the end of the step.
std::vector<double> endGaps(const World& world, const GapStep& step,
                            const std::vector<IslandAnswer>& answers) {
  const Pose pose = poseAfter(world, velocitiesAfter(world, step, answers));
  const std::vector<PlacedPolytope> placed = placedPieces(world, pose);
  std::vector<double> gaps;
  for (ModelContact contact : step.contacts) {
    reevaluate(world, pose, placed, contact);
    gaps.push_back(contact.geometry.psi);
  }
  return gaps;
}

Contact recordOf(const ModelContact& model) {
  Contact contact;
  contact.kind = model.geometry.kind;
  contact.bodyA = model.bodyA;
  contact.bodyB = model.bodyB;
  contact.featureA = model.geometry.featureA;
  contact.featureB = model.geometry.featureB;
  const bool planeFirst = model.pieceB < 0 && !model.geometry.vertexOnA;
  contact.pieceA = planeFirst ? -1 : model.pieceA;
  contact.pieceB = planeFirst ? model.pieceA : model.pieceB;
  contact.vertexOnA = model.geometry.vertexOnA;
  contact.pointA = model.geometry.pointA;
  contact.pointB = model.geometry.pointB;
  contact.normal = model.geometry.normal;
  contact.gap = model.geometry.psi;
  return contact;
}

/// A set whose end state is free though one of its rows is violated: the standard model would have forbidden
/// it (Williams 2017), judged on the true geometry at the end of the step.
/// @param ends  [contacts] gaps [m]
bool isTrap(const ModelSet& set, const std::vector<double>& ends) {
  constexpr double kFree = -1e-6;  // m
  if (set.contacts.size() < 2) return false;
  double most = -1e300, least = 1e300;
  for (int contact : set.contacts) {
    most = std::max(most, ends[contact]);
    least = std::min(least, ends[contact]);
  }
  return most >= kFree && least < kFree;
}

/// Counts of sets by type.
class SetCounts {
 public:
  void add(ConstraintType type) { ++m_counts[static_cast<int>(type)]; }
  void write(StepRecord& record) const {
    record.quantities[Quantity::UnilateralSets] = of(ConstraintType::U);
    record.quantities[Quantity::InequalitySets] = of(ConstraintType::I);
    record.quantities[Quantity::CrossSets] = of(ConstraintType::X);
  }

 private:
  double of(ConstraintType type) const { return m_counts[static_cast<int>(type)]; }
  int m_counts[4] = {0, 0, 0, 0};
};

/// Impulses and mode of a primary with (p, β) along the directions of the disk.
/// @param slip  speed along its tangents at the end [m/s]
void addForce(const ModelSet& set, const Vec3& z, double slip, const ModelSettings& settings,
              Contact& contact) {
  contact.normalImpulse = z[0];
  contact.mode = z[0] > 0 ? ContactMode::Sliding : ContactMode::Open;
  if (!(set.friction > 0)) return;
  const std::vector<Vec3> directions = frictionDirections(contact.normal, settings);
  for (std::size_t d = 0; d < directions.size(); ++d)
    contact.frictionImpulse += z[1 + static_cast<Eigen::Index>(d)] * directions[d];
  // Inside its cone a contact sticks as far as the sweeps got; on it, it may stick too.
  const bool inside = z.tail<2>().norm() < (1 - 1e-9) * set.friction * z[0];
  if (z[0] > 0 && (inside || slip <= kSticks)) contact.mode = ContactMode::Sticking;
}

/// The same with a pyramid, of a primary whose unknowns start at index p.
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

void writeGapRecord(const World& world, const GapStep& step, const std::vector<IslandAnswer>& answers,
                    const ModelSettings& settings, double tolerance, StepRecord& record) {
  const std::vector<double> ends = endGaps(world, step, answers);
  double residual = 0, depth = 0;
  int setNumber = 0, traps = 0;
  SetCounts counts;
  std::size_t largest = 0;
  for (const ModelContact& contact : step.contacts) depth = std::max(depth, -contact.geometry.psi);
  for (const IslandAnswer& answer : answers) {
    residual = std::max(residual, answer.result.residual);
    if (answer.island.problem.b.size() > static_cast<Eigen::Index>(largest)) {
      largest = static_cast<std::size_t>(answer.island.problem.b.size());
      record.iterations = answer.result.iterations;
      record.deliveredBy = answer.result.deliveredBy;
      record.solverTolerance = toleranceOf(answer.island.problem, tolerance);
    }
    for (std::size_t k = 0; k < answer.island.sets.size(); ++k) {
      const ModelSet& set = answer.sets[answer.island.sets[k]];
      counts.add(set.type);
      const bool trap = isTrap(set, ends);
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
  counts.write(record);
}

void writeMatrixFreeContacts(const MatrixFreeAnswer& answer, const ModelSettings& settings,
                             StepRecord& record) {
  double depth = 0;
  for (const ModelContact& contact : answer.contacts) depth = std::max(depth, -contact.geometry.psi);
  int traps = 0;
  SetCounts counts;
  for (std::size_t row = 0; row < answer.sets.size(); ++row) {
    const ModelSet& set = answer.sets[row];
    const bool trap = isTrap(set, answer.ends);
    traps += trap;
    counts.add(set.type);
    for (std::size_t place = 0; place < set.contacts.size(); ++place) {
      Contact contact = recordOf(answer.contacts[set.contacts[place]]);
      contact.type = set.type;
      contact.set = static_cast<int>(row);
      contact.primary = place == 0;
      contact.trap = trap;
      if (place == 0) addForce(set, answer.impulses[row], answer.slips[row], settings, contact);
      record.contacts.push_back(contact);
    }
  }
  record.quantities[Quantity::MethodDepth] = depth;
  record.quantities[Quantity::Traps] = traps;
  counts.write(record);
}

}  // namespace touchstone
