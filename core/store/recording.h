#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/files/reading_progress.h"
#include "core/run/comparison.h"

namespace touchstone {

class Database;
class RecordCheck;
class Statement;

constexpr char kRecordingFormat[] = "Touchstone recording 1";

/// What a recording holds without a gap. It may have begun in the middle of a run, with a history that had
/// forgotten frames and panes.
struct WholeFrom {
  long all = 0;               ///< from this frame on: all panes that there are
  std::map<int, long> panes;  ///< before: panes by id, each from its own frame on
  bool holds(long frame, int paneId) const;
};
/// Where it stands in the meta table.
constexpr char kWholeFrom[] = "whole_from";
std::string toText(const WholeFrom& whole);
/// There too: how the start of the scene was moved, where it was.
constexpr char kMovedStart[] = "moved_start";

/// Whether a file begins like a recording; false too if it cannot be read.
bool isRecording(const std::string& path);

struct RecordedPane {
  int id;
  std::string label;  ///< "lcp-auto"
};

/// Frame and pane of a row.
struct RecordedRow {
  int frame, pane;
};
inline bool operator<(const RecordedRow& a, const RecordedRow& b) {
  return a.frame != b.frame ? a.frame < b.frame : a.pane < b.pane;
}

/// A file that a Recorder wrote, or says so. Everything in it is held against its scene before it is given
/// away. All functions throw DatabaseError or std::runtime_error naming the file and what is wrong with it.
class Recording {
 public:
  /// @param progress  as in resume()
  explicit Recording(const std::string& path, const ReadingProgress& progress = {});
  ~Recording();

  const std::string& path() const { return m_path; }
  std::shared_ptr<const Scene> scene() const { return m_scene; }
  const command::SetAll& start() const { return m_start; }
  const command::SetAll& now() const { return m_now; }
  const std::vector<LoggedCommand>& log() const { return m_log; }
  std::vector<RecordedPane> panes() const;  ///< that were there at the end, in their order
  /// All rows by frame, then pane; at least one.
  const std::vector<RecordedRow>& rows() const { return m_rows; }
  long firstFrame() const { return m_rows.front().frame; }
  long lastFrame() const { return m_rows.back().frame; }
  const WholeFrom& wholeFrom() const { return m_wholeFrom; }
  /// The program that made it, as programVersion() names it; empty if the recording does not say.
  std::string madeBy() const;

  /// The record of a pane, or null if the file has none.
  RecordPtr record(long frame, int paneId) const;

  /// The comparison at the end of a recording, with its history; frames that do not fit into memory are read
  /// again.   @param progress  in rows   @throws ReadingCancelled too
  static std::unique_ptr<Comparison> resume(const std::shared_ptr<Recording>& recording,
                                            const ReadingProgress& progress = {});

 private:
  void readScene();
  void loadFiles(const std::string& folder);
  void readRows();
  void readCommands();
  void readWholeFrom();
  void readRecord(Statement& row, StepRecord& record) const;
  std::string meta(const std::string& key) const;
  [[noreturn]] void fail(const std::string& problem) const;

  std::string m_path;
  std::unique_ptr<Database> m_database;
  std::shared_ptr<const Scene> m_scene;
  std::unique_ptr<RecordCheck> m_check;
  command::SetAll m_start, m_now;
  std::vector<LoggedCommand> m_log;
  std::vector<RecordedRow> m_rows;
  std::string m_select;  ///< of a row: quantities that the file has not are NULL
  WholeFrom m_wholeFrom;
};

}  // namespace touchstone
