#include "core/record/record_bytes.h"

#include <algorithm>
#include <cmath>

#include "core/record/bytes.h"

namespace touchstone {

namespace {

constexpr int kDetailVersion = 1;
/// Least size of a list entry. A larger value refuses valid records; a smaller one lets a damaged count take
/// more memory.
constexpr std::size_t kContactBytes = 171, kOverlapBytes = 40, kIterationBytes = 28, kJointBytes = 93;

// One list of members serves writing and reading, so that both always agree.
struct Put {
  ByteWriter writer;
  template <class T>
  void operator()(const T& value) {
    writer.put(value);
  }
  template <class T, class Each>
  void list(const std::vector<T>& items, std::size_t /*bytesEach*/, const Each& visit) {
    writer.put(items.size());
    for (const T& item : items) visit(item);
  }
};

bool isOneOf(FeaturePairKind kind) {
  return kind >= FeaturePairKind::VertexFace && kind <= FeaturePairKind::VertexPlane;
}
bool isOneOf(ContactMode mode) { return mode >= ContactMode::Open && mode <= ContactMode::Sliding; }
bool isOneOf(ConstraintType type) { return type >= ConstraintType::Penalty && type <= ConstraintType::X; }

struct Get {
  ByteReader reader;
  template <class T>
  void operator()(T& value) {
    reader.get(value);
    if constexpr (std::is_enum_v<T>)
      if (!isOneOf(value)) throw std::runtime_error("damaged: a kind is unknown");
  }
  template <class T, class Each>
  void list(std::vector<T>& items, std::size_t bytesEach, const Each& visit) {
    items.resize(reader.count(bytesEach));
    for (T& item : items) visit(item);
  }
};

template <class Archive, class C>
void contactMembers(Archive& io, C& contact) {
  io(contact.kind);
  io(contact.bodyA);
  io(contact.bodyB);
  io(contact.featureA);
  io(contact.featureB);
  io(contact.pieceA);
  io(contact.pieceB);
  io(contact.vertexOnA);
  io(contact.pointA);
  io(contact.pointB);
  io(contact.normal);
  io(contact.gap);
  io(contact.normalImpulse);
  io(contact.frictionImpulse);
  io(contact.mode);
  io(contact.type);
  io(contact.set);
  io(contact.primary);
  io(contact.trap);
  io(contact.intervalStart);
  io(contact.intervalEnd);
}

template <class Archive, class O>
void overlapMembers(Archive& io, O& overlap) {
  io(overlap.bodyA);
  io(overlap.bodyB);
  io(overlap.depth);
  io(overlap.volume);
  io.list(overlap.vertices, sizeof(Vec3), [&io](auto& vertex) { io(vertex); });
  io.list(overlap.triangles, 3 * sizeof(int), [&io](auto& triangle) {
    for (auto& corner : triangle) io(corner);
  });
}

template <class Archive, class R>
void members(Archive& io, R& record) {
  io(record.dt);
  io(record.substeps);
  io(record.solver);
  io(record.statusText);
  io.list(record.warnings, sizeof(std::size_t), [&io](auto& warning) { io(warning); });
  io.list(record.contacts, kContactBytes, [&io](auto& contact) { contactMembers(io, contact); });
  io.list(record.overlaps, kOverlapBytes, [&io](auto& overlap) { overlapMembers(io, overlap); });
  io.list(record.iterations, kIterationBytes, [&io](auto& iteration) {
    io(iteration.residual);
    io(iteration.merit);
    io(iteration.linearIterations);
    io(iteration.linearResidual);
  });
  io(record.deliveredBy);
  io(record.solverTolerance);
  io(record.unsolved);
  io(record.solves);
  io(record.parts);
  io(record.normalImpulseSum);
  io(record.frictionImpulseSum);
  io(record.groundImpulse);
  io(record.groundAngularImpulse);
  io(record.pullImpulse);
  io(record.pullAngularImpulse);
  io(record.pullWork);
  io(record.gravityMoment);
  for (auto& time : record.times) io(time);
}

template <class Archive, class R>
void pushOutMembers(Archive& io, R& record) {
  io(record.pushOutWork);
  io(record.pushOutAngularMomentum);
  io(record.endedByBudget);
}

template <class Archive, class J>
void jointMembers(Archive& io, J& joint) {
  io(joint.error);
  io(joint.angle);
  io(joint.coordinate);
  io(joint.force);
  io(joint.torque);
  io(joint.drive);
  io(joint.friction);
  io(joint.limit);
  io(joint.isLargest);
}

/// Reads or writes the inner iterations of an iteration.
template <class Archive, class I>
void nestedMembers(Archive& io, I& iteration) {
  io(iteration.stepSize);
  io(iteration.normal);
  io(iteration.friction);
  io(iteration.joints);
  io(iteration.momentum);
  io.list(iteration.linear, sizeof(float), [&io](auto& residual) { io(residual); });
}
bool hasNested(const SolverIteration& iteration) {
  return !std::isnan(iteration.momentum) || !iteration.linear.empty();
}

template <class Archive, class P>
void pullMembers(Archive& io, P& pull) {
  io(pull.body);
  io(pull.point);
  io(pull.target);
  io(pull.force);
}

}  // namespace

std::string bodyBytes(const std::vector<BodyState>& bodies) {
  ByteWriter writer;
  for (const BodyState& body : bodies) {
    writer.put(body.position);
    for (double part :
         {body.orientation.w(), body.orientation.x(), body.orientation.y(), body.orientation.z()})
      writer.put(part);
    writer.put(body.linearVelocity);
    writer.put(body.angularVelocity);
    writer.put(body.active ? 1.0 : 0.0);
  }
  return writer.take();
}

std::vector<BodyState> bodiesOf(const std::string& bytes) {
  constexpr std::size_t kSize = kBodyNumbers * sizeof(double);
  if (bytes.size() % kSize != 0) throw std::runtime_error("damaged: the states of the bodies are cut off");
  std::vector<BodyState> bodies(bytes.size() / kSize);
  ByteReader reader(bytes);
  for (BodyState& body : bodies) {
    double w, x, y, z, active;
    reader.get(body.position);
    reader.get(w);
    reader.get(x);
    reader.get(y);
    reader.get(z);
    body.orientation = Quaternion(w, x, y, z);
    reader.get(body.linearVelocity);
    reader.get(body.angularVelocity);
    reader.get(active);
    body.active = active != 0;
  }
  return bodies;
}

std::string detailBytes(const StepRecord& record) {
  Put io;
  io(kDetailVersion);
  members(io, record);
  io(record.pull.has_value());
  if (record.pull) pullMembers(io, *record.pull);
  for (const Contact& contact : record.contacts) io(contact.stiffness);
  // Whatever follows needs all that is before it.
  const bool isPushedOut = !record.pushOut.empty() || record.endedByBudget > 0;
  const bool hasParticles = !record.particles.empty() || isPushedOut;
  const bool hasParts =
      hasParticles || std::any_of(record.iterations.begin(), record.iterations.end(), hasNested);
  if (hasParts || !record.joints.empty())
    io.list(record.joints, kJointBytes, [&io](const JointState& joint) { jointMembers(io, joint); });
  if (hasParts) {
    for (const SolverIteration& iteration : record.iterations) nestedMembers(io, iteration);
    io(record.limitingAccuracy);
  }
  for (const std::vector<Vec3>* list : {&record.particles, &record.particleVelocities})
    if (hasParticles) io.list(*list, sizeof(Vec3), [&io](const Vec3& particle) { io(particle); });
  if (isPushedOut) {
    io.list(record.pushOut, sizeof(Vec3), [&io](const Vec3& shift) { io(shift); });
    pushOutMembers(io, record);
  }
  return io.writer.take();
}

void readDetail(const std::string& bytes, StepRecord& record) {
  Get io{ByteReader(bytes)};
  int version = 0;
  io(version);
  if (version != kDetailVersion)
    throw std::runtime_error("its details have version " + std::to_string(version) + ", this program reads " +
                             std::to_string(kDetailVersion));
  members(io, record);
  bool pulled = false;
  io(pulled);
  if (pulled) pullMembers(io, record.pull.emplace());
  if (!io.reader.atEnd())  // the first recordings have no stiffness
    for (Contact& contact : record.contacts) io(contact.stiffness);
  if (!io.reader.atEnd())  // scenes without joints, and older recordings, have none
    io.list(record.joints, kJointBytes, [&io](JointState& joint) { jointMembers(io, joint); });
  if (!io.reader.atEnd()) {  // methods with one level have none
    for (SolverIteration& iteration : record.iterations) nestedMembers(io, iteration);
    io(record.limitingAccuracy);
  }
  if (!io.reader.atEnd())  // scenes without bodies that deform, and older recordings, have none
    for (std::vector<Vec3>* list : {&record.particles, &record.particleVelocities})
      io.list(*list, sizeof(Vec3), [&io](Vec3& particle) { io(particle); });
  if (!io.reader.atEnd()) {  // frames without push-out, and older recordings, have none
    io.list(record.pushOut, sizeof(Vec3), [&io](Vec3& shift) { io(shift); });
    pushOutMembers(io, record);
  }
  if (!io.reader.atEnd()) throw std::runtime_error("damaged: bytes are left over");
}

}  // namespace touchstone
