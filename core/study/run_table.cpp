#include "core/study/run_table.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/math/not_a_number.h"

namespace touchstone {

namespace {

bool isMentioned(const Study& study, const std::string& name) {
  const auto inQuantity = [&name](const StudyQuantity& quantity) {
    return mentions(quantity.expression, name) || mentions(quantity.x, name);
  };
  const auto inColumn = [&name](const auto& column) { return mentions(column.second, name); };
  return std::any_of(study.quantities.begin(), study.quantities.end(), inQuantity) ||
         std::any_of(study.derived.begin(), study.derived.end(), inColumn);
}

/// The columns of a run of which something is asked: rows of all others would cost more than a step.
std::vector<std::string> wantedColumns(const Study& study) {
  std::vector<std::string> wanted;
  for (const std::string& column : columnsOfRun(study))
    if (study.kind != StudyKind::Frames || isMentioned(study, column)) wanted.push_back(column);
  if (wanted.empty()) wanted.push_back("time_s");
  return wanted;
}

}  // namespace

namespace {

/// The table of one row, of which conditions on runs are asked.
std::unique_ptr<ExpressionTable> tableOfTask(const Study& study, const StudyTask& task,
                                             const std::shared_ptr<ExpressionBudget>& budget) {
  std::vector<std::string> columns = {"pane", "dt_s", "seed"};
  std::vector<Cell> cells = {study.panes[task.pane].label, task.control < 0 ? task.dt : task.statedDt,
                             static_cast<double>(task.seed)};
  for (std::size_t axis = 0; axis < study.axes.size(); ++axis) {
    columns.push_back(study.axes[axis].name);
    cells.push_back(task.point[axis]);
  }
  auto table = std::make_unique<ExpressionTable>("runs", columns, budget);
  table->add(cells);
  return table;
}

}  // namespace

bool isOf(const Study& study, const std::string& condition, const StudyTask& task,
          const std::shared_ptr<ExpressionBudget>& budget) {
  return condition.empty() || !tableOfTask(study, task, budget)->rowsWhere(condition).empty();
}

std::vector<bool> askedOf(const Study& study, const StudyTask& task,
                          const std::shared_ptr<ExpressionBudget>& budget) {
  std::vector<bool> asked;
  std::unique_ptr<ExpressionTable> run;  // made for the first condition: most studies have none
  for (const StudyQuantity& quantity : study.quantities) {
    if (!quantity.runs.empty() && !run) run = tableOfTask(study, task, budget);
    asked.push_back(quantity.runs.empty() || !run->rowsWhere(quantity.runs).empty());
  }
  return asked;
}

std::vector<std::string> columnsOfRun(const Study& study) {
  std::set<std::string> constants;
  for (const StudyPane& pane : study.panes)
    for (const auto& constant : pane.constants) constants.insert(constant.first);
  std::vector<std::string> columns;
  switch (study.kind) {
    case StudyKind::Frames:
      columns = {"time_s", "frame", "status", "unsolved", "parts"};
      for (const QuantityInfo& info : quantityTable()) columns.push_back(info.key);
      for (const auto& column : study.columns)
        for (const char* component : {"", "_x", "_y", "_z"}) columns.push_back(column.first + component);
      return columns;
    case StudyKind::Iterations:
      return {"iteration", "residual", "merit",          "step_size",        "normal",   "friction",
              "joints",    "momentum", "inner_residual", "inner_iterations", "tolerance"};
    case StudyKind::Inner:
      return {"iteration", "inner_iteration", "inner_residual"};
    case StudyKind::Phenomenon:
      return {"measure", "value", "reference", "model", "tolerance", "deviation", "verdict", "is_primary"};
    case StudyKind::PairPath:
      columns = {"closed", "quadrature", "closed_us", "quadrature_us"};
      for (const StudyAxis& axis : study.axes) columns.push_back(axis.name);
      break;
    case StudyKind::Formula:
      columns = {"x"};
      for (const StudyAxis& axis : study.axes) columns.push_back(axis.name);
      break;
  }
  columns.insert(columns.end(), constants.begin(), constants.end());
  return columns;
}

RunTable::RunTable(const Study& study, const Scene* scene, std::shared_ptr<ExpressionBudget> budget)
    : m_table("run", wantedColumns(study), std::move(budget)) {
  std::map<std::string, BodyColumn> bodies;
  for (const auto& [name, text] : study.columns) {
    const BodyQuantity quantity = bodyQuantityOf(text, *scene);
    m_needsContacts = m_needsContacts || quantity.kind == BodyQuantity::Kind::PairForce;
    const char* const components[] = {"", "_x", "_y", "_z"};
    for (int k = 0; k < 4; ++k) bodies[name + components[k]] = {quantity, k - 1};
  }
  for (const std::string& column : m_table.columns()) {
    const auto body = bodies.find(column);
    if (body != bodies.end()) {
      m_cells.push_back([bodyColumn = body->second](const StepRecord& record) -> Cell {
        const Vec3 vector = valueOf(bodyColumn.quantity, record);
        return bodyColumn.component < 0 ? vector.norm() : vector[bodyColumn.component];
      });
    } else if (const QuantityInfo* info = findQuantity(column)) {
      m_cells.push_back([quantity = info->quantity](const StepRecord& record) -> Cell {
        return record.quantities[quantity];
      });
    } else {
      m_cells.push_back([column](const StepRecord& record) -> Cell {
        if (column == "status") return std::string(toString(record.status));
        return column == "frame"      ? static_cast<double>(record.frame)
               : column == "unsolved" ? static_cast<double>(record.unsolved)
               : column == "parts"    ? static_cast<double>(record.parts)
                                      : record.time;
      });
    }
  }
}

void RunTable::add(const StepRecord& record) {
  std::vector<Cell> cells;
  for (const auto& cellOf : m_cells) cells.push_back(cellOf(record));
  m_table.add(cells);
}

void measure(const Study& study, const StudyTask& task, ExpressionTable& table, StudyRun& run) {
  for (const auto& [name, expression] : study.derived) table.derive(name, expression);
  run.values.assign(study.quantities.size(), kNaN);
  run.series.assign(study.quantities.size(), {});
  const std::vector<bool> asked = askedOf(study, task);
  for (std::size_t k = 0; k < study.quantities.size(); ++k) {
    const StudyQuantity& quantity = study.quantities[k];
    if (!asked[k]) continue;
    if (!quantity.isSeries) {
      run.values[k] = table.number(quantity.expression);
      continue;
    }
    // One condition serves both columns.
    run.series[k].y = table.column(quantity.expression);
    run.series[k].x = table.column(quantity.x + conditionOf(quantity.expression));
    if (run.series[k].x.size() != run.series[k].y.size())
      throw ExpressionError("'" + quantity.x + "': does not give a value for each of '" +
                            quantity.expression + "'");
  }
}

}  // namespace touchstone
