#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace touchstone {

struct Card;
struct CardNumber;

/// Effort of one run in one column: its steps, its iterations, its arithmetic and its time. Columns can be
/// compared only by those who know it.
struct RunEffort {
  static constexpr int kNotTold = -1;
  double asked = 0;              ///< frame of the phenomenon's run [s]
  double step = 0;               ///< longest step [s]; 0: not told
  double interval = 0;           ///< longest time between two samples [s]
  int substeps = 0;              ///< of a frame; 0: not told
  int iterations = kNotTold;     ///< most of one step that records show, or the number that an engine takes
  long iterationSum = kNotTold;  ///< of all steps that records show, which are the last ones of frames
  std::string precision;         ///< "double", "single"; empty: not told
  /// Processor time of the steps, without that of measuring them [s]; not a number: not told.
  double processor = std::numeric_limits<double>::quiet_NaN();
  std::string fileHash, contactsHash;  ///< SHA-256 of the files of another engine; empty: there are none
  bool isDistrusted = false;           ///< velocities of the file contradict its poses
};

/// The effort of a run of the card.
struct CardEffort {
  std::string phenomenon, run, column;
  RunEffort effort;
};

/// Words of a column's head over all its runs.
struct ColumnHead {
  /// Name and text of each line: step, step over frame, substeps, iterations, precision, processor. No text
  /// is empty, and all columns have the same lines.
  std::vector<std::pair<std::string, std::string>> lines;
  /// Sentences about what makes the column differ from what is asked: longer steps, false velocities.
  std::vector<std::string> remarks;
};
ColumnHead headOf(const Card& card, const std::string& column);

/// Rows of a table, [lines][1 + columns]: the name of a line, then its text in each column. The last rows are
/// the remarks, if any column has one.
std::vector<std::vector<std::string>> headRows(const Card& card);

/// Rows of a table of the files of other engines and their hashes; the first one names its columns.
std::vector<std::vector<std::string>> fileRows(const Card& card);

/// The effort of the last run of a number's measure, which is the finest; null: it has not run.
const RunEffort* effortOf(const Card& card, const CardNumber& number);

/// Heads of all columns and efforts of all runs, for programs.
nlohmann::ordered_json effortsOf(const Card& card);

/// Names of the columns that effortCells() gives. The last one is the processor time, which differs from call
/// to call: an expected card is kept without it.
inline constexpr const char* kEffortColumns[] = {"step",        "substeps",        "iterations", "precision",
                                                 "file_sha256", "contacts_sha256", "processor"};
/// Cells of a line of CSV; empty ones are not told. @param effort  null: all are empty
std::vector<std::string> effortCells(const RunEffort* effort);

/// Processor time that the calling thread has used [s].
double threadSeconds();

}  // namespace touchstone
