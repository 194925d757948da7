#include "core/study/summary.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "core/math/not_a_number.h"
#include "core/math/quantile.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? kNaN : sum / static_cast<double>(values.size());
}

/// The larger value; NaN counts as no value.
double larger(double a, double b) { return std::isnan(a) || b > a ? b : a; }

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

std::string nameOf(const PaneSummary& pane) {
  return pane.label.empty() ? paneName(pane.method, pane.solver) : pane.label;
}

bool survived(const PaneSummary& pane) { return pane.frozenFrom < 0 && pane.noSolution == 0; }

/// Why a pane allows no judgement of its method, or empty.
/// @param frames  least number of frames with touching bodies
std::string reasonAgainst(const PaneSummary& pane, long frames) {
  if (pane.frozenFrom >= 0) return nameOf(pane) + format(" is frozen from %.3f s on", pane.frozenFrom);
  if (pane.energy > 0)
    return nameOf(pane) + format(" has %ld frames with energy that nothing brought in", pane.energy);
  if (pane.scale.energy > 0 && pane.energyGain > pane.scale.energy)
    return nameOf(pane) + format(" gained %.1e J, more than there was in the scene (%.1e J)", pane.energyGain,
                                 pane.scale.energy);
  if (pane.touching < frames)
    return nameOf(pane) +
           format(" has %ld frames in which bodies touch, it takes %ld", pane.touching, frames);
  return {};
}

constexpr long kSomeContact = 1, kManyContacts = 50;  // frames. Larger values leave claims of short runs
                                                      // unjudged; smaller ones judge too early

/// Judges a claim unless there is a reason against it.
Claim judged(const std::string& text, const std::string& reason, const std::string& measured, bool holds) {
  if (!reason.empty()) return {text, reason, Claim::Verdict::NotJudged};
  return {text, measured, holds ? Claim::Verdict::Holds : Claim::Verdict::DoesNotHold};
}

void addPegClaims(const PaneSummary& peg, std::vector<Claim>& claims) {
  // 1e-12 m³ is a cube of 0.1 mm: far above rounding (1e-17 L²), and far below what is visible.
  claims.push_back(
      judged("PEG keeps overlap near machine precision (Williams 2017)", reasonAgainst(peg, kSomeContact),
             format(peg.planar ? "median %.1e m², maximum %.1e m²" : "median %.1e m³, maximum %.1e m³",
                    peg.overlapMedian, peg.overlapMax),
             peg.overlapMax < 1e-12));
  claims.push_back(judged("PEG does not lose a run (Williams 2017)",
                          peg.frozenFrom < 0 ? reasonAgainst(peg, kSomeContact) : std::string(),
                          format("%ld frames without solution, %ld not converged, %s", peg.noSolution,
                                 peg.notConverged, peg.frozenFrom < 0 ? "no divergence" : "diverged"),
                          survived(peg) && peg.notConverged == 0));
  if (!std::isnan(peg.trapShare))
    claims.push_back(
        judged("about 25 % of steps hold a configuration that traps the standard model (Williams 2017)",
               reasonAgainst(peg, kManyContacts),
               format("%.0f %% of frames; the share depends on ε, ε_θ and the step", 100 * peg.trapShare),
               peg.trapShare > 0.15 && peg.trapShare < 0.35));
}

/// @param most  largest accepted ratio to the other method
Claim costClaim(const std::string& text, const PaneSummary& dear, const PaneSummary& cheap, double most) {
  std::string reason = reasonAgainst(dear, kManyContacts);
  if (reason.empty()) reason = reasonAgainst(cheap, kManyContacts);
  const double times = dear.timeMedian / cheap.timeMedian;
  return judged(text, reason, format("%.2f times (median per frame)", times), times < most);
}

Claim restClaim(const PaneSummary& dpf, const PaneSummary& cpf) {
  std::string reason = reasonAgainst(cpf, kSomeContact);
  if (reason.empty() && dpf.frozenFrom >= 0) reason = reasonAgainst(dpf, kSomeContact);
  if (reason.empty() && !(cpf.scale.energy > 0)) reason = "without gravity nothing comes to rest";
  if (reason.empty() && cpf.endTime < cpf.scale.settleTime)
    reason = format("%.3g s are too short for coming to rest here, it takes %.3g s", cpf.endTime,
                    cpf.scale.settleTime);
  return judged(
      "bodies come to rest under CPF and jitter under DPF (Tang 2012)", reason,
      format("kinetic energy over the last fifth: DPF %.1e J, CPF %.1e J; at rest is below %.1e J",
             dpf.endKineticEnergy, cpf.endKineticEnergy, cpf.scale.restEnergy),
      cpf.endKineticEnergy <= cpf.scale.restEnergy && cpf.endKineticEnergy < 1e-2 * dpf.endKineticEnergy);
}

void addPairClaims(const std::vector<PaneSummary>& panes, std::vector<Claim>& claims) {
  const PaneSummary *dpf = find(panes, "dpf"), *cpf = find(panes, "cpf");
  const PaneSummary *lcp = find(panes, "lcp"), *peg = find(panes, "peg");
  if (lcp && peg) {
    claims.push_back(judged("the standard model fails where PEG does not (Williams 2017)",
                            reasonAgainst(*peg, kSomeContact),
                            format("LCP: %ld frames without solution%s", lcp->noSolution,
                                   lcp->frozenFrom < 0 ? "" : ", diverged"),
                            !survived(*lcp) && survived(*peg)));
    claims.push_back(costClaim("PEG costs no more than about 2 times the standard model (Williams 2017)",
                               *peg, *lcp, 2.5));
  }
  if (dpf && cpf) {
    claims.push_back(costClaim("CPF costs no more than 3 to 4 times DPF (Tang 2012)", *cpf, *dpf, 4));
    claims.push_back(restClaim(*dpf, *cpf));
  }
}

/// The method with the additions of its label: "peg:step=exact".
std::string methodOf(const PaneSummary& pane) {
  const std::size_t end = pane.label.find_first_of(":#");
  return pane.method + (end == std::string::npos ? "" : pane.label.substr(end));
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
  const std::string name = nameOf(pane);
  std::string text;
  for (const RunWarning& warning : pane.warnings)
    text += "  " + name + ", " +
            format("%ld of %ld frames, first at %.3f s: ", warning.frames, pane.frames, warning.since) +
            warning.text + "\n";
  return text;
}

}  // namespace

RunSummary::RunSummary(const Scene& scene) {
  double mass = 0;
  for (const Body& body : scene.bodies) mass += body.motion == Motion::Dynamic ? body.mass : 0;
  const double gravity = scene.gravity.norm();
  PaneScale& scale = m_sums.scale;
  scale.energy = mass * gravity * scene.size;
  scale.restEnergy = 1e-6 * scale.energy;  // ½ m v² with a thousandth of v = √(2 g size)
  scale.settleTime = gravity > 0 ? 4 * std::sqrt(2 * scene.size / gravity) : 0;
}

void RunSummary::add(const StepRecord& record) {
  // Most samples per quantity. A larger value takes more memory; a smaller one makes medians of long runs
  // coarser.
  constexpr std::size_t kMostSamples = 1 << 16;
  const auto value = [&record](Quantity quantity) { return record.quantities[quantity]; };
  m_sums.method = record.method;
  m_sums.solver = record.solver;
  m_sums.planar = record.planar;
  if (m_seen == 0)
    m_sums.overlapMax = m_sums.penetrationMax = m_sums.residualMax = m_sums.timeMax = m_sums.energyGain =
        kNaN;
  if (record.frame > 0) {
    ++m_sums.frames;
    m_sums.endTime = record.time;
    m_sums.notConverged += record.status == StepStatus::NotConverged;
    m_sums.noSolution += record.status == StepStatus::NoSolution;
    if (isFrozen(record.status) && m_sums.frozenFrom < 0) m_sums.frozenFrom = record.time;
    m_sums.energy += record.status == StepStatus::Energy;
    m_sums.touching += record.normalImpulseSum > 0;
  }
  addWarnings(record, m_sums.warnings);  // the first frame reports initial overlaps
  m_sums.overlapMax = larger(m_sums.overlapMax, value(Quantity::Overlap));
  m_sums.penetrationMax = larger(m_sums.penetrationMax, value(Quantity::PenetrationMax));
  m_sums.residualMax = larger(m_sums.residualMax, value(Quantity::Residual));
  m_sums.timeMax = larger(m_sums.timeMax, value(Quantity::TimeStep));
  m_sums.energyGain = larger(m_sums.energyGain, value(Quantity::EnergyDrift));
  m_trapsMeasured += !std::isnan(value(Quantity::Traps));
  m_trapFrames += value(Quantity::Traps) > 0;
  if (m_seen++ % m_spacing != 0) return;
  m_samples.push_back({value(Quantity::Overlap), value(Quantity::PenetrationMax), value(Quantity::TimeStep),
                       value(Quantity::EnergyKinetic), value(Quantity::Jitter)});
  if (m_samples.size() < kMostSamples) return;
  for (std::size_t kept = 0; 2 * kept < m_samples.size(); ++kept) m_samples[kept] = m_samples[2 * kept];
  m_samples.resize(m_samples.size() / 2);
  m_spacing *= 2;
}

std::vector<double> RunSummary::valuesOf(const std::vector<Sample>& samples, double Sample::*value,
                                         bool lastFifth) {
  std::vector<double> values;
  for (std::size_t index = lastFifth ? samples.size() - samples.size() / 5 : 0; index < samples.size();
       ++index)
    if (!std::isnan(samples[index].*value)) values.push_back(samples[index].*value);
  return values;
}

PaneSummary RunSummary::result() const {
  PaneSummary summary = m_sums;
  summary.overlapMedian = median(valuesOf(m_samples, &Sample::overlap));
  summary.penetrationMedian = median(valuesOf(m_samples, &Sample::depth));
  summary.timeMedian = median(valuesOf(m_samples, &Sample::milliseconds));
  summary.endKineticEnergy = mean(valuesOf(m_samples, &Sample::kineticEnergy, true));
  summary.endJitter = mean(valuesOf(m_samples, &Sample::jitter, true));
  summary.energyGain = std::max(0.0, summary.energyGain);
  summary.trapShare =
      m_trapsMeasured > 0 ? static_cast<double>(m_trapFrames) / static_cast<double>(m_trapsMeasured) : kNaN;
  return summary;
}

std::vector<Claim> checkClaims(const std::vector<PaneSummary>& panes) {
  std::vector<Claim> claims;
  addPairClaims(panes, claims);
  for (const PaneSummary& pane : panes)
    if (pane.method == "peg") addPegClaims(pane, claims);
  return claims;
}

std::string summaryTable(const std::vector<PaneSummary>& panes) {
  int method = 6, solver = 6;  // widths of their columns
  for (const PaneSummary& pane : panes) {
    method = std::max(method, static_cast<int>(methodOf(pane).size()));
    solver = std::max(solver, static_cast<int>(pane.solver.size()));
  }
  constexpr const char* kHead = "%-*s %-*s %7s %7s %9s %9s %9s %10s %10s %10s %10s %9s %9s\n";
  std::string text = format(kHead, method, "method", solver, "solver", "frames", "energy", "not conv.",
                            "no sol.", "frozen", "overlap~", "overlap^", "depth~", "depth^", "ms~", "ms^");
  text += format(kHead, method, "", solver, "", "", "frames", "frames", "frames", "s", "m^3", "m^3", "m", "m",
                 "frame", "frame");
  for (const PaneSummary& pane : panes)
    text +=
        format("%-*s %-*s %7ld %7ld %9ld %9ld %9s %10.2e %10.2e %10.2e %10.2e %9.2f %9.2f\n", method,
               methodOf(pane).c_str(), solver, pane.solver.empty() ? "-" : pane.solver.c_str(), pane.frames,
               pane.energy, pane.notConverged, pane.noSolution,
               pane.frozenFrom < 0 ? "no" : format("%.3f", pane.frozenFrom).c_str(), pane.overlapMedian,
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
                                                                      : "not judged   ";
    const char* head = claim.verdict == Claim::Verdict::NotJudged ? "not judged: " : "here: ";
    text +=
        std::string("  ") + mark + "  " + claim.text + "\n                 " + head + claim.measured + "\n";
  }
  return text;
}

}  // namespace touchstone
