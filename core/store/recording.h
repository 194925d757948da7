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

/// The part of a run that a recording holds without gaps. Recording may begin in the middle of a run, with a
/// history that has dropped frames and panes.
struct WholeFrom {
  long all = 0;               ///< from this frame on: all existing panes
  std::map<int, long> panes;  ///< earlier: panes by id, each from its own frame on
  bool holds(long frame, int paneId) const;
};
/// Its key in the meta table.
constexpr char kWholeFrom[] = "whole_from";
std::string toText(const WholeFrom& whole);
/// Key in the meta table: how the start of the scene was varied, if it was.
constexpr char kMovedStart[] = "moved_start";

/// True if a file begins like a recording; false too if it cannot be read.
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

/// A file that a Recorder wrote, or that claims so. All data is checked against the scene before it is
/// returned. All functions throw DatabaseError or std::runtime_error with the file and the fault.
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
  std::vector<RecordedPane> panes() const;  ///< panes present at the end, in their order
  /// All rows by frame, then pane; at least one.
  const std::vector<RecordedRow>& rows() const { return m_rows; }
  long firstFrame() const { return m_rows.front().frame; }
  long lastFrame() const { return m_rows.back().frame; }
  const WholeFrom& wholeFrom() const { return m_wholeFrom; }
  /// The program that made it, as programVersion() names it; empty if the recording does not say.
  std::string madeBy() const;

  /// The record of a pane, or null if the file has none.
  RecordPtr record(long frame, int paneId) const;

  /// The comparison at the end of a recording, with its history. Frames that do not fit into memory are read
  /// again when needed.   @param progress  in rows   @throws ReadingCancelled too
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
  void requireKnownMeta() const;
  [[noreturn]] void fail(const std::string& problem) const;

  std::string m_path;
  std::unique_ptr<Database> m_database;
  std::shared_ptr<const Scene> m_scene;
  std::unique_ptr<RecordCheck> m_check;
  command::SetAll m_start, m_now;
  std::vector<LoggedCommand> m_log;
  std::vector<RecordedRow> m_rows;
  std::string m_select;  ///< query of a row: quantities that the file lacks are NULL
  WholeFrom m_wholeFrom;
};

}  // namespace touchstone
