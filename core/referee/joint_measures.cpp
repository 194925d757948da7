#include "core/referee/joint_measures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/scene/joint_rows.h"
#include "core/scene/scale.h"
#include "core/world/body_pose.h"
#include "core/world/joint_coordinates.h"

namespace touchstone {

namespace {

/// Force of the spring of a drive that is off its target by x, against x.
double springForce(const JointDrive& drive, double x) {
  return std::clamp(drive.stiffness * x, -drive.mostForce, drive.mostForce);
}

/// Its work from x = 0 on [J].
double springEnergy(const JointDrive& drive, double x) {
  const double force = std::abs(springForce(drive, x));
  return drive.stiffness > 0 ? force * (std::abs(x) - 0.5 * force / drive.stiffness) : 0;
}

/// Mean and range of the given force of a drive over the steps of a frame.
struct GivenForce {
  double mean = 0, range = 0;
};
GivenForce givenForceOf(const World& world, std::size_t joint, const StepRecord& record, double frameDt) {
  const JointDrive& drive = world.scene->joints[joint].drive;
  if (!drive.hasForce()) return {};
  double sum = 0, low = HUGE_VAL, high = -HUGE_VAL;
  for (int step = 1; step <= record.substeps; ++step) {
    const double time = world.time - frameDt * (record.substeps - step) / record.substeps,
                 force = drive.forceAt(time, joint);
    sum += force;
    low = std::min(low, force);
    high = std::max(high, force);
  }
  return {sum / record.substeps, high - low};
}

bool takesPart(const World& world, const Joint& joint) {
  return joint.hasCoordinate() && (joint.drive.isOn() || joint.drive.hasForce()) && world.active[joint.bodyB];
}

}  // namespace

JointMeasures measureJoints(const World& world) {
  JointMeasures measures;
  const double length = lengthOf(*world.scene);
  for (std::size_t index = 0; index < world.scene->joints.size(); ++index) {
    const Joint& joint = world.scene->joints[index];
    if (!world.active[joint.bodyB]) continue;
    const auto measure = [&](double c, bool isAngle) {
      if (const double compliance = joint.complianceOf(isAngle); compliance > 0) {
        measures.energy += 0.5 * c * c / compliance;
      } else if (const double error = (isAngle ? length : 1) * std::abs(c); error > measures.error) {
        measures.error = error;
        measures.worst = static_cast<int>(index);
      }
    };
    eachJointError(joint, poseOf(world, joint.bodyA), poseOf(world, joint.bodyB), measure);
  }
  return measures;
}

std::string tornJoint(const World& world, const JointMeasures& measures) {
  // Relative to the scene's length. A larger value lets joints come apart visibly; a smaller one reports what
  // one step of an impact leaves.
  constexpr double kTorn = 0.01;
  const double maximum = kTorn * lengthOf(*world.scene);
  if (measures.worst < 0 || !(measures.error > maximum)) return {};
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                "' is %.3g m apart, angles times the scene's length; more than 1 %% of that length, %.3g m",
                measures.error, maximum);
  return "joint '" + world.scene->joints[measures.worst].name + numbers;
}

std::vector<DriveState> driveStates(const World& world, const std::vector<DriveState>& before) {
  const std::vector<Joint>& joints = world.scene->joints;
  std::vector<DriveState> states(joints.size());
  const auto rateOf = [&world](const Vec3& linear, const Vec3& angular, int body) {
    return body < 0 ? 0 : linear.dot(world.linearVelocity[body]) + angular.dot(world.angularVelocity[body]);
  };
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = joints[index];
    if (!takesPart(world, joint)) continue;
    const JointCoordinate now =
        jointCoordinate(joint.kind, joint.frames, poseOf(world, joint.bodyA), poseOf(world, joint.bodyB));
    DriveState& state = states[index];
    const double last = before.empty() ? world.jointCoordinate[index] : before[index].coordinate;
    state.coordinate = joint.kind == JointKind::Prismatic ? now.value : unwrapped(last, now.value);
    state.rate = rateOf(now.row.linearA, now.row.angularA, joint.bodyA) +
                 rateOf(now.row.linearB, now.row.angularB, joint.bodyB);
    state.target = driveAim(world, index, world.time).target;
  }
  return states;
}

double driveEnergy(const World& world, const std::vector<DriveState>& states) {
  double sum = 0;
  for (std::size_t index = 0; index < states.size(); ++index)
    if (const Joint& joint = world.scene->joints[index]; takesPart(world, joint))
      sum += springEnergy(joint.drive, states[index].coordinate - states[index].target);
  return sum;
}

DriveWork driveWork(const World& world, const std::vector<DriveState>& before,
                    const std::vector<DriveState>& after, const StepRecord& record, double frameDt) {
  DriveWork work;
  for (std::size_t index = 0; index < after.size(); ++index) {
    const Joint& joint = world.scene->joints[index];
    if (!takesPart(world, joint)) continue;
    const JointDrive& drive = joint.drive;
    const DriveState &stateBefore = before[index], &stateAfter = after[index];
    const GivenForce given = givenForceOf(world, index, record, frameDt);
    // An impulse works at the mean of the rates before and after it; a step moves by the rate after it.
    const double moved = stateAfter.coordinate - stateBefore.coordinate,
                 gained = 0.5 * record.dt * (stateAfter.rate - stateBefore.rate);
    work.supplied += given.mean * (moved - gained);
    work.unknown += given.range * frameDt * (std::abs(stateBefore.rate) + std::abs(stateAfter.rate));
    if (!drive.isOn()) continue;
    const double start = stateBefore.coordinate - stateBefore.target,
                 end = stateAfter.coordinate - stateAfter.target,
                 spring = -0.5 * (springForce(drive, start) + springForce(drive, end));
    const double pulled = index < record.joints.size() ? record.joints[index].drive - given.mean : spring;
    const bool isOnPath = !drive.targets.empty() && std::isnan(world.driveTarget[index]);
    const double shift = stateAfter.target - stateBefore.target,
                 jump = springEnergy(drive, stateBefore.coordinate - stateAfter.target) -
                        springEnergy(drive, start);
    double supplied = 0;
    if (isOnPath)
      supplied = pulled * shift;
    else
      supplied = jump + (std::isnan(world.driveTarget[index]) ? (pulled - spring) * drive.rate * frameDt : 0);
    work.supplied += supplied;
    work.unknown += std::max(0.0, jump - supplied) + std::abs(pulled * gained);
  }
  return work;
}

void measureJoints(const World& world, std::vector<JointState>& joints) {
  joints.resize(world.scene->joints.size());
  for (std::size_t index = 0; index < joints.size(); ++index) {
    const Joint& joint = world.scene->joints[index];
    JointState& state = joints[index];
    state.error = state.angle = 0;
    eachJointError(joint, poseOf(world, joint.bodyA), poseOf(world, joint.bodyB),
                   [&state](double c, bool isAngle) {
                     double& largest = isAngle ? state.angle : state.error;
                     largest = std::max(largest, std::abs(c));
                   });
    if (joint.hasCoordinate()) state.coordinate = jointCoordinateNow(world, index);
  }
}

}  // namespace touchstone
