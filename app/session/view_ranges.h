#pragma once

#include <map>

#include "widgets/views/scalar_scaling.h"

namespace touchstone {

class Session;

/// One scale for all panes. It grows at once and shrinks slowly with simulated time, because one deep impact
/// must not leave all later frames dark. The scale at a time does not depend on how often or in which order
/// frames are drawn, as long as the frames before it are kept.
class ViewRanges {
 public:
  explicit ViewRanges(const Session& session) : m_session(session) {}
  /// Ranges at the session's cursor; those of deformations where they are wanted.
  /// @param reference  reference pane of distances
  SharedRanges atCursor(int reference, bool deformations = false);
  /// Call this when the history was rewritten.
  void forget() { m_largest.clear(); }

 private:
  template <class RecordOf>
  SharedRanges largestOf(const RecordOf& recordOf) const;

  const Session& m_session;
  int m_reference = 0, m_panes = 0;  ///< of m_largest
  bool m_deformations = false;       ///< likewise
  /// By frame, over all panes: the frames that the last cursor needed.
  std::map<long, SharedRanges> m_largest;
};

}  // namespace touchstone
