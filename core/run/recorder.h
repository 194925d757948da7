#pragma once

#include <memory>
#include <string>

#include "core/run/comparison.h"

namespace touchstone {

class Database;
class Statement;

/// Writes a comparison to a file as it runs: one SQLite file, one transaction a frame, so that a program that
/// is killed leaves every whole frame. Tables (guide, page "Recordings"):
///
///     meta(key, value)                  format, start, now, manifest, scene
///     files(path, content)              scene and mesh files: the recording stands alone
///     panes(id, position, label)        position NULL: removed
///     commands(number, frame, command)  with the start they determine every state
///     frames(frame, pane, time_s, method, status, state_hash, a column a quantity, bodies, detail)
class Recorder : public ComparisonObserver {
 public:
  /// Starts a file with everything that the comparison still holds, and follows it from then on.
  /// @param command  for the manifest   @throws DatabaseError
  Recorder(const std::string& path, Comparison& comparison, const std::string& command);
  ~Recorder() override;

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
  void writeState(const Comparison& comparison);
  void writeFrame(const StepRecord& record, int pane);

  std::string m_path, m_problem;
  Comparison* m_comparison;
  std::unique_ptr<Database> m_database;
  std::unique_ptr<Statement> m_insert;
  std::size_t m_commands = 0;  ///< of the log, that the file has
  long m_frames = 0;
};

}  // namespace touchstone
