#include "app/plots/session_curves.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/session/session.h"
#include "core/math/not_a_number.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

// m/s: zero is drawn here on the logarithmic axis. A larger value hides small residuals; a smaller one
// squeezes the visible range.
constexpr double kResidualFloor = 1e-16;

std::vector<Curve> curvesOfPane(const Session& session, int pane, const ValueOfRecord& valueOf) {
  const std::vector<PaneSpan>& spans = session.spans(pane);
  const auto nameOf = [&spans, at = std::size_t(0)](long frame) mutable {
    while (at + 1 < spans.size() && spans[at + 1].first <= frame) ++at;
    return spans[at].label;
  };
  std::vector<Curve> curves = valueCurves(session.histories()[pane].frames(), valueOf, nameOf);
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
    curves.back().colour = curves.back().colour.darker(100 + 40 * static_cast<int>(curves.size()));
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

}  // namespace touchstone
