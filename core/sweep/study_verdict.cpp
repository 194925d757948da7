#include <cmath>

#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/sweep/study_results.h"

namespace touchstone {

namespace {

using Numbers = std::vector<std::pair<std::string, double>>;

Numbers numbersOf(const StudyResults& results,
                  const std::vector<std::pair<std::string, std::string>>& swapped) {
  const auto table = runsTable(results, swapped);
  Numbers numbers;
  for (const StudyNumber& number : results.study.numbers) try {
      numbers.emplace_back(number.id, table->number(number.expression));
    } catch (const ExpressionError& error) {
      throw ExpressionError(results.study.file + ":numbers." + number.id + ": " + error.what());
    }
  return numbers;
}

/// The text with numbers in the place of their names in braces.
std::string filled(const std::string& text, const Numbers& numbers) {
  std::string out = text;
  for (const auto& [id, value] : numbers)
    for (std::size_t at; (at = out.find("{" + id + "}")) != std::string::npos;)
      out.replace(at, id.size() + 2, std::isnan(value) ? "–" : fourDigits(value));
  return out;
}

/// Names of numbers that a condition needs and that have no value.
std::string missingIn(const std::string& condition, const Numbers& numbers) {
  std::string missing;
  for (const auto& [id, value] : numbers)
    if (std::isnan(value) && mentions(condition, id)) missing += (missing.empty() ? "" : ", ") + id;
  return missing;
}

bool holds(const std::string& condition, const Numbers& numbers) {
  const double value = evaluated(condition, numbers);
  return !std::isnan(value) && value != 0;
}

void runControl(const StudyResults& results, const StudyAcceptance& acceptance, JudgedAcceptance& judged) {
  judged.hasControl = !acceptance.swapped.empty() || !acceptance.instead.empty();
  if (!judged.hasControl || judged.disposition != Disposition::Reproduced) return;
  Numbers numbers = numbersOf(results, acceptance.swapped);
  for (auto& [id, value] : numbers) {
    const auto other = acceptance.instead.find(id);
    if (other != acceptance.instead.end()) value = other->second;
  }
  // A number that has no value any more would turn every condition.
  judged.controlTurned =
      missingIn(acceptance.condition, numbers).empty() && !holds(acceptance.condition, numbers);
}

}  // namespace

const char* toString(Disposition disposition) {
  switch (disposition) {
    case Disposition::Reproduced:
      return "reproduced";
    case Disposition::HoldsForVariant:
      return "holds for a variant";
    case Disposition::Contradicted:
      return "contradicted";
    case Disposition::NotJudged:
      return "not judged";
  }
  return "";
}

StudyVerdict verdictOf(const StudyResults& results) {
  StudyVerdict verdict;
  verdict.numbers = numbersOf(results, {});
  for (const StudyAcceptance& acceptance : results.study.acceptances) {
    JudgedAcceptance judged;
    judged.id = acceptance.id;
    judged.claim = filled(acceptance.claim, verdict.numbers);
    const std::string missing = missingIn(acceptance.condition, verdict.numbers);
    if (!missing.empty()) {
      judged.because = "there is no value of " + missing;
    } else if (holds(acceptance.condition, verdict.numbers)) {
      judged.disposition = Disposition::Reproduced;
    } else {
      judged.disposition = Disposition::Contradicted;
      judged.because = filled(acceptance.because, verdict.numbers);
      for (const auto& [name, condition] : acceptance.variants) {
        if (!holds(condition, verdict.numbers)) continue;
        judged.disposition = Disposition::HoldsForVariant;
        judged.variant = filled(name, verdict.numbers);
        break;
      }
    }
    runControl(results, acceptance, judged);
    verdict.acceptances.push_back(judged);
  }
  return verdict;
}

std::string sentencesOf(const StudyVerdict& verdict) {
  std::string text;
  for (const JudgedAcceptance& each : verdict.acceptances) {
    const bool isVariant = each.disposition == Disposition::HoldsForVariant;
    std::string head = isVariant ? "holds for " + each.variant : toString(each.disposition);
    head[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(head[0])));
    text += head + ": " + each.claim + (each.claim.empty() || each.claim.back() == '.' ? "" : ".");
    if (!each.because.empty()) text += " " + each.because + (each.because.back() == '.' ? "" : ".");
    if (each.hasControl && each.disposition == Disposition::Reproduced && !each.controlTurned)
      text += " (Its negative control holds as well: the condition cannot fail.)";
    text += "\n";
  }
  return text;
}

}  // namespace touchstone
