#include "core/engine/engine_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "core/engine/engine_bodies.h"
#include "core/math/count.h"
#include "core/parallel/frame_clock.h"

namespace touchstone {

namespace {

// Entries of a journal, each behind its letter. Without gaps between their members: equal runs have equal
// journals.
constexpr char kBegin = 'b', kAdd = 'a', kPush = 'p', kSteps = 's';
struct BeginEntry {
  double time;
};
struct AddEntry {
  long body;
  double state[13];  ///< x, q (scalar first), v, ω
};
struct PushEntry {
  long body;
  double force[3], point[3];
};
struct StepsEntry {
  double time, dt;  ///< of the first [s]
  long count;
};

BodyState stateOf(const World& world, std::size_t body) {
  return {world.position[body], world.orientation[body], world.linearVelocity[body],
          world.angularVelocity[body], world.active[body] != 0};
}

bool isSame(const BodyState& a, const BodyState& b) {
  return a.position == b.position && a.orientation.coeffs() == b.orientation.coeffs() &&
         a.linearVelocity == b.linearVelocity && a.angularVelocity == b.angularVelocity;
}

AddEntry packed(int body, const BodyState& s) {
  return {body,
          {s.position.x(), s.position.y(), s.position.z(), s.orientation.w(), s.orientation.x(),
           s.orientation.y(), s.orientation.z(), s.linearVelocity.x(), s.linearVelocity.y(),
           s.linearVelocity.z(), s.angularVelocity.x(), s.angularVelocity.y(), s.angularVelocity.z()}};
}

BodyState unpacked(const AddEntry& entry) {
  const double* s = entry.state;
  return {Vec3(s[0], s[1], s[2]), Quaternion(s[3], s[4], s[5], s[6]), Vec3(s[7], s[8], s[9]),
          Vec3(s[10], s[11], s[12]), true};
}

bool isPlane(const World& world, int body) {
  return world.scene->bodies[body].shape->kind == Shape::Kind::Plane;
}

/// The item of a body with the least score. @param bodies  [items] ascending
template <class Score>
int leastOf(const std::vector<int>& bodies, int body, const Score& score) {
  const auto range = std::equal_range(bodies.begin(), bodies.end(), body);
  int best = -1;
  double least = 0;
  for (auto entry = range.first; entry != range.second; ++entry) {
    const int item = static_cast<int>(entry - bodies.begin());
    const double itemScore = score(item);
    if (best < 0 || itemScore < least) least = itemScore, best = item;
  }
  return best;
}

int nearestVertex(const World& world, int body, const Vec3& point) {
  const SurfaceTopology& surface = *world.surface;
  const Vec3 local = world.orientation[body].conjugate() * Vec3(point - world.position[body]);
  return leastOf(surface.vertexBody, body,
                 [&](int vertex) { return (surface.vertexLocal[vertex] - local).squaredNorm(); });
}

/// @param outward  where the face looks, world frame
int facingTriangle(const World& world, int body, const Vec3& outward) {
  const SurfaceTopology& surface = *world.surface;
  const Vec3 local = world.orientation[body].conjugate() * outward;
  return leastOf(surface.triangleBody, body, [&](int triangle) {
    const auto corner = [&](int k) -> const Vec3& {
      const int vertex = surface.triangles[triangle][k];
      return surface.vertexLocal[vertex];
    };
    return -(corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized().dot(local);
  });
}

/// Reads a journal entry by entry.
struct JournalReader {
  const std::string& journal;
  std::size_t position = 0;
  bool isAtEnd() const { return position >= journal.size(); }
  char letter() { return journal[position++]; }
  template <class Entry>
  Entry entry() {
    if (journal.size() - position < sizeof(Entry)) throw std::runtime_error("a journal that ends too early");
    Entry read;
    std::memcpy(&read, journal.data() + position, sizeof read);
    position += sizeof read;
    return read;
  }
};

/// Makes the calls of a journal.
void repeatCalls(const std::string& journal, int bodyCount, Engine& engine) {
  const auto checked = [bodyCount](long body) {
    if (body < 0 || body >= bodyCount) throw std::runtime_error("a journal of another scene");
    return static_cast<int>(body);
  };
  for (JournalReader reader{journal}; !reader.isAtEnd();) {
    const char letter = reader.letter();
    if (letter == kBegin) {
      engine.begin(reader.entry<BeginEntry>().time);
    } else if (letter == kAdd) {
      const auto entry = reader.entry<AddEntry>();
      engine.add(checked(entry.body), unpacked(entry));
    } else if (letter == kPush) {
      const auto entry = reader.entry<PushEntry>();
      engine.push(checked(entry.body), Vec3(entry.force[0], entry.force[1], entry.force[2]),
                  Vec3(entry.point[0], entry.point[1], entry.point[2]));
    } else if (letter == kSteps) {
      const auto entry = reader.entry<StepsEntry>();
      for (long step = 0; step < entry.count; ++step)
        engine.step(entry.time + static_cast<double>(step) * entry.dt, entry.dt);
    } else {
      throw std::runtime_error("no journal");
    }
  }
}

std::atomic<int>& abandonedCalls() {
  static std::atomic<int> count{0};
  return count;
}

}  // namespace

bool hasAbandonedCalls() { return abandonedCalls() > 0; }

EngineRun::EngineRun(const EngineInfo& info, std::shared_ptr<const Scene> scene,
                     const ParameterValues& values)
    : m_info(info), m_scene(std::move(scene)), m_values(values), m_engine(info.make(m_scene, values)) {}

void EngineRun::setParameters(const ParameterValues& values) {
  m_values = values;
  m_engine = m_info.make(m_scene, values);
  m_isBegun = false;
}

void EngineRun::write(const void* bytes, std::size_t count) {
  if (!m_info.isPlayed) m_journal.append(static_cast<const char*>(bytes), count);
}

void EngineRun::call(const std::function<void(Engine& engine)>& what) {
  const FrameClock* clock = FrameClock::current();
  if (m_info.isPlayed || !clock || !clock->hasEnd()) return what(*m_engine);
  enum State { kRuns, kEnded, kAbandoned };
  const auto state = std::make_shared<std::atomic<int>>(kRuns);
  std::packaged_task<void()> task([engine = m_engine, what] { what(*engine); });
  std::future<void> end = task.get_future();
  std::thread thread;
  try {
    thread = std::thread([state, task = std::move(task)]() mutable {
      task();
      task = {};  // and the engine, if the call was abandoned
      if (state->exchange(kEnded) == kAbandoned) --abandonedCalls();
    });
  } catch (const std::system_error&) {  // no more threads: task has moved
    return what(*m_engine);
  }
  if (end.wait_for(std::chrono::duration<double>(std::max(0.0, clock->secondsLeft()))) ==
      std::future_status::ready) {
    thread.join();
    return end.get();
  }
  ++abandonedCalls();
  if (state->exchange(kAbandoned) == kEnded) --abandonedCalls();
  thread.detach();
  m_engine = m_info.make(m_scene, m_values);
  m_isBegun = false;
  throw FrameEnded{true};
}

void EngineRun::add(int body, const BodyState& state) {
  const AddEntry entry = packed(body, state);
  write(&kAdd, 1);
  write(&entry, sizeof entry);
  m_repeatedStep = 0;
  call([body, state](Engine& engine) { engine.add(body, state); });
  m_states[body] = state;
}

void EngineRun::begin(const World& world) {
  m_journal.clear();
  m_repeatedStep = 0;
  const BeginEntry entry{world.time};
  write(&kBegin, 1);
  write(&entry, sizeof entry);
  call([time = world.time](Engine& engine) { engine.begin(time); });
  m_states.assign(m_scene->bodies.size(), {});
  for (std::size_t body = 0; body < m_states.size(); ++body) {
    m_states[body].active = false;
    if (world.active[body]) add(static_cast<int>(body), stateOf(world, body));
  }
  m_isBegun = true;
}

void EngineRun::follow(const World& world) {
  if (!m_isBegun) return begin(world);
  if (m_info.isPlayed) return;
  for (std::size_t body = 0; body < m_states.size(); ++body)
    if (m_states[body].active && (!world.active[body] || !isSame(m_states[body], stateOf(world, body))))
      return begin(world);
  for (std::size_t body = 0; body < m_states.size(); ++body)
    if (world.active[body] && !m_states[body].active) add(static_cast<int>(body), stateOf(world, body));
}

void EngineRun::readInto(World& world) {
  m_engine->read(m_states);
  for (std::size_t body = 0; body < m_states.size(); ++body) {
    const BodyState& state = m_states[body];
    const Body& sceneBody = m_scene->bodies[body];
    if (m_info.isPlayed && sceneBody.motion == Motion::Dynamic) {
      world.active[body] = state.active;
      world.inverseMass[body] = state.active ? 1 / sceneBody.mass : 0;
    }
    if (!isDynamic(world, static_cast<int>(body))) continue;
    world.position[body] = state.position;
    world.orientation[body] = state.orientation;
    world.linearVelocity[body] = state.linearVelocity;
    world.angularVelocity[body] = state.angularVelocity;
  }
}

void EngineRun::place(World& world) {
  if (!m_info.isPlayed) return;
  begin(world);
  readInto(world);
}

void EngineRun::step(World& world, double dt) {
  follow(world);
  world.springAction = SpringAction();
  if (isPulling(world) && !m_info.isPlayed) {
    predict(world, dt);
    const int body = world.spring->body;
    const Vec3 force = world.springAction.impulse / dt, point = world.springAction.point;
    const PushEntry entry{body, {force.x(), force.y(), force.z()}, {point.x(), point.y(), point.z()}};
    write(&kPush, 1);
    write(&entry, sizeof entry);
    m_repeatedStep = 0;
    call([body, force, point](Engine& engine) { engine.push(body, force, point); });
  }
  m_isBegun = false;  // unless the step comes to its end
  call([time = world.time, dt](Engine& engine) { engine.step(time, dt); });
  m_isBegun = true;
  readInto(world);
  if (m_info.isPlayed) return;
  StepsEntry steps{world.time, dt, 0};
  if (m_repeatedStep > 0) std::memcpy(&steps, m_journal.data() + m_repeatedStep, sizeof steps);
  if (m_repeatedStep == 0 || steps.dt != dt) {
    write(&kSteps, 1);
    m_repeatedStep = m_journal.size();
    steps = {world.time, dt, 1};
    write(&steps, sizeof steps);
  } else {
    ++steps.count;
    std::memcpy(m_journal.data() + m_repeatedStep, &steps, sizeof steps);
  }
}

void EngineRun::addContacts(const World& world, std::vector<Contact>& contacts) const {
  m_engine->addContacts(contacts);
  for (Contact& contact : contacts) {
    const bool isOnPlane = isPlane(world, contact.bodyA) || isPlane(world, contact.bodyB);
    contact.kind = isOnPlane ? FeaturePairKind::VertexPlane : FeaturePairKind::VertexFace;
    contact.vertexOnA = !isPlane(world, contact.bodyA);
    if (contact.vertexOnA) {
      contact.featureA = nearestVertex(world, contact.bodyA, contact.pointA);
      contact.featureB = isOnPlane ? -1 : facingTriangle(world, contact.bodyB, -contact.normal);
    } else {
      contact.featureA = -1;
      contact.featureB = nearestVertex(world, contact.bodyB, contact.pointB);
    }
    // Of the cone. A larger value takes sliding contacts for sticking ones, by rounding.
    constexpr double kSliding = 0.999;
    const double maximum = pairFriction(*m_scene, contact.bodyA, contact.bodyB) * contact.normalImpulse;
    contact.mode = !(contact.normalImpulse > 0)                          ? ContactMode::Open
                   : contact.frictionImpulse.norm() < kSliding * maximum ? ContactMode::Sticking
                                                                         : ContactMode::Sliding;
  }
}

std::string EngineRun::journal() const { return m_isBegun ? m_journal : std::string(); }

void EngineRun::repeat(const World& world, const std::string& journal) {
  m_isBegun = false;
  if (journal.empty() || m_info.isPlayed) return;
  try {
    repeatCalls(journal, countOf(m_scene->bodies), *m_engine);
  } catch (const std::runtime_error&) {
    return;  // of another engine: a pane that goes on under another method
  }
  m_journal = journal;
  m_repeatedStep = 0;
  m_states.assign(m_scene->bodies.size(), {});
  for (BodyState& state : m_states) state.active = false;
  for (JournalReader reader{journal}; !reader.isAtEnd();) {
    switch (reader.letter()) {
      case kBegin:
        reader.entry<BeginEntry>();
        break;
      case kPush:
        reader.entry<PushEntry>();
        break;
      case kSteps:
        m_repeatedStep = reader.position;
        reader.entry<StepsEntry>();
        if (!reader.isAtEnd()) m_repeatedStep = 0;
        break;
      default: {
        const auto entry = reader.entry<AddEntry>();
        m_states[entry.body] = unpacked(entry);
      }
    }
  }
  m_engine->read(m_states);
  for (std::size_t body = 0; body < m_states.size(); ++body)
    if (m_states[body].active && !isSame(m_states[body], stateOf(world, body))) return;
  m_isBegun = true;
}

}  // namespace touchstone
