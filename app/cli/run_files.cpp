#include "app/cli/run_files.h"

#include <ostream>

#include "core/run/csv.h"

namespace touchstone::cli {

namespace {

constexpr char kQuantities[] = "quantities.csv", kConvergence[] = "convergence.csv",
               kContacts[] = "contacts.csv", kSummary[] = "summary.txt", kManifest[] = "manifest.json";

void writeText(const std::string& path, const std::string& text) {
  writeWhole(path, [&](std::ostream& out) { out << text; });
}

}  // namespace

RunFiles::RunFiles(const std::string& folder, ResultFolder::Earlier earlier, const Tables& tables)
    : m_folder(folder, earlier, {kQuantities, kConvergence, kContacts, kSummary}), m_wanted(tables) {}

void RunFiles::begin(const Comparison& comparison, const std::vector<std::string>& panes,
                     const RunNotes& notes) {
  m_panes = panes;
  const auto table = [this](const char* name, const std::string& header, Lines lines) {
    m_tables.push_back({name, lines, std::make_unique<GrowingFile>(m_folder.path(name))});
    m_tables.back().file->add(header);
  };
  table(kQuantities, quantityHeader(comparison.scene().planar),
        [](const StepRecord& record, const std::string& pane, const Scene&) {
          return quantityLines(record, pane);
        });
  table(kConvergence, convergenceHeader(),
        [](const StepRecord& record, const std::string& pane, const Scene&) {
          return convergenceLines(record, pane);
        });
  if (m_wanted.contacts) table(kContacts, contactHeader(), contactLines);
  // Earlier results and their manifest are replaced together, at the end.
  if (!m_folder.hadResults()) writeText(m_folder.path(kManifest), manifestText(comparison, notes) + '\n');
  add(comparison);
}

void RunFiles::add(const Comparison& comparison) {
  for (Table& table : m_tables) {
    std::string lines;
    for (int pane = 0; pane < comparison.paneCount(); ++pane)
      lines += table.lines(*comparison.history(pane).frames().back(), m_panes[static_cast<std::size_t>(pane)],
                           comparison.scene());
    table.file->add(lines);
  }
}

void RunFiles::finish(const Comparison& comparison, const std::string& summary, const RunNotes& notes) {
  std::vector<std::string> written = {kSummary};
  // While files are replaced no manifest says that they belong together.
  RunNotes replacing = notes;
  replacing.end = kUnfinished;
  if (m_folder.hadResults()) writeText(m_folder.path(kManifest), manifestText(comparison, replacing) + '\n');
  for (Table& table : m_tables) {
    table.file->finish();
    written.push_back(table.name);
  }
  writeText(m_folder.path(kSummary), summary);
  m_folder.removeOthers(written);
  writeText(m_folder.path(kManifest), manifestText(comparison, notes) + '\n');
}

}  // namespace touchstone::cli
