#pragma once

#include <string>
#include <vector>

#include "core/conform/conformance.h"

namespace touchstone {

/// Lengths of the steps of a table of costs, as multiples of those of each column, longest first.
inline const std::vector<double>& costFactors() {
  static const std::vector<double> factors = {4, 2, 1, 0.5};
  return factors;
}

/// Phenomena whose errors are smooth in the step, and which take seconds.
inline const std::vector<std::string>& costPhenomena() {
  static const std::vector<std::string> names = {"tipping", "ladder", "free-spin", "order", "slide-spin"};
  return names;
}

/// The error and the cost of a measure in a column, at one length of steps.
struct CostPoint {
  std::string phenomenon, measure, column, unit;
  double factor = 1;     ///< see ConformOptions::stepFactor
  double step = 0;       ///< s; 0: it has not run
  double processor = 0;  ///< of the steps of the measure's run [s]; not a number: it has not run
  double value = 0, reference = 0;
  double error = 0;     ///< |value − reference|; not a number: there is none
  std::string problem;  ///< why not
};

/// The effect of the step on the error of a measure in a column.
struct StepEffect {
  std::string phenomenon, measure, column;
  /// Slope of log error over log step, of all steps; not a number where the error has none.
  double order = 0;
  std::string text;  ///< "order 1.02 (1.05, 1.01, 0.99)", "not monotone", …
};

/// Error against cost: numbers with known answers at several lengths of steps.
struct CostTable {
  ConformSettings settings = ConformSettings::Battery;
  std::vector<std::string> columns;
  std::vector<Phenomenon> phenomena;  ///< with the measures and runs that take part
  std::vector<CostPoint> points;      ///< by phenomenon, measure, column and step
  std::vector<StepEffect> effects;    ///< by phenomenon, measure and column
};

/// Runs phenomena with steps of several lengths. Measures take part that have an exact answer and one run:
/// not those of the answer of a model, nor those of bodies that stand for round ones.
/// @param options  columns of other engines' files are left out, and nothing is written
CostTable costOf(const std::vector<Phenomenon>& phenomena, const ConformOptions& options);

/// The effect that points of one measure in one column show. @param points  longest step first
StepEffect stepEffectOf(const std::vector<CostPoint>& points);

/// The measure of a phenomenon that text and figure show: the primary one if it takes part, else the first.
/// Null: none takes part.
const Measure* shownMeasure(const Phenomenon& phenomenon);

/// A block for each phenomenon: error and processor time of each column and step, and the step's effect.
std::string textOf(const CostTable& table);
/// One line per measure, column and step; the processor time is the last cell.
std::string csvOf(const CostTable& table);
std::string jsonOf(const CostTable& table);

}  // namespace touchstone
