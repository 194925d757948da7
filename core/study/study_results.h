#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/study/figure.h"
#include "core/study/published_values.h"
#include "core/study/study.h"

namespace touchstone {

/// A study with the runs that are done.
struct StudyResults {
  Study study;
  std::vector<StudyTask> tasks;
  std::vector<std::optional<StudyRun>> runs;  ///< [tasks]

  std::size_t doneCount() const;
};

/// The table `runs`, of which numbers of a study are aggregates: one row for each run that is done, with
/// pane, method, solver, the axes, dt_s, seed, frames, failed (0 or 1), failed_at_s, reason, unsolved,
/// solves_per_frame, halved_frames, step_time_ms and the quantities that are no series.
/// @param rows  receives the task of each row, or null
/// @param budget  see ExpressionTable
std::unique_ptr<ExpressionTable> runsTable(const StudyResults& results,
                                           std::vector<std::size_t>* rows = nullptr,
                                           std::shared_ptr<ExpressionBudget> budget = nullptr);
/// The same table as a perturbed program makes it: rows hold the results of the runs that a control changes.
std::unique_ptr<ExpressionTable> perturbedTable(const StudyResults& results, std::size_t acceptance,
                                                std::size_t control,
                                                std::shared_ptr<ExpressionBudget> budget = nullptr);

/// Tidy tables, in the order of the tasks: one row per run; per point of a series; per run, what a clock has
/// measured. The first two are the same bytes wherever and in whatever order the runs were computed.
std::string csvOfRuns(const StudyResults& results);
std::string csvOfSeries(const StudyResults& results);
std::string csvOfTimes(const StudyResults& results);
/// Markdown: failures and, for each quantity, its median and quartiles over seeds; one row per pane, one
/// column per point and time step.
std::string tablesOf(const StudyResults& results);

/// Outcome of a claim.
enum class Disposition { Reproduced, HoldsForVariant, Contradicted, NotJudged };
/// "reproduced", "holds for a variant", "contradicted", "not judged"
const char* toString(Disposition disposition);

struct JudgedAcceptance {
  std::string id;
  Disposition disposition = Disposition::NotJudged;
  std::string variant;  ///< of HoldsForVariant
  std::string claim;    ///< with numbers in the place of {names}
  std::string because;  ///< likewise; of NotJudged: what is missing
  bool hasControl = false, controlTurned = false;
  std::string control;         ///< the perturbation that turned it, else the first one
  std::string withoutControl;  ///< why no control can be made, of NotJudged; empty: another reason
};
struct StudyVerdict {
  std::vector<std::pair<std::string, double>> numbers;  ///< NaN: none
  std::vector<JudgedAcceptance> acceptances;
};
/// @throws ExpressionError
StudyVerdict verdictOf(const StudyResults& results);
/// One sentence for each acceptance, with its sign.
std::string sentencesOf(const StudyVerdict& verdict);

/// Checks what plots name of the papers, before anything runs.
/// @throws SceneError for a figure or number that is not published
void requirePublished(const Study& study, const PublishedValues& published);

/// The figures of a study.   @param published  null: without published values
/// @throws ExpressionError, SceneError for a published value that does not exist
std::vector<Figure> figuresOf(const StudyResults& results, const StudyVerdict& verdict,
                              const PublishedValues* published);

}  // namespace touchstone
