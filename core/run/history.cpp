#include "core/run/history.h"

#include <algorithm>

namespace touchstone {

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
  m_bytes = 0;
  m_spacing = 1;
}

void History::truncateAfter(long frame) {
  while (!m_frames.empty() && m_frames.back()->frame > frame) {
    m_bytes -= bytesOf(*m_frames.back());
    m_frames.pop_back();
  }
  m_pinned.erase(m_pinned.upper_bound(frame), m_pinned.end());
}

RecordPtr History::at(long frame) const {
  const auto place =
      std::lower_bound(m_frames.begin(), m_frames.end(), frame,
                       [](const RecordPtr& record, long wanted) { return record->frame < wanted; });
  return place != m_frames.end() && (*place)->frame == frame ? *place : nullptr;
}

}  // namespace touchstone
