#include "core/run/summary.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>

#include "core/math/quantile.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> valuesOf(const History& history, Quantity quantity, bool lastFifth = false) {
  std::vector<double> values;
  const std::size_t begin = lastFifth ? history.size() - history.size() / 5 : 0;
  for (std::size_t index = begin; index < history.size(); ++index) {
    const double value = history.frames()[index]->quantities[quantity];
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

double maximum(const std::vector<double>& values) {
  return values.empty() ? kNaN : *std::max_element(values.begin(), values.end());
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? kNaN : sum / static_cast<double>(values.size());
}

double positiveShare(const std::vector<double>& values) {
  if (values.empty()) return kNaN;
  const auto count = std::count_if(values.begin(), values.end(), [](double value) { return value > 0; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

std::string format(const char* pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

const PaneSummary* find(const std::vector<PaneSummary>& panes, const std::string& method) {
  for (const PaneSummary& pane : panes)
    if (pane.method == method) return &pane;
  return nullptr;
}

Claim::Verdict verdict(bool holds) { return holds ? Claim::Verdict::Holds : Claim::Verdict::DoesNotHold; }

bool survived(const PaneSummary& pane) { return pane.standsFrom < 0 && pane.noSolution == 0; }

/// Whether a run can tell anything of a method: something touched, for a while, and no energy came out of nothing.
bool canJudge(const PaneSummary& pane) {
  constexpr long kFrames = 10;
  return pane.touching >= kFrames && pane.standsFrom < 0 && pane.energy == 0;
}

/// A claim about panes that all have to be able to tell.
void judge(std::vector<Claim>& claims, Claim claim, std::initializer_list<const PaneSummary*> panes) {
  for (const PaneSummary* pane : panes) {
    if (canJudge(*pane)) continue;
    claim.verdict = Claim::Verdict::CannotTell;
    claim.measured += "; " + pane->method +
                      (pane->standsFrom >= 0 ? " did not get to the end"
                       : pane->energy > 0    ? " made energy out of nothing"
                                             : " hardly touched anything");
    break;
  }
  claims.push_back(std::move(claim));
}

void addPegClaims(const PaneSummary& peg, std::vector<Claim>& claims) {
  // 1e-12 m³ is a cube of 0.1 mm: far above rounding (1e-17 L²), far below what a viewer could see.
  if (!std::isnan(peg.overlapMedian))
    judge(claims,
          {"PEG keeps overlap near machine precision (Williams 2017)",
           format(peg.planar ? "median %.1e m², maximum %.1e m²" : "median %.1e m³, maximum %.1e m³",
                  peg.overlapMedian, peg.overlapMax),
           verdict(peg.overlapMax < 1e-12)},
          {&peg});
  Claim lost{"PEG does not lose a run (Williams 2017)",
             format("%ld frames without solution, %ld not converged, %s", peg.noSolution, peg.notConverged,
                    peg.standsFrom < 0 ? "no divergence" : "diverged"),
             verdict(survived(peg) && peg.notConverged == 0)};
  if (lost.verdict == Claim::Verdict::Holds)
    judge(claims, lost, {&peg});
  else
    claims.push_back(lost);
  if (!std::isnan(peg.trapShare))
    judge(claims,
        {"about 25 % of steps hold a configuration that traps the standard model (Williams 2017)",
         format("%.0f %% of frames; the share depends on ε, ε_θ and the step", 100 * peg.trapShare),
         verdict(peg.trapShare > 0.15 && peg.trapShare < 0.35)}, {&peg});
}

void addPairClaims(const std::vector<PaneSummary>& panes, std::vector<Claim>& claims) {
  const PaneSummary *dpf = find(panes, "dpf"), *cpf = find(panes, "cpf");
  const PaneSummary *lcp = find(panes, "lcp"), *peg = find(panes, "peg");
  if (lcp && peg) {
    judge(claims,
          {"the standard model fails where PEG does not (Williams 2017)",
           format("LCP: %ld frames without solution%s", lcp->noSolution, lcp->standsFrom < 0 ? "" : ", diverged"),
           verdict(!survived(*lcp) && survived(*peg))},
          {peg});
    judge(claims,
          {"PEG costs no more than about 2 times the standard model (Williams 2017)",
           format("%.2f times (median per frame)", peg->timeMedian / lcp->timeMedian),
           verdict(peg->timeMedian < 2.5 * lcp->timeMedian)},
          {lcp, peg});
  }
  if (dpf && cpf) {
    judge(claims,
          {"CPF costs no more than 3 to 4 times DPF (Tang 2012)",
           format("%.2f times (median per frame)", cpf->timeMedian / dpf->timeMedian),
           verdict(cpf->timeMedian < 4 * dpf->timeMedian)},
          {dpf, cpf});
    Claim claim{"bodies come to rest under CPF and jitter under DPF (Tang 2012)",
                format("kinetic energy over the last fifth: DPF %.1e J, CPF %.1e J", dpf->endKineticEnergy,
                       cpf->endKineticEnergy),
                Claim::Verdict::CannotTell};
    // At rest is what moves with a millionth of all the energy that there was; slower than DPF is not enough.
    constexpr double kAtRest = 1e-6;
    claim.verdict = verdict(cpf->endKineticEnergy < kAtRest * cpf->mostKineticEnergy &&
                            cpf->endKineticEnergy < 1e-2 * dpf->endKineticEnergy);
    judge(claims, claim, {dpf, cpf});
  }
}

std::string withoutNumbers(const std::string& text) {
  std::string rest;
  for (const char* at = text.c_str(); *at != '\0';)
    if (std::isdigit(static_cast<unsigned char>(*at))) {
      char* end = nullptr;
      std::strtod(at, &end);
      at = end;
    } else {
      rest += *at++;
    }
  return rest;
}

void addWarnings(const StepRecord& record, std::vector<RunWarning>& warnings) {
  std::set<std::string> said;  // a frame counts once
  for (const std::string& text : record.warnings) {
    const std::string key = withoutNumbers(text);
    if (!said.insert(key).second) continue;
    const auto known = std::find_if(warnings.begin(), warnings.end(),
                                    [&](const RunWarning& each) { return withoutNumbers(each.text) == key; });
    if (known == warnings.end())
      warnings.push_back({text, 1, record.time});
    else
      ++known->frames;
  }
}

std::string warningLines(const PaneSummary& pane) {
  const std::string name = paneName(pane.method, pane.solver);
  std::string text;
  for (const RunWarning& warning : pane.warnings)
    text += "  " + name + ", " +
            format("%ld of %ld frames, first at %.3f s: ", warning.frames, pane.frames, warning.since) +
            warning.text + "\n";
  return text;
}

}  // namespace

PaneSummary summarise(const History& history) {
  PaneSummary summary;
  if (history.empty()) return summary;
  summary.method = history.frames().back()->method;
  summary.solver = history.frames().back()->solver;
  for (const RecordPtr& record : history.frames()) {
    if (record->frame == 0) {
      addWarnings(*record, summary.warnings);  // what begins in overlap
      continue;
    }
    ++summary.frames;
    summary.energy += record->status == StepStatus::Energy;
    summary.touching += record->normalImpulseSum > 0;
    summary.notConverged += record->status == StepStatus::NotConverged;
    summary.noSolution += record->status == StepStatus::NoSolution;
    if (stands(record->status) && summary.standsFrom < 0) summary.standsFrom = record->time;
    addWarnings(*record, summary.warnings);
  }
  summary.planar = !history.empty() && history.at(history.lastFrame())->planar;
  summary.overlapMedian = median(valuesOf(history, Quantity::Overlap));
  summary.overlapMax = maximum(valuesOf(history, Quantity::Overlap));
  summary.penetrationMedian = median(valuesOf(history, Quantity::PenetrationMax));
  summary.penetrationMax = maximum(valuesOf(history, Quantity::PenetrationMax));
  summary.residualMax = maximum(valuesOf(history, Quantity::Residual));
  summary.trapShare = positiveShare(valuesOf(history, Quantity::Traps));
  summary.timeMedian = median(valuesOf(history, Quantity::TimeStep));
  summary.timeMax = maximum(valuesOf(history, Quantity::TimeStep));
  summary.endKineticEnergy = mean(valuesOf(history, Quantity::EnergyKinetic, true));
  summary.mostKineticEnergy = maximum(valuesOf(history, Quantity::EnergyKinetic));
  summary.endJitter = mean(valuesOf(history, Quantity::Jitter, true));
  summary.energyGain = std::max(0.0, maximum(valuesOf(history, Quantity::EnergyDrift)));
  return summary;
}

std::vector<Claim> checkClaims(const std::vector<PaneSummary>& panes) {
  std::vector<Claim> claims;
  addPairClaims(panes, claims);
  if (const PaneSummary* peg = find(panes, "peg")) addPegClaims(*peg, claims);
  return claims;
}

std::string summaryTable(const std::vector<PaneSummary>& panes) {
  int method = 6, solver = 6;  // widths of their columns
  for (const PaneSummary& pane : panes) {
    method = std::max(method, static_cast<int>(pane.method.size()));
    solver = std::max(solver, static_cast<int>(pane.solver.size()));
  }
  constexpr const char* kHead = "%-*s %-*s %7s %7s %9s %9s %9s %10s %10s %10s %10s %9s %9s\n";
  std::string text = format(kHead, method, "method", solver, "solver", "frames", "energy", "not conv.", "no sol.",
                            "stands", "overlap~", "overlap^", "depth~", "depth^", "ms~", "ms^");
  text += format(kHead, method, "", solver, "", "", "frames", "frames", "frames", "s", "m^3", "m^3", "m", "m", "frame",
                 "frame");
  for (const PaneSummary& pane : panes)
    text +=
        format("%-*s %-*s %7ld %7ld %9ld %9ld %9s %10.2e %10.2e %10.2e %10.2e %9.2f %9.2f\n", method,
               pane.method.c_str(), solver, pane.solver.empty() ? "-" : pane.solver.c_str(), pane.frames,
               pane.energy, pane.notConverged, pane.noSolution,
               pane.standsFrom < 0 ? "no" : format("%.3f", pane.standsFrom).c_str(), pane.overlapMedian,
               pane.overlapMax, pane.penetrationMedian, pane.penetrationMax, pane.timeMedian, pane.timeMax);
  text +=
      "~ median over frames, ^ maximum; overlap and depth by the Referee, time without measurement\n"
      "energy: frames in which it rose though nothing brought it in\n";
  std::string warnings;
  for (const PaneSummary& pane : panes) warnings += warningLines(pane);
  if (!warnings.empty()) text += "\nWarnings of the steps\n" + warnings;
  const std::vector<Claim> claims = checkClaims(panes);
  if (!claims.empty()) text += "\nPublished claims, held against this run:\n";
  for (const Claim& claim : claims) {
    const char* mark = claim.verdict == Claim::Verdict::Holds         ? "holds        "
                       : claim.verdict == Claim::Verdict::DoesNotHold ? "DOES NOT HOLD"
                                                                      : "cannot tell  ";
    text +=
        std::string("  ") + mark + "  " + claim.text + "\n                 here: " + claim.measured + "\n";
  }
  return text;
}

}  // namespace touchstone
