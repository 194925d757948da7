#pragma once

#include <map>

#include "core/record/contact_pressure.h"
#include "widgets/views/scalar_scaling.h"

namespace touchstone {

class Session;
struct LegendContent;
struct ViewSettings;

/// True if a contact at the cursor is in a set of a complementarity model.
bool hasContactSets(const Session& session);
/// Meaning of colours, glyphs and arrows at the cursor, for all views.
/// @param shown  the ranges at the cursor   @param hasSets  contacts have been in sets
LegendContent legendOf(const Session& session, const ViewSettings& settings, const SharedRanges& shown,
                       bool hasSets);

/// One scale for all panes. It grows at once and shrinks slowly with simulated time, because one deep impact
/// must not leave all later frames dark. The scale at a time does not depend on how often or in which order
/// frames are drawn, as long as the frames before it are kept.
class ViewRanges {
 public:
  explicit ViewRanges(const Session& session) : m_session(session) {}
  /// Ranges at the session's cursor; of deformations and pressures that of the colour that is wanted.
  /// @param reference  reference pane of distances   @param features  of the session's scene, for pressures
  SharedRanges atCursor(int reference, DeformationColour colour = DeformationColour::Plain,
                        const ContactFeatures* features = nullptr);
  /// Call this when the history was rewritten.
  void forget() { m_largest.clear(); }

 private:
  template <class RecordOf>
  SharedRanges largestOf(const RecordOf& recordOf) const;

  const Session& m_session;
  int m_reference = 0, m_panes = 0;                       ///< of m_largest
  DeformationColour m_colour = DeformationColour::Plain;  ///< likewise
  const ContactFeatures* m_features = nullptr;            ///< of the call that runs
  /// Ranges over all panes, by frame: the frames that the last cursor needed.
  std::map<long, SharedRanges> m_largest;
};

}  // namespace touchstone
