#include "app/session/pane_spans.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>
#include <algorithm>
#include <stdexcept>

#include "core/run/pane_name.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("PaneSpan", text); }

ParameterValues valuesOf(const Scene& scene, const PaneSettings& settings) {
  try {
    return valuesInForce(scene, settings);
  } catch (const std::invalid_argument&) {
    return settings.parameters;  // the scene of the recording suggests other values now
  }
}

/// Non-default choices that make a variant of the method, and files: "exact", "end", "bullet".
QString variantOf(const MethodInfo& method, const ParameterValues& values) {
  QString variant;
  for (const ParameterSpec& spec : method.parameters) {
    const auto value = values.find(spec.key);
    if (spec.kind == ParameterKind::File && value != values.end())
      variant += QLatin1Char(' ') + QFileInfo(qtText(toString(value->second))).completeBaseName();
    if ((spec.key != "step" && spec.key != "evaluate") || value == values.end() ||
        value->second == spec.standard)
      continue;
    variant += QStringLiteral(" ") + qtText(std::get<std::string>(value->second));
  }
  return variant;
}

QString changeOf(const Scene& scene, const SettingsSpan& before, const SettingsSpan& after) {
  const auto change = [](const QString& what, const QString& earlier, const QString& later) {
    return QStringLiteral("%1%2 → %3").arg(what, earlier, later);
  };
  QStringList changes;
  const QString nameBefore = shortName(scene, before.settings), nameAfter = shortName(scene, after.settings);
  if (nameBefore != nameAfter) changes << change(QString(), nameBefore, nameAfter);
  if (before.dt != after.dt)
    changes << change(tr("frame length "), QString::number(before.dt), QString::number(after.dt));
  if (before.settings.substeps != after.settings.substeps)
    changes << change(tr("substeps "), QString::number(before.settings.substeps),
                      QString::number(after.settings.substeps));
  if (before.settings.method == after.settings.method &&
      before.settings.parameters != after.settings.parameters) {
    const ParameterValues old = valuesOf(scene, before.settings);
    for (const auto& [key, value] : valuesOf(scene, after.settings)) {
      const auto was = old.find(key);
      if (was != old.end() && was->second != value)
        changes << change(qtText(key) + QLatin1Char(' '), qtText(toString(was->second)),
                          qtText(toString(value)));
    }
  }
  return changes.join(QStringLiteral(", "));
}

/// @param nameOf  nameOf(span) returns a name that several panes may share
/// @return the panes that have that name in any span, in their order
template <class NameOf>
std::vector<std::size_t> panesWith(const std::vector<std::vector<PaneSpan>>& panes, const QString& name,
                                   const NameOf& nameOf) {
  std::vector<std::size_t> found;
  for (std::size_t pane = 0; pane < panes.size(); ++pane)
    if (std::any_of(panes[pane].begin(), panes[pane].end(),
                    [&](const PaneSpan& span) { return nameOf(span) == name; }))
      found.push_back(pane);
  return found;
}

int rankOf(std::size_t pane, const std::vector<std::size_t>& panes) {
  return static_cast<int>(std::find(panes.begin(), panes.end(), pane) - panes.begin());
}

}  // namespace

QString shortName(const Scene& scene, const PaneSettings& settings) {
  const MethodInfo* method = findMethod(settings.method);
  if (!method) return qtText(settings.method);
  const ParameterValues values = valuesOf(scene, settings);
  const std::string solver = solverName(settings.solver, values);
  const QString name = qtText(method->shortName) + variantOf(*method, values);
  return solver.empty() ? name : name + QStringLiteral(" · ") + qtText(solver);
}

std::vector<std::vector<PaneSpan>> paneSpans(const Scene& scene, const std::vector<PaneState>& panes,
                                             const std::vector<History>& histories) {
  std::vector<std::vector<PaneSpan>> spansOfPanes(panes.size());
  for (std::size_t pane = 0; pane < panes.size(); ++pane) {
    const std::vector<SettingsSpan>& spans = panes[pane].spans;
    for (std::size_t k = 0; k < spans.size(); ++k) {
      const bool isLast = k + 1 == spans.size();
      if (!isLast && spans[k + 1].after <= histories[pane].firstFrame()) continue;
      PaneSpan span;
      span.first = spans[k].after + 1;
      span.settings = isLast ? panes[pane].settings : spans[k].settings;
      span.method = qtText(span.settings.method);
      span.label = shortName(scene, span.settings);
      if (!spansOfPanes[pane].empty()) {
        span.change = changeOf(scene, spans[k - 1], spans[k]);
        span.isNamed = span.label != spansOfPanes[pane].back().label;
      }
      spansOfPanes[pane].push_back(span);
    }
  }
  const auto methodOf = [](const PaneSpan& span) { return span.method; };
  const auto labelOf = [](const PaneSpan& span) { return span.label; };
  std::vector<std::vector<PaneSpan>> numbered = spansOfPanes;
  for (std::size_t pane = 0; pane < spansOfPanes.size(); ++pane)
    for (std::size_t k = 0; k < spansOfPanes[pane].size(); ++k) {
      const PaneSpan& span = spansOfPanes[pane][k];
      const std::vector<std::size_t> same = panesWith(spansOfPanes, span.label, labelOf);
      if (same.size() > 1) numbered[pane][k].label += QStringLiteral(" #%1").arg(rankOf(pane, same) + 1);
      numbered[pane][k].variant = rankOf(pane, panesWith(spansOfPanes, span.method, methodOf));
    }
  return numbered;
}

}  // namespace touchstone
