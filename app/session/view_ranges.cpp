#include "app/session/view_ranges.h"

#include <QSet>
#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "core/contact/method_info.h"
#include "core/math/count.h"
#include "core/record/deformation.h"
#include "core/record/placed_surface.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"
#include "widgets/views/depth_colours.h"
#include "widgets/views/legend_strip.h"

namespace touchstone {

namespace {

constexpr int kStops = 16;  ///< colours of a ramp

QString inUnit(double length, const LengthUnit& unit) {
  return QStringLiteral("%1 %2").arg(length * unit.perMetre, 0, 'g', 3).arg(unit.symbol);
}

QColor colourOf(const std::array<double, 3>& components) {
  return QColor::fromRgbF(components[0], components[1], components[2]);
}

std::vector<LegendContent::Ramp> rampsOf(const Scene& scene, const ViewSettings& settings,
                                         const SharedRanges& ranges) {
  std::vector<LegendContent::Ramp> ramps;
  const bool deforms = settings.deformation != DeformationColour::Plain && particleCount(scene) > 0;
  const bool showsBody =
      !deforms || std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) {
        return body.motion == Motion::Dynamic && !body.deformable;
      });
  if (showsBody && settings.bodyColour == BodyColour::Penetration) {
    const double threshold = depthThreshold(scene),
                 maximum = scalarMaximum(settings, ranges.depth, ranges.depth, threshold);
    LegendContent::Ramp ramp{Session::tr("depth"),
                             {},
                             inUnit(threshold, lengthUnit(threshold)),
                             inUnit(maximum, lengthUnit(maximum)),
                             true};
    for (int k = 0; k < kStops; ++k) ramp.colours.push_back(depthColour(k / (kStops - 1.0)));
    ramps.push_back(ramp);
  }
  if (showsBody && settings.bodyColour == BodyColour::Difference) {
    const double maximum = ranges.distance > 0 ? ranges.distance : kLeastDistance;
    LegendContent::Ramp ramp{
        Session::tr("distance"), {}, QStringLiteral("0"), inUnit(maximum, lengthUnit(maximum))};
    for (int k = 0; k < kStops; ++k) ramp.colours.push_back(colourOf(viridis(k / (kStops - 1.0))));
    ramps.push_back(ramp);
  }
  if (deforms) {
    const double shared = settings.deformation == DeformationColour::Volume     ? ranges.volumeChange
                          : settings.deformation == DeformationColour::Pressure ? ranges.pressure
                                                                                : ranges.strain;
    const double maximum = deformationMaximum(shared, 0);
    const DeformationScale scale = deformationScale(settings.deformation, maximum);
    const QString end = QString::number(maximum * scale.perUnit, 'g', 3);
    LegendContent::Ramp ramp{scale.title,
                             {},
                             scale.isSigned ? QStringLiteral("−") + end : QStringLiteral("0"),
                             QStringLiteral("%1 %2").arg(end, scale.unit)};
    for (int k = 0; k < kStops; ++k)
      ramp.colours.push_back(colourOf(deformationColour(scale.isSigned, k / (kStops - 1.0))));
    ramps.push_back(ramp);
  }
  return ramps;
}

std::vector<LegendContent::Mark> marksOf(const Session& session, const ViewSettings& settings, bool hasSets) {
  using Glyph = LegendContent::Glyph;
  const QColor neutral(0x80, 0x86, 0x8C);  // marks of the timeline have the colours of methods
  const double threshold = depthThreshold(*session.scene());
  bool isEstimated = false;
  for (int pane = 0; pane < session.paneCount(); ++pane)
    if (const RecordPtr record = session.shown(pane))
      for (const Overlap& overlap : record->overlaps)
        isEstimated = isEstimated || (overlap.triangles.empty() && overlap.depth > threshold);
  const bool hasTraps =
      std::any_of(session.events().begin(), session.events().end(),
                  [](const TimelineEvent& event) { return event.kind == TimelineEventKind::Trap; });
  std::vector<LegendContent::Mark> marks;
  if (settings.contacts) {
    marks.push_back({Glyph::Ball, contactColour(ContactGlyph::Plain), Session::tr("contact")});
    if (hasSets) {
      marks.push_back({Glyph::Ball, contactColour(ContactGlyph::U), Session::tr("U")});
      marks.push_back({Glyph::Ball, contactColour(ContactGlyph::I), Session::tr("I")});
      marks.push_back({Glyph::Ball, contactColour(ContactGlyph::X), Session::tr("X")});
    }
  }
  if (hasTraps) {
    if (settings.contacts) marks.push_back({Glyph::Ball, contactColour(ContactGlyph::Trap), QString()});
    marks.push_back({Glyph::Diamond, neutral, Session::tr("trap")});
  }
  if (settings.overlaps) {
    const QColor colour = depthColour(0.8);
    if (isEstimated && settings.bodyColour == BodyColour::Penetration)
      marks.push_back({Glyph::Spot, colour, Session::tr("estimated overlap")});
    else
      marks.push_back({Glyph::Outline, colour, Session::tr("overlap")});
  }
  marks.push_back({Glyph::Disk, neutral, Session::tr("first contact")});
  return marks;
}

}  // namespace

bool hasContactSets(const Session& session) {
  for (int pane = 0; pane < session.paneCount(); ++pane)
    if (const RecordPtr record = session.shown(pane))
      for (const Contact& contact : record->contacts)
        if (contact.type != ConstraintType::Penalty) return true;
  return false;
}

LegendContent legendOf(const Session& session, const ViewSettings& settings, const SharedRanges& shown,
                       bool hasSets) {
  LegendContent content;
  if (!session.scene()) return content;
  const SharedRanges ranges = niceCeiling(shown);
  content.ramps = rampsOf(*session.scene(), settings, ranges);
  if ((settings.forces || settings.jointForces) && ranges.force > 0)
    content.arrow = engineering(ranges.force, QStringLiteral("N")) +
                    (settings.logArrows && settings.metresPerNewton <= 0 ? Session::tr(" (log)") : QString());
  content.marks = marksOf(session, settings, hasSets);
  QSet<QString> known;
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    const QString key = qtText(session.pane(pane).settings.method);
    const MethodInfo* method = findMethod(key.toStdString());
    if (!method || known.contains(key)) continue;
    known.insert(key);
    content.methods.push_back({methodColour(key), qtText(method->shortName), qtText(method->name)});
  }
  const int reference = session.referencePane();
  if (session.paneCount() > 1 && reference < session.paneCount()) {
    const QString name = session.spanAt(reference, session.cursor()).label;
    if (settings.ghost) content.notes << Session::tr("orange outlines: %1").arg(name);
    if (settings.bodyColour == BodyColour::Difference)
      content.notes << Session::tr("distance from %1").arg(name);
  }
  return content;
}

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
  const int panes = countOf(m_session.histories());
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
      const auto recordOf = [&](int pane) { return m_session.histories()[pane].at(frame); };
      known = m_largest.emplace(frame, largestOf(recordOf)).first;
    }
    ranges.join(known->second, std::exp2(-age / kHalving), std::exp2(-age / kForceHalving));
  }
  m_largest.erase(m_largest.begin(), m_largest.lower_bound(first));
  m_largest.erase(m_largest.lower_bound(cursor), m_largest.end());
  return ranges;
}

}  // namespace touchstone
