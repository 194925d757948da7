#include "core/run/history.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "core/math/not_a_number.h"

namespace touchstone {

namespace {

/// The larger value; NaN counts as no value.
double larger(double a, double b) { return std::isnan(a) || b > a ? b : a; }
/// The sum; NaN counts as no value.
double added(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : a + b; }

void unite(const CourseSample& next, CourseSample& sample) {
  sample.last = next.last;
  for (const auto largest :
       {&CourseSample::overlapMax, &CourseSample::depthMax, &CourseSample::millisecondsMax,
        &CourseSample::kineticEnergyMax, &CourseSample::energyDriftMax, &CourseSample::jointErrorMax,
        &CourseSample::linearErrorMax, &CourseSample::angularErrorMax, &CourseSample::residualMax})
    sample.*largest = larger(sample.*largest, next.*largest);
  sample.traps = added(sample.traps, next.traps);
}

CourseSample sampleOf(const StepRecord& record) {
  const auto value = [&record](Quantity quantity) { return record.quantities[quantity]; };
  CourseSample sample;
  sample.first = sample.last = record.frame;
  sample.time = record.time;
  sample.overlap = sample.overlapMax = value(Quantity::Overlap);
  sample.depth = sample.depthMax = value(Quantity::PenetrationMax);
  sample.milliseconds = sample.millisecondsMax = value(Quantity::TimeStep);
  sample.kineticEnergy = sample.kineticEnergyMax = value(Quantity::EnergyKinetic);
  sample.energyDriftMax = value(Quantity::EnergyDrift);
  sample.jointErrorMax = value(Quantity::JointError);
  sample.linearErrorMax = value(Quantity::MomentumLinearError);
  sample.angularErrorMax = value(Quantity::MomentumAngularError);
  sample.residualMax = value(Quantity::Residual);
  sample.traps = value(Quantity::Traps);
  return sample;
}

std::string withoutNumbers(const std::string& text) {
  std::string rest;
  for (const char* place = text.c_str(); *place != '\0';)
    if (std::isdigit(static_cast<unsigned char>(*place))) {
      char* end = nullptr;
      std::strtod(place, &end);
      place = end;
    } else {
      rest += *place++;
    }
  return rest;
}

/// Adds a frame to the stretches of a text. A frame counts once.
void addFrame(const StepRecord& record, std::vector<FrameStretch>& stretches) {
  if (!stretches.empty() && stretches.back().last >= record.frame - 1)
    stretches.back().last = record.frame;
  else
    stretches.push_back({record.frame, record.frame, record.time});
}

void addText(const std::string& text, const StepRecord& record, std::vector<CourseText>& texts) {
  const std::string key = withoutNumbers(text);
  auto known = std::find_if(texts.begin(), texts.end(), [&key](const CourseText& earlier) {
    return withoutNumbers(earlier.text) == key;
  });
  if (known == texts.end()) known = texts.insert(texts.end(), CourseText{text, {}});
  addFrame(record, known->stretches);
}

/// A frame is not converged because of its solver if the residual is above the tolerance; else the Referee
/// has found a joint that is torn, or a contact without a force.
bool isSeriousIn(const StepRecord& record) {
  if (record.status == StepStatus::NotConverged)
    return !(record.quantities[Quantity::Residual] > record.solverTolerance);
  return record.status != StepStatus::Ok;
}

template <class Stretch>
void truncate(long frame, std::vector<Stretch>& stretches) {
  while (!stretches.empty() && stretches.back().first > frame) stretches.pop_back();
  if (!stretches.empty()) stretches.back().last = std::min(stretches.back().last, frame);
}

void truncate(long frame, std::vector<CourseText>& texts) {
  for (CourseText& text : texts) truncate(frame, text.stretches);
  const auto isGone = [](const CourseText& text) { return text.stretches.empty(); };
  texts.erase(std::remove_if(texts.begin(), texts.end(), isGone), texts.end());
}

}  // namespace

long CourseText::framesIn(long first, long last) const {
  long frames = 0;
  for (const FrameStretch& stretch : stretches)
    frames += std::max(0L, std::min(stretch.last, last) - std::max({stretch.first, first, 1L}) + 1);
  return frames;
}

void RunCourse::add(const StepRecord& record) {
  // Most samples of a run. A larger value takes more memory; a smaller one makes medians of long runs
  // coarser.
  constexpr std::size_t kMostSamples = 1 << 16;
  m_method = record.method;
  m_solver = record.solver;
  m_planar = record.planar;
  const CourseSample sample = sampleOf(record);
  if (!m_samples.empty() && sample.first - m_samples.back().first < m_spacing)
    unite(sample, m_samples.back());
  else
    m_samples.push_back(sample);
  if (m_samples.size() >= kMostSamples) {
    for (std::size_t kept = 0; 2 * kept < m_samples.size(); ++kept) {
      CourseSample both = m_samples[2 * kept];
      if (2 * kept + 1 < m_samples.size()) unite(m_samples[2 * kept + 1], both);
      m_samples[kept] = both;
    }
    m_samples.resize((m_samples.size() + 1) / 2);
    m_spacing *= 2;
  }
  if (record.frame > 0) addStatus(record);
  for (const std::string& text : record.warnings) addText(text, record, m_warnings);
  if (record.frame > 0 && !record.deliveredBy.empty()) {
    auto known = std::find_if(m_delivered.begin(), m_delivered.end(), [&record](const CourseText& earlier) {
      return earlier.text == record.deliveredBy;
    });
    if (known == m_delivered.end()) known = m_delivered.insert(m_delivered.end(), {record.deliveredBy, {}});
    addFrame(record, known->stretches);
  }
}

void RunCourse::addStatus(const StepRecord& record) {
  const bool isSerious = isSeriousIn(record);
  const auto isSame = [&record, isSerious](const StatusStretch& stretch) {
    return stretch.status == record.status && stretch.isSerious == isSerious;
  };
  if (!m_statuses.empty() && isSame(m_statuses.back()) && m_statuses.back().last >= record.frame - 1) {
    m_statuses.back().last = record.frame;
    return;
  }
  StatusStretch stretch;
  stretch.first = stretch.last = record.frame;
  stretch.since = record.time;
  stretch.status = record.status;
  stretch.isSerious = isSerious;
  if (std::none_of(m_statuses.begin(), m_statuses.end(), isSame)) stretch.text = record.statusText;
  m_statuses.push_back(stretch);
}

void RunCourse::truncateAfter(long frame) {
  while (!m_samples.empty() && m_samples.back().first > frame) m_samples.pop_back();
  if (!m_samples.empty()) m_samples.back().last = std::min(m_samples.back().last, frame);
  truncate(frame, m_statuses);
  truncate(frame, m_warnings);
  truncate(frame, m_delivered);
}

std::size_t bytesOf(const StepRecord& record) {
  std::size_t bytes = sizeof record + record.bodies.capacity() * sizeof(BodyState) +
                      (record.particles.capacity() + record.particleVelocities.capacity()) * sizeof(Vec3) +
                      record.contacts.capacity() * sizeof(Contact) +
                      record.joints.capacity() * sizeof(JointState) +
                      record.iterations.capacity() * sizeof(SolverIteration);
  for (const SolverIteration& iteration : record.iterations)
    bytes += iteration.linear.capacity() * sizeof(float);
  for (const std::vector<Contact>& contacts : record.earlierContacts)
    bytes += sizeof contacts + contacts.capacity() * sizeof(Contact);
  for (const Overlap& overlap : record.overlaps)
    bytes += sizeof overlap + overlap.vertices.capacity() * sizeof(Vec3) +
             overlap.triangles.capacity() * sizeof(std::array<int, 3>);
  for (const std::string& warning : record.warnings) bytes += sizeof warning + warning.capacity();
  return bytes;
}

void History::append(RecordPtr record, bool pinned) {
  m_bytes += bytesOf(*record);
  m_course.add(*record);
  if (pinned && m_budget != kNewestOnly) m_pinned.insert(record->frame);
  m_frames.push_back(std::move(record));
  if (m_budget == kNewestOnly) {
    if (m_frames.size() <= 2) return;
    m_bytes -= bytesOf(*m_frames.front());
    m_frames.pop_front();
  } else if (m_bytes > m_budget) {
    thin();
  }
}

void History::setBudget(std::size_t bytes) {
  m_budget = bytes;
  if (m_bytes > m_budget) thin();
}

// First what has grown old since the last time, at the spacing so far; wider where that is not enough. Half
// of the budget is freed at most, so that this is not called for every frame.
void History::thin() {
  constexpr long kWidest = 1L << 30;
  std::size_t newest = 0;
  auto old = m_frames.end();
  while (old != m_frames.begin() && newest < m_budget / 2) newest += bytesOf(**--old);
  const long firstWhole = old == m_frames.end() ? m_frames.back()->frame + 1 : (*old)->frame;
  for (m_spacing = std::max(m_spacing, 2L); m_spacing < kWidest; m_spacing *= 2) {
    std::deque<RecordPtr> kept;
    m_bytes = 0;
    for (RecordPtr& record : m_frames) {
      if (record->frame < firstWhole && record->frame % m_spacing != 0 && !m_pinned.count(record->frame))
        continue;
      m_bytes += bytesOf(*record);
      kept.push_back(std::move(record));
    }
    m_frames = std::move(kept);
    if (m_bytes <= 3 * (m_budget / 4)) return;
  }
}

void History::clear() {
  m_frames.clear();
  m_pinned.clear();
  m_course = RunCourse();
  m_bytes = 0;
  m_spacing = 1;
}

void History::truncateAfter(long frame) {
  while (!m_frames.empty() && m_frames.back()->frame > frame) {
    m_bytes -= bytesOf(*m_frames.back());
    m_frames.pop_back();
  }
  m_pinned.erase(m_pinned.upper_bound(frame), m_pinned.end());
  m_course.truncateAfter(frame);
}

RecordPtr History::at(long frame) const {
  const auto place =
      std::lower_bound(m_frames.begin(), m_frames.end(), frame,
                       [](const RecordPtr& record, long wanted) { return record->frame < wanted; });
  return place != m_frames.end() && (*place)->frame == frame ? *place : nullptr;
}

}  // namespace touchstone
