#include "core/conform/card_texts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files/csv_reader.h"
#include "core/files/scene_error.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

/// Letters of a text, not bytes, so that columns of signs stand below each other.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > widthOf(text) ? width - widthOf(text) : 0, ' ');
}

std::string cellText(const CardCell& cell) {
  std::string text = signOf(cell.verdict);
  if (!cell.text.empty()) text += " " + cell.text;
  if (cell.notOk > 0) text += " •" + std::to_string(cell.notOk);
  return text;
}

std::string titleOf(const Phenomenon& phenomenon) {
  return (phenomenon.number.empty() ? "" : phenomenon.number + " ") + phenomenon.name;
}

constexpr char kLegend[] =
    "✓ agrees  ≈ as its theory  ✗ deviates  – n/a  ! failed  · shown, not judged  •n frames that are not ok";

}  // namespace

std::string textOf(const Card& card) {
  std::vector<std::size_t> widths = {10};
  for (const Phenomenon& phenomenon : card.phenomena)
    widths[0] = std::max(widths[0], widthOf(titleOf(phenomenon)));
  for (std::size_t column = 0; column < card.columns.size(); ++column) {
    widths.push_back(widthOf(card.columns[column]));
    for (const auto& row : card.cells)
      widths.back() = std::max(widths.back(), widthOf(cellText(row[column])));
  }
  std::string text = "Conformance card, settings " + std::string(toString(card.settings)) + "\n\n";
  text += padded("phenomenon", widths[0]);
  for (std::size_t column = 0; column < card.columns.size(); ++column)
    text += "  " + padded(card.columns[column], widths[column + 1]);
  text += '\n';
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
  return text;
}

std::string csvOf(const Card& card) {
  std::string text =
      "phenomenon,measure,run,column,value,unit,reference,model,tolerance,deviation,verdict,reason,run_"
      "folder,"
      "scene_hash,manifest\n";
  for (const CardNumber& number : card.numbers) {
    for (const std::string& cell :
         {csvText(number.phenomenon), csvText(number.measure), csvText(number.run), csvText(number.column),
          csvNumber(number.value), csvText(number.unit), csvNumber(number.reference), csvNumber(number.model),
          csvNumber(number.tolerance > 0 ? number.tolerance : NAN), csvNumber(number.deviation),
          std::string(wordOf(number.verdict)), csvText(number.reason), csvText(number.runFolder),
          number.sceneHash})
      text += cell + ",";
    text += csvText(number.manifest) + "\n";
  }
  return text;
}

std::string jsonOf(const Card& card) {
  nlohmann::ordered_json json;
  json["touchstone_card"] = 1;
  json["settings"] = toString(card.settings);
  json["columns"] = card.columns;
  const auto orNull = [](double value) {
    return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
  };
  for (std::size_t row = 0; row < card.phenomena.size(); ++row) {
    const Phenomenon& phenomenon = card.phenomena[row];
    nlohmann::ordered_json each = {{"name", phenomenon.name},         {"number", phenomenon.number},
                                   {"group", phenomenon.group},       {"title", phenomenon.title},
                                   {"question", phenomenon.question}, {"not_shown", phenomenon.notShown}};
    for (std::size_t column = 0; column < card.columns.size(); ++column) {
      const CardCell& cell = card.cells[row][column];
      const auto model = card.models.find(phenomenon.name + "/" + card.columns[column]);
      each["cells"].push_back({{"column", card.columns[column]},
                               {"verdict", wordOf(cell.verdict)},
                               {"text", cell.text},
                               {"reason", cell.reason},
                               {"frames_not_ok", cell.notOk},
                               {"model", model == card.models.end() ? "" : model->second}});
    }
    for (const CardNumber& number : card.numbers) {
      if (number.phenomenon != phenomenon.name) continue;
      each["numbers"].push_back({{"measure", number.measure},
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
    json["phenomena"].push_back(each);
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
  const auto escaped = [](const std::string& text) {
    std::string tex;
    for (const char c : text) {
      if (std::string("#$%&_{}").find(c) != std::string::npos) tex += '\\';
      tex += c;
    }
    // Signs of units and numbers that plain LaTeX cannot read.
    const std::pair<const char*, const char*> signs[] = {
        {"°", "$^\\circ$"}, {"³", "$^3$"}, {"²", "$^2$"}, {"·", "$\\cdot$"}, {"⁻", "$^-$"}};
    for (const auto& [sign, with] : signs)
      for (std::size_t at = tex.find(sign); at != std::string::npos; at = tex.find(sign, at + 1))
        tex.replace(at, std::string(sign).size(), with);
    return tex;
  };
  const auto sign = [](Verdict verdict) {
    switch (verdict) {
      case Verdict::Agrees:
        return "$\\surd$";
      case Verdict::AsItsTheory:
        return "$\\approx$";
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
  std::string text = "% Touchstone, conformance card, settings " + std::string(toString(card.settings)) +
                     ": agrees $\\surd$, as its theory $\\approx$, deviates $\\times$, n/a --, failed !\n";
  text += "\\begin{tabular}{l" + std::string(card.columns.size(), 'l') + "}\n\\hline\n";
  for (const std::string& column : card.columns) text += " & " + escaped(column);
  text += " \\\\\n\\hline\n";
  for (std::size_t row = 0; row < card.phenomena.size(); ++row) {
    text += escaped(titleOf(card.phenomena[row]));
    for (const CardCell& cell : card.cells[row])
      text += " & " + std::string(sign(cell.verdict)) + (cell.text.empty() ? "" : " " + escaped(cell.text));
    text += " \\\\\n";
  }
  return text + "\\hline\n\\end{tabular}\n";
}

std::vector<EarlierNumber> readCard(const std::string& file) {
  constexpr const char* kRemedy = "give a card.csv of an earlier run";
  CsvReader reader(file, kRemedy);
  std::vector<std::string> header;
  std::vector<EarlierNumber> numbers;
  while (reader.next()) {
    if (reader.isComment()) continue;
    const auto& cells = reader.cells();
    if (header.empty()) {
      for (const CsvReader::Cell& cell : cells) header.emplace_back(cell.text);
      for (const char* name : {"phenomenon", "measure", "run", "column", "value", "tolerance", "verdict"})
        if (std::count(header.begin(), header.end(), name) == 0)
          throw reader.error(1, "there is no column '" + std::string(name) + "'", kRemedy);
      continue;
    }
    if (cells.size() != header.size())
      throw reader.error(1, "has another number of cells than the header", kRemedy);
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
      if (title == "value" && !text.empty()) number.value = reader.number(cell);
      if (title == "tolerance" && !text.empty()) number.tolerance = reader.number(cell);
    }
    numbers.push_back(number);
  }
  if (header.empty()) throw SceneError(file, "", "is empty", kRemedy);
  return numbers;
}

namespace {

/// What has changed of one number, or nothing.
std::vector<std::string> changesOf(const EarlierNumber& before, const CardNumber& now) {
  std::vector<std::string> changes;
  if (before.verdict != wordOf(now.verdict))
    changes.push_back(before.verdict + " before, " + wordOf(now.verdict) + " now" +
                      (now.reason.empty() ? "" : " (" + now.reason + ")"));
  if (std::isnan(before.value) || std::isnan(before.tolerance) || before.tolerance <= 0) return changes;
  // A number far beyond its tolerance is not as steady as one within it.
  const double far = 0.01 * std::abs(before.value - now.reference) / before.tolerance;
  if (std::isnan(now.value) || std::abs(now.value - before.value) > before.tolerance * std::max(1.0, far))
    changes.push_back(csvNumber(before.value) + " before, " + csvNumber(now.value) + " now");
  return changes;
}

}  // namespace

std::vector<std::string> changesSince(const std::vector<EarlierNumber>& earlier, const Card& card) {
  std::vector<std::string> changes;
  for (const CardNumber& number : card.numbers) {
    const std::string name = number.phenomenon + " " + number.measure + " (" + number.column + "): ";
    bool knowsColumn = false, knowsPhenomenon = false;
    const EarlierNumber* before = nullptr;
    for (const EarlierNumber& each : earlier) {
      knowsColumn |= each.column == number.column;
      knowsPhenomenon |= each.phenomenon == number.phenomenon;
      if (each.phenomenon == number.phenomenon && each.measure == number.measure && each.run == number.run &&
          each.column == number.column)
        before = &each;
    }
    if (before)
      for (const std::string& change : changesOf(*before, number)) changes.push_back(name + change);
    else if (knowsColumn && knowsPhenomenon)
      changes.push_back(name + "is new");
  }
  return changes;
}

}  // namespace touchstone
