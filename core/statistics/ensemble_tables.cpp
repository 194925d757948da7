#include "core/statistics/ensemble_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/files/text_forms.h"
#include "core/math/quantile.h"

namespace touchstone {

namespace {

std::string inUnit(double value, const EnsembleQuantity& quantity) {
  return fourDigits(value) + (quantity.unit.empty() ? "" : " " + quantity.unit);
}

/// A column title with the unit in words, as the tables of runs have it.
std::string titleOf(const EnsembleQuantity& quantity, const std::string& what) {
  std::string unit = quantity.unit;
  if (quantity.kind == EnsembleQuantity::Kind::Measured) {
    const QuantityInfo& info = quantityInfo(quantity.quantity, quantity.unit == "m²");
    unit = info.column.size() > info.key.size() ? info.column.substr(info.key.size() + 1) : "";
  }
  return ',' + csvText(quantity.key + "_" + what + (unit.empty() ? "" : "_" + unit));
}

std::string eventTitle(SampleEvent event) {
  std::string title = toString(event);
  for (char& letter : title)
    if (letter == ' ') letter = '_';
  return title;
}

std::string sinceCell(double time) { return time < 0 ? "" : csvNumber(time); }

std::string shareText(const EventCount& count) {
  const ShareInterval interval = wilsonInterval(count);
  char text[80];
  std::snprintf(text, sizeof text, "%d of %d (%.1f to %.1f %%)", count.happened, count.of, 100 * interval.low,
                100 * interval.high);
  return text;
}

std::string horizonText(const EnsembleMember& member) {
  const Horizon& horizon = member.horizon;
  const double end = member.times.empty() ? 0 : member.times.back();
  std::string text = std::isnan(horizon.time) ? "not chaotic to " + fourDigits(end) + " s"
                                              : "copies part by 0.01 m at " + fourDigits(horizon.time) + " s";
  if (!std::isnan(horizon.growth)) text += ", growth " + fourDigits(horizon.growth) + " 1/s";
  return text;
}

std::string lineOf(const Ensemble& ensemble, const EnsembleVerdict& verdict) {
  const EnsembleQuantity& quantity = ensemble.quantities[verdict.quantity];
  const std::string pair =
      ensemble.members[verdict.a].label + " against " + ensemble.members[verdict.b].label + ": ";
  if (!verdict.problem.empty()) return "  " + pair + "no verdict: " + verdict.problem + "\n";
  const RankComparison& ranks = verdict.ranks;
  const bool isOneOfSeveral = ensemble.quantities.size() > 1;
  const auto holm = [&](double p) { return isOneOfSeveral ? ", with Holm " + fourDigits(p) : ""; };
  return "  " + pair + textOf(verdict.verdict, ranks, verdict.margin) + "\n    shift " +
         inUnit(ranks.shift, quantity) + ", interval [" + fourDigits(ranks.low) + ", " +
         fourDigits(ranks.high) + "], U " + csvNumber(ranks.u) + ", t " + fourDigits(ranks.t) + ", p " +
         fourDigits(ranks.p) + holm(verdict.pHolm.different) + "\n    " +
         scatterText(verdict, quantity.unit, ensemble.alpha) + ", p " + fourDigits(verdict.spread.p) +
         holm(verdict.spreadHolm) + "\n";
}

}  // namespace

std::string scatterText(const EnsembleVerdict& verdict, const std::string& unit, double alpha) {
  const SpreadComparison& spread = verdict.spread;
  const std::string in = unit.empty() ? "" : " " + unit;
  std::string text = "scatter " + fourDigits(spread.a) + in + " against " + fourDigits(spread.b) + in + ": ";
  if (!(verdict.spreadHolm < alpha)) return text + "no difference is shown";
  const double ratio = std::max(spread.a, spread.b) / std::min(spread.a, spread.b);
  return text + "different" + (std::isfinite(ratio) ? ", " + fourDigits(ratio) + " to 1" : "");
}

std::string ensembleCsv(const Ensemble& ensemble) {
  std::string text = "time_s,method";
  for (const EnsembleQuantity& quantity : ensemble.quantities)
    for (const char* what : {"median", "p5", "p95"}) text += titleOf(quantity, what);
  text += ",separation_m,growth_per_s,horizon_s\n";
  for (const EnsembleMember& member : ensemble.members)
    for (std::size_t sample = 0; sample < member.times.size(); ++sample) {
      text += csvNumber(member.times[sample]) + ',' + csvText(member.label);
      for (std::size_t quantity = 0; quantity < ensemble.quantities.size(); ++quantity) {
        const Band band = bandAt(member, quantity, sample);
        text += ',' + csvNumber(band.median) + ',' + csvNumber(band.low) + ',' + csvNumber(band.high);
      }
      text += ',' + csvNumber(member.separation[sample]) + ',' + csvNumber(member.horizon.growth) + ',' +
              csvNumber(member.horizon.time) + '\n';
    }
  return text;
}

std::string copiesCsv(const Ensemble& ensemble) {
  std::string text = "method,copy";
  for (const EnsembleQuantity& quantity : ensemble.quantities) text += ',' + csvText(quantity.text);
  for (int event = 0; event < kCopyEventCount; ++event)
    text += ',' + eventTitle(static_cast<SampleEvent>(event)) + "_at_s";
  text += '\n';
  for (const EnsembleMember& member : ensemble.members) {
    std::vector<std::vector<double>> numbers;
    for (std::size_t quantity = 0; quantity < ensemble.quantities.size(); ++quantity)
      numbers.push_back(member.numbers(ensemble.quantities[quantity], quantity));
    for (std::size_t copy = 0; copy < member.copyCount(); ++copy) {
      text += csvText(member.label) + ',' + std::to_string(copy);
      for (const std::vector<double>& ofQuantity : numbers) text += ',' + csvNumber(ofQuantity[copy]);
      for (const double since : member.events[copy].since) text += ',' + sinceCell(since);
      text += '\n';
    }
  }
  return text;
}

std::string verdictsCsv(const Ensemble& ensemble, const std::vector<EnsembleVerdict>& verdicts) {
  std::string text =
      "quantity,a,b,copies_a,copies_b,events_a,events_b,shift,low,high,u,t,p,p_holm,margin,p_equal,"
      "p_equal_holm,verdict,beyond_margin,difference_measurable,copies_needed,scatter_a,scatter_b,scatter_t,"
      "scatter_p,scatter_p_holm,scatter_verdict\n";
  const auto pair = [&ensemble](std::size_t a, std::size_t b) {
    return ',' + csvText(ensemble.members[a].label) + ',' + csvText(ensemble.members[b].label) + ',';
  };
  for (const EnsembleVerdict& verdict : verdicts) {
    text += csvText(ensemble.quantities[verdict.quantity].text) + pair(verdict.a, verdict.b);
    const auto add = [&text](std::initializer_list<double> values) {
      for (const double value : values) text += ',' + csvNumber(value);
    };
    if (!verdict.problem.empty()) {
      text += ",,,,,,,,,,," + csvNumber(verdict.margin) + ",,,no verdict,,,,,,,,,\n";
      continue;
    }
    const RankComparison& ranks = verdict.ranks;
    const SpreadComparison& spread = verdict.spread;
    const RankVerdict& decision = verdict.verdict;
    text += std::to_string(ranks.countA) + ',' + std::to_string(ranks.countB) + ",,";
    add({ranks.shift, ranks.low, ranks.high, ranks.u, ranks.t, ranks.p, verdict.pHolm.different,
         verdict.margin});
    if (verdict.margin > 0)
      add({ranks.pEqual, verdict.pHolm.equal});
    else
      text += ",,";
    const bool isDifferent = decision.verdict == Decision::Different;
    text += std::string(",") + toString(decision.verdict) + ',' +
            (isDifferent && verdict.margin > 0 ? decision.isBeyond ? "1" : "0" : "") + ',' +
            (decision.isMeasurable ? "1" : "0") + ',' +
            (decision.copiesNeeded > 0 ? std::to_string(decision.copiesNeeded) : "");
    add({spread.a, spread.b, spread.t, spread.p, verdict.spreadHolm});
    text += verdict.spreadHolm < ensemble.alpha ? ",different\n" : ",undecided\n";
  }
  for (const EventVerdict& verdict : eventVerdictsOf(ensemble)) {
    const EventCount a = ensemble.members[verdict.a].count(verdict.event),
                     b = ensemble.members[verdict.b].count(verdict.event);
    text += eventTitle(verdict.event) + pair(verdict.a, verdict.b) + std::to_string(a.of) + ',' +
            std::to_string(b.of) + ',' + std::to_string(a.happened) + ',' + std::to_string(b.happened) +
            ",,,,,," + csvNumber(verdict.p) + ",,,,," +
            (verdict.p < ensemble.alpha ? "different" : "undecided") + ",,,,,,,,,\n";
  }
  return text;
}

std::string ensembleSummary(const Ensemble& ensemble, const std::vector<EnsembleVerdict>& verdicts,
                            const std::string& scene, double time) {
  const Perturbation& start = ensemble.perturbation;
  std::string text = "Scene " + scene + "\n";
  const auto isOurs = [](const EnsembleMember& member) { return member.files == 0; };
  if (std::any_of(ensemble.members.begin(), ensemble.members.end(), isOurs))
    text += "Methods run " + csvNumber(time) + " s, " + std::to_string(start.copies) +
            " copies; all but the first are moved by " + csvNumber(start.size) +
            " m times a normal number per axis and body, seed " + std::to_string(start.seed) + "\n";
  if (!std::all_of(ensemble.members.begin(), ensemble.members.end(), isOurs))
    text += "Copies of files: how their starts differ is not known\n";
  for (std::size_t index = 0; index < ensemble.members.size(); ++index) {
    const EnsembleMember& member = ensemble.members[index];
    text += "\n" + member.label + ": ";
    if (member.files > 0) text += std::to_string(member.files) + " files; ";
    text += horizonText(member) + "\n";
    for (std::size_t quantity = 0; quantity < ensemble.quantities.size(); ++quantity) {
      const EnsembleQuantity& info = ensemble.quantities[quantity];
      const std::vector<double> numbers = member.numbers(info, quantity);
      text += "  " + info.text + ": median " + inUnit(median(numbers), info) + ", 5 to 95 % of copies " +
              fourDigits(quantile(numbers, 0.05)) + " to " + fourDigits(quantile(numbers, 0.95)) + "\n";
    }
    for (int event = 0; event < kCopyEventCount; ++event) {
      const EventCount count = member.count(static_cast<SampleEvent>(event));
      if (count.happened > 0)
        text +=
            std::string("  ") + toString(static_cast<SampleEvent>(event)) + ": " + shareText(count) + "\n";
    }
    for (const std::string& warning : member.warnings) text += "  Warning: " + warning + "\n";
  }
  std::size_t shown = ensemble.quantities.size();
  for (std::size_t quantity = 0; quantity < ensemble.quantities.size(); ++quantity)
    for (const EnsembleVerdict& verdict : verdicts) {
      if (verdict.quantity != quantity) continue;
      if (shown != quantity) text += "\n" + ensemble.quantities[quantity].text + "\n";
      shown = quantity;
      text += lineOf(ensemble, verdict);
    }
  const std::vector<EventVerdict> events = eventVerdictsOf(ensemble);
  if (!events.empty()) text += "\nEvents, by Fisher's exact test\n";
  for (const EventVerdict& verdict : events)
    text += std::string("  ") + toString(verdict.event) + ", " + ensemble.members[verdict.a].label + " " +
            shareText(ensemble.members[verdict.a].count(verdict.event)) + " against " +
            ensemble.members[verdict.b].label + " " +
            shareText(ensemble.members[verdict.b].count(verdict.event)) + ": p " + fourDigits(verdict.p) +
            (verdict.p < ensemble.alpha ? ", different\n" : "\n");
  return text;
}

}  // namespace touchstone
