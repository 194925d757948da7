#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/comparison.h"

namespace touchstone {

class Database;

constexpr char kRecordingFormat[] = "Touchstone recording 1";

/// Whether a file begins like a recording; false too if it cannot be read.
bool isRecording(const std::string& path);

/// Removes a recording and what a killed program may have left beside it.
void removeRecording(const std::string& path);

struct RecordedPane {
  int id;
  std::string label;  ///< "lcp-auto"
};

/// A file that a Recorder wrote. All functions throw DatabaseError, SceneError or std::runtime_error naming
/// the file and what is wrong with it.
class Recording {
 public:
  explicit Recording(const std::string& path);
  ~Recording();

  const std::string& path() const { return m_path; }
  std::shared_ptr<const Scene> scene() const { return m_scene; }
  const command::SetAll& start() const { return m_start; }
  const command::SetAll& now() const { return m_now; }
  const std::vector<LoggedCommand>& log() const { return m_log; }
  std::vector<RecordedPane> panes() const;  ///< that were there at the end, in their order
  long firstFrame() const { return m_first; }
  long lastFrame() const { return m_last; }  ///< the last that every pane has

  /// The record of a pane, or null if the file has none.
  RecordPtr record(long frame, int paneId) const;
  /// Ids of all panes recorded at a frame.
  std::vector<int> panesAt(long frame) const;

  /// The comparison at the end of a recording, with its history; frames that do not fit into memory are read
  /// again.
  static std::unique_ptr<Comparison> resume(const std::shared_ptr<Recording>& recording);

 private:
  void readScene();
  void readCommands();
  void readRange();
  std::string meta(const std::string& key) const;

  std::string m_path;
  std::unique_ptr<Database> m_database;
  std::shared_ptr<const Scene> m_scene;
  command::SetAll m_start, m_now;
  std::vector<LoggedCommand> m_log;
  long m_first = 0, m_last = -1;
};

/// Where a run differs from its recording.
struct ReplayDifference {
  long frame;
  std::string pane;   ///< label
  std::string array;  ///< "position of body 'cube 3'"
  double largest;     ///< absolute difference, in the array's unit
};

struct ReplayResult {
  long frames = 0;  ///< compared, over all panes
  std::optional<ReplayDifference> first;
};

/// Runs the recorded commands again from the start and compares every state, bit for bit. Ends at the first
/// difference. @param progress  called with the share done
ReplayResult replay(const Recording& recording, const std::function<void(double)>& progress = nullptr);

}  // namespace touchstone
