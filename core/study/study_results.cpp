#include "core/study/study_results.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/math/quantile.h"

namespace touchstone {

namespace {

std::string cellText(const Cell& cell) {
  if (const double* number = std::get_if<double>(&cell)) return csvNumber(*number);
  return csvText(std::get<std::string>(cell));
}

const std::string& exchanged(const std::string& label,
                             const std::vector<std::pair<std::string, std::string>>& swapped) {
  for (const auto& [a, b] : swapped) {
    if (label == a) return b;
    if (label == b) return a;
  }
  return label;
}

/// pane, axes, dt_s, seed: what identifies a run in every table.
std::string headOf(const Study& study) {
  std::string head = "pane";
  for (const StudyAxis& axis : study.axes) head += "," + axis.name;
  return head + ",dt_s,seed";
}

std::string beginningOf(const StudyResults& results, std::size_t task) {
  const StudyTask& studyTask = results.tasks[task];
  std::string text = csvText(results.study.panes[studyTask.pane].label);
  for (const Cell& cell : studyTask.point) text += "," + cellText(cell);
  return text + "," + csvNumber(studyTask.dt) + "," + std::to_string(studyTask.seed);
}

/// False for the run of a control.
bool isOfStudy(const StudyTask& task) { return task.control < 0; }

/// Runs of one row and column of a Markdown table.
using Chosen = std::vector<const StudyRun*>;

/// The columns of Markdown tables: points and time steps in the order of the tasks.
std::vector<std::string> columnLabels(const StudyResults& results, std::vector<std::size_t>& columnOf) {
  std::vector<std::string> labels;
  columnOf.resize(results.tasks.size());
  const Study& study = results.study;
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (!isOfStudy(results.tasks[task])) continue;
    std::string label;
    for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
      const Cell& cell = results.tasks[task].point[axis];
      label += (label.empty() ? "" : ", ") + study.axes[axis].name + " ";
      label += std::holds_alternative<double>(cell) ? fourDigits(std::get<double>(cell))
                                                    : std::get<std::string>(cell);
    }
    if (study.dt.size() > 1 || study.axes.empty())
      label += (label.empty() ? "" : ", ") + fourDigits(1000 * results.tasks[task].dt) + " ms";
    const auto known = std::find(labels.begin(), labels.end(), label);
    columnOf[task] = known - labels.begin();
    if (known == labels.end()) labels.push_back(label);
  }
  return labels;
}

template <class TextOf>
std::string table(const std::string& title, const StudyResults& results,
                  const std::vector<std::string>& labels, const std::vector<std::size_t>& columnOf,
                  const TextOf& textOf) {
  std::string text = "\n" + title + "\n\n| pane |";
  for (const std::string& label : labels) text += " " + label + " |";
  text += "\n|---|";
  for (std::size_t column = 0; column < labels.size(); ++column) text += "---|";
  for (std::size_t pane = 0; pane < results.study.panes.size(); ++pane) {
    std::vector<Chosen> chosen(labels.size());
    for (std::size_t task = 0; task < results.tasks.size(); ++task)
      if (results.tasks[task].pane == pane && results.runs[task] && isOfStudy(results.tasks[task]))
        chosen[columnOf[task]].push_back(&*results.runs[task]);
    text += "\n| " + results.study.panes[pane].label + " |";
    for (const Chosen& runs : chosen) text += " " + (runs.empty() ? "–" : textOf(runs)) + " |";
  }
  return text + "\n";
}

}  // namespace

std::size_t StudyResults::doneCount() const {
  return std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run.has_value(); });
}

namespace {

/// pane, point, step and seed, which a perturbed run shares with the run that it stands for.
std::string placeOf(const StudyTask& task) {
  std::string text = std::to_string(task.pane) + "," + std::to_string(task.seed) + "," +
                     csvNumber(isOfStudy(task) ? task.dt : task.statedDt);
  for (const Cell& cell : task.point) text += "," + cellText(cell);
  return text;
}

/// @param control  null: the study's runs as they are
/// @param perturbed  tasks of perturbed runs by the place of those for which they stand
std::unique_ptr<ExpressionTable> tableOf(const StudyResults& results, const StudyControl* control,
                                         const std::map<std::string, std::size_t>& perturbed,
                                         std::vector<std::size_t>* rows,
                                         std::shared_ptr<ExpressionBudget> budget) {
  const std::vector<std::pair<std::string, std::string>> none;
  const auto& swapped = control ? control->swapped : none;
  const Study& study = results.study;
  std::vector<std::string> columns = {"pane",        "method",   "solver",           "seed",
                                      "dt_s",        "frames",   "failed",           "failed_at_s",
                                      "reason",      "unsolved", "solves_per_frame", "halved_frames",
                                      "step_time_ms"};
  for (const StudyAxis& axis : study.axes) columns.push_back(axis.name);
  for (const StudyQuantity& quantity : study.quantities) columns.push_back(quantity.id);
  auto table = std::make_unique<ExpressionTable>("runs", columns, std::move(budget));
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (!results.runs[task] || !isOfStudy(results.tasks[task])) continue;
    const auto other = perturbed.empty() ? perturbed.end() : perturbed.find(placeOf(results.tasks[task]));
    const std::size_t source = other == perturbed.end() ? task : other->second;
    if (!results.runs[source]) continue;
    const StudyRun& run = *results.runs[source];
    const StudyTask& studyTask = results.tasks[task];
    const auto number = [](long value) { return static_cast<double>(value); };
    std::vector<Cell> cells = {exchanged(study.panes[studyTask.pane].label, swapped),
                               studyTask.settings.method,
                               studyTask.settings.solver,
                               static_cast<double>(studyTask.seed),
                               studyTask.dt,
                               number(run.frames),
                               run.failedAt < 0 ? 0.0 : 1.0,
                               run.failedAt < 0 ? kNaN : run.failedAt,
                               run.reason,
                               number(run.unsolved),
                               run.solves,
                               number(run.bisected),
                               run.milliseconds};
    cells.insert(cells.end(), studyTask.point.begin(), studyTask.point.end());
    cells.insert(cells.end(), run.values.begin(), run.values.end());
    table->add(cells);
    if (rows) rows->push_back(task);
  }
  return table;
}

}  // namespace

std::unique_ptr<ExpressionTable> runsTable(const StudyResults& results, std::vector<std::size_t>* rows,
                                           std::shared_ptr<ExpressionBudget> budget) {
  return tableOf(results, nullptr, {}, rows, std::move(budget));
}

std::unique_ptr<ExpressionTable> perturbedTable(const StudyResults& results, std::size_t acceptance,
                                                std::size_t control,
                                                std::shared_ptr<ExpressionBudget> budget) {
  std::map<std::string, std::size_t> perturbed;
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    const StudyTask& studyTask = results.tasks[task];
    if (studyTask.acceptance == static_cast<int>(acceptance) &&
        studyTask.control == static_cast<int>(control))
      perturbed[placeOf(studyTask)] = task;
  }
  return tableOf(results, &results.study.acceptances[acceptance].controls[control], perturbed, nullptr,
                 std::move(budget));
}

std::string csvOfRuns(const StudyResults& results) {
  const Study& study = results.study;
  std::string text = headOf(study) + ",frames,failed_at_s,reason,unsolved,solves_per_frame,halved_frames";
  for (const StudyQuantity& quantity : study.quantities)
    if (!quantity.isSeries && !quantity.isTime) text += "," + quantity.id;
  text += "\n";
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (!results.runs[task] || !isOfStudy(results.tasks[task])) continue;
    const StudyRun& run = *results.runs[task];
    text += beginningOf(results, task) + "," + std::to_string(run.frames) + "," +
            (run.failedAt < 0 ? "" : csvNumber(run.failedAt)) + "," + csvText(run.reason) + "," +
            std::to_string(run.unsolved) + "," + csvNumber(run.solves) + "," + std::to_string(run.bisected);
    for (std::size_t k = 0; k < study.quantities.size(); ++k)
      if (!study.quantities[k].isSeries && !study.quantities[k].isTime)
        text += "," + csvNumber(run.values[k]);
    text += "\n";
  }
  return text;
}

std::string csvOfSeries(const StudyResults& results) {
  const Study& study = results.study;
  std::string text = headOf(study) + ",quantity,x,y\n";
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (!results.runs[task] || !isOfStudy(results.tasks[task])) continue;
    const std::string beginning = beginningOf(results, task);
    for (std::size_t k = 0; k < study.quantities.size(); ++k) {
      if (!study.quantities[k].isSeries || study.quantities[k].isTime) continue;
      const StudyRun::Series& series = results.runs[task]->series[k];
      for (std::size_t point = 0; point < series.x.size(); ++point)
        text += beginning + "," + study.quantities[k].id + "," + csvNumber(series.x[point]) + "," +
                csvNumber(series.y[point]) + "\n";
    }
  }
  return text;
}

std::string csvOfTimes(const StudyResults& results) {
  const Study& study = results.study;
  std::string text = headOf(study) + ",step_time_ms";
  for (const StudyQuantity& quantity : study.quantities)
    if (!quantity.isSeries && quantity.isTime) text += "," + quantity.id;
  text += "\n";
  for (std::size_t task = 0; task < results.tasks.size(); ++task) {
    if (!results.runs[task] || !isOfStudy(results.tasks[task])) continue;
    text += beginningOf(results, task) + "," + csvNumber(results.runs[task]->milliseconds);
    for (std::size_t k = 0; k < study.quantities.size(); ++k)
      if (!study.quantities[k].isSeries && study.quantities[k].isTime)
        text += "," + csvNumber(results.runs[task]->values[k]);
    text += "\n";
  }
  return text;
}

std::string tablesOf(const StudyResults& results) {
  // Most columns. More make lines that nobody reads; fewer hide sweeps that would fit.
  constexpr std::size_t kMostColumns = 40;
  const Study& study = results.study;
  std::vector<std::size_t> columnOf;
  const std::vector<std::string> labels = columnLabels(results, columnOf);
  std::string text = "# " + study.title + "\n";
  if (labels.size() > kMostColumns)
    return text + "\n" + std::to_string(labels.size()) +
           " points are too many for a table; runs.csv has them\n";
  text += table("Failed runs, of all", results, labels, columnOf, [](const Chosen& runs) {
    const auto failed =
        std::count_if(runs.begin(), runs.end(), [](const StudyRun* run) { return run->failedAt >= 0; });
    return std::to_string(failed) + "/" + std::to_string(runs.size());
  });
  for (std::size_t k = 0; k < study.quantities.size(); ++k) {
    const StudyQuantity& quantity = study.quantities[k];
    if (quantity.isSeries) continue;
    const std::string title = quantity.title + (quantity.unit.empty() ? "" : " [" + quantity.unit + "]") +
                              (study.seeds.size() > 1 ? ": median (quartiles) over seeds" : "");
    text += table(title, results, labels, columnOf, [k](const Chosen& runs) {
      std::vector<double> values;
      for (const StudyRun* run : runs) values.push_back(run->values[k]);
      std::string cell = fourDigits(interpolatedQuantile(values, 0.5));
      if (values.size() > 1)
        cell += " (" + fourDigits(interpolatedQuantile(values, 0.25)) + " … " +
                fourDigits(interpolatedQuantile(values, 0.75)) + ")";
      return cell;
    });
  }
  return text;
}

}  // namespace touchstone
