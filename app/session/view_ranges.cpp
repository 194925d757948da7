#include "app/session/view_ranges.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "core/record/deformation.h"

namespace touchstone {

/// @param recordOf  recordOf(pane) returns its record, or null
template <class RecordOf>
SharedRanges ViewRanges::largestOf(const RecordOf& recordOf) const {
  const RecordPtr reference = m_reference < m_panes ? recordOf(m_reference) : nullptr;
  SharedRanges largest;
  for (int pane = 0; pane < m_panes; ++pane)
    if (const RecordPtr record = recordOf(pane)) {
      const bool isPressure = m_colour == DeformationColour::Pressure;
      LargestDeformation deformation;
      if (m_colour != DeformationColour::Plain && !isPressure)
        deformation = largestDeformation(*m_session.scene(), *record);
      largest.join(
          {deepestOverlap(*record), largestForce(*record),
           reference ? largestDistance(*record, *reference) : 0, deformation.volumeChange, deformation.strain,
           isPressure && m_features ? largestPressure(*m_features, *m_session.scene(), *record) : 0});
    }
  return largest;
}

SharedRanges ViewRanges::atCursor(int reference, DeformationColour colour, const ContactFeatures* features) {
  // [s] Time in which a scale shrinks to a half. A larger value keeps frames dark after an impact; a smaller
  // one makes the scale flicker.
  constexpr double kHalving = 0.3;
  constexpr double kMemory = 6 * kHalving;  // s; the effect of a frame is then a sixty-fourth
  // The impact of one step has a thousand times the force of rest: arrows must recover sooner than colours.
  constexpr double kForceHalving = 0.03;
  // Limits the frames that are searched. A larger value is slower to draw; a smaller one cuts the memory at
  // short steps.
  constexpr long kMostFrames = 1000;
  const int panes = static_cast<int>(m_session.histories().size());
  if (reference != m_reference || panes != m_panes || colour != m_colour) forget();
  m_colour = colour;
  m_features = features;
  m_reference = reference;
  m_panes = panes;
  SharedRanges ranges = largestOf([this](int pane) { return m_session.shown(pane); });
  const long cursor = m_session.cursor();
  const double now = m_session.timeAt(cursor);
  const long first = std::max(m_session.firstFrame(), cursor - kMostFrames);
  for (long frame = cursor - 1; frame >= first; --frame) {
    const double age = now - m_session.timeAt(frame);
    if (age > kMemory) break;
    auto known = m_largest.find(frame);
    if (known == m_largest.end()) {
      const auto recordOf = [&](int pane) {
        return m_session.histories()[static_cast<std::size_t>(pane)].at(frame);
      };
      known = m_largest.emplace(frame, largestOf(recordOf)).first;
    }
    ranges.join(known->second, std::exp2(-age / kHalving), std::exp2(-age / kForceHalving));
  }
  m_largest.erase(m_largest.begin(), m_largest.lower_bound(first));
  m_largest.erase(m_largest.lower_bound(cursor), m_largest.end());
  return ranges;
}

}  // namespace touchstone
