#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/math/quantile.h"
#include "core/study/study_results.h"

namespace touchstone {

namespace {

using Kind = StudyPlot::Kind;

/// The figure and the numbers that a plot shows.   @throws SceneError for those that there are not
std::pair<const PublishedFigure*, const std::vector<double>*> publishedNumbers(
    const Study& study, const StudyPublished& wanted, const PublishedValues& published) {
  const PublishedFigure* figure = published.find(wanted.id);
  if (!figure)
    throw SceneError(study.file, "plots.published", "'" + wanted.id + "' is no published figure",
                     "datasets/published.json has them");
  const auto number = figure->numbers.find(wanted.number);
  if (number == figure->numbers.end() || number->second.empty())
    throw SceneError(study.file, "plots.published",
                     "'" + wanted.id + "' has no number '" + wanted.number + "'",
                     "datasets/published.json has them");
  return {figure, &number->second};
}

/// Builds one figure of a plot.
class FigureBuilder {
 public:
  FigureBuilder(const StudyResults& results, const StudyPlot& plot)
      : m_results(results), m_study(results.study), m_plot(plot), m_table(runsTable(results, &m_rows)) {}

  Figure figure(const StudyVerdict& verdict, const PublishedValues* published) {
    Figure figure;
    figure.id = m_plot.id;
    figure.title = m_plot.title;
    figure.caption = sentencesOf(verdict);
    collect();
    for (const std::string& name : m_panelNames) {
      FigurePanel panel;
      panel.title = name;
      panel.xLog = m_plot.xLog;
      panel.yLog = m_plot.yLog;
      panel.xLabel = m_plot.xTitle.empty() ? xTitle() : m_plot.xTitle;
      panel.yLabel = m_plot.yTitle.empty() ? titleOf(m_plot.y) : m_plot.yTitle;
      fill(name, panel);
      addLines(panel);
      if (published) addPublished(*published, panel);
      figure.panels.push_back(panel);
    }
    const std::size_t count = figure.panels.size();
    figure.columns = count <= 1 ? 1 : count == 3 ? 3 : 2;
    return figure;
  }

 private:
  const StudyAxis* axis(const std::string& name) const {
    const auto found = std::find_if(m_study.axes.begin(), m_study.axes.end(),
                                    [&name](const StudyAxis& candidate) { return candidate.name == name; });
    return found == m_study.axes.end() ? nullptr : &*found;
  }

  std::string titleOf(const std::string& column) const {
    const auto with = [](const std::string& title, const std::string& unit) {
      return title + (unit.empty() ? "" : " [" + unit + "]");
    };
    if (const StudyAxis* studyAxis = axis(column)) return with(studyAxis->title, studyAxis->unit);
    if (const StudyQuantity* quantity = m_study.quantity(column))
      return with(quantity->title, quantity->unit);
    if (column == "dt_s") return "h [s]";
    if (column == "step_time_ms") return "Time per frame [ms]";
    if (column == "failed") return "Share of runs that failed";
    return column;
  }
  std::string xTitle() const {
    return m_plot.kind == Kind::Series ? m_study.quantity(m_plot.y)->xTitle : titleOf(m_plot.x);
  }

  /// The name of a run's value on an axis, or of its pane.
  std::string nameIn(const std::string& column, std::size_t task) const {
    const StudyTask& studyTask = m_results.tasks[task];
    if (column == "pane") return m_study.panes[studyTask.pane].label;
    if (column == "dt_s") return "h = " + fourDigits(1000 * studyTask.dt) + " ms";
    for (std::size_t k = 0; k < m_study.axes.size(); ++k) {
      if (m_study.axes[k].name != column) continue;
      if (const std::string* text = std::get_if<std::string>(&studyTask.point[k])) return *text;
      return m_study.axes[k].title + " = " + fourDigits(std::get<double>(studyTask.point[k])) +
             (m_study.axes[k].unit.empty() ? "" : " " + m_study.axes[k].unit);
    }
    return {};
  }

  void collect() {
    for (std::size_t row : m_table->rowsWhere(m_plot.where)) {
      const std::size_t task = m_rows[row];
      // Of series one start is shown: the others differ by chance only.
      if (m_plot.kind == Kind::Series && m_results.tasks[task].seed != m_study.seeds.front()) continue;
      const std::string panel = m_plot.kind == Kind::Map ? nameIn("pane", task)
                                : m_plot.panels.empty()  ? std::string()
                                                         : nameIn(m_plot.panels, task);
      std::string curve = m_plot.panels == "pane" ? std::string() : nameIn("pane", task);
      if (!m_plot.curves.empty() && m_plot.curves != "pane")
        curve += (curve.empty() ? "" : ", ") + nameIn(m_plot.curves, task);
      if (curve.empty()) curve = nameIn("pane", task);
      if (!std::count(m_panelNames.begin(), m_panelNames.end(), panel)) m_panelNames.push_back(panel);
      auto& curves = m_curveNames[panel];
      if (!std::count(curves.begin(), curves.end(), curve)) curves.push_back(curve);
      m_runs[{panel, curve}].push_back(row);
    }
    if (m_panelNames.empty()) m_panelNames.emplace_back();
  }

  /// A value of a run in the table, NaN for texts.
  const std::vector<double>& columnOf(const std::string& name) {
    auto [found, isNew] = m_columns.emplace(name, std::vector<double>());
    if (isNew)
      found->second =
          m_table->column("CASE typeof(\"" + name + "\") WHEN 'text' THEN NULL ELSE \"" + name + "\" END");
    return found->second;
  }

  void fill(const std::string& name, FigurePanel& panel) {
    if (m_plot.kind == Kind::Map) return fillMap(name, panel);
    namesOnX(panel);
    std::map<std::string, int> variants;
    for (const std::string& curveName : m_curveNames[name]) {
      const std::vector<std::size_t>& rows = m_runs[{name, curveName}];
      FigureCurve curve;
      curve.label = curveName;
      curve.method = m_results.tasks[m_rows[rows.front()]].settings.method;
      curve.variant = variants[curve.method]++;
      if (m_plot.kind == Kind::Series)
        addSeries(rows, curve);
      else if (m_plot.kind == Kind::Share)
        addShares(rows, curve);
      else
        addPoints(rows, curve);
      if (m_plot.kind == Kind::Polar) turn(panel, curve);
      if (m_plot.floor > 0)
        for (std::vector<double>* values : {&curve.y, &curve.low, &curve.high})
          for (double& value : *values) value = value < m_plot.floor ? m_plot.floor : value;
      panel.curves.push_back(curve);
    }
  }

  /// Names on the x axis in the place of numbers, where the values of the axis are texts.
  void namesOnX(FigurePanel& panel) {
    const StudyAxis* studyAxis = axis(m_plot.x);
    if (m_plot.x == "pane") {
      for (const StudyPane& pane : m_study.panes) panel.xNames.push_back(pane.label);
      return;
    }
    if (!studyAxis || !std::holds_alternative<std::string>(studyAxis->points.front().value)) return;
    for (const StudyAxis::Point& point : studyAxis->points)
      panel.xNames.push_back(std::get<std::string>(point.value));
  }

  double xOf(std::size_t row) {
    const StudyTask& task = m_results.tasks[m_rows[row]];
    if (m_plot.x == "pane") return static_cast<double>(task.pane);
    for (std::size_t k = 0; k < m_study.axes.size(); ++k) {
      if (m_study.axes[k].name != m_plot.x || !std::holds_alternative<std::string>(task.point[k])) continue;
      for (std::size_t point = 0; point < m_study.axes[k].points.size(); ++point)
        if (m_study.axes[k].points[point].value == task.point[k]) return static_cast<double>(point);
    }
    return columnOf(m_plot.x)[row];
  }

  /// A curve through the medians over runs with the same x, or, where x is measured, with the same point.
  void addPoints(const std::vector<std::size_t>& rows, FigureCurve& curve) {
    const bool isMeasured = m_study.quantity(m_plot.x) || m_plot.x == "step_time_ms";
    std::vector<std::pair<double, std::vector<std::size_t>>> groups;
    std::map<std::string, std::size_t> groupOf;
    for (std::size_t row : rows) {
      const StudyTask& task = m_results.tasks[m_rows[row]];
      std::string key = csvNumber(xOf(row));
      if (isMeasured) {
        key = csvNumber(task.dt);
        for (const Cell& cell : task.point)
          key += "," + (std::holds_alternative<double>(cell) ? csvNumber(std::get<double>(cell))
                                                             : std::get<std::string>(cell));
      }
      const auto [found, isNew] = groupOf.emplace(key, groups.size());
      if (isNew) groups.push_back({xOf(row), {}});
      groups[found->second].second.push_back(row);
    }
    if (!isMeasured)
      std::stable_sort(groups.begin(), groups.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::vector<double>& values = columnOf(m_plot.y);
    bool anySpread = false;
    for (const auto& [x, members] : groups) {
      std::vector<double> groupValues, xs;
      bool hasFailed = false;
      for (std::size_t row : members) {
        groupValues.push_back(values[row]);
        xs.push_back(xOf(row));
        hasFailed = hasFailed || m_results.runs[m_rows[row]]->failedAt >= 0;
      }
      const double middle = interpolatedQuantile(groupValues, 0.5);
      curve.x.push_back(isMeasured ? interpolatedQuantile(xs, 0.5) : x);
      curve.y.push_back(middle);
      const bool isWhole = m_plot.band == "extremes";
      curve.low.push_back(interpolatedQuantile(groupValues, isWhole ? 0 : 0.25));
      curve.high.push_back(interpolatedQuantile(groupValues, isWhole ? 1 : 0.75));
      anySpread = anySpread || curve.low.back() != curve.high.back();
      if (hasFailed) curve.crosses.push_back(curve.x.back());
      std::size_t nearest = members.front();
      for (std::size_t row : members)
        if (std::abs(values[row] - middle) < std::abs(values[nearest] - middle)) nearest = row;
      curve.runs.push_back(static_cast<long>(m_rows[nearest]));
    }
    if (!anySpread || m_plot.band == "none") {
      curve.low.clear();
      curve.high.clear();
    }
    // Many points hide their line.
    constexpr std::size_t kMostPoints = 60;
    if (m_plot.points || !panelHasLine(curve)) curve.style = FigureCurve::Style::Points;
    if (!m_plot.points && curve.x.size() > kMostPoints) curve.style = FigureCurve::Style::Line;
  }
  static bool panelHasLine(const FigureCurve& curve) { return curve.x.size() > 1; }

  void addSeries(const std::vector<std::size_t>& rows, FigureCurve& curve) {
    std::size_t quantity = 0;
    while (m_study.quantities[quantity].id != m_plot.y) ++quantity;
    curve.style = FigureCurve::Style::Line;
    for (std::size_t row : rows) {
      const StudyRun::Series& series = m_results.runs[m_rows[row]]->series[quantity];
      if (!curve.x.empty()) {  // a gap between two runs
        curve.x.push_back(curve.x.back());
        curve.y.push_back(kNaN);
        curve.runs.push_back(-1);
      }
      curve.x.insert(curve.x.end(), series.x.begin(), series.x.end());
      curve.y.insert(curve.y.end(), series.y.begin(), series.y.end());
      curve.runs.insert(curve.runs.end(), series.x.size(), static_cast<long>(m_rows[row]));
    }
  }

  void addShares(const std::vector<std::size_t>& rows, FigureCurve& curve) {
    std::map<double, std::vector<std::size_t>> bins;  ///< by their middle
    const std::vector<double>& values = columnOf(m_plot.y);
    for (std::size_t row : rows) {
      const double x = xOf(row);
      if (std::isnan(x) || std::isnan(values[row])) continue;
      // Rounding must not put a value that lies on a border into the bin below.
      bins[m_plot.bin > 0 ? (std::floor(x / m_plot.bin + 1e-9) + 0.5) * m_plot.bin : x].push_back(row);
    }
    for (const auto& [middle, members] : bins) {
      double sum = 0;
      for (std::size_t row : members) sum += values[row];
      curve.x.push_back(middle);
      curve.y.push_back(sum / static_cast<double>(members.size()));
      curve.runs.push_back(static_cast<long>(m_rows[members.front()]));
    }
  }

  /// x is an angle in degrees and y a length: both become coordinates.
  static void turn(FigurePanel& panel, FigureCurve& curve) {
    panel.equalScales = true;
    curve.low.clear();
    curve.high.clear();
    for (std::size_t k = 0; k < curve.x.size(); ++k) {
      const double angle = curve.x[k] * M_PI / 180, radius = curve.y[k];
      curve.x[k] = radius * std::cos(angle);
      curve.y[k] = radius * std::sin(angle);
    }
  }

  /// Medians over the runs of a cell, of its other axes and seeds.
  void fillMap(const std::string& name, FigurePanel& panel) {
    FigureMap& map = panel.map;
    std::vector<std::size_t> rows;
    for (const std::string& curve : m_curveNames[name])
      for (std::size_t row : m_runs[{name, curve}]) rows.push_back(row);
    std::set<double> xs, ys;
    const std::vector<double>&x = columnOf(m_plot.x), &y = columnOf(m_plot.y);
    for (std::size_t row : rows) {
      xs.insert(x[row]);
      ys.insert(y[row]);
    }
    map.x.assign(xs.begin(), xs.end());
    map.y.assign(ys.begin(), ys.end());
    map.label = titleOf(m_plot.value);
    map.values.assign(map.x.size() * map.y.size(), kNaN);
    map.failed.assign(map.values.size(), 0);
    map.runs.assign(map.values.size(), -1);
    std::set<std::size_t> failed;
    if (!m_plot.failed.empty())
      for (std::size_t row : m_table->rowsWhere(m_plot.failed)) failed.insert(row);
    const std::vector<double>& values = columnOf(m_plot.value);
    std::map<std::size_t, std::vector<std::size_t>> cells;
    for (std::size_t row : rows) {
      const std::size_t across = std::distance(xs.begin(), xs.find(x[row]));
      const std::size_t up = std::distance(ys.begin(), ys.find(y[row]));
      cells[up * map.x.size() + across].push_back(row);
    }
    double smallest = HUGE_VAL, largest = 0;
    for (const auto& [cell, members] : cells) {
      std::vector<double> cellValues;
      for (std::size_t row : members) {
        const bool hasEnded = m_results.runs[m_rows[row]]->failedAt >= 0;
        if (hasEnded || failed.count(row) > 0) map.failed[cell] = 1;
        if (!hasEnded) cellValues.push_back(values[row]);
      }
      const double value = map.values[cell] = interpolatedQuantile(cellValues, 0.5);
      std::size_t nearest = members.front();
      for (std::size_t row : members)
        if (std::abs(values[row] - value) < std::abs(values[nearest] - value)) nearest = row;
      map.runs[cell] = static_cast<long>(m_rows[nearest]);
      if (value > 0) {
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
      }
    }
    map.logarithmic = largest > 100 * smallest;  // more than two decades
  }

  void addLines(FigurePanel& panel) {
    // Points of a line of the theory. More make larger files; fewer make it visibly stepped.
    constexpr int kPoints = 200;
    double low = HUGE_VAL, high = -HUGE_VAL;
    const auto include = [&](double x) {
      if (!std::isfinite(x)) return;
      low = std::min(low, x);
      high = std::max(high, x);
    };
    for (const FigureCurve& curve : panel.curves)
      for (double x : curve.x) include(x);
    for (double x : panel.map.x) include(x);
    if (!(high > low)) return;
    const auto budget = std::make_shared<ExpressionBudget>();
    for (const StudyPlot::Line& line : m_plot.lines) {
      FigureCurve curve;
      curve.label = line.label;
      curve.style = FigureCurve::Style::Theory;
      for (int k = 0; k <= kPoints; ++k) {
        const double share = static_cast<double>(k) / kPoints;
        const double x =
            m_plot.xLog && low > 0 ? low * std::pow(high / low, share) : low + share * (high - low);
        curve.x.push_back(x);
      }
      ExpressionTable table("x", {"x"}, budget);
      for (double x : curve.x) table.add({x});
      curve.y = table.column(line.expression);
      panel.curves.push_back(curve);
    }
  }

  void addPublished(const PublishedValues& published, FigurePanel& panel) {
    for (const StudyPublished& wanted : m_plot.published) {
      const auto& [figure, numbers] = publishedNumbers(m_study, wanted, published);
      FigureBand band;
      band.low = wanted.factor * numbers->front();
      band.high = wanted.factor * numbers->back();
      band.ofX = wanted.ofX;
      band.label = wanted.label.empty() ? published.paper(figure->paper) : wanted.label;
      panel.bands.push_back(band);
    }
  }

  const StudyResults& m_results;
  const Study& m_study;
  const StudyPlot& m_plot;
  std::vector<std::size_t> m_rows;  ///< [rows] task of a row of the table
  std::unique_ptr<ExpressionTable> m_table;
  std::vector<std::string> m_panelNames;
  std::map<std::string, std::vector<std::string>> m_curveNames;                    ///< by panel
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> m_runs;  ///< rows
  std::map<std::string, std::vector<double>> m_columns;
};

}  // namespace

void requirePublished(const Study& study, const PublishedValues& published) {
  for (const StudyPlot& plot : study.plots)
    for (const StudyPublished& wanted : plot.published) publishedNumbers(study, wanted, published);
}

std::vector<Figure> figuresOf(const StudyResults& results, const StudyVerdict& verdict,
                              const PublishedValues* published) {
  std::vector<Figure> figures;
  for (const StudyPlot& plot : results.study.plots)
    figures.push_back(FigureBuilder(results, plot).figure(verdict, published));
  return figures;
}

}  // namespace touchstone
