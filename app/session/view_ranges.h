#pragma once

#include <map>

namespace touchstone {

class Session;

/// Upper ends of the scales that all views share; 0 where there is nothing to show.
struct SharedRanges {
  double depth = 0;     ///< [m]
  double force = 0;     ///< [N]
  double distance = 0;  ///< of bodies from where the reference pane has them [m]
  /// Takes over what is larger of the other, lengths and forces times these shares.
  void join(const SharedRanges& other, double ofLengths = 1, double ofForces = 1);
};

/// One scale for all panes. It grows at once and shrinks slowly, with simulated time: one deep impact must
/// not leave all later frames dark. A moment has the same scale however often it is drawn and however it was
/// reached, as far as the frames before it are kept.
class ViewRanges {
 public:
  explicit ViewRanges(const Session& session) : m_session(session) {}
  /// At the session's cursor. @param reference  pane that distances are from
  SharedRanges atCursor(int reference);
  /// The history was rewritten.
  void forget() { m_largest.clear(); }

 private:
  template <class RecordOf>
  SharedRanges largestOf(const RecordOf& recordOf) const;

  const Session& m_session;
  int m_reference = 0, m_panes = 0;  ///< of m_largest
  /// Of all panes, by frame: those that the last cursor looked back to.
  std::map<long, SharedRanges> m_largest;
};

}  // namespace touchstone
