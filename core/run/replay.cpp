#include "core/run/replay.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/run/database.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

bool isTime(Quantity quantity) { return quantity >= Quantity::TimePredict && quantity <= Quantity::TimeStep; }

/// Equal bits, or both not a number.
bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The first array of a body, or the first quantity, that differs, or none.
std::optional<ReplayDifference> difference(const StepRecord& now, const StepRecord& then,
                                           const Scene& scene) {
  const auto differs = [&then](const std::string& what, double largest) {
    return ReplayDifference{then.frame, "", what, largest};
  };
  for (std::size_t body = 0; body < then.bodies.size(); ++body) {
    const BodyState &a = now.bodies[body], &b = then.bodies[body];
    const std::pair<const char*, double> arrays[] = {
        {"position", (a.position - b.position).cwiseAbs().maxCoeff()},
        {"orientation", (a.orientation.coeffs() - b.orientation.coeffs()).cwiseAbs().maxCoeff()},
        {"linear velocity", (a.linearVelocity - b.linearVelocity).cwiseAbs().maxCoeff()},
        {"angular velocity", (a.angularVelocity - b.angularVelocity).cwiseAbs().maxCoeff()}};
    for (const auto& [name, largest] : arrays)
      if (!(largest == 0))
        return differs(std::string(name) + " of body '" + scene.bodies[body].name + "'", largest);
    if (a.active != b.active) return differs("release of body '" + scene.bodies[body].name + "'", 1);
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

/// A pane as its history ends: what a recorder writes.
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

/// Replays one frame after the other against the rows of the recording.
class Replay {
 public:
  explicit Replay(const Recording& recording)
      : m_recording(recording),
        m_comparison(recording.scene(), {}),
        m_row(recording.rows().begin()),
        m_command(recording.log().begin()) {
    m_comparison.setAll(recording.start());
  }

  /// @return whether the next frame may follow
  bool frame(long frame) {
    if (frame > 0) m_comparison.step(false);
    const std::vector<EndOfPane> before = endsOf(m_comparison);
    applyCommands(frame);
    const std::vector<EndOfPane> after = endsOf(m_comparison);
    for (const EndOfPane& pane : after)
      if (!hasRow(frame, pane.id) && m_recording.wholeFrom().holds(frame, pane.id))
        return end("frame " + std::to_string(frame) + " of pane " + pane.name + " is not recorded");
    for (; m_row != m_recording.rows().end() && m_row->frame == frame; ++m_row) {
      const EndOfPane* pane = find(after, m_row->pane);
      if (!pane) pane = find(before, m_row->pane);  // a command has removed it
      if (!pane) return end("frame " + std::to_string(frame) + " is recorded of a pane that no command made");
      if (!compare(*pane)) return false;
    }
    return true;
  }
  const ReplayResult& result() const { return m_result; }

 private:
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
  bool compare(const EndOfPane& pane) {
    const RecordPtr then = m_recording.record(m_row->frame, m_row->pane);
    ++m_result.frames;
    m_result.first = difference(*pane.record, *then, *m_recording.scene());
    if (m_result.first) m_result.first->pane = pane.name;
    return !m_result.first;
  }
  bool end(const std::string& missing) {
    m_result.missing = missing;
    return false;
  }

  const Recording& m_recording;
  Comparison m_comparison;
  std::vector<RecordedRow>::const_iterator m_row;
  std::vector<LoggedCommand>::const_iterator m_command;
  ReplayResult m_result;
};

}  // namespace

ReplayResult replay(const Recording& recording, const std::function<void(double)>& progress) {
  Replay replay(recording);
  const long frames = recording.lastFrame() + 1;
  for (long frame = 0; frame < frames && replay.frame(frame); ++frame)
    if (progress) progress(static_cast<double>(frame + 1) / static_cast<double>(frames));
  return replay.result();
}

}  // namespace touchstone
