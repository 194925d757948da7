#pragma once

#include <memory>
#include <string>

#include "core/run/comparison.h"

namespace touchstone {

class WriteLock;
class Database;
class Statement;

/// Treatment of an existing recording of the same name.
enum class Earlier { Keep, Replace };

/// True if a file is a recording of this or an earlier version, damaged or not. Only such files may be
/// replaced.
bool mayBeReplaced(const std::string& path);

/// Removes a recording that this program made for its own use, and any files left next to it.
void removeRecording(const std::string& path);

/// Writes a comparison to a file while it runs. The file is one SQLite file with one transaction per frame,
/// so that a killed program leaves every complete frame. Between frames there is no second file. A program
/// that is killed during a write leaves FILE-journal, from which SQLite undoes the incomplete frame. The
/// recorder waits for the disk only at the end. Tables (guide, page "Recordings"):
///
///     meta(key, value)                  format, start, now, manifest, scene, whole_from
///     files(path, content)              scene and mesh files: the recording needs no other file
///     panes(id, position, label)        position NULL: removed
///     commands(number, frame, command)  with the start they determine every state
///     frames(frame, pane, time_s, method, status, state_hash, a column a quantity, bodies, detail)
class Recorder : public ComparisonObserver {
 public:
  /// Starts a file with all data that the comparison still holds, and then follows the comparison. An
  /// existing recording that is to be replaced stays until finish(); until then the new one has another name
  /// next to it.
  /// @param command  for the manifest   @throws DatabaseError   @throws InUse if another program writes the
  /// file
  Recorder(const std::string& path, Comparison& comparison, const std::string& command,
           Earlier earlier = Earlier::Keep);
  ~Recorder() override;

  /// Completes the file: it is on the disk and has its name. @throws std::runtime_error on failure
  void finish();

  const std::string& path() const { return m_path; }
  long frames() const { return m_frames; }  ///< number of written frames, over all panes
  /// Why recording has stopped, or empty. Data written before stays readable.
  const std::string& problem() const { return m_problem; }

  void stepped(const Comparison& comparison) override;
  void changed(const Comparison& comparison, long firstFrame) override;
  void cameIn(const Comparison& comparison, int pane) override;

 private:
  template <class Write>
  void transaction(const Write& write);
  void createTables(const Comparison& comparison, const std::string& command);
  /// Writes a complete, closed file with the content of the history. @return its name
  std::string writeDraft(Comparison& comparison, const std::string& command);
  void append();
  void prepareInsert();
  void closeDatabase();
  void writeState(const Comparison& comparison);
  void writeFrame(const StepRecord& record, int pane);

  std::string m_path, m_place;  ///< final path of the file, and present path
  std::string m_problem;
  std::unique_ptr<WriteLock> m_earlierLock, m_lock;  ///< released after the database
  Comparison* m_comparison;
  std::unique_ptr<Database> m_database;
  std::unique_ptr<Statement> m_insert;
  std::size_t m_commands = 0;  ///< number of log commands in the file
  long m_frames = 0;
};

}  // namespace touchstone
