#include "app/bench/bench_page.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/bench/bench_groups.h"
#include "core/store/provenance.h"

namespace touchstone::cli {

namespace {

/// Text for the cell of a table, or for a line of a list.
std::string inOneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 2))
    text.insert(bar, "\\");
  return text;
}

std::string withUnit(const std::string& text, const std::string& unit) {
  return unit.empty() ? text : text + " " + unit;
}

std::string tableRow(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + inOneLine(cell) + " |";
  return line + "\n";
}

std::string tableHead(const std::vector<std::string>& titles) {
  return tableRow(titles) + tableRow(std::vector<std::string>(titles.size(), "---"));
}

/// The part that the name of a row adds to the name of the row that it is a column of; empty if there is no
/// such row.
std::string columnOf(const BenchRow& row, const std::vector<BenchRow>& rows, std::string& base) {
  for (const BenchRow& other : rows)
    if (row.name.compare(0, other.name.size() + 1, other.name + "/") == 0) {
      base = other.name;
      return row.name.substr(other.name.size() + 1);
    }
  return {};
}

struct Column {
  std::string title;
  std::vector<std::pair<std::string, std::string>> cells;  ///< base, value
};

std::string cellOf(const Column& column, const std::string& base) {
  for (const auto& [row, value] : column.cells)
    if (row == base) return value;
  return {};
}

std::string tableOf(const std::vector<BenchRow>& rows) {
  std::vector<Column> columns;
  std::vector<const BenchRow*> lines;
  bool hasSpread = false, isOfRounds = false;
  for (const BenchRow& row : rows) {
    std::string base;
    const std::string suffix = columnOf(row, rows, base);
    if (suffix.empty()) {
      lines.push_back(&row);
      hasSpread |= !std::isnan(row.least);
      isOfRounds |= !row.rounds.empty();
      continue;
    }
    const std::string title = row.unit.empty() ? suffix : suffix + " [" + row.unit + "]";
    auto column =
        std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.title == title; });
    if (column == columns.end()) column = columns.insert(column, {title, {}});
    column->cells.emplace_back(base, shownNumber(row.value));
  }
  std::vector<std::string> cells = {"row", "value"};
  if (hasSpread) cells.push_back(isOfRounds ? "least … largest of the rounds" : "5 … 95 %");
  for (const Column& column : columns) cells.push_back(column.title);
  std::string text = tableHead(cells);
  for (const BenchRow* row : lines) {
    cells = {row->name, withUnit(shownNumber(row->value), row->unit)};
    if (hasSpread)
      cells.push_back(std::isnan(row->least) ? std::string()
                                             : shownNumber(row->least) + " … " + shownNumber(row->largest));
    for (const Column& column : columns) cells.push_back(cellOf(column, row->name));
    text += tableRow(cells);
  }
  return text;
}

std::string headText(const BenchPageHead& head) {
  const nlohmann::ordered_json made = provenance();
  const auto text = [&made](const char* key) { return made[key].get<std::string>(); };
  std::string page =
      "# Benchmarks\n\n"
      "`touchstone-cli bench --markdown > BENCHMARKS.md` writes this page; do not edit it. Each value is a "
      "median "
      "where it was measured more than once, and speeds in steps per second are all steps over their whole "
      "time. The column *5 … 95 %* has two percentiles of the measurements. A time *of processor* is that of "
      "all threads of this program together. "
      "Compare rows of one page only: on a machine that other programs share, figures change from day to "
      "day.\n\n";
  page += tableHead({"measured", ""});
  page += tableRow({"command", "`" + head.command + "`"});
  page += tableRow({"date", head.date});
  page += tableRow({"version", text("version") + ", commit " + text("commit")});
  page += tableRow({"built with", text("compiler") + ", " + text("build_type")});
  for (const auto& [key, state] : made["backends"].items()) page += tableRow({key, state.get<std::string>()});
  const std::string share = shownNumber(std::round(100 * head.shareOfOthers));
  page += tableRow({"other programs", std::isnan(head.shareOfOthers)
                                          ? "not known"
                                          : "took " + share + " % of the processors' time meanwhile"});
  return page;
}

}  // namespace

std::string benchPage(const BenchPageHead& head, const BenchTable& table) {
  std::string page = headText(head);
  for (const BenchGroup& group : benchGroupTable()) {
    std::vector<BenchRow> rows;
    std::string failures;
    for (const BenchRow& row : table.rows())
      if (benchGroupOf(row.name) == group.name) rows.push_back(row);
    for (const BenchFailure& failure : table.failures())
      if (benchGroupOf(failure.name) == group.name)
        failures += "- " + failure.name + " failed: " + inOneLine(failure.reason) + "\n";
    if (rows.empty() && failures.empty()) continue;
    page += "\n## " + std::string(group.title) + "\n\n" + group.text + "\n";
    if (!rows.empty()) page += "\n" + tableOf(rows);
    if (!failures.empty()) page += "\n" + failures;
  }
  return page;
}

}  // namespace touchstone::cli
