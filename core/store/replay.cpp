#include "core/store/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "core/run/pane_name.h"
#include "core/store/database.h"

namespace touchstone {

namespace {

/// Equal bits, or both not a number.
bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Largest difference of the values that are not the same: 0 where all are, not a number where one alone is.
template <class Values>
double largestDifference(const Values& a, const Values& b) {
  double largest = 0;
  for (int k = 0; k < a.size(); ++k) {
    const double difference = isSame(a[k], b[k]) ? 0 : std::abs(a[k] - b[k]);
    if (!std::isnan(largest) && !(difference <= largest)) largest = difference;
  }
  return largest;
}

/// The first array of a body, or the first quantity, that differs; or none.
std::optional<ReplayDifference> difference(const StepRecord& now, const StepRecord& then,
                                           const Scene& scene) {
  const auto differs = [&then](const std::string& what, double largest) {
    return ReplayDifference{then.frame, "", what, largest};
  };
  for (std::size_t body = 0; body < then.bodies.size(); ++body) {
    const BodyState &a = now.bodies[body], &b = then.bodies[body];
    const std::pair<const char*, double> arrays[] = {
        {"position", largestDifference(a.position, b.position)},
        {"orientation", largestDifference(a.orientation.coeffs(), b.orientation.coeffs())},
        {"linear velocity", largestDifference(a.linearVelocity, b.linearVelocity)},
        {"angular velocity", largestDifference(a.angularVelocity, b.angularVelocity)}};
    for (const auto& [name, largest] : arrays)
      if (!(largest == 0))
        return differs(std::string(name) + " of body '" + scene.bodies[body].name + "'", largest);
    if (a.active != b.active) return differs("release of body '" + scene.bodies[body].name + "'", 1);
  }
  if (now.particles.size() != then.particles.size()) return differs("number of particles", 0);
  for (std::size_t particle = 0; particle < then.particles.size(); ++particle) {
    const double largest = largestDifference(now.particles[particle], then.particles[particle]);
    if (!(largest == 0)) return differs("position of particle " + std::to_string(particle), largest);
  }
  if (now.stateHash != then.stateHash) return differs("state hash", 0);
  if (now.time != then.time) return differs("time", std::abs(now.time - then.time));
  if (now.status != then.status) return differs("status", 0);
  for (const QuantityInfo& info : quantityTable(scene.planar)) {
    const double a = now.quantities[info.quantity], b = then.quantities[info.quantity];
    if (!isTime(info.quantity) && !isSame(a, b)) return differs("quantity " + info.key, std::abs(a - b));
  }
  return std::nullopt;
}

/// A pane at the end of its history: the data that a recorder writes.
struct EndOfPane {
  int id;
  std::string name;
  RecordPtr record;
};
std::vector<EndOfPane> endsOf(const Comparison& comparison) {
  std::vector<EndOfPane> ends;
  for (int pane = 0; pane < comparison.paneCount(); ++pane)
    ends.push_back({comparison.paneId(pane), paneName(comparison.pane(pane).settings()),
                    comparison.history(pane).frames().back()});
  return ends;
}

const EndOfPane* find(const std::vector<EndOfPane>& ends, int id) {
  for (const EndOfPane& end : ends)
    if (end.id == id) return &end;
  return nullptr;
}

/// Replays frame by frame against the rows of the recording. Frames of a pane that precede the command which
/// made it or restored it are compared as soon as the replay has them.
class Replay {
 public:
  explicit Replay(const Recording& recording)
      : m_recording(recording),
        m_comparison(recording.scene(), {}),
        m_row(recording.rows().begin()),
        m_command(recording.log().begin()) {
    m_comparison.setAll(recording.start());
  }

  /// @return true if the next frame may follow
  bool frame(long frame) {
    readRows(frame);
    if (frame > 0) m_comparison.step(false);
    const std::vector<EndOfPane> before = endsOf(m_comparison);
    applyCommands(frame);
    const std::vector<EndOfPane> after = endsOf(m_comparison);
    for (const EndOfPane& pane : after) {
      if (!hasRow(frame, pane.id) && m_recording.wholeFrom().holds(frame, pane.id))
        return end("frame " + std::to_string(frame) + " of pane " + pane.name + " is not recorded");
      if (!compareEarlier(pane)) return false;
    }
    for (; m_row != m_recording.rows().end() && m_row->frame == frame; ++m_row) {
      const EndOfPane* pane = find(after, m_row->pane);
      if (!pane) pane = find(before, m_row->pane);  // a command has removed it
      if (!pane) {
        m_earlier[m_row->pane].push_back(frame);
      } else if (!compare(*pane->record, pane->name, frame, pane->id)) {
        return false;
      }
    }
    return true;
  }
  /// Call after the last frame.
  void finish() {
    if (!m_earlier.empty()) endAt(m_earlier.begin()->second.front());
  }
  const ReplayResult& result() const { return m_result; }

 private:
  /// A pane that the clock ended in this frame ends in it again: no step leads there.
  void readRows(long frame) {
    m_then.clear();
    for (auto row = m_row; row != m_recording.rows().end() && row->frame == frame; ++row) {
      const RecordPtr then = m_then[row->pane] = m_recording.record(frame, row->pane);
      const int pane = m_comparison.indexOf(row->pane);
      if (pane < 0 || isFrozen(m_comparison.history(pane).frames().back()->status)) continue;
      if (then->status == StepStatus::Stopped && then->statusText.rfind(kEndedByClock, 0) == 0)
        m_comparison.endNextFrame(pane);
    }
  }
  void applyCommands(long frame) {
    for (; m_command != m_recording.log().end() && m_command->frame == frame; ++m_command) try {
        m_comparison.apply(m_command->command);
      } catch (const std::invalid_argument& error) {
        throw DatabaseError(DatabaseError::Fault::Input,
                            m_recording.path() + ": the command after frame " + std::to_string(frame) +
                                " cannot be given again (" + error.what() + "); record it again");
      }
  }
  bool hasRow(long frame, int id) const {
    return std::binary_search(m_recording.rows().begin(), m_recording.rows().end(),
                              RecordedRow{static_cast<int>(frame), id});
  }
  bool compare(const StepRecord& now, const std::string& name, long frame, int id) {
    const auto read = m_then.find(id);
    const bool isRead = read != m_then.end() && read->second->frame == frame;
    const RecordPtr then = isRead ? read->second : m_recording.record(frame, id);
    ++m_result.frames;
    m_result.first = difference(now, *then, *m_recording.scene());
    if (m_result.first) m_result.first->pane = name;
    return !m_result.first;
  }
  bool compareEarlier(const EndOfPane& pane) {
    const auto found = m_earlier.find(pane.id);
    if (found == m_earlier.end()) return true;
    const std::vector<long> frames = std::move(found->second);
    m_earlier.erase(found);
    std::map<long, RecordPtr> rebuilt;  // frames that the history no longer keeps
    for (const long frame : frames) {
      // frames. A larger value takes more memory at once; a smaller one rebuilds more often.
      constexpr long kAtOnce = 64;
      RecordPtr now = m_comparison.history(m_comparison.indexOf(pane.id)).at(frame);
      if (!now && !rebuilt.count(frame)) {
        rebuilt.clear();
        for (const RecordPtr& record :
             m_comparison.rebuilt(m_comparison.indexOf(pane.id), frame, frame + kAtOnce))
          rebuilt[record->frame] = record;
      }
      if (!now && rebuilt.count(frame)) now = rebuilt[frame];
      if (!now) return endAt(frame);
      if (!compare(*now, pane.name, frame, pane.id)) return false;
    }
    return true;
  }
  bool endAt(long frame) {
    return end("frame " + std::to_string(frame) + " is recorded of a pane that no command made");
  }
  bool end(const std::string& missing) {
    m_result.missing = missing;
    return false;
  }

  const Recording& m_recording;
  Comparison m_comparison;
  std::vector<RecordedRow>::const_iterator m_row;
  std::vector<LoggedCommand>::const_iterator m_command;
  std::map<int, RecordPtr> m_then;             ///< by pane id: the recorded rows of the frame
  std::map<int, std::vector<long>> m_earlier;  ///< by pane id: frames that still have to be compared
  ReplayResult m_result;
};

}  // namespace

ReplayResult replay(const Recording& recording, const std::function<void(double)>& progress) {
  Replay replay(recording);
  const long frames = recording.lastFrame() + 1;
  bool goesOn = true;
  for (long frame = 0; frame < frames && goesOn; ++frame) {
    goesOn = replay.frame(frame);
    if (progress) progress(static_cast<double>(frame + 1) / static_cast<double>(frames));
  }
  if (goesOn) replay.finish();
  return replay.result();
}

}  // namespace touchstone
