#include "core/conform/card_texts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files/file_bytes.h"
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

std::vector<std::vector<std::string>> cellsOfCsv(const std::string& file, const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line = {""};
  bool isQuoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (isQuoted) {
      if (c != '"') {
        line.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        line.back() += text[++at];
      } else {
        isQuoted = false;
      }
    } else if (c == '"') {
      isQuoted = true;
    } else if (c == ',') {
      line.emplace_back();
    } else if (c == '\n') {
      lines.push_back(line);
      line = {""};
    } else if (c != '\r') {
      line.back() += c;
    }
  }
  if (isQuoted)
    throw SceneError(file, std::to_string(lines.size() + 1), "a quote is not closed", "write the card again");
  if (line.size() > 1 || !line.front().empty()) lines.push_back(line);
  return lines;
}

std::vector<std::string> changesSince(const std::string& file, const Card& card) {
  const auto lines = cellsOfCsv(file, readFile(file, "give a card.csv of an earlier run"));
  const auto column = [&](const char* name) {
    const auto found = lines.empty() ? std::vector<std::string>::const_iterator()
                                     : std::find(lines[0].begin(), lines[0].end(), name);
    if (lines.empty() || found == lines[0].end())
      throw SceneError(file, name, "there is no such column", "give a card.csv of an earlier run");
    return static_cast<std::size_t>(found - lines[0].begin());
  };
  const std::size_t phenomenon = column("phenomenon"), measure = column("measure"), run = column("run"),
                    label = column("column"), value = column("value"), tolerance = column("tolerance"),
                    verdict = column("verdict");
  std::vector<std::string> changes;
  for (const CardNumber& number : card.numbers) {
    const std::string name = number.phenomenon + " " + number.measure + " (" + number.column + ")";
    const std::vector<std::string>* before = nullptr;
    bool knowsColumn = false, knowsPhenomenon = false;
    for (std::size_t index = 1; index < lines.size(); ++index) {
      const std::vector<std::string>& line = lines[index];
      if (line.size() != lines[0].size())
        throw SceneError(file, std::to_string(index + 1), "has another number of cells than the header",
                         "write the card again");
      knowsColumn |= line[label] == number.column;
      knowsPhenomenon |= line[phenomenon] == number.phenomenon;
      if (line[phenomenon] == number.phenomenon && line[measure] == number.measure &&
          line[run] == number.run && line[label] == number.column)
        before = &line;
    }
    if (!before) {
      if (knowsColumn && knowsPhenomenon) changes.push_back(name + ": is new");
      continue;
    }
    if ((*before)[verdict] != wordOf(number.verdict))
      changes.push_back(name + ": " + (*before)[verdict] + " before, " + wordOf(number.verdict) + " now" +
                        (number.reason.empty() ? "" : " (" + number.reason + ")"));
    if ((*before)[value].empty() || (*before)[tolerance].empty()) continue;
    const double earlier = std::strtod((*before)[value].c_str(), nullptr);
    const double allowed = std::strtod((*before)[tolerance].c_str(), nullptr);
    // A number far beyond its tolerance is not as steady as one within it.
    const double scale = std::max(1.0, 0.01 * std::abs(earlier - number.reference) / allowed);
    if (std::isnan(number.value) || std::abs(number.value - earlier) > allowed * scale)
      changes.push_back(name + ": " + (*before)[value] + " before, " + csvNumber(number.value) + " now");
  }
  return changes;
}

}  // namespace touchstone
