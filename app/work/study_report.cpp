#include "app/work/study_report.h"

#include <cmath>
#include <set>

#include "core/files/text_forms.h"
#include "core/store/provenance.h"

namespace touchstone {

namespace {

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t bar = 0; (bar = text.find('|', bar)) != std::string::npos; bar += 2)
    text.replace(bar, 1, "\\|");
  return text;
}

std::string numberText(const std::vector<double>& values) {
  std::string text;
  for (double value : values) text += (text.empty() ? "" : " … ") + fourDigits(value);
  return text;
}

/// Published values of the figures that the plots of a study name.
std::string publishedTable(const Study& study, const PublishedValues& published) {
  std::set<std::string> ids;
  for (const StudyPlot& plot : study.plots)
    for (const StudyPublished& shown : plot.published) ids.insert(shown.id);
  std::string text;
  for (const std::string& id : ids) {
    const PublishedFigure* figure = published.find(id);
    if (!figure) continue;
    text += "- *" + published.paper(figure->paper) + "*, " + figure->title + ":";
    for (const StudyPlot& plot : study.plots)
      for (const StudyPublished& shown : plot.published) {
        const auto number = figure->numbers.find(shown.number);
        if (shown.id == id && number != figure->numbers.end())
          text += " " + (shown.label.empty() ? shown.number : shown.label) + " " +
                  numberText(number->second) + ";";
      }
    if (!figure->shape.empty()) text += " " + figure->shape + ";";
    if (!figure->unavailable.empty()) text += " not stated: " + figure->unavailable + ";";
    text.back() = '.';
    text += "\n";
  }
  return text.empty() ? "" : "\nPublished:\n\n" + text;
}

std::string numbersTable(const StudyResults& results, const StudyVerdict& verdict) {
  std::string text;
  for (std::size_t k = 0; k < verdict.numbers.size(); ++k) {
    const StudyNumber& number = results.study.numbers[k];
    if (number.title.empty()) continue;
    const double value = verdict.numbers[k].second;
    text += "| " + cell(number.title) + " | " + (std::isnan(value) ? "–" : fourDigits(value)) +
            (number.unit.empty() ? "" : " " + number.unit) + " |\n";
  }
  return text.empty() ? "" : "\n| here | |\n|---|---|\n" + text;
}

std::string sectionOf(const ReportedStudy& reported, const PublishedValues& published) {
  const Study& study = reported.results.study;
  std::string text = "\n## " + study.title + "\n\n";
  if (!study.question.empty()) text += "*" + study.question + "* ";
  if (!study.source.empty()) text += study.source + ". ";
  text += std::to_string(reported.results.tasks.size()) + " runs: `" + reported.command + "`\n";
  if (!reported.verdict) {
    text += "\n" + std::to_string(reported.results.tasks.size() - reported.results.doneCount()) +
            " runs are missing: no verdict.\n";
    return text;
  }
  for (const JudgedAcceptance& judged : reported.verdict->acceptances) {
    const bool isVariant = judged.disposition == Disposition::HoldsForVariant;
    text += "\n- **" +
            (isVariant ? "holds for " + judged.variant : std::string(toString(judged.disposition))) +
            "**: " + judged.claim + (judged.because.empty() ? "" : ". " + judged.because);
  }
  text += "\n" + publishedTable(study, published) + numbersTable(reported.results, *reported.verdict);
  for (const StudyPlot& plot : study.plots)
    text += "\n![" + plot.title + "](" + study.name + "/" + plot.id + ".png)\n";
  if (!study.notes.empty()) text += "\n" + study.notes + "\n";
  return text;
}

}  // namespace

std::string studyReport(const std::vector<ReportedStudy>& studies, const PublishedValues& published) {
  std::string text =
      "# Published figures\n\nEvery figure of the papers that this version can make, made by it (" +
      programVersion() +
      "). A claim is *reproduced* if the study's condition holds, *contradicted* if not, and *holds for* a "
      "variant if it holds for that one only. Grey lines, bands and points are published values; what only a "
      "picture shows is not invented. The files are in `datasets/studies`; `touchstone-cli study NAME` "
      "repeats "
      "one, `touchstone-cli study --all` all.\n\n| study | claims | |\n|---|---|---|\n";
  for (const ReportedStudy& reported : studies) {
    std::string signs;
    if (reported.verdict)
      for (const JudgedAcceptance& judged : reported.verdict->acceptances)
        signs += (signs.empty() ? "" : "; ") + judged.id + " " +
                 (judged.disposition == Disposition::HoldsForVariant ? "holds for " + judged.variant
                                                                     : toString(judged.disposition));
    text += "| " + cell(reported.results.study.name) + " | " + cell(signs.empty() ? "–" : signs) + " | " +
            cell(reported.results.study.question) + " |\n";
  }
  for (const ReportedStudy& reported : studies) text += sectionOf(reported, published);
  return text;
}

}  // namespace touchstone
