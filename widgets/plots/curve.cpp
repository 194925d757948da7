#include "widgets/plots/curve.h"

#include "core/math/not_a_number.h"

#include <algorithm>
#include <cmath>

namespace touchstone {

std::vector<Curve> quantityCurves(const std::deque<RecordPtr>& frames, Quantity quantity,
                                  const std::function<QString(long)>& nameOf) {
  std::vector<Curve> curves;
  std::size_t now = 0;
  const auto add = [&](double x, double y) {
    curves[now].x.push_back(x);
    curves[now].y.push_back(y);
  };
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    const StepRecord& record = *frames[frame];
    const QString name = nameOf(record.frame);
    if (curves.empty() || curves[now].label != name) {
      if (frame > 0) add(record.time, kNaN);
      now = 0;
      while (now < curves.size() && curves[now].label != name) ++now;
      if (now == curves.size()) curves.emplace_back();
      curves[now].label = name;
      if (frame > 0) add(frames[frame - 1]->time, kNaN);
    }
    add(record.time, record.quantities[quantity]);
  }
  return curves;
}

Curve analyticCurve(const std::deque<RecordPtr>& frames, const AnalyticCurve& analytic) {
  Curve curve;
  curve.label = QString::fromStdString(analytic.formula);
  curve.dash = Qt::DotLine;
  curve.ownLegend = true;
  for (const RecordPtr& frame : frames) {
    curve.x.push_back(frame->time);
    curve.y.push_back(analytic.at(frame->time));
  }
  return curve;
}

Curve convergenceCurve(const StepRecord& record, double floor) {
  Curve curve;
  for (const SolverIteration& iteration : record.iterations) {
    if (!std::isfinite(iteration.residual)) break;
    curve.x.push_back(static_cast<double>(curve.x.size()) + 1);
    curve.y.push_back(std::max(iteration.residual, floor));
  }
  return curve;
}

double nearestValue(const Curve& curve, double x) {
  if (curve.x.empty()) return kNaN;
  const auto above = std::lower_bound(curve.x.begin(), curve.x.end(), x);
  std::size_t index = static_cast<std::size_t>(above - curve.x.begin());
  if (index == curve.x.size() || (index > 0 && x - curve.x[index - 1] < curve.x[index] - x)) --index;
  return curve.y[index];
}

QString shortNumber(double value) {
  if (std::isnan(value)) return QStringLiteral("–");
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e5)) {
    const QStringList parts = QString::number(value, 'e', 3).split(QLatin1Char('e'));
    return parts[0] + QStringLiteral("·10") + superscript(parts[1].toInt());
  }
  return QString::number(value, 'g', 4);
}

}  // namespace touchstone
