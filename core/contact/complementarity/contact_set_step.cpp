#include "core/contact/complementarity/contact_set_step.h"

#include <algorithm>

#include "core/parallel/parallel_for.h"
#include "core/world/free_rotation.h"

namespace touchstone {

void moveReplicas(const World& world, SolvedStep& from, const ReplicaSet& replicas, SolvedStep& to) {
  std::vector<int> moved(from.step.contacts.size(), -1);
  for (std::size_t contact = 0; contact < moved.size(); ++contact) {
    if (!replicas[(*world.constants)[from.step.contacts[contact].bodyA].replica]) continue;
    moved[contact] = static_cast<int>(to.step.contacts.size());
    to.step.contacts.push_back(from.step.contacts[contact]);
  }
  const auto renumber = [&](ModelSet& set) {
    for (int& contact : set.contacts) contact = moved[contact];
  };
  for (ModelSet set : from.step.sets) {
    if (moved[set.contacts.front()] < 0) continue;
    renumber(set);
    to.step.sets.push_back(std::move(set));
  }
  for (const CrossSet& set : from.step.crossSets)
    if (moved[set.contacts[0]] >= 0)
      to.step.crossSets.push_back({{moved[set.contacts[0]], moved[set.contacts[1]]}});
  std::vector<IslandAnswer> left;
  for (IslandAnswer& answer : from.answers) {
    const bool goes = replicas[answer.island.replica];
    if (goes)
      for (ModelSet& set : answer.island.sets) renumber(set);
    (goes ? to.answers : left).push_back(std::move(answer));
  }
  from.answers = std::move(left);
}

IslandAnswer withoutMatrix(IslandAnswer answer) {
  if (answer.result.status == SolveStatus::Solved) answer.island.problem.A.resize(0, 0);
  return answer;
}

IslandAnswer answerOf(IslandProblem island, const ComplementaritySolver& solver, Eigen::VectorXd start,
                      const std::vector<SolverSettings>& settings) {
  const SolverSettings& own = settings[island.replica];
  IslandAnswer answer;
  answer.island = std::move(island);
  answer.start = std::move(start);
  answer.result = solver.solve(answer.island.problem, answer.start, own);
  answer.tolerance = naturalTolerance(answer.island.problem, own.tolerance);
  answer.notes.solves = 1;
  return answer;
}

std::vector<IslandAnswer> solveEach(
    const std::vector<std::vector<int>>& islands,
    const std::function<IslandAnswer(const std::vector<int>& island)>& solve) {
  constexpr std::size_t kWorthAThread = 8;  // sets outside the largest island: some ten microseconds of work.
                                            // Larger: cores idle; smaller: threads cost more than they save
  std::size_t all = 0, largest = 0;
  for (const std::vector<int>& island : islands) {
    all += island.size();
    largest = std::max(largest, island.size());
  }
  std::vector<IslandAnswer> answers(islands.size());
  const auto solveOne = [&](int index) {
    const std::size_t island = static_cast<std::size_t>(index);
    answers[island] = solve(islands[island]);
  };
  parallelFor(static_cast<int>(islands.size()), solveOne,
              all - largest < kWorthAThread ? Work::Heavy : Work::Long);
  return answers;
}

Velocities velocitiesOf(const World& world) {
  Velocities velocities(world.position.size());
  for (std::size_t body = 0; body < velocities.size(); ++body)
    velocities[body] << world.nextLinearVelocity[body], world.nextAngularVelocity[body];
  return velocities;
}

Velocities velocitiesAfter(const World& world, const SolvedStep& solved) {
  Velocities velocities = solved.step.free;
  for (const IslandAnswer& answer : solved.answers)
    addImpulses(world, answer.island, appliedImpulses(answer.island.problem, answer.result.z), velocities);
  return velocities;
}

std::string stillMovedText() {
  return "re-linearisation still moved the velocity after " + std::to_string(kMostLinearisations) + " passes";
}

Pose poseAfter(const World& world, const Velocities& velocities) {
  Pose pose{world.position, world.orientation};
  for (std::size_t body = 0; body < pose.position.size(); ++body) {
    if (!isDynamic(world, static_cast<int>(body))) continue;
    pose.position[body] += world.dt * Vec3(velocities[body].head<3>());
    pose.orientation[body] =
        freeRotation((*world.constants)[body], pose.orientation[body], velocities[body].tail<3>(), world.dt)
            .orientation;
  }
  return pose;
}

const Polytope& pieceOf(const World& world, int piece) {
  return world.scene->bodies[world.pieces->body[piece]].shape->pieces[world.pieces->index[piece]];
}

std::vector<PlacedPolytope> placedPieces(const World& world, const Pose& pose) {
  std::vector<PlacedPolytope> pieces(world.pieces->body.size());
  parallelFor(static_cast<int>(pieces.size()), [&](int piece) {
    const int body = world.pieces->body[piece];
    if (world.active[body])
      pieces[piece] = placed(pieceOf(world, piece), pose.position[body], pose.orientation[body]);
  });
  return pieces;
}

Vec3 planeNormal(const World& world, int plane) {
  return world.orientation[plane] * world.scene->bodies[plane].shape->planeNormal;
}

void reevaluate(const World& world, const Pose& pose, const std::vector<PlacedPolytope>& placed,
                ModelContact& contact) {
  reevaluate(world, placed, world.pieces->body.data(), pose.position.data(), contact);
}

}  // namespace touchstone
