#pragma once

#include <string>
#include <vector>

#include "core/conform/column.h"
#include "core/conform/phenomenon.h"
#include "core/conform/trajectory_quantity.h"

namespace touchstone {

/// A number's judgement. Shown: it has no answer to be compared with. AsRecorded: it deviates, and lies in
/// the band that a recorded run or a published figure gives for this kind of column, without a closed form.
enum class Verdict { NotApplicable, Shown, Agrees, AsItsTheory, AsRecorded, Deviates, Failed };
const char* signOf(Verdict verdict);  ///< "–", "·", "✓", "≈", "≙", "✗", "!"
const char* wordOf(Verdict verdict);  ///< "n/a", "shown", "agrees", "as its theory", …
/// All of them, in ascending order: a cell of the card has the highest of its numbers.
const std::vector<Verdict>& allVerdicts();

/// A measured number and its verdict.
struct CardNumber {
  std::string phenomenon, measure, run, column, unit;
  double value = 0;      ///< NaN: none
  double reference = 0;  ///< the exact answer; NaN: none
  double model = 0;      ///< the answer of the column's own theory; NaN: it has no other than the exact one
  double tolerance = 0;  ///< absolute
  double deviation = 0;  ///< value − reference; NaN
  Verdict verdict = Verdict::NotApplicable;
  std::string reason;  ///< of n/a and failures, or the model's name
  long notOk = 0;      ///< frames of the run whose status is not ok
  std::string runFolder, sceneHash, manifest;
};

/// The number that a theory predicts for a column that has it.
double answerOf(const ModelAnswer& answer, const ColumnModel& model);
/// Why a measure is not asked of a column; null: it is.
const std::string* whyNotAsked(const Measure& measure, const ColumnModel& model);

/// Judges a measure in a column. @param runs  of the measure, in its order   @param exact  in the place of
/// the measure's, for controls
CardNumber judged(const Measure& measure, const ColumnModel& model, bool isForeign,
                  const std::vector<MeasuredRun>& runs, std::optional<double> exact = {});

}  // namespace touchstone
