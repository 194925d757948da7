#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/work/result_folder.h"
#include "core/files/written_file.h"
#include "core/run/comparison.h"
#include "core/store/body_quantity.h"
#include "core/store/manifest.h"

namespace touchstone {

/// Output of `run --out`: tables that grow during the run (quantities.csv.part, …) and get their names at the
/// end, with summary.txt and manifest.json. A folder whose manifest says "unfinished" belongs to a killed
/// run; its parts contain the computed data.
class RunFiles {
 public:
  struct Tables {
    bool contacts = false, allContacts = false, poses = false;
    std::vector<BodyQuantity> ofBodies;  ///< further columns of quantities.csv
    std::vector<std::string> others;     ///< names of files that the caller writes into the folder
  };
  /// Checks the folder and locks it. Writes nothing yet.
  /// @param panes  labels
  RunFiles(const std::string& folder, ResultFolder::Earlier earlier, const Tables& tables,
           const std::vector<std::string>& panes);

  /// Begins the tables with the initial state.
  void begin(const Comparison& comparison, const RunNotes& notes);
  /// Adds the newest frame of every pane.
  void add(const Comparison& comparison);
  /// @param texts  of further files, which Tables::others names
  void finish(const Comparison& comparison, const std::string& summary, const RunNotes& notes,
              const std::map<std::string, std::string>& texts = {});

 private:
  using Lines = std::function<std::string(const StepRecord& record, const std::string& pane)>;
  struct Table {
    std::string name;
    int pane;  ///< −1: all
    Lines lines;
    std::unique_ptr<GrowingFile> file;
  };
  void announce(const Comparison& comparison, const RunNotes& notes) const;
  void open(const std::string& name, const std::string& header, const Lines& lines, int pane = -1);

  Tables m_wanted;
  std::vector<std::string> m_panes;
  ResultFolder m_folder;
  std::vector<Table> m_tables;
};

/// "poses.csv" for a single pane, else "poses-cpf.csv".   @param stem  "poses"   @param pane  label
std::string poseFile(const std::string& stem, const std::string& pane, std::size_t paneCount);

}  // namespace touchstone
