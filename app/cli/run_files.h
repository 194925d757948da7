#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/result_folder.h"
#include "core/run/comparison.h"
#include "core/run/manifest.h"
#include "core/run/written_file.h"

namespace touchstone::cli {

/// What `run --out` writes: tables that grow while it runs, then summary.txt and manifest.json. A folder
/// whose manifest says "unfinished" is of a run that was killed; its tables hold what was computed.
class RunFiles {
 public:
  struct Tables {
    bool contacts = false;
  };
  /// Looks whether the folder can be used, and claims it. Nothing is written yet.
  RunFiles(const std::string& folder, ResultFolder::Earlier earlier, const Tables& tables);

  /// The tables with the state before any step.
  void begin(const Comparison& comparison, const std::vector<std::string>& panes, const RunNotes& notes);
  /// The newest frame of every pane.
  void add(const Comparison& comparison);
  void finish(const Comparison& comparison, const std::string& summary, const RunNotes& notes);

 private:
  using Lines = std::string (*)(const StepRecord& record, const std::string& pane, const Scene& scene);
  struct Table {
    std::string name;
    Lines lines;
    std::unique_ptr<GrowingFile> file;
  };
  ResultFolder m_folder;
  Tables m_wanted;
  std::vector<std::string> m_panes;
  std::vector<Table> m_tables;
};

}  // namespace touchstone::cli
