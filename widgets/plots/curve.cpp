#include "widgets/plots/curve.h"

#include "core/math/not_a_number.h"

#include <QObject>
#include <algorithm>
#include <cmath>

namespace touchstone {

std::vector<Curve> valueCurves(const std::deque<RecordPtr>& frames,
                               const std::function<double(const StepRecord&)>& valueOf,
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
    add(record.time, valueOf(record));
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

std::vector<Curve> levelCurves(const StepRecord& record, const ConvergenceLevels& levels, double floor) {
  std::vector<Curve> curves;
  const auto add = [&](bool isWanted, const QString& label, int dash, const auto& valueOf) {
    if (!isWanted) return;
    Curve curve;
    curve.label = label;
    curve.dash = dash;
    curve.ownLegend = true;
    bool hasAny = false;
    for (std::size_t k = 0; k < record.iterations.size(); ++k) {
      const double value = valueOf(record.iterations[k]);
      hasAny = hasAny || std::isfinite(value);
      curve.x.push_back(static_cast<double>(k) + 1);
      curve.y.push_back(std::isfinite(value) ? std::max(value, floor) : kNaN);
    }
    if (hasAny) curves.push_back(std::move(curve));
  };
  const double h = record.dt;
  add(levels.parts, QObject::tr("normals / h"), Qt::DashLine,
      [h](const SolverIteration& iteration) { return iteration.normal / h; });
  add(levels.parts, QObject::tr("friction"), Qt::DashDotLine,
      [](const SolverIteration& iteration) { return iteration.friction; });
  add(levels.parts, QObject::tr("joints / h"), Qt::DashDotDotLine,
      [h](const SolverIteration& iteration) { return iteration.joints / h; });
  add(levels.parts, QObject::tr("momentum"), Qt::DotLine,
      [](const SolverIteration& iteration) { return iteration.momentum; });
  add(levels.merit, QObject::tr("merit"), Qt::DashDotLine,
      [](const SolverIteration& iteration) { return iteration.merit; });
  add(levels.steps, QObject::tr("step ‖t Δu‖"), Qt::DashLine,
      [](const SolverIteration& iteration) { return iteration.stepSize > 0 ? iteration.stepSize : kNaN; });
  if (levels.inner) {
    Curve curve;
    curve.label = QObject::tr("linear residual, relative");
    curve.dash = Qt::SolidLine;
    curve.ownLegend = true;
    for (std::size_t k = 0; k < record.iterations.size(); ++k) {
      const std::vector<float>& linear = record.iterations[k].linear;
      for (std::size_t j = 0; j < linear.size(); ++j) {
        curve.x.push_back(static_cast<double>(k) +
                          static_cast<double>(j + 1) / static_cast<double>(linear.size() + 1));
        curve.y.push_back(std::max(static_cast<double>(linear[j]), floor));
      }
      if (linear.empty()) continue;
      curve.x.push_back(static_cast<double>(k) + 1);
      curve.y.push_back(kNaN);
    }
    if (!curve.x.empty()) curves.push_back(std::move(curve));
  }
  if (levels.limit && record.limitingAccuracy > 0 && !record.iterations.empty()) {
    Curve curve;
    curve.label = QObject::tr("rounding");
    curve.dash = Qt::DashLine;
    curve.ownLegend = true;
    curve.x = {1, static_cast<double>(std::max<std::size_t>(2, record.iterations.size()))};
    curve.y = {record.limitingAccuracy, record.limitingAccuracy};
    curves.push_back(std::move(curve));
  }
  return curves;
}

double related(double value, double reference, CurveForm form) {
  if (form == CurveForm::Values) return value;
  if (form == CurveForm::Difference) return value - reference;
  return reference == 0 ? kNaN : value / reference;
}

std::vector<Curve> relatedCurves(std::vector<Curve> curves, const std::vector<Curve>& reference,
                                 CurveForm form) {
  if (form == CurveForm::Values) return curves;
  // Times of frames of two panes differ by rounding. A larger share takes another frame's value.
  constexpr double kSame = 1e-9;
  const auto referenceAt = [&reference](double x) {
    const double slack = kSame * std::max(1.0, std::abs(x));
    for (const Curve& curve : reference)
      for (auto place = std::lower_bound(curve.x.begin(), curve.x.end(), x - slack);
           place != curve.x.end() && *place <= x + slack; ++place) {
        const double value = curve.y[place - curve.x.begin()];
        if (!std::isnan(value)) return value;
      }
    return kNaN;
  };
  for (Curve& curve : curves) {
    for (std::size_t sample = 0; sample < curve.x.size(); ++sample)
      curve.y[sample] = related(curve.y[sample], referenceAt(curve.x[sample]), form);
    curve.low.clear();
    curve.high.clear();
  }
  return curves;
}

SpanNumbers numbersBetween(const Curve& curve, double a, double b) {
  SpanNumbers numbers{kNaN, kNaN, kNaN, kNaN, kNaN};
  const double low = std::min(a, b), high = std::max(a, b);
  const double slack = 1e-9 * std::max(1.0, std::abs(high));
  double sum = 0, first = kNaN, last = kNaN;
  long count = 0;
  const auto begin = std::lower_bound(curve.x.begin(), curve.x.end(), low - slack);
  for (auto place = begin; place != curve.x.end() && *place <= high + slack; ++place) {
    const double y = curve.y[place - curve.x.begin()];
    if (std::isnan(y)) continue;
    if (count == 0) first = numbers.least = numbers.largest = y;
    last = y;
    numbers.least = std::min(numbers.least, y);
    numbers.largest = std::max(numbers.largest, y);
    sum += y;
    ++count;
  }
  if (count == 0) return numbers;
  numbers.mean = sum / static_cast<double>(count);
  numbers.atA = a <= b ? first : last;
  numbers.atB = a <= b ? last : first;
  return numbers;
}

double nearestValue(const Curve& curve, double x) {
  if (curve.x.empty()) return kNaN;
  const auto above = std::lower_bound(curve.x.begin(), curve.x.end(), x);
  std::size_t index = above - curve.x.begin();
  if (index == curve.x.size() || (index > 0 && x - curve.x[index - 1] < curve.x[index] - x)) --index;
  return curve.y[index];
}

QString shortNumber(double value, int digits) {
  if (std::isnan(value)) return QStringLiteral("–");
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e5)) {
    const QStringList parts = QString::number(value, 'e', digits - 1).split(QLatin1Char('e'));
    return parts[0] + QStringLiteral("·10") + superscript(parts[1].toInt());
  }
  if (size >= std::pow(10.0, digits)) return QString::number(value, 'f', 0);
  return QString::number(value, 'g', digits);
}

}  // namespace touchstone
