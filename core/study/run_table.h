#pragma once

#include <string>
#include <vector>

#include "core/run/simulation.h"
#include "core/store/body_quantity.h"
#include "core/study/study.h"

namespace touchstone {

/// The columns of the table of one run, of which quantities of a study are expressions:
///
///     frames       time_s, frame, status, unsolved, parts, all quantities by their keys, the study's
///     columns.
///                  A column f that is a force or a vector gives f (its magnitude), f_x, f_y, f_z
///     iterations   iteration, residual, merit, step_size, normal, friction, joints, momentum,
///     inner_residual,
///                  inner_iterations, tolerance
///     inner        iteration, inner_iteration, inner_residual
///     formula      x and the constants of the panes
///     pair-path    the same, and closed, quadrature [N·s], closed_us, quadrature_us
///     phenomenon   measure, value, reference, model, tolerance, deviation, verdict, is_primary
std::vector<std::string> columnsOfRun(const Study& study);

/// The rows of a run that are wanted: those columns that no expression of the study mentions stay empty.
class RunTable {
 public:
  /// @param budget  see ExpressionTable
  RunTable(const Study& study, const Scene* scene, std::shared_ptr<ExpressionBudget> budget = nullptr);

  ExpressionTable& table() { return m_table; }
  void add(const StepRecord& record);
  /// True if a column is a force, which takes the contacts of all substeps.
  bool needsContacts() const { return m_needsContacts; }

 private:
  struct BodyColumn {
    BodyQuantity quantity;
    int component;  ///< −1: the magnitude
  };
  ExpressionTable m_table;
  std::vector<std::function<Cell(const StepRecord& record)>> m_cells;  ///< [columns]
  bool m_needsContacts = false;
};

/// For each quantity, true if it is measured of a run: if its condition `runs` holds.
/// @param budget  see ExpressionTable   @throws ExpressionError
std::vector<bool> askedOf(const Study& study, const StudyTask& task,
                          const std::shared_ptr<ExpressionBudget>& budget = nullptr);

/// Values and series of the quantities of a study, of the table of a run.   @throws ExpressionError
void measure(const Study& study, const StudyTask& task, ExpressionTable& table, StudyRun& run);

}  // namespace touchstone
