#include "app/work/run_files.h"

#include <ostream>

#include "core/engine/engine.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/store/csv.h"
#include "core/store/poses.h"

namespace touchstone {

namespace {

constexpr char kQuantities[] = "quantities.csv", kConvergence[] = "convergence.csv",
               kContacts[] = "contacts.csv", kSummary[] = "summary.txt", kPoses[] = "poses",
               kPoseContacts[] = "pose-contacts";

void writeText(const std::string& path, const std::string& text) {
  writeWhole(path, [&](std::ostream& out) { out << text; });
}

std::vector<std::string> namesOf(const RunFiles::Tables& tables, const std::vector<std::string>& panes) {
  std::vector<std::string> names = {kQuantities, kConvergence, kContacts, kSummary};
  if (tables.poses)
    for (const std::string& pane : panes)
      for (const char* stem : {kPoses, kPoseContacts}) names.push_back(poseFile(stem, pane, panes.size()));
  names.insert(names.end(), tables.others.begin(), tables.others.end());
  return names;
}

}  // namespace

std::string poseFile(const std::string& stem, const std::string& pane, std::size_t paneCount) {
  return stem + (paneCount > 1 ? "-" + plainName(pane) : "") + ".csv";
}

RunFiles::RunFiles(const std::string& folder, ResultFolder::Earlier earlier, const Tables& tables,
                   const std::vector<std::string>& panes)
    : m_wanted(tables), m_panes(panes), m_folder(folder, earlier, namesOf(tables, panes)) {}

void RunFiles::open(const std::string& name, const std::string& header, const Lines& lines, int pane) {
  m_tables.push_back({name, pane, lines, std::make_unique<GrowingFile>(m_folder.path(name))});
  m_tables.back().file->add(header);
}

void RunFiles::begin(const Comparison& comparison, const RunNotes& notes) {
  const Scene& scene = comparison.scene();
  open(kQuantities, quantityHeader(scene.planar, m_wanted.ofBodies),
       [this](const StepRecord& record, const std::string& pane) {
         return quantityLines(record, pane, m_wanted.ofBodies);
       });
  open(kConvergence, convergenceHeader(), convergenceLines);
  if (m_wanted.contacts || m_wanted.allContacts) {
    const Substeps substeps = m_wanted.allContacts ? Substeps::All : Substeps::Last;
    open(kContacts, contactHeader(), [&scene, substeps](const StepRecord& record, const std::string& pane) {
      return contactLines(record, pane, scene, substeps);
    });
  }
  for (int pane = 0; m_wanted.poses && pane < comparison.paneCount(); ++pane) {
    const std::string& label = m_panes[pane];
    const PaneSettings& settings = comparison.pane(pane).settings();
    const EngineInfo* engine = findEngine(settings.method);
    const double step = engine && engine->isPlayed ? 0 : comparison.dt() / settings.substeps;
    open(
        poseFile(kPoses, label, m_panes.size()), poseHeader(scene, label, step),
        [&scene](const StepRecord& record, const std::string&) { return poseLines(record, scene); }, pane);
    if (!m_wanted.contacts && !m_wanted.allContacts) continue;
    const bool complete = m_wanted.allContacts || comparison.pane(pane).settings().substeps == 1;
    open(
        poseFile(kPoseContacts, label, m_panes.size()), poseContactHeader(scene, label, complete),
        [&scene](const StepRecord& record, const std::string&) { return poseContactLines(record, scene); },
        pane);
  }
  // Earlier results and their manifest are replaced together at the end.
  if (!m_folder.hadResults()) announce(comparison, notes);
  add(comparison);
}

void RunFiles::add(const Comparison& comparison) {
  for (Table& table : m_tables) {
    std::string lines;
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      if (table.pane < 0 || table.pane == pane)
        lines += table.lines(*comparison.history(pane).frames().back(), m_panes[pane]);
    table.file->add(lines);
  }
}

void RunFiles::finish(const Comparison& comparison, const std::string& summary, const RunNotes& notes,
                      const std::map<std::string, std::string>& texts) {
  std::vector<std::string> written = m_wanted.others;
  written.push_back(kSummary);
  // While files are replaced, no manifest may list them as belonging together.
  RunNotes replacing = notes;
  replacing.end = kUnfinished;
  if (m_folder.hadResults()) announce(comparison, replacing);
  for (Table& table : m_tables) {
    table.file->finish();
    written.push_back(table.name);
  }
  for (const auto& [name, text] : texts) writeText(m_folder.path(name), text);
  writeText(m_folder.path(kSummary), printable(summary));
  m_folder.finish(nlohmann::ordered_json::parse(manifestText(comparison, notes)), written);
}

void RunFiles::announce(const Comparison& comparison, const RunNotes& notes) const {
  m_folder.announce(nlohmann::ordered_json::parse(manifestText(comparison, notes)));
}

}  // namespace touchstone
