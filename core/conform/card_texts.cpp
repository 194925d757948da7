#include "core/conform/card_texts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "core/engine/engine.h"
#include "core/files/csv_reader.h"
#include "core/files/listed.h"
#include "core/files/scene_error.h"
#include "core/files/text_columns.h"
#include "core/files/text_forms.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

std::string padded(const std::string& text, std::size_t width) { return text + fillOf(text, width); }

std::string cellText(const CardCell& cell) {
  std::string text = signOf(cell.verdict);
  if (!cell.text.empty()) text += " " + cell.text;
  if (cell.notOk > 0) text += " •" + std::to_string(cell.notOk);
  return text;
}

std::string titleOf(const Phenomenon& phenomenon) {
  return (phenomenon.number.empty() ? "" : phenomenon.number + " ") + phenomenon.name;
}

constexpr const char* kCardColumns[] = {
    "phenomenon", "measure",   "run",     "column", "value",      "unit",       "reference", "model",
    "tolerance",  "deviation", "verdict", "reason", "run_folder", "scene_hash", "manifest",  "battery"};

bool isCardColumn(const std::string& name) {
  return std::count(std::begin(kCardColumns), std::end(kCardColumns), name) > 0 ||
         std::count(std::begin(kEffortColumns), std::end(kEffortColumns), name) > 0;
}
/// Begins a comment that names the engine of a column: COLUMN = ENGINE.
constexpr char kEngineLine[] = "# engine of ";

constexpr char kLegend[] =
    "✓ agrees  ≈ as its theory  ≙ as recorded  ✗ deviates  – n/a  ! failed  · shown, not judged  •n frames "
    "that are not ok";

}  // namespace

std::string textOf(const Card& card) {
  const std::vector<std::vector<std::string>> head = headRows(card);
  std::vector<std::size_t> widths = {12};
  for (const Phenomenon& phenomenon : card.phenomena)
    widths[0] = std::max(widths[0], widthOf(titleOf(phenomenon)));
  for (std::size_t column = 0; column < card.columns.size(); ++column) {
    widths.push_back(widthOf(card.columns[column]));
    for (const auto& row : card.cells)
      widths.back() = std::max(widths.back(), widthOf(cellText(row[column])));
    for (const auto& row : head) widths.back() = std::max(widths.back(), widthOf(row[column + 1]));
  }
  std::string text = "Conformance card of the battery, version " + std::string(kBatteryVersion) +
                     ", settings " + toString(card.settings) + "\n\n";
  text += padded("phenomenon", widths[0]);
  for (std::size_t column = 0; column < card.columns.size(); ++column)
    text += "  " + padded(card.columns[column], widths[column + 1]);
  text += '\n';
  for (const auto& row : head) {
    text += padded(row.front(), widths[0]);
    for (std::size_t column = 1; column < row.size(); ++column)
      text += "  " + padded(row[column], widths[column]);
    text += '\n';
  }
  for (std::size_t row = 0; row < card.phenomena.size(); ++row) {
    text += padded(titleOf(card.phenomena[row]), widths[0]);
    for (std::size_t column = 0; column < card.columns.size(); ++column)
      text += "  " + padded(cellText(card.cells[row][column]), widths[column + 1]);
    text += '\n';
  }
  text += "\n" + std::string(kLegend) + "\n";
  for (std::size_t row = 0; row < card.phenomena.size(); ++row)
    for (std::size_t column = 0; column < card.columns.size(); ++column) {
      const CardCell& cell = card.cells[row][column];
      if (cell.reason.empty() || cell.verdict == Verdict::Agrees || cell.verdict == Verdict::AsItsTheory)
        continue;
      text += titleOf(card.phenomena[row]) + ", " + card.columns[column] + ": " + signOf(cell.verdict) + " " +
              cell.reason + "\n";
    }
  const std::vector<std::vector<std::string>> files = fileRows(card);
  if (files.size() > 1) text += "\n" + inColumns(files);
  if (!card.controls.empty()) {
    const auto turned = std::count_if(card.controls.begin(), card.controls.end(),
                                      [](const ControlResult& control) { return control.isTurned(); });
    text += "\nControls: " + std::to_string(turned) + " of " + std::to_string(card.controls.size()) +
            " turned their verdict\n";
    for (const ControlResult& control : card.controls)
      if (!control.isTurned())
        text += control.phenomenon + " " + control.measure + ", " + control.column + ": still ✓ with " +
                csvNumber(control.value) + "\n";
  }
  return printable(text);
}

/// The engine of another program that a column runs, with its version, or empty.
static std::string engineOf(const std::string& column) {
  const EngineInfo* engine = findEngine(paneNamed(column.substr(0, column.find(':'))).method);
  return engine ? engine->method.source : std::string();
}

std::string csvOf(const Card& card) {
  std::string text;
  for (const std::string& column : card.columns)
    if (const std::string engine = engineOf(column); !engine.empty())
      text += kEngineLine + column + " = " + engine + "\n";
  text += listed(kCardColumns, ",") + "," + listed(kEffortColumns, ",") + "\n";
  for (const CardNumber& number : card.numbers) {
    for (const std::string& cell :
         {csvText(number.phenomenon), csvText(number.measure), csvText(number.run), csvText(number.column),
          csvNumber(number.value), csvText(number.unit), csvNumber(number.reference), csvNumber(number.model),
          csvNumber(number.tolerance > 0 ? number.tolerance : NAN), csvNumber(number.deviation),
          std::string(wordOf(number.verdict)), csvText(number.reason), csvText(number.runFolder),
          number.sceneHash})
      text += cell + ",";
    text += csvText(number.manifest) + "," + kBatteryVersion + "," +
            listed(effortCells(effortOf(card, number)), ",") + "\n";
  }
  return text;
}

std::string jsonOf(const Card& card) {
  nlohmann::ordered_json json;
  json["touchstone_card"] = kCardSchema;
  json["battery_version"] = kBatteryVersion;
  json["settings"] = toString(card.settings);
  json["columns"] = card.columns;
  json["efforts"] = effortsOf(card);
  json["foreign"] = card.foreign;
  const auto orNull = [](double value) {
    return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  for (std::size_t row = 0; row < card.phenomena.size(); ++row) {
    const Phenomenon& phenomenon = card.phenomena[row];
    nlohmann::ordered_json entry = {{"name", phenomenon.name},         {"number", phenomenon.number},
                                    {"group", phenomenon.group},       {"title", phenomenon.title},
                                    {"question", phenomenon.question}, {"not_shown", phenomenon.notShown}};
    for (const CardRun& run : card.runs)
      if (run.phenomenon == phenomenon.name)
        entry["runs"].push_back({{"id", run.run},
                                 {"scene_hash", run.sceneHash},
                                 {"scene_sha256", run.sceneSha256},
                                 {"dt", run.dt},
                                 {"time", run.time},
                                 {"declares", run.declared}});
    for (std::size_t column = 0; column < card.columns.size(); ++column) {
      const CardCell& cell = card.cells[row][column];
      const auto model = card.models.find(phenomenon.name + "/" + card.columns[column]);
      entry["cells"].push_back({{"column", card.columns[column]},
                                {"verdict", wordOf(cell.verdict)},
                                {"text", cell.text},
                                {"reason", cell.reason},
                                {"frames_not_ok", cell.notOk},
                                {"model", model == card.models.end() ? "" : model->second}});
    }
    for (const CardNumber& number : card.numbers) {
      if (number.phenomenon != phenomenon.name) continue;
      entry["numbers"].push_back({{"measure", number.measure},
                                  {"run", number.run},
                                  {"column", number.column},
                                  {"value", orNull(number.value)},
                                  {"unit", number.unit},
                                  {"reference", orNull(number.reference)},
                                  {"model", orNull(number.model)},
                                  {"tolerance", number.tolerance},
                                  {"deviation", orNull(number.deviation)},
                                  {"verdict", wordOf(number.verdict)},
                                  {"reason", number.reason},
                                  {"run_folder", number.runFolder},
                                  {"scene_hash", number.sceneHash},
                                  {"manifest", number.manifest}});
    }
    json["phenomena"].push_back(entry);
  }
  for (const ControlResult& control : card.controls)
    json["controls"].push_back({{"phenomenon", control.phenomenon},
                                {"measure", control.measure},
                                {"column", control.column},
                                {"after", wordOf(control.after)},
                                {"value", orNull(control.value)},
                                {"turned", control.isTurned()}});
  return json.dump(1) + "\n";
}

std::string texOf(const Card& card) {
  const auto sign = [](Verdict verdict) {
    switch (verdict) {
      case Verdict::Agrees:
        return "$\\surd$";
      case Verdict::AsItsTheory:
        return "$\\approx$";
      case Verdict::AsRecorded:
        return "$\\triangleq$";
      case Verdict::Deviates:
        return "$\\times$";
      case Verdict::NotApplicable:
        return "--";
      case Verdict::Failed:
        return "!";
      case Verdict::Shown:
        return "$\\cdot$";
    }
    return "";
  };
  std::string text = "% Touchstone, conformance card of the battery, version " +
                     std::string(kBatteryVersion) + ", settings " + toString(card.settings) +
                     ": agrees $\\surd$, as its theory $\\approx$, as recorded $\\triangleq$, deviates "
                     "$\\times$, n/a --, failed !\n";
  text += "\\begin{tabular}{l" + std::string(card.columns.size(), 'l') + "}\n\\hline\n";
  for (const std::string& column : card.columns) text += " & " + texText(column);
  text += " \\\\\n\\hline\n";
  for (std::size_t row = 0; row < card.phenomena.size(); ++row) {
    text += texText(titleOf(card.phenomena[row]));
    for (const CardCell& cell : card.cells[row])
      text += " & " + std::string(sign(cell.verdict)) + (cell.text.empty() ? "" : " " + texText(cell.text));
    text += " \\\\\n";
  }
  text += "\\hline\n\\end{tabular}\n\n\\footnotesize\n";
  for (const std::string& column : card.columns) {
    const ColumnHead head = headOf(card, column);
    text += "\\noindent " + texText(column) + ": ";
    text +=
        texText(listed(head.lines, ", ", [](const auto& line) { return line.first + " " + line.second; }));
    if (!head.remarks.empty()) text += "; " + texText(listed(head.remarks, "; "));
    text += ".\n\n";
  }
  return text + "\\normalsize\n";
}

namespace {

constexpr char kCardRemedy[] = "give a card.csv of an earlier run";

bool isVerdict(const std::string& word) {
  for (const Verdict verdict : allVerdicts())
    if (word == wordOf(verdict)) return true;
  return false;
}

bool hasValue(const std::string& verdict) {
  // A recorded run may have failed, which has no value either.
  return verdict != wordOf(Verdict::NotApplicable) && verdict != wordOf(Verdict::Failed) &&
         verdict != wordOf(Verdict::AsRecorded);
}

using NumberKey = std::tuple<std::string, std::string, std::string, std::string>;
template <class Number>
NumberKey keyOf(const Number& number) {
  return {number.phenomenon, number.measure, number.run, number.column};
}

EarlierNumber earlierNumber(const CsvReader& reader, const std::vector<std::string>& header,
                            const std::vector<CsvReader::Cell>& cells) {
  EarlierNumber number;
  number.value = number.tolerance = NAN;
  for (std::size_t index = 0; index < cells.size(); ++index) {
    const CsvReader::Cell& cell = cells[index];
    const std::string text(cell.text), &title = header[index];
    if (title == "phenomenon") number.phenomenon = text;
    if (title == "measure") number.measure = text;
    if (title == "run") number.run = text;
    if (title == "column") number.column = text;
    if (title == "verdict") number.verdict = text;
    if (title == "battery") number.battery = text;
    if (title == "value" && !text.empty()) number.value = reader.number(cell);
    if (title == "tolerance" && !text.empty()) number.tolerance = reader.number(cell);
  }
  const std::string name = number.phenomenon + " " + number.measure + " (" + number.column + ")";
  if (!isVerdict(number.verdict))
    throw reader.error(1, name + " has the verdict '" + number.verdict + "', which is none", kCardRemedy);
  if (hasValue(number.verdict) && std::isnan(number.value))
    throw reader.error(1, name + " has a verdict and no value", kCardRemedy);
  if (number.tolerance <= 0)
    throw reader.error(1, name + " has a tolerance that is not above 0", kCardRemedy);
  return number;
}

}  // namespace

std::vector<EarlierNumber> readCard(const std::string& file) {
  CsvReader reader(file, kCardRemedy);
  std::vector<std::string> header;
  std::vector<EarlierNumber> numbers;
  std::set<NumberKey> known;
  std::map<std::string, std::string> engines;  // by column
  while (reader.next()) {
    if (reader.isComment()) {
      const std::string line(reader.comment());
      const std::size_t equals = line.find(" = ");
      const std::size_t begin = std::string(kEngineLine).size();
      if (line.rfind(kEngineLine, 0) == 0 && equals != std::string::npos)
        engines[line.substr(begin, equals - begin)] = line.substr(equals + 3);
      continue;
    }
    const auto& cells = reader.cells();
    if (header.empty()) {
      for (const CsvReader::Cell& cell : cells) {
        header.emplace_back(cell.text);
        if (!isCardColumn(header.back()))
          throw reader.error(cell.column, "the column '" + header.back() + "' is not known", kCardRemedy);
      }
      for (const char* name : {"phenomenon", "measure", "run", "column", "value", "tolerance", "verdict"})
        if (std::count(header.begin(), header.end(), name) != 1)
          throw reader.error(1, "there must be one column '" + std::string(name) + "'", kCardRemedy);
      continue;
    }
    if (cells.size() != header.size())
      throw reader.error(1, "has another number of cells than the header", kCardRemedy);
    numbers.push_back(earlierNumber(reader, header, cells));
    EarlierNumber& number = numbers.back();
    number.engine = engines[number.column];
    if (!known.insert(keyOf(number)).second)
      throw reader.error(1,
                         number.phenomenon + " " + number.measure + " (" + number.column + ") is there twice",
                         "remove one of the two rows");
  }
  if (header.empty()) throw SceneError(file, "", "is empty", kCardRemedy);
  return numbers;
}

namespace {

std::string valueText(double value) { return std::isnan(value) ? "none" : csvNumber(value); }

/// The changes of one number, each as text; empty: none.
std::vector<std::string> changesOf(const EarlierNumber& before, const CardNumber& now) {
  std::vector<std::string> changes;
  const auto moved = [&changes](const std::string& what, double then, double value) {
    changes.push_back(what + valueText(then) + " before, " + valueText(value) + " now");
  };
  if (before.verdict != wordOf(now.verdict))
    changes.push_back(before.verdict + " before, " + wordOf(now.verdict) + " now" +
                      (now.reason.empty() ? "" : " (" + now.reason + ")"));
  const double tolerance = now.tolerance > 0 ? now.tolerance : NAN;
  // A tolerance comes from the phenomenon. Larger: a widened one goes unnoticed; smaller: rounding counts.
  constexpr double kRounding = 1e-9;
  const bool isSameTolerance = std::isnan(tolerance) == std::isnan(before.tolerance) &&
                               !(std::abs(tolerance - before.tolerance) > kRounding * tolerance);
  if (!isSameTolerance) moved("tolerance ", before.tolerance, tolerance);
  if (std::isnan(before.value) != std::isnan(now.value)) moved("", before.value, now.value);
  if (std::isnan(before.value) || std::isnan(now.value) || std::isnan(tolerance)) return changes;
  // A number far beyond its tolerance is not as steady as one within it.
  const double far = 0.01 * std::abs(now.value - now.reference) / tolerance;
  if (std::abs(now.value - before.value) > tolerance * std::max(1.0, far)) moved("", before.value, now.value);
  return changes;
}

}  // namespace

CardComparison comparedWith(const std::vector<EarlierNumber>& earlier, const Card& card) {
  CardComparison comparison;
  std::map<NumberKey, const EarlierNumber*> before;
  std::set<std::pair<std::string, std::string>> known, run;  // phenomenon and column
  for (const EarlierNumber& earlierNumber : earlier) {
    before[keyOf(earlierNumber)] = &earlierNumber;
    known.insert({earlierNumber.phenomenon, earlierNumber.column});
  }
  const auto isOther = [](const EarlierNumber& number) {
    return !number.battery.empty() && number.battery != kBatteryVersion;
  };
  const auto other = std::find_if(earlier.begin(), earlier.end(), isOther);
  if (other != earlier.end())
    comparison.changes.push_back("it is a card of version " + other->battery + " of the battery, this is " +
                                 kBatteryVersion);
  std::set<NumberKey> now;
  std::set<std::string> others;  // columns of another version of their engine
  for (const EarlierNumber& earlierNumber : earlier) {
    if (earlierNumber.engine.empty() ||
        !std::count(card.columns.begin(), card.columns.end(), earlierNumber.column))
      continue;
    const std::string present = engineOf(earlierNumber.column);
    if (present != earlierNumber.engine && others.insert(earlierNumber.column).second)
      comparison.skipped.push_back(earlierNumber.column + ": was made with " + earlierNumber.engine +
                                   ", this is " + present + "; its numbers are not compared");
  }
  for (const CardNumber& number : card.numbers) {
    if (others.count(number.column)) continue;
    const std::string heading = number.phenomenon + " " + number.measure + " (" + number.column + "): ";
    now.insert(keyOf(number));
    const bool isFirst = run.insert({number.phenomenon, number.column}).second;
    const auto found = before.find(keyOf(number));
    if (found != before.end()) {
      ++comparison.compared;
      for (const std::string& change : changesOf(*found->second, number))
        comparison.changes.push_back(heading + change);
    } else if (known.count({number.phenomenon, number.column})) {
      comparison.changes.push_back(heading + "is new");
    } else if (isFirst) {
      comparison.changes.push_back(number.phenomenon + " (" + number.column + "): has no row in the file");
    }
  }
  for (const EarlierNumber& earlierNumber : earlier)
    if (run.count({earlierNumber.phenomenon, earlierNumber.column}) && !others.count(earlierNumber.column) &&
        !now.count(keyOf(earlierNumber)))
      comparison.changes.push_back(earlierNumber.phenomenon + " " + earlierNumber.measure + " (" +
                                   earlierNumber.column + "): is gone");
  return comparison;
}

}  // namespace touchstone
