#include "core/sweep/run_table.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/math/not_a_number.h"

namespace touchstone {

namespace {

constexpr std::size_t kTime = 0, kFrame = 1, kStatus = 2, kUnsolved = 3, kParts = 4, kFirstQuantity = 5;

bool isMentioned(const Study& study, const std::string& name) {
  return std::any_of(study.quantities.begin(), study.quantities.end(), [&name](const StudyQuantity& each) {
    return mentions(each.expression, name) || mentions(each.x, name);
  });
}

}  // namespace

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
      return {"measure", "value", "reference", "model", "tolerance", "deviation", "verdict", "primary"};
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

RunTable::RunTable(const Study& study, const Scene* scene) : m_table("run", columnsOfRun(study)) {
  if (study.kind != StudyKind::Frames) return;
  for (int k = 0; k < kQuantityCount; ++k) {
    const auto quantity = static_cast<Quantity>(k);
    if (isMentioned(study, quantityInfo(quantity).key))
      m_quantities.emplace_back(kFirstQuantity + static_cast<std::size_t>(k), quantity);
  }
  std::size_t at = kFirstQuantity + kQuantityCount;
  for (const auto& [name, text] : study.columns) {
    m_bodies.push_back({at, bodyQuantityOf(text, *scene)});
    m_needsContacts = m_needsContacts || m_bodies.back().quantity.kind == BodyQuantity::Kind::PairForce;
    at += 4;
  }
}

void RunTable::add(const StepRecord& record) {
  std::vector<Cell> cells(m_table.columns().size(), Cell(kNaN));
  cells[kTime] = record.time;
  cells[kFrame] = static_cast<double>(record.frame);
  cells[kStatus] = std::string(toString(record.status));
  cells[kUnsolved] = static_cast<double>(record.unsolved);
  cells[kParts] = static_cast<double>(record.parts);
  for (const auto& [column, quantity] : m_quantities) cells[column] = record.quantities[quantity];
  for (const BodyColumn& body : m_bodies) {
    const Vec3 vector = valueOf(body.quantity, record);
    cells[body.first] = vector.norm();
    for (int k = 0; k < 3; ++k) cells[body.first + 1 + static_cast<std::size_t>(k)] = vector[k];
  }
  m_table.add(cells);
}

void measure(const Study& study, const ExpressionTable& table, StudyRun& run) {
  run.values.assign(study.quantities.size(), kNaN);
  run.series.assign(study.quantities.size(), {});
  for (std::size_t k = 0; k < study.quantities.size(); ++k) {
    const StudyQuantity& quantity = study.quantities[k];
    if (!quantity.isSeries) {
      run.values[k] = table.number(quantity.expression);
      continue;
    }
    // One condition serves both columns.
    const std::string text = quantity.expression;
    const std::size_t where = text.rfind(" where ");
    run.series[k].y = table.column(text);
    run.series[k].x = table.column(quantity.x + (where == std::string::npos ? "" : text.substr(where)));
    if (run.series[k].x.size() != run.series[k].y.size())
      throw ExpressionError("'" + quantity.x + "': does not give a value for each of '" + text + "'");
  }
}

}  // namespace touchstone
