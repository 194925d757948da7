#include "app/plots/session_curves.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/ensemble/shown_ensemble.h"
#include "app/session/session.h"
#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_lines.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

// m/s: zero is drawn here on the logarithmic axis. A larger value hides small residuals; a smaller one
// squeezes the visible range.
constexpr double kResidualFloor = 1e-16;

std::vector<Curve> namedCurves(const std::deque<RecordPtr>& frames, const std::vector<PaneSpan>& spans,
                               const ValueOfRecord& valueOf) {
  return valueCurves(frames, valueOf, [&spans, at = std::size_t(0)](long frame) mutable {
    while (at + 1 < spans.size() && spans[at + 1].first <= frame) ++at;
    return spans[at].label;
  });
}

/// The frames of a pane of another branch from its last common one with the shown branch on.
std::deque<RecordPtr> ownFrames(const Session& session, const BranchPane& pane) {
  std::deque<RecordPtr> frames = session.historyOf(pane).frames();
  const int paneIndex = session.indexOf(pane.pane);
  if (paneIndex < 0) return frames;
  const History& shown = session.histories()[paneIndex];
  const auto isCommon = [&shown](const RecordPtr& record) { return shown.at(record->frame) == record; };
  while (frames.size() > 1 && isCommon(frames[0]) && isCommon(frames[1])) frames.pop_front();
  return frames;
}

std::vector<BranchPane> overlaidPanes(const Session& session) {
  std::vector<BranchPane> panes;
  for (int branch : session.overlaidBranches())
    for (const PaneState& pane : session.restingBranch(branch)->panes) panes.push_back({branch, pane.id});
  return panes;
}

QString labelOf(const Session& session, const BranchPane& pane, const PaneSpan& span) {
  return QStringLiteral("%1 · %2").arg(session.branchName(pane.branch), span.label);
}

void styleOverlay(Curve& curve, const BranchPane& pane, const PaneSpan& span, const Session& session) {
  // Of the width of other lines. A larger value hides the curves below; a smaller one is not seen.
  constexpr double kWidth = 0.8;
  styleCurve(curve, span);
  curve.label = labelOf(session, pane, span);
  curve.dash = branchDash(pane.branch);
  curve.marker = -1;
  curve.sparse = false;
  curve.width = kWidth;
}

std::vector<Curve> curvesOfPane(const Session& session, int pane, const ValueOfRecord& valueOf) {
  const std::vector<PaneSpan>& spans = session.spans(pane);
  std::vector<Curve> curves = namedCurves(session.histories()[pane].frames(), spans, valueOf);
  for (Curve& curve : curves)
    for (const PaneSpan& span : spans) {
      if (span.label != curve.label) continue;
      styleCurve(curve, span);
      if (!span.change.isEmpty() && span.first <= session.lastFrame())
        curve.marks.push_back(session.timeAt(span.first));
    }
  for (Curve& curve : curves) {
    for (long fork : session.forks())
      if (session.spanAt(pane, fork + 1).label == curve.label) curve.marks.push_back(session.timeAt(fork));
    std::sort(curve.marks.begin(), curve.marks.end());
  }
  return curves;
}

}  // namespace

std::vector<Curve> curvesOfValue(const Session& session, const ValueOfRecord& valueOf,
                                 std::vector<int>& panes) {
  std::vector<Curve> curves;
  panes.clear();
  for (int pane = 0; pane < session.paneCount(); ++pane)
    for (Curve& curve : curvesOfPane(session, pane, valueOf)) {
      curves.push_back(std::move(curve));
      panes.push_back(pane);
    }
  return curves;
}

void styleCurve(Curve& curve, const PaneSpan& span) {
  curve.label = span.label;
  curve.colour = variantColour(span.method, span.variant);
  curve.dash = methodDash(span.method);
  curve.marker = (curve.dash + span.variant) % 4;
  curve.sparse = true;
  if (span.variant == 0) return;
  curve.dash = 1 + (curve.dash + span.variant) % 5;
}

std::vector<Curve> curvesOfQuantity(const Session& session, Quantity quantity, std::vector<int>& panes) {
  std::vector<Curve> curves = curvesOfValue(
      session, [quantity](const StepRecord& record) { return record.quantities[quantity]; }, panes);
  if (!session.scene() || curves.empty()) return curves;
  for (const AnalyticCurve& analytic : session.scene()->analytic)
    if (analytic.quantity == quantityInfo(quantity).key)
      curves.push_back(analyticCurve(session.histories()[0].frames(), analytic));
  return curves;
}

std::vector<Curve> relatedToReference(const Session& session, std::vector<Curve> curves, CurveForm form,
                                      std::vector<int>& panes) {
  if (form == CurveForm::Values) return curves;
  std::vector<Curve> reference, others;
  std::vector<int> otherPanes;
  for (std::size_t curve = 0; curve < curves.size(); ++curve) {
    const bool isOfPane = curve < panes.size();
    if (isOfPane && panes[curve] == session.referencePane()) {
      reference.push_back(std::move(curves[curve]));
      continue;
    }
    others.push_back(std::move(curves[curve]));
    if (isOfPane) otherPanes.push_back(panes[curve]);
  }
  panes = otherPanes;
  return relatedCurves(std::move(others), reference, form);
}

std::vector<Curve> overlaidCurves(const Session& session, const ValueOfRecord& valueOf, CurveForm form) {
  std::vector<Curve> overlaid;
  for (const BranchPane& pane : overlaidPanes(session)) {
    const std::vector<PaneSpan>& spans = session.spansOf(pane);
    for (Curve& curve : namedCurves(ownFrames(session, pane), spans, valueOf)) {
      const auto span = std::find_if(spans.begin(), spans.end(), [&curve](const PaneSpan& candidate) {
        return candidate.label == curve.label;
      });
      styleOverlay(curve, pane, *span, session);
      overlaid.push_back(std::move(curve));
    }
  }
  if (form == CurveForm::Values || session.paneCount() == 0) return overlaid;
  return relatedCurves(std::move(overlaid), curvesOfPane(session, session.referencePane(), valueOf), form);
}

Curve overlaidName(const Session& session, int branch) {
  Curve name;
  name.label = session.branchName(branch);
  name.dash = branchDash(branch);
  return name;
}

QStringList overlaidLabels(const Session& session, int branch) {
  QStringList labels;
  for (const BranchPane& pane : overlaidPanes(session))
    if (pane.branch == branch)
      for (const PaneSpan& span : session.spansOf(pane)) labels << labelOf(session, pane, span);
  return labels;
}

std::vector<PlotReading> readingsAtCursor(const Session& session, const ValueOfRecord& valueOf,
                                          CurveForm form) {
  const auto valueIn = [&](int pane) {
    const RecordPtr record = session.shown(pane);
    return record && Session::hasData(*record) ? valueOf(*record) : kNaN;
  };
  std::vector<PlotReading> readings;
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    const int reference = session.referencePane();
    if (form != CurveForm::Values && pane == reference) continue;
    Curve style;
    styleCurve(style, session.spanAt(pane, session.cursor()));
    const double value =
        form == CurveForm::Values ? valueIn(pane) : related(valueIn(pane), valueIn(reference), form);
    readings.push_back({style.label, style.label, style.colour, style.dash, style.marker, value});
  }
  // "LCP · auto" is LCP where no other pane has that name.
  const auto methodOf = [](const PlotReading& reading) {
    return reading.label.section(QStringLiteral(" · "), 0, 0);
  };
  for (PlotReading& reading : readings) {
    const auto isSame = [&](const PlotReading& other) { return methodOf(other) == methodOf(reading); };
    if (std::count_if(readings.begin(), readings.end(), isSame) == 1) reading.shortLabel = methodOf(reading);
  }
  return readings;
}

long frameAt(const Session& session, double time) {
  const long firstFrame = session.firstFrame(), lastFrame = session.lastFrame();
  const double first = session.timeAt(firstFrame), last = session.timeAt(lastFrame);
  const double share = last > first ? std::clamp((time - first) / (last - first), 0.0, 1.0) : 0;
  return firstFrame + std::lround(share * static_cast<double>(lastFrame - firstFrame));
}

std::vector<Curve> convergenceCurves(const Session& session, const ConvergenceLevels& levels) {
  std::vector<Curve> curves;
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    const RecordPtr record = session.shown(pane);
    if (!record || record->iterations.empty()) continue;
    curves.push_back(convergenceCurve(*record, kResidualFloor));
    styleCurve(curves.back(), session.spanAt(pane, record->frame));
    const QString method = curves.back().label;
    for (Curve& level : levelCurves(*record, levels, kResidualFloor)) {
      const int dash = level.dash;
      const QString label = level.label;
      styleCurve(level, session.spanAt(pane, record->frame));
      level.dash = dash;
      level.marker = -1;
      level.label = method + QStringLiteral(": ") + label;
      level.colour = level.colour.lighter(135);
      curves.push_back(std::move(level));
    }
  }
  for (const Resolved& again : session.resolvedAtCursor()) {
    const PaneSpan& span = session.spanAt(session.indexOf(again.pane), again.frame);
    StepRecord record;
    record.iterations = again.result.iterations;
    curves.push_back(convergenceCurve(record, kResidualFloor));
    styleCurve(curves.back(), span);
    curves.back().label = QObject::tr("%1 again with %2").arg(span.method.toUpper(), qtText(again.solver));
    curves.back().colour = curves.back().colour.darker(100 + 40 * countOf(curves));
    curves.back().dash = Qt::DotLine;
    curves.back().ownLegend = true;
  }
  return curves;
}

double solverTolerance(const Session& session) {
  for (int pane = 0; pane < session.paneCount(); ++pane) {
    const RecordPtr record = session.shown(pane);
    if (record && !record->iterations.empty() && record->solverTolerance > 0) return record->solverTolerance;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void styleBand(Curve& curve, const ShownEnsemble& shown, std::size_t pane) {
  styleCurve(curve, shown.panes[pane]);
  curve.label = QObject::tr("%1, %2 copies").arg(curve.label).arg(shown.ensemble.members[pane].copyCount());
  curve.dash = Qt::DotLine;
  curve.width = 0.6;
  curve.marker = -1;
}

std::vector<Curve> curvesOfEnsemble(const ShownEnsemble& shown, Quantity quantity) {
  std::vector<Curve> curves;
  const std::vector<EnsembleQuantity>& quantities = shown.ensemble.quantities;
  for (std::size_t index = 0; index < quantities.size(); ++index) {
    if (quantities[index].quantity != quantity) continue;
    for (std::size_t pane = 0; pane < shown.ensemble.members.size(); ++pane) {
      const EnsembleMember& member = shown.ensemble.members[pane];
      Curve curve;
      styleBand(curve, shown, pane);
      curve.x = member.times;
      for (std::size_t sample = 0; sample < member.times.size(); ++sample) {
        const Band band = bandAt(member, index, sample);
        curve.y.push_back(band.median);
        curve.low.push_back(band.low);
        curve.high.push_back(band.high);
      }
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

}  // namespace touchstone
