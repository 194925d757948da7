#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/conform/card_texts.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

// Colours of a palette that colour-blind people can tell apart; letters on white.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00",
                                    "#000000", "#7a5195", "#8c564b", "#595959", "#bcbd22", "#17becf"};
constexpr int kColourCount = 12;

constexpr char kStyle[] = R"css(
body{font:14px/1.45 system-ui,sans-serif;color:#222;margin:1.5em;max-width:1500px}
table{border-collapse:collapse;margin:.6em 0}th,td{border:1px solid #bbb;padding:3px 7px;text-align:left;vertical-align:top}
th{background:#f2f2f2;font-weight:600}td.agrees{background:#e4f3e9}td.theory{background:#e6effa}
td.recorded{background:#f3ecd6}td.deviates{background:#fbe6dc}td.failed{background:#f6d9d9;font-weight:600}td.none{color:#666}
tr.head th,tr.head td{font-weight:400;font-size:12px;color:#444;background:#fafafa}
.sign{font-weight:700}.number{white-space:nowrap}tbody th{min-width:13em}a{color:inherit}h2{margin-top:1.8em;border-bottom:1px solid #bbb}code{background:#f2f2f2;padding:1px 4px}
td a{display:block;text-decoration:none}td a:hover,td a:focus{text-decoration:underline}small{color:#555}
@page{size:A4 landscape;margin:10mm}@media print{body{font-size:8pt;margin:0}h2{page-break-before:auto}table,svg{page-break-inside:avoid}}
)css";

const char* classOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees:
      return "agrees";
    case Verdict::AsItsTheory:
      return "theory";
    case Verdict::AsRecorded:
      return "recorded";
    case Verdict::Deviates:
      return "deviates";
    case Verdict::Failed:
      return "failed";
    case Verdict::NotApplicable:
    case Verdict::Shown:
      return "none";
  }
  return "none";
}

std::string numberText(double value) { return std::isnan(value) ? "" : fourDigits(value); }

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(value) < 1e-4 ? "%.2g" : "%.7g", value);
  return std::isnan(value) ? "" : text;
}

std::string anchorOf(const Phenomenon& phenomenon) { return "p-" + xmlText(phenomenon.name); }

/// Round numbers that divide a range into about four parts.
std::vector<double> ticksOf(double low, double high) {
  const double raw = (high - low) / 4, power = std::pow(10, std::floor(std::log10(raw)));
  const double share = raw / power, step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double tick = std::ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step)
    ticks.push_back(std::abs(tick) < 1e-12 * step ? 0 : tick);
  return ticks;
}

std::string curvesOf(const Card& card, const Phenomenon& phenomenon) {
  double low = INFINITY, high = -INFINITY, end = 0;
  std::vector<const CardCurve*> curves;
  for (const CardCurve& curve : card.curves)
    if (curve.phenomenon == phenomenon.name && curve.points.size() > 1) curves.push_back(&curve);
  if (curves.empty()) return {};
  // A column that explodes must not hide the others: the range is that of the middle of all points.
  std::vector<double> values;
  for (const CardCurve* curve : curves)
    for (const auto& [time, value] : curve->points) {
      end = std::max(end, time);
      if (std::isfinite(value)) values.push_back(value);
    }
  if (values.empty() || end <= 0) return {};
  std::sort(values.begin(), values.end());
  low = values[values.size() / 50];
  high = values[values.size() - 1 - values.size() / 50];
  if (high - low < 1e-12 * std::max(1.0, std::abs(high))) {
    low -= 0.5 * std::max(1e-9, std::abs(low));
    high += 0.5 * std::max(1e-9, std::abs(high));
  }
  const double margin = 0.06 * (high - low);
  low -= margin;
  high += margin;
  constexpr double kWidth = 620, kHeight = 240, kLeft = 70, kBottom = 26;
  const auto x = [&](double time) { return kLeft + (kWidth - kLeft - 8) * time / end; };
  const auto y = [&](double value) {
    const double inside = std::min(std::max(value, low), high);
    return 8 + (kHeight - kBottom - 8) * (high - inside) / (high - low);
  };
  char text[256];
  std::snprintf(text, sizeof text, "<svg viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\">\n",
                kWidth, kHeight, kWidth, kHeight);
  std::string svg = text;
  svg += "<title>" + xmlText(curves.front()->measure) + " over time</title>\n";
  for (const double tick : ticksOf(low, high)) {
    std::snprintf(text, sizeof text,
                  "<line x1=\"%g\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%g\" "
                  "y=\"%.1f\" font-size=\"11\" text-anchor=\"end\">%.4g</text>\n",
                  kLeft, y(tick), kWidth - 8, y(tick), kLeft - 5, y(tick) + 4, tick);
    svg += text;
  }
  for (const double tick : ticksOf(0, end)) {
    std::snprintf(text, sizeof text,
                  "<text x=\"%.1f\" y=\"%g\" font-size=\"11\" text-anchor=\"middle\">%.4g s</text>\n",
                  x(tick), kHeight - 8, tick);
    svg += text;
  }
  constexpr const char* kDashes[] = {"", "7 3", "2 3", "9 3 2 3"};
  for (const CardCurve* curve : curves) {
    const auto column = std::find(card.columns.begin(), card.columns.end(), curve->column);
    const int index = static_cast<int>(column - card.columns.begin());
    svg += "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"" +
           std::string(kColours[index % kColourCount]) + "\" stroke-dasharray=\"" + kDashes[index % 4] +
           "\" points=\"";
    for (const auto& [time, value] : curve->points) {
      if (!std::isfinite(value)) continue;
      std::snprintf(text, sizeof text, "%.1f,%.1f ", x(time), y(value));
      svg += text;
    }
    svg += "\"><title>" + xmlText(curve->column) + "</title></polyline>\n";
  }
  svg += "</svg>\n<p><small>Curves: ";
  for (const CardCurve* curve : curves) {
    const auto column = std::find(card.columns.begin(), card.columns.end(), curve->column);
    const int index = static_cast<int>(column - card.columns.begin());
    svg += "<span style=\"color:" + std::string(kColours[index % kColourCount]) + "\">&#9632; " +
           xmlText(curve->column) + "</span> ";
  }
  return svg + "</small></p>\n";
}

std::string matrixOf(const Card& card) {
  std::string html = "<table>\n<thead><tr><th scope=\"col\">phenomenon</th>";
  for (const std::string& column : card.columns) html += "<th scope=\"col\">" + xmlText(column) + "</th>";
  html += "</tr>\n";
  for (const auto& row : headRows(card)) {
    html += "<tr class=\"head\"><th scope=\"row\">" + xmlText(row.front()) + "</th>";
    for (std::size_t column = 1; column < row.size(); ++column)
      html += "<td>" + xmlText(row[column]) + "</td>";
    html += "</tr>\n";
  }
  html += "</thead>\n<tbody>\n";
  for (std::size_t row = 0; row < card.phenomena.size(); ++row) {
    const Phenomenon& phenomenon = card.phenomena[row];
    html += "<tr><th scope=\"row\"><a href=\"#" + anchorOf(phenomenon) + "\">" + xmlText(phenomenon.number) +
            " " + xmlText(phenomenon.name) + "</a></th>";
    for (const CardCell& cell : card.cells[row]) {
      html += "<td class=\"" + std::string(classOf(cell.verdict)) + "\"><a href=\"#" + anchorOf(phenomenon) +
              "\"><span class=\"sign\">" + signOf(cell.verdict) + "</span> " + wordOf(cell.verdict);
      if (!cell.text.empty()) html += "<br>" + xmlText(cell.text);
      if (cell.notOk > 0) html += " <small>&#8226;" + std::to_string(cell.notOk) + "</small>";
      html += "</a></td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n";
}

std::string measureTable(const Card& card, const Phenomenon& phenomenon, const Measure& measure) {
  std::string html = "<tr><th scope=\"row\">" + xmlText(measure.title);
  if (!measure.unit.empty()) html += " [" + xmlText(measure.unit) + "]";
  if (!measure.formula.empty()) html += "<br><small>" + xmlText(measure.formula) + "</small>";
  const std::string answer = measure.exact     ? digits(*measure.exact)
                             : measure.atMost  ? "&#8804; " + digits(*measure.atMost)
                             : measure.atLeast ? "&#8805; " + digits(*measure.atLeast)
                                               : std::string("not judged");
  html += "</th><td>" + answer + "</td><td>";
  if (measure.exact) html += "&#177; " + digits(measure.tolerance.of(*measure.exact));
  if (!measure.why.empty()) html += "<br><small>" + xmlText(measure.why) + "</small>";
  html += "</td>";
  for (const CardNumber& number : card.numbers) {
    if (number.phenomenon != phenomenon.name || number.measure != measure.id) continue;
    html += "<td class=\"" + std::string(classOf(number.verdict)) + "\"";
    if (!number.reason.empty()) html += " title=\"" + xmlText(number.reason) + "\"";
    html += "><span class=\"number\"><span class=\"sign\">" + std::string(signOf(number.verdict)) +
            "</span> " + digits(number.value) + "</span>";
    if (number.verdict == Verdict::AsItsTheory)
      html += "<br><small>theory " + numberText(number.model) + "</small>";
    if (number.verdict == Verdict::AsRecorded)
      html += "<br><small>recorded " + numberText(number.model) + "</small>";
    const bool isReported = number.verdict == Verdict::NotApplicable || number.verdict == Verdict::Failed;
    if (isReported) html += " <small>" + xmlText(number.reason) + "</small>";
    html += "</td>";
  }
  return html + "</tr>\n";
}

std::string sectionOf(const Card& card, const Phenomenon& phenomenon) {
  std::string html = "<h2 id=\"" + anchorOf(phenomenon) + "\">" + xmlText(phenomenon.number) + " " +
                     xmlText(phenomenon.title) + "</h2>\n<p><strong>" + xmlText(phenomenon.question) +
                     "</strong></p>\n";
  if (!phenomenon.source.empty()) html += "<p><small>" + xmlText(phenomenon.source) + "</small></p>\n";
  html +=
      "<table>\n<thead><tr><th scope=\"col\">measure</th><th scope=\"col\">exact</th><th "
      "scope=\"col\">tolerance</th>";
  for (const std::string& column : card.columns) html += "<th scope=\"col\">" + xmlText(column) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (const Measure& measure : phenomenon.measures) html += measureTable(card, phenomenon, measure);
  html += "<tr><th scope=\"row\">theory of the column</th><td></td><td></td>";
  for (const std::string& column : card.columns) {
    const auto model = card.models.find(phenomenon.name + "/" + column);
    html += "<td><small>" + (model == card.models.end() ? "" : xmlText(model->second)) + "</small></td>";
  }
  html += "</tr>\n</tbody>\n</table>\n" + curvesOf(card, phenomenon);
  if (!phenomenon.notShown.empty())
    html += "<p>What this does not show: " + xmlText(phenomenon.notShown) + "</p>\n";
  std::string runs;
  for (const PhenomenonRun& run : phenomenon.runs) {
    const std::string folder = "runs/" + phenomenon.name + "." + run.id;
    const bool isWritten = std::any_of(card.numbers.begin(), card.numbers.end(),
                                       [&](const CardNumber& number) { return number.runFolder == folder; });
    if (isWritten)
      runs += "<li><a href=\"" + xmlText(folder) + "/\">" + xmlText(run.id) +
              "</a>: <code>touchstone-cli run --from " + xmlText(folder) + "/manifest.json</code></li>\n";
  }
  if (!runs.empty()) html += "<ul>\n" + runs + "</ul>\n";
  return html;
}

}  // namespace

std::string htmlOf(const Card& card, const std::string& command) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Conformance "
      "card</title>\n<style>" +
      std::string(kStyle) +
      "</style>\n</head>\n<body>\n<h1>Conformance card</h1>\n<p>The battery, version <strong>" +
      kBatteryVersion + "</strong>. Settings <strong>" + toString(card.settings) +
      "</strong>. &#10003; agrees, &#8776; as its theory (a known artefact of the model, shown, not "
      "excused), "
      "&#8793; as recorded (no theory predicts it, a recorded run or a figure does), &#10007; deviates, "
      "&#8211; not applicable, ! failed, &#183; shown but not judged; &#8226;n: n frames "
      "whose status is not ok. There is no total score and no ranking.</p>\n";
  html += matrixOf(card);
  if (!card.controls.empty()) {
    const auto turned = std::count_if(card.controls.begin(), card.controls.end(),
                                      [](const ControlResult& control) { return control.isTurned(); });
    html += "<p>Negative controls: " + std::to_string(turned) + " of " +
            std::to_string(card.controls.size()) + " deliberate errors were noticed.</p>\n";
  }
  html += "<p>This card again: <code>" + xmlText(command) + "</code></p>\n";
  for (const Phenomenon& phenomenon : card.phenomena) html += sectionOf(card, phenomenon);
  const std::vector<std::vector<std::string>> files = fileRows(card);
  if (files.size() > 1) {
    html += "<h2>Files of other engines</h2>\n<table>\n";
    for (const auto& row : files) {
      html += "<tr>";
      for (const std::string& cell : row) html += "<td><small>" + xmlText(cell) + "</small></td>";
      html += "</tr>\n";
    }
    html += "</table>\n";
  }
  return html + "</body>\n</html>\n";
}

}  // namespace touchstone
