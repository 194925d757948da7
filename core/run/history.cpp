#include "core/run/history.h"

namespace touchstone {

std::size_t bytesOf(const StepRecord& record) {
  std::size_t bytes = sizeof record + record.bodies.capacity() * sizeof(BodyState) +
                      record.contacts.capacity() * sizeof(Contact) +
                      record.iterations.capacity() * sizeof(SolverIteration);
  for (const Overlap& overlap : record.overlaps)
    bytes += sizeof overlap + overlap.vertices.capacity() * sizeof(Vec3) +
             overlap.triangles.capacity() * sizeof(std::array<int, 3>);
  for (const std::string& warning : record.warnings) bytes += sizeof warning + warning.capacity();
  return bytes;
}

void History::append(RecordPtr record) {
  m_bytes += bytesOf(*record);
  m_frames.push_back(std::move(record));
  while (m_bytes > m_budget && m_frames.size() > 1) {
    m_bytes -= bytesOf(*m_frames.front());
    m_frames.pop_front();
  }
}

void History::clear() {
  m_frames.clear();
  m_bytes = 0;
}

void History::truncateAfter(long frame) {
  while (!m_frames.empty() && m_frames.back()->frame > frame) {
    m_bytes -= bytesOf(*m_frames.back());
    m_frames.pop_back();
  }
}

RecordPtr History::at(long frame) const {
  const long index = frame - firstFrame();
  return index >= 0 && index < static_cast<long>(m_frames.size()) ? m_frames[index] : nullptr;
}

}  // namespace touchstone
