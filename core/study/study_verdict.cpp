#include <cmath>

#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/study/study_results.h"

namespace touchstone {

namespace {

using Numbers = std::vector<std::pair<std::string, double>>;

using Budget = std::shared_ptr<ExpressionBudget>;

Numbers numbersOf(const Study& study, const ExpressionTable& table) {
  Numbers numbers;
  for (const StudyNumber& number : study.numbers) try {
      numbers.emplace_back(number.id, table.number(number.expression));
    } catch (const ExpressionError& error) {
      throw ExpressionError(study.file + ":numbers." + number.id + ": " + error.what());
    }
  return numbers;
}

/// The text with numbers in the place of their names in braces.
std::string filled(const std::string& text, const Numbers& numbers) {
  std::string out = text;
  for (const auto& [id, value] : numbers)
    for (std::size_t place; (place = out.find("{" + id + "}")) != std::string::npos;)
      out.replace(place, id.size() + 2, std::isnan(value) ? "–" : fourDigits(value));
  return out;
}

/// Names of numbers that a condition needs and that have no value.
std::string missingIn(const std::string& condition, const Numbers& numbers) {
  std::string missing;
  for (const auto& [id, value] : numbers)
    if (std::isnan(value) && mentions(condition, id)) missing += (missing.empty() ? "" : ", ") + id;
  return missing;
}

bool holds(const std::string& condition, const ExpressionTable& numbers) {
  const double value = numbers.number(condition);
  return !std::isnan(value) && value != 0;
}

/// Sets what the numbers make of a claim, and of which variant it holds.
void decide(const StudyAcceptance& acceptance, const Numbers& numbers, const Budget& budget,
            JudgedAcceptance& judged) {
  const std::string missing = missingIn(acceptance.condition, numbers);
  const auto table = tableOfNumbers(numbers, budget);
  if (!missing.empty()) {
    judged.because = "there is no value of " + missing;
  } else if (holds(acceptance.condition, *table)) {
    judged.disposition = Disposition::Reproduced;
  } else {
    judged.disposition = Disposition::Contradicted;
    judged.because = filled(acceptance.because, numbers);
    for (const auto& [name, condition] : acceptance.variants) {
      if (!holds(condition, *table)) continue;
      judged.disposition = Disposition::HoldsForVariant;
      judged.variant = filled(name, numbers);
      break;
    }
  }
}

/// Judges a claim again with each of its perturbed programs, until one of them turns it.
void runControls(const StudyResults& results, std::size_t index, const Budget& budget,
                 JudgedAcceptance& judged) {
  const StudyAcceptance& acceptance = results.study.acceptances[index];
  judged.hasControl = !acceptance.controls.empty();
  if (!judged.hasControl) return;
  judged.control = acceptance.controls.front().what;
  if (judged.disposition == Disposition::NotJudged) return;
  for (std::size_t control = 0; control < acceptance.controls.size() && !judged.controlTurned; ++control) {
    JudgedAcceptance perturbed;
    decide(acceptance, numbersOf(results.study, *perturbedTable(results, index, control, budget)), budget,
           perturbed);
    // A number that has no value any more would turn every condition.
    judged.controlTurned =
        perturbed.disposition != Disposition::NotJudged && perturbed.disposition != judged.disposition;
    if (judged.controlTurned) judged.control = acceptance.controls[control].what;
  }
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
  const auto budget = std::make_shared<ExpressionBudget>();
  verdict.numbers = numbersOf(results.study, *runsTable(results, nullptr, budget));
  for (std::size_t index = 0; index < results.study.acceptances.size(); ++index) {
    const StudyAcceptance& acceptance = results.study.acceptances[index];
    JudgedAcceptance judged;
    judged.id = acceptance.id;
    judged.claim = filled(acceptance.claim, verdict.numbers);
    judged.withoutControl = filled(acceptance.withoutControl, verdict.numbers);
    if (judged.withoutControl.empty())
      decide(acceptance, verdict.numbers, budget, judged);
    else
      judged.because = "No control can be made: " + judged.withoutControl;
    runControls(results, index, budget, judged);
    verdict.acceptances.push_back(judged);
  }
  return verdict;
}

std::string sentencesOf(const StudyVerdict& verdict) {
  std::string text;
  for (const JudgedAcceptance& acceptance : verdict.acceptances) {
    const bool isVariant = acceptance.disposition == Disposition::HoldsForVariant;
    std::string head = isVariant ? "holds for " + acceptance.variant : toString(acceptance.disposition);
    head[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(head[0])));
    text += head + ": " + acceptance.claim +
            (acceptance.claim.empty() || acceptance.claim.back() == '.' ? "" : ".");
    if (!acceptance.because.empty())
      text += " " + acceptance.because + (acceptance.because.back() == '.' ? "" : ".");
    if (acceptance.hasControl && acceptance.disposition != Disposition::NotJudged &&
        !acceptance.controlTurned)
      text += " (Its control, " + acceptance.control + ", does not turn it: the condition cannot fail.)";
    text += "\n";
  }
  return text;
}

}  // namespace touchstone
