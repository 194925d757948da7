#include "core/statistics/ensemble.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/files/text_forms.h"
#include "core/geometry/aabb.h"
#include "core/math/count.h"
#include "core/math/quantile.h"
#include "core/record/replica_note.h"
#include "core/scene/frame_count.h"
#include "core/trajectory/state_referee.h"

namespace touchstone {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// [copies] the contacts of each, with the numbers of the scene's own bodies.
std::vector<std::vector<Contact>> contactsByCopy(const std::vector<Contact>& contacts, int bodyCount,
                                                 std::size_t copies) {
  std::vector<std::vector<Contact>> result(copies);
  for (Contact contact : contacts) {
    const int copy = contact.bodyA / bodyCount;
    contact.bodyA -= copy * bodyCount;
    contact.bodyB -= copy * bodyCount;
    result[copy].push_back(contact);
  }
  return result;
}

/// A record of all copies as one record of each, with the numbers of the scene's own bodies. It has states
/// and contacts only.
std::vector<StepRecord> recordsOfCopies(const StepRecord& combined, const Scene& scene, std::size_t copies) {
  const auto part = [copies](const auto& items, std::size_t copy) {
    const auto count = static_cast<std::ptrdiff_t>(items.size() / copies),
               first = static_cast<std::ptrdiff_t>(copy) * count;
    return std::decay_t<decltype(items)>(items.begin() + first, items.begin() + first + count);
  };
  std::vector<StepRecord> records(copies);
  for (std::size_t copy = 0; copy < copies; ++copy) {
    StepRecord& record = records[copy];
    record.frame = combined.frame;
    record.time = combined.time;
    record.dt = combined.dt;
    record.substeps = combined.substeps;
    record.method = combined.method;
    record.solver = combined.solver;
    record.planar = combined.planar;
    record.bodies = part(combined.bodies, copy);
  }
  const int bodyCount = countOf(scene.bodies);
  std::vector<std::vector<Contact>> contacts = contactsByCopy(combined.contacts, bodyCount, copies);
  for (std::size_t copy = 0; copy < copies; ++copy) records[copy].contacts = std::move(contacts[copy]);
  for (const std::vector<Contact>& earlier : combined.earlierContacts) {
    contacts = contactsByCopy(earlier, bodyCount, copies);
    for (std::size_t copy = 0; copy < copies; ++copy)
      records[copy].earlierContacts.push_back(std::move(contacts[copy]));
  }
  return records;
}

bool isMeasured(const EnsembleQuantity& quantity) {
  return quantity.kind == EnsembleQuantity::Kind::Measured;
}

bool needsContactsOf(const EnsembleQuantity& quantity) {
  return isMeasured(quantity) && needsContacts(quantity.quantity);
}

/// Forces are sums over all substeps; the Referee has those of the last one.
void addEarlierForces(double interval, StepRecord& record) {
  for (const std::vector<Contact>& contacts : record.earlierContacts)
    for (const Contact& contact : contacts) {
      record.quantities[Quantity::NormalForce] += contact.normalImpulse / interval;
      record.quantities[Quantity::FrictionForce] += contact.frictionImpulse.norm() / interval;
    }
}

/// Follows all copies from sample to sample, wherever they come from.
class CopyFollower {
 public:
  CopyFollower(std::shared_ptr<const Scene> scene, const std::vector<EnsembleQuantity>& quantities,
               std::size_t copies, StateReferee::Contacts contacts)
      : m_scene(std::move(scene)), m_quantities(quantities), m_escapes(*m_scene), m_isOut(copies, 0) {
    m_member.events.resize(copies);
    m_member.values.assign(quantities.size(), std::vector<std::vector<double>>(copies));
    if (std::any_of(quantities.begin(), quantities.end(), isMeasured))
      for (std::size_t copy = 0; copy < copies; ++copy)
        m_referees.push_back(std::make_unique<StateReferee>(m_scene, contacts));
  }

  EnsembleMember& member() { return m_member; }
  bool isOut(std::size_t copy) const { return m_isOut[copy] != 0; }
  /// From now on the copy has no number.
  void takeOut(std::size_t copy) { m_isOut[copy] = 1; }

  /// @param records  [copies] states and contacts   @param interval  since the last sample [s]; 0 at first
  void add(double time, double interval, std::vector<StepRecord>& records) {
    m_member.times.push_back(time);
    std::vector<double> distances;
    for (std::size_t copy = 0; copy < records.size(); ++copy) {
      StepRecord& record = records[copy];
      if (!isOut(copy)) {
        m_escapes.note(record.bodies, time, m_member.events[copy]);
        if (!m_referees.empty()) {
          m_referees[copy]->measure(record.bodies, record.contacts, time, interval, record);
          if (interval > 0) addEarlierForces(interval, record);
        }
        if (copy > 0 && !isOut(0))
          distances.push_back(separationOf(*m_scene, records.front().bodies, record.bodies));
      }
      for (std::size_t quantity = 0; quantity < m_quantities.size(); ++quantity)
        m_member.values[quantity][copy].push_back(isOut(copy) ? kNoNumber
                                                              : valueIn(record, m_quantities[quantity]));
    }
    m_member.separation.push_back(median(std::move(distances)));
  }

  void warn(const std::string& warning) {
    if (!std::count(m_member.warnings.begin(), m_member.warnings.end(), warning))
      m_member.warnings.push_back(warning);
  }

 private:
  std::shared_ptr<const Scene> m_scene;
  const std::vector<EnsembleQuantity>& m_quantities;
  EscapeFinder m_escapes;
  std::vector<char> m_isOut;                              ///< [copies]
  std::vector<std::unique_ptr<StateReferee>> m_referees;  ///< [copies], or none if poses are enough
  EnsembleMember m_member;
};

/// Notes the status of each copy that a pane reports.
void noteStatus(const StepRecord& combined, const ReplicaSet& frozen, CopyFollower& follower) {
  EnsembleMember& member = follower.member();
  for (std::size_t copy = 0; copy < member.copyCount(); ++copy)
    if ((copy < frozen.size() && frozen[copy]) || combined.status == StepStatus::Diverged) {
      member.events[copy].note(SampleEvent::Diverged, combined.time);
      follower.takeOut(copy);
    }
  if (member.copyCount() == 1 && combined.status == StepStatus::NoSolution)
    member.events.front().note(SampleEvent::NoSolution, combined.time);
  for (const std::string& warning : combined.warnings) {
    const std::optional<ReplicaNote> note = replicaNoteOf(warning);
    if (!note)
      follower.warn(warning);
    else if (note->status == StepStatus::NoSolution)
      member.events[note->replica].note(SampleEvent::NoSolution, combined.time);
  }
}

/// The longest of the trajectories; all others must have the same times as far as they go.
const Trajectory& longestOf(const std::vector<Trajectory>& copies) {
  const Trajectory& longest = *std::max_element(
      copies.begin(), copies.end(),
      [](const Trajectory& a, const Trajectory& b) { return a.sampleCount() < b.sampleCount(); });
  // Relative to the time: text of times has as many digits. A larger value takes other times for the same.
  constexpr double kSameTime = 1e-9;
  for (const Trajectory& copy : copies)
    for (std::size_t sample = 0; sample < copy.sampleCount(); ++sample)
      if (std::abs(copy.times[sample] - longest.times[sample]) >
          kSameTime * std::max(1.0, longest.times[sample]))
        throw std::invalid_argument(copy.name + ": has a sample at " + csvNumber(copy.times[sample]) +
                                    " s, where " + longest.name + " has one at " +
                                    csvNumber(longest.times[sample]) +
                                    " s; give all copies of an engine the same times");
  return longest;
}

/// Numbers of the copies that have one.
std::vector<double> finiteOnly(std::vector<double> numbers) {
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(), [](double x) { return !std::isfinite(x); }),
                numbers.end());
  return numbers;
}

double marginFor(const Ensemble& ensemble, const EnsembleQuantity& quantity, double median) {
  for (const EnsembleMargin& margin : ensemble.margins)
    if (margin.key == quantity.text) return margin.of(median);
  for (const EnsembleMargin& margin : ensemble.margins)
    if (margin.key == quantity.key) return margin.of(median);
  return kNoNumber;
}

/// All quantities of one pair of members.
std::vector<EnsembleVerdict> verdictsOfPair(const Ensemble& ensemble, std::size_t a, std::size_t b) {
  std::vector<EnsembleVerdict> verdicts;
  std::vector<double> different, equal, spread;
  for (std::size_t index = 0; index < ensemble.quantities.size(); ++index) {
    const EnsembleQuantity& quantity = ensemble.quantities[index];
    EnsembleVerdict verdict;
    verdict.quantity = index;
    verdict.a = a;
    verdict.b = b;
    const std::vector<double> ofA = finiteOnly(ensemble.members[a].numbers(quantity, index)),
                              ofB = finiteOnly(ensemble.members[b].numbers(quantity, index));
    verdict.margin = marginFor(ensemble, quantity, median(ofB));
    try {
      verdict.ranks = compareByRanks(ofA, ofB, ensemble.alpha, verdict.margin);
      verdict.spread = compareSpread(ofA, ofB);
    } catch (const std::invalid_argument& error) {
      verdict.problem = error.what();
    }
    const bool isCompared = verdict.problem.empty();
    different.push_back(isCompared ? verdict.ranks.p : kNoNumber);
    equal.push_back(isCompared && verdict.margin > 0 ? verdict.ranks.pEqual : kNoNumber);
    spread.push_back(isCompared ? verdict.spread.p : kNoNumber);
    verdicts.push_back(verdict);
  }
  different = holmAdjusted(different);
  equal = holmAdjusted(equal);
  spread = holmAdjusted(spread);
  for (std::size_t index = 0; index < verdicts.size(); ++index) {
    EnsembleVerdict& verdict = verdicts[index];
    if (!verdict.problem.empty()) continue;
    verdict.pHolm = {different[index], verdict.margin > 0 ? equal[index] : 1};
    verdict.spreadHolm = spread[index];
    verdict.verdict = verdictOf(verdict.ranks, verdict.margin, ensemble.alpha, verdict.pHolm);
  }
  return verdicts;
}

}  // namespace

const char* toString(SampleEvent event) {
  switch (event) {
    case SampleEvent::Thrown:
      return "thrown";
    case SampleEvent::FellThrough:
      return "fell through";
    case SampleEvent::NoSolution:
      return "no solution";
    default:
      return "diverged";
  }
}

EscapeFinder::EscapeFinder(const Scene& scene)
    : m_down(scene.gravity.norm() > 0 ? Vec3(scene.gravity.normalized()) : Vec3::Zero()), m_size(scene.size) {
  Aabb box;
  for (const Body& body : scene.bodies) {
    if (body.shape->kind == Shape::Kind::Plane) {
      m_planes.push_back({body.position, body.orientation * body.shape->planeNormal});
      continue;
    }
    box.add(Vec3(body.position + Vec3::Constant(body.shape->radius)));
    box.add(Vec3(body.position - Vec3::Constant(body.shape->radius)));
  }
  m_low = box.low;
  m_high = box.high;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (scene.bodies[body].motion == Motion::Static) continue;
    m_moving.push_back(static_cast<int>(body));
    for (const Plane& plane : m_planes)
      m_startsInFront.push_back(plane.normal.dot(scene.bodies[body].position - plane.point) >= 0);
  }
}

void EscapeFinder::note(const std::vector<BodyState>& bodies, double time, SampleEvents& events) const {
  for (std::size_t index = 0; index < m_moving.size(); ++index) {
    const BodyState& body = bodies[m_moving[index]];
    if (!body.active) continue;
    const Vec3& position = body.position;
    for (std::size_t plane = 0; plane < m_planes.size(); ++plane)
      if (m_startsInFront[index * m_planes.size() + plane] &&
          m_planes[plane].normal.dot(position - m_planes[plane].point) < 0)
        events.note(SampleEvent::FellThrough, time);
    const Vec3 outside = position - position.cwiseMax(m_low).cwiseMin(m_high);
    if (outside.norm() <= m_size) continue;
    events.note(outside.dot(m_down) > m_size ? SampleEvent::FellThrough : SampleEvent::Thrown, time);
  }
}

double separationOf(const Scene& scene, const std::vector<BodyState>& a, const std::vector<BodyState>& b) {
  double sum = 0;
  int both = 0;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    if (scene.bodies[body].motion == Motion::Static || !a[body].active || !b[body].active) continue;
    sum += (a[body].position - b[body].position).squaredNorm();
    ++both;
  }
  return both > 0 ? std::sqrt(sum / both) : kNoNumber;
}

Horizon horizonOf(const std::vector<double>& times, const std::vector<double>& separation, double size) {
  constexpr double kGrown = 1e-3, kApart = 1e-2;  // m
  constexpr int kFewestFrames = 4;                // fewer do not tell growth from chance
  Horizon horizon;
  double sumT = 0, sumL = 0, sumTt = 0, sumTl = 0;
  int count = 0;
  bool isGrowing = true;
  for (std::size_t sample = 0; sample < separation.size(); ++sample) {
    const double d = separation[sample];
    if (std::isnan(d)) continue;
    isGrowing = isGrowing && d <= kGrown;
    if (isGrowing && d >= 10 * size && d > 0) {
      const double t = times[sample], l = std::log(d);
      sumT += t;
      sumL += l;
      sumTt += t * t;
      sumTl += t * l;
      ++count;
    }
    if (d >= kApart && std::isnan(horizon.time)) horizon.time = times[sample];
  }
  if (count >= kFewestFrames) {
    const double slope = (count * sumTl - sumT * sumL) / (count * sumTt - sumT * sumT);
    if (slope > 0) horizon.growth = slope;
  }
  return horizon;
}

std::vector<double> EnsembleMember::numbers(const EnsembleQuantity& info, std::size_t quantity) const {
  std::vector<double> numbers;
  for (const std::vector<double>& course : values[quantity]) numbers.push_back(reduced(info, times, course));
  return numbers;
}

EventCount EnsembleMember::count(SampleEvent event) const {
  const auto has = [event](const SampleEvents& copy) { return copy.has(event); };
  return {static_cast<int>(std::count_if(events.begin(), events.end(), has)), countOf(events)};
}

Band bandAt(const EnsembleMember& member, std::size_t quantity, std::size_t sample) {
  std::vector<double> over;
  for (const std::vector<double>& course : member.values[quantity]) over.push_back(course[sample]);
  return {quantile(over, 0.05), median(over), quantile(over, 0.95)};
}

std::vector<EnsembleVerdict> verdictsOf(const Ensemble& ensemble) {
  std::vector<EnsembleVerdict> verdicts;
  for (std::size_t a = 0; a < ensemble.members.size(); ++a)
    for (std::size_t b = a + 1; b < ensemble.members.size(); ++b)
      for (EnsembleVerdict& verdict : verdictsOfPair(ensemble, a, b)) verdicts.push_back(std::move(verdict));
  return verdicts;
}

std::vector<EventVerdict> eventVerdictsOf(const Ensemble& ensemble) {
  std::vector<EventVerdict> verdicts;
  for (int event = 0; event < kCopyEventCount; ++event)
    for (std::size_t a = 0; a < ensemble.members.size(); ++a)
      for (std::size_t b = a + 1; b < ensemble.members.size(); ++b) {
        EventVerdict verdict;
        verdict.event = static_cast<SampleEvent>(event);
        verdict.a = a;
        verdict.b = b;
        const EventCount ofA = ensemble.members[a].count(verdict.event),
                         ofB = ensemble.members[b].count(verdict.event);
        if (ofA.happened + ofB.happened == 0) continue;
        verdict.p = fisherExact(ofA, ofB);
        verdicts.push_back(verdict);
      }
  return verdicts;
}

EnsembleMember runEnsemble(std::shared_ptr<const Scene> scene, const PaneSettings& settings,
                           const std::vector<EnsembleQuantity>& quantities, const Perturbation& perturbation,
                           double dt, double time, const EnsembleProgress& progress, double secondsPerFrame) {
  checkSuggestions(*scene);
  const auto worlds = perturbedCopies(*scene, perturbation);
  const std::size_t copies = perturbation.copies;
  const long frames = frameCount(time, dt);
  Simulation simulation(worlds, settings, dt);
  simulation.setSecondsPerFrame(secondsPerFrame);
  const bool hasContacts = std::any_of(quantities.begin(), quantities.end(), needsContactsOf);
  if (hasContacts)
    simulation.recordAllContacts();
  else
    simulation.setStatesOnly(true);
  CopyFollower follower(scene, quantities, copies,
                        hasContacts ? StateReferee::Contacts::All : StateReferee::Contacts::None);
  const auto add = [&](const StepRecord& combined, double interval) {
    noteStatus(combined, simulation.world().replicaFrozen, follower);
    std::vector<StepRecord> records = recordsOfCopies(combined, *scene, copies);
    follower.add(combined.time, interval, records);
    for (std::size_t copy = 0; progress.copy && copy < copies; ++copy)
      if (!follower.isOut(copy)) progress.copy(static_cast<int>(copy), records[copy]);
  };
  add(*simulation.current(), 0);
  for (long frame = 0; frame < frames; ++frame) {
    const RecordPtr record = simulation.step();
    if (record->status == StepStatus::Stopped) throw std::runtime_error(record->statusText);
    add(*record, dt);
    if (progress.share) progress.share(static_cast<double>(frame + 1) / static_cast<double>(frames));
  }
  EnsembleMember member = std::move(follower.member());
  member.horizon = horizonOf(member.times, member.separation, perturbation.size);
  return member;
}

EnsembleMember ensembleOf(const std::vector<Trajectory>& copies,
                          const std::vector<EnsembleQuantity>& quantities, double size) {
  if (copies.size() < 2)
    throw std::invalid_argument(
        "an ensemble of an engine needs at least two trajectories, the first that of "
        "the scene as it is");
  for (const EnsembleQuantity& quantity : quantities)
    if (needsContactsOf(quantity))
      throw std::invalid_argument(
          quantity.text +
          ": needs the contacts, which poses do not tell; choose a quantity of poses, "
          "such as mean_height or penetration_max");
  const std::shared_ptr<const Scene> scene = copies.front().scene;
  const Trajectory& longest = longestOf(copies);
  CopyFollower follower(scene, quantities, copies.size(), StateReferee::Contacts::None);
  // A body without a state waits where it starts, or stays where it was last.
  std::vector<StepRecord> records(copies.size());
  for (StepRecord& record : records)
    for (const Body& body : scene->bodies)
      record.bodies.push_back(
          {body.position, body.orientation, body.linearVelocity, body.angularVelocity, false});
  for (std::size_t sample = 0; sample < longest.sampleCount(); ++sample) {
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
      StepRecord& record = records[copy];
      record.frame = static_cast<long>(sample);
      record.dt = copies[copy].step;
      if (sample >= copies[copy].sampleCount()) {
        follower.takeOut(copy);
        continue;
      }
      for (std::size_t body = 0; body < record.bodies.size(); ++body) {
        const BodyState& state = copies[copy].states[sample][body];
        if (state.active)
          record.bodies[body] = state;
        else
          record.bodies[body].active = false;
      }
    }
    const double time = longest.times[sample];
    follower.add(time, sample > 0 ? time - longest.times[sample - 1] : 0, records);
  }
  EnsembleMember member = std::move(follower.member());
  member.files = copies.size();
  member.horizon = horizonOf(member.times, member.separation, size);
  return member;
}

std::string problemOfEnds(const Ensemble& ensemble) {
  // Relative to the end: times are sums of steps of other lengths.
  constexpr double kSameEnd = 1e-6;
  const auto isEnd = [](const EnsembleQuantity& quantity) {
    return quantity.reduction == EnsembleQuantity::Reduction::AtTime && std::isnan(quantity.time);
  };
  const auto open = std::find_if(ensemble.quantities.begin(), ensemble.quantities.end(), isEnd);
  if (open == ensemble.quantities.end() || ensemble.members.empty()) return {};
  const EnsembleMember& first = ensemble.members.front();
  for (const EnsembleMember& member : ensemble.members) {
    const double end = member.times.back(), other = first.times.back();
    if (std::abs(end - other) > kSameEnd * std::max(end, other))
      return open->text + ": " + member.label + " ends at " + fourDigits(end) + " s and " + first.label +
             " at " + fourDigits(other) + " s; give a time that both have, for example " + open->text + "@" +
             fourDigits(std::min(end, other));
  }
  return {};
}

}  // namespace touchstone
