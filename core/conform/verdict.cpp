#include "core/conform/verdict.h"

#include <algorithm>
#include <cmath>

#include "core/conform/references.h"

namespace touchstone {

const char* signOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees:
      return "✓";
    case Verdict::AsItsTheory:
      return "≈";
    case Verdict::AsRecorded:
      return "≙";
    case Verdict::Deviates:
      return "✗";
    case Verdict::NotApplicable:
      return "–";
    case Verdict::Failed:
      return "!";
    case Verdict::Shown:
      return "·";
  }
  return "";
}

const char* wordOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agrees:
      return "agrees";
    case Verdict::AsItsTheory:
      return "as its theory";
    case Verdict::AsRecorded:
      return "as recorded";
    case Verdict::Deviates:
      return "deviates";
    case Verdict::NotApplicable:
      return "n/a";
    case Verdict::Failed:
      return "failed";
    case Verdict::Shown:
      return "shown";
  }
  return "";
}

const std::vector<Verdict>& allVerdicts() {
  static const std::vector<Verdict> verdicts = {
      Verdict::NotApplicable, Verdict::Shown,    Verdict::Agrees, Verdict::AsItsTheory,
      Verdict::AsRecorded,    Verdict::Deviates, Verdict::Failed};
  return verdicts;
}

double Tolerance::of(double exact) const { return std::max(absolute, relative * std::abs(exact)); }

double answerOf(const ModelAnswer& answer, const ColumnModel& model) {
  const ClosedForm* form = findClosedForm(answer.closedForm);
  return form ? form->value(answer.arguments, model) : answer.value;
}

const std::string* whyNotAsked(const Measure& measure, const ColumnModel& model) {
  const auto has = [&model](const auto& reason) { return model.words.count(reason.first) > 0; };
  const auto found = std::find_if(measure.notFor.begin(), measure.notFor.end(), has);
  if (found != measure.notFor.end()) return &found->second;
  const bool isAsked =
      measure.onlyFor.empty() || std::any_of(measure.onlyFor.begin(), measure.onlyFor.end(), has);
  return isAsked ? nullptr : &measure.onlyFor.begin()->second;
}

namespace {

/// Fills in what a query of a model measures. @return whether it is as that theory predicts
bool agreesWithModel(const ModelAnswer& answer, const ColumnModel& model,
                     const std::vector<MeasuredRun>& runs, CardNumber& number) {
  number.model = answerOf(answer, model);
  if (answer.query) {
    const Measured modelNumber = evaluate(*answer.query, runs);
    if (modelNumber.state != Measured::State::Known) return false;
    number.value = modelNumber.value;
  }
  const double tolerance = answer.tolerance > 0 ? answer.tolerance : number.tolerance;
  return std::abs(number.value - number.model) <= tolerance;
}

}  // namespace

CardNumber judged(const Measure& measure, const ColumnModel& model, bool isForeign,
                  const std::vector<MeasuredRun>& runs, std::optional<double> exact) {
  CardNumber number;
  number.measure = measure.id;
  number.unit = measure.unit;
  number.value = number.reference = number.model = number.deviation = NAN;
  if (!exact) exact = measure.exact;
  if (exact) {
    number.reference = *exact;
    number.tolerance = measure.tolerance.of(*exact);
  }
  const Measured measured = evaluate(measure.query, runs);
  if (const std::string* why = whyNotAsked(measure, model)) {
    number.value = measured.state == Measured::State::Known ? measured.value : NAN;
    number.reason = *why;
    return number;
  }
  const std::optional<double> bound = measure.atMost ? measure.atMost : measure.atLeast;
  const bool isJudged = exact || bound;
  if (measured.state != Measured::State::Known) {
    const bool hasFailed = measured.state == Measured::State::Failed ||
                           (measured.state == Measured::State::Undefined && isJudged);
    number.verdict = hasFailed ? Verdict::Failed : Verdict::NotApplicable;
    number.reason = measured.reason;
    for (const auto& [word, answer] : measure.models)
      if (hasFailed && model.words.count(word) && !answer.failure.empty() &&
          measured.reason.rfind(answer.failure, 0) == 0) {
        number.verdict = Verdict::AsRecorded;
        if (!exact && bound) number.reference = *bound;
        number.reason += "; " + answer.source;
      }
    return number;
  }
  number.value = measured.value;
  if (measure.polyhedral && !isForeign) {
    number.reason = "the round body is a polyhedron here, which loses energy at every side";
    return number;
  }
  if (!isJudged) {
    number.verdict = Verdict::Shown;
    return number;
  }
  const bool agrees = exact            ? std::abs(number.value - *exact) <= number.tolerance
                      : measure.atMost ? number.value <= *bound
                                       : number.value >= *bound;
  if (!exact) number.reference = *bound;
  number.verdict = agrees ? Verdict::Agrees : Verdict::Deviates;
  for (const auto& [word, answer] : measure.models) {
    if (agrees || model.words.count(word) == 0 || !answer.failure.empty()) continue;
    if (agreesWithModel(answer, model, runs, number))
      number.verdict = answer.isRecorded ? Verdict::AsRecorded : Verdict::AsItsTheory;
    number.reason = model.text;
    if (answer.isRecorded && number.verdict == Verdict::AsRecorded)
      number.reason += "; no closed form: " + answer.source;
    break;
  }
  for (const auto& [word, why] : measure.because)
    if (number.verdict == Verdict::Deviates && model.words.count(word)) number.reason = why;
  number.deviation = number.value - number.reference;
  return number;
}

}  // namespace touchstone
