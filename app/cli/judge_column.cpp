#include "app/cli/judge_column.h"

#include <algorithm>
#include <cmath>

#include "app/cli/interrupt.h"
#include "core/files/text_forms.h"
#include "core/record/integrator.h"
#include "core/run/simulation.h"
#include "core/trajectory/contact_laws.h"
#include "core/trajectory/derived.h"
#include "core/trajectory/needed_impulse.h"
#include "core/trajectory/passages.h"
#include "core/trajectory/state_referee.h"

namespace touchstone::cli {

std::string lawsHeader() {
  return "time_s,pane,least_gap_m,slip_m_per_s,needed_free_Ns,needed_free_couple_Nms,outside_cone_Ns,"
         "outside_hull_m,newton_Ns,euler_Nms,signorini_m_per_s,coulomb_m_per_s,energy_made_J\n";
}

std::string lawsLine(double time, const std::string& key, const SampleLaws& laws) {
  std::string line = csvNumber(time) + ',' + csvText(key);
  for (const double value :
       {laws.leastGap, laws.slip, laws.neededFree, laws.neededFreeCouple, laws.outsideCone, laws.outsideHull,
        laws.newton, laws.euler, laws.signorini, laws.coulomb, laws.energyMade})
    line += ',' + csvNumber(value);
  return line + '\n';
}

namespace {

using Given = StateReferee::Contacts;

/// Measures samples one after another with what they need from the one before.
class SampleMeasure {
 public:
  SampleMeasure(const std::shared_ptr<const Scene>& scene, Given given, JudgedColumn& column)
      : m_given(given), m_column(column), m_referee(scene, given), m_passages(scene) {}

  /// @param record  with what is known of the integration, see StateReferee
  SampleLaws measure(const std::vector<BodyState>& states, const std::vector<Contact>& contacts, double time,
                     StepRecord& record) {
    const double interval = m_column.samples > 0 ? time - m_column.last : 0;
    record.frame = m_column.samples;
    record.method = m_column.key;
    m_referee.measure(states, contacts, time, interval, record);
    const SampleLaws laws = lawsOf(states, contacts, interval);
    if (m_column.samples == 0) m_column.first = time;
    m_column.last = time;
    ++m_column.samples;
    return laws;
  }
  void note(double time) {
    noteContacts(m_pairs, time, m_column.firstContacts);
    for (const NearPair& pair : m_pairs) {
      const auto [found, isNew] =
          m_column.pairs.try_emplace(std::make_pair(pair.bodyA, pair.bodyB), PairExtreme{pair.gap, time});
      if (!isNew && pair.gap < found->second.leastGap) found->second = {pair.gap, time};
    }
  }

 private:
  SampleLaws lawsOf(const std::vector<BodyState>& states, const std::vector<Contact>& contacts,
                    double interval) {
    const World& world = m_referee.world();
    const std::vector<NearPair> before = std::move(m_pairs);
    m_pairs = m_referee.pairs();
    note(world.time);
    SampleLaws laws{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (const NearPair& pair : m_pairs)
      if (!(laws.leastGap <= pair.gap)) laws.leastGap = pair.gap;
    laws.slip = m_pairs.empty() ? NAN : largestSlip(world, m_pairs);
    if (interval > 0) {
      const WorstNeeded needed = worstOf(neededImpulses(world, m_states, before, m_pairs, interval));
      laws.neededFree = needed.free;
      laws.neededFreeCouple = needed.freeCouple;
      laws.outsideCone = needed.outsideCone;
      laws.outsideHull = needed.outsideHull;
      if (m_given == Given::All) {
        const LawResiduals residuals = residualsOf(world, m_states, contacts, interval);
        laws.newton = residuals.newton;
        laws.euler = residuals.euler;
        laws.signorini = residuals.signorini;
        laws.coulomb = residuals.coulomb;
        laws.energyMade = residuals.energyMade;
      }
    }
    if (!m_states.empty())
      for (const SweptPassage& passage : m_passages.find(m_states, states))
        m_column.passages.emplace(std::make_pair(passage.bodyA, passage.bodyB), world.time);
    m_states = states;
    return laws;
  }

  Given m_given;
  JudgedColumn& m_column;
  StateReferee m_referee;
  PassageFinder m_passages;
  std::vector<NearPair> m_pairs;
  std::vector<BodyState> m_states;
};

}  // namespace

void measureColumn(const std::shared_ptr<const Scene>& scene, const TrajectoryOptions& options,
                   JudgedColumn& column, const ToldSample& useSample) {
  TrajectoryReader reader(scene, column.path, options);
  column.header = reader.header();
  column.linearDerived = !reader.givesLinear();
  column.angularDerived = !reader.givesAngular();
  column.hasContacts = reader.contacts() != nullptr;
  column.contactsComplete = column.hasContacts && reader.contacts()->header().isComplete;
  const Given given = !column.hasContacts       ? Given::None
                      : column.contactsComplete ? Given::All
                                                : Given::Samples;
  // Only velocities of this scheme belong to the middle of a step, and not to the time of the sample.
  const bool isOfMiddle = !column.linearDerived && column.header.integrator == kSemiImplicitEuler;
  SampleMeasure measure(scene, given, column);
  SamplesWithVelocities samples(reader, scene, true);
  for (TrajectorySample sample; samples.next(sample);) {
    throwIfInterrupted();
    StepRecord record;
    record.dt = isOfMiddle ? column.header.step : 0;
    const double steps = column.header.step > 0 ? (sample.time - column.last) / column.header.step : 1;
    record.substeps = column.samples > 0 ? static_cast<int>(std::clamp(std::round(steps), 1.0, 1e6)) : 1;
    const SampleLaws laws = measure.measure(sample.states, sample.contacts, sample.time, record);
    useSample(record, laws);
  }
  column.belief = samples.belief();
  column.rows = reader.rows();
  column.warnings = reader.warnings();
  column.missing = reader.missing();
}

void runColumn(const std::shared_ptr<const Scene>& scene, double until, double secondsPerFrame,
               JudgedColumn& column, const ToldSample& useSample) {
  Simulation simulation(scene, column.pane, scene->dt);
  simulation.setSecondsPerFrame(secondsPerFrame);
  const bool isWhole = column.pane.substeps == 1;
  column.hasContacts = true;
  column.contactsComplete = isWhole;
  SampleMeasure measure(scene, isWhole ? Given::All : Given::Samples, column);
  column.ours.scene = scene;
  // Frame times are sums of steps.
  for (RecordPtr record = simulation.current();; record = simulation.step()) {
    throwIfInterrupted();
    StepRecord again;
    again.dt = record->dt;
    again.substeps = record->substeps;
    const SampleLaws laws = measure.measure(record->bodies, record->contacts, record->time, again);
    useSample(*record, laws);
    column.ours.times.push_back(record->time);
    column.ours.states.push_back(record->bodies);
    if (isFrozen(record->status) || record->time >= until - 1e-6 * scene->dt) break;
  }
  column.rows = static_cast<long>(column.ours.times.size());
}

std::unique_ptr<StatesInTime> statesOf(const std::shared_ptr<const Scene>& scene,
                                       const TrajectoryOptions& options, const JudgedColumn& column) {
  const double shift = column.shift;
  if (column.isOurs()) {
    std::size_t next = 0;
    const auto give = [&column, shift, next](double& time, std::vector<BodyState>& states) mutable {
      if (next == column.ours.times.size()) return false;
      time = column.ours.times[next] + shift;
      states = column.ours.states[next++];
      return true;
    };
    return std::make_unique<StatesInTime>(give, true);
  }
  const auto reader = std::make_shared<TrajectoryReader>(scene, column.path, options);
  const auto samples = std::make_shared<SamplesWithVelocities>(*reader, scene, true);
  const auto sample = std::make_shared<TrajectorySample>();
  const auto give = [reader, samples, sample, shift](double& time, std::vector<BodyState>& states) {
    if (!samples->next(*sample)) return false;
    time = sample->time + shift;
    states = sample->states;
    return true;
  };
  return std::make_unique<StatesInTime>(give, !column.linearDerived);
}

}  // namespace touchstone::cli
