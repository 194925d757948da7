#pragma once

#include <memory>
#include <string>

#include "core/run/comparison.h"

namespace touchstone {

class WriteLock;
class Database;
class Statement;

/// What is to be done with a recording that has the name already.
enum class Earlier { Keep, Replace };

/// Whether a file is a recording of this or an earlier version, damaged or not: all that may be replaced.
bool mayBeReplaced(const std::string& path);

/// Removes a recording that this program made for itself, and what may be left beside it.
void removeRecording(const std::string& path);

/// Writes a comparison to a file as it runs: one SQLite file, one transaction a frame, so that a program that
/// is killed leaves every whole frame. Between two frames nothing lies beside the file; a program that is
/// killed while it writes a frame leaves FILE-journal, with which SQLite undoes what there is of that frame.
/// The disk is waited for at the end only. Tables (guide, page "Recordings"):
///
///     meta(key, value)                  format, start, now, manifest, scene, whole_from
///     files(path, content)              scene and mesh files: the recording stands alone
///     panes(id, position, label)        position NULL: removed
///     commands(number, frame, command)  with the start they determine every state
///     frames(frame, pane, time_s, method, status, state_hash, a column a quantity, bodies, detail)
class Recorder : public ComparisonObserver {
 public:
  /// Starts a file with everything that the comparison still holds, and follows it from then on. A recording
  /// that is to be replaced stays until finish(); the new one is written beside it so long.
  /// @param command  for the manifest   @throws DatabaseError   @throws InUse if another program writes the
  /// file
  Recorder(const std::string& path, Comparison& comparison, const std::string& command,
           Earlier earlier = Earlier::Keep);
  ~Recorder() override;

  /// Nothing follows: the file is on the disk and has its name. @throws std::runtime_error if it cannot be
  void finish();

  const std::string& path() const { return m_path; }
  long frames() const { return m_frames; }  ///< written, over all panes
  /// Why recording has stopped, or empty. What was written before stays readable.
  const std::string& problem() const { return m_problem; }

  /// The file grows no further than this [bytes]; then the recording ends as on a full disk.
  void limitSize(long bytes);

  void stepped(const Comparison& comparison) override;
  void changed(const Comparison& comparison, long from) override;
  void cameIn(const Comparison& comparison, int pane) override;

 private:
  template <class Write>
  void transaction(const Write& write);
  void createTables(const Comparison& comparison, const std::string& command);
  /// The whole file with what the history holds, closed. @return its name
  std::string writeDraft(Comparison& comparison, const std::string& command);
  void append();
  void prepareInsert();
  void closeDatabase();
  void writeState(const Comparison& comparison);
  void writeFrame(const StepRecord& record, int pane);

  std::string m_path, m_place;  ///< of the file at the end, and now
  std::string m_problem;
  std::unique_ptr<WriteLock> m_earlierLock, m_lock;  ///< let go of after the database
  Comparison* m_comparison;
  std::unique_ptr<Database> m_database;
  std::unique_ptr<Statement> m_insert;
  std::size_t m_commands = 0;  ///< of the log, that the file has
  long m_frames = 0;
};

}  // namespace touchstone
