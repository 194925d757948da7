#pragma once

#include <map>

namespace touchstone {

class Session;

/// Upper ends of the scales that all views share; 0 if there is nothing to show.
struct SharedRanges {
  double depth = 0;     ///< [m]
  double force = 0;     ///< [N]
  double distance = 0;  ///< of bodies from their place in the reference pane [m]
  /// Raises each value to the other's value times the share.
  void join(const SharedRanges& other, double ofLengths = 1, double ofForces = 1);
};

/// One scale for all panes. It grows at once and shrinks slowly with simulated time, because one deep impact
/// must not leave all later frames dark. The scale at a time does not depend on how often or in which order
/// frames are drawn, as long as the frames before it are kept.
class ViewRanges {
 public:
  explicit ViewRanges(const Session& session) : m_session(session) {}
  /// Ranges at the session's cursor. @param reference  reference pane of distances
  SharedRanges atCursor(int reference);
  /// Call this when the history was rewritten.
  void forget() { m_largest.clear(); }

 private:
  template <class RecordOf>
  SharedRanges largestOf(const RecordOf& recordOf) const;

  const Session& m_session;
  int m_reference = 0, m_panes = 0;  ///< of m_largest
  /// By frame, over all panes: the frames that the last cursor needed.
  std::map<long, SharedRanges> m_largest;
};

}  // namespace touchstone
