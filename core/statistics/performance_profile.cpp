#include "core/statistics/performance_profile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "core/files/text_forms.h"

namespace touchstone {

namespace {

/// The least factor to the best that counts as a difference; residuals may be 0.
constexpr double kLeast = 1e-300;

double measured(const ProblemOutcome& outcome, PerformanceProfile::Measure measure) {
  if (outcome.result.status != SolveStatus::Solved) return HUGE_VAL;
  return std::max(measure == PerformanceProfile::Measure::Time ? outcome.time : outcome.residual, kLeast);
}

}  // namespace

ProblemOutcome outcomeOf(const ComplementaritySolver& solver, const StoredProblem& stored,
                         const SolverSettings& settings) {
  constexpr int kRuns = 3;  // more: slower for nothing; fewer: one disturbance decides
  ProblemOutcome outcome;
  outcome.time = HUGE_VAL;
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    outcome.result = solver.solve(stored.problem, stored.start, settings);
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.residual = std::isfinite(outcome.result.residual) ? outcome.result.residual : HUGE_VAL;
    if (outcome.result.status != SolveStatus::Solved) {
      outcome.time = HUGE_VAL;
      return outcome;
    }
    outcome.time = std::min(outcome.time, time);
  }
  return outcome;
}

void PerformanceProfile::add(const std::string& problem, const std::vector<ProblemOutcome>& outcomes) {
  m_problems.push_back(
      {problem, outcomes.empty() ? 0 : static_cast<long>(outcomes.front().result.z.size()), outcomes});
}

double PerformanceProfile::ratio(const Entry& entry, std::size_t solver, Measure measure) const {
  double best = HUGE_VAL;
  for (const ProblemOutcome& outcome : entry.outcomes) best = std::min(best, measured(outcome, measure));
  const double solverMeasure = measured(entry.outcomes[solver], measure);
  return std::isfinite(solverMeasure) ? solverMeasure / best : HUGE_VAL;
}

double PerformanceProfile::shareWithin(std::size_t solver, double factor, Measure measure) const {
  if (m_problems.empty()) return 0;
  const auto within = std::count_if(m_problems.begin(), m_problems.end(), [&](const Entry& entry) {
    return ratio(entry, solver, measure) <= factor;
  });
  return static_cast<double>(within) / static_cast<double>(m_problems.size());
}

std::vector<PerformanceProfile::Stair> PerformanceProfile::stairs(std::size_t solver, Measure measure) const {
  std::vector<double> ratios;
  for (const Entry& entry : m_problems) ratios.push_back(ratio(entry, solver, measure));
  std::sort(ratios.begin(), ratios.end());
  std::vector<Stair> stairs{{1, 0}};
  for (std::size_t k = 0; k < ratios.size() && std::isfinite(ratios[k]); ++k) {
    const double share = static_cast<double>(k + 1) / static_cast<double>(ratios.size());
    if (ratios[k] > stairs.back().factor)
      stairs.push_back({ratios[k], share});
    else
      stairs.back().share = share;
  }
  return stairs;
}

std::string PerformanceProfile::csv() const {
  std::string table = "problem,rows,solver,status,iterations,time_s,residual_m_per_s\n";
  for (const Entry& entry : m_problems)
    for (std::size_t solver = 0; solver < m_solvers.size(); ++solver) {
      const ProblemOutcome& outcome = entry.outcomes[solver];
      table += csvText(entry.problem) + ',' + std::to_string(entry.rows) + ',' + m_solvers[solver] + ',' +
               toString(outcome.result.status) + ',' + std::to_string(outcome.result.iterations.size()) +
               ',' + csvNumber(outcome.time) + ',' + csvNumber(outcome.residual) + '\n';
    }
  return table;
}

std::string PerformanceProfile::svg() const {
  // Okabe and Ito's colours, which stay apart for every eye, each with a dash of its own.
  constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#999999"};
  constexpr const char* kDashes[] = {"", "7 3", "2 3", "8 3 2 3"};
  constexpr double kWidth = 380, kHeight = 260, kLeft = 52, kTop = 34, kGap = 70, kMostDecades = 4;
  std::ostringstream out;
  const double width = 2 * (kLeft + kWidth) + kGap, legend = 18.0 * static_cast<double>(m_solvers.size());
  const double height = kTop + kHeight + 52 + legend;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
         "fill=\"white\"/>\n<desc>"
      << kMark << "</desc>\n";
  for (const Measure measure : {Measure::Time, Measure::Residual}) {
    const bool isTime = measure == Measure::Time;
    const double x0 = isTime ? kLeft : 2 * kLeft + kWidth + kGap / 2, y0 = kTop + kHeight;
    double decades = 1;
    for (std::size_t solver = 0; solver < m_solvers.size(); ++solver)
      decades = std::max(decades, std::ceil(std::log10(stairs(solver, measure).back().factor)));
    decades = std::min(decades, kMostDecades);
    const auto xOf = [&](double factor) { return x0 + kWidth * std::min(1.0, std::log10(factor) / decades); };
    const auto yOf = [&](double share) { return y0 - kHeight * share; };
    out << "<text x=\"" << x0 + kWidth / 2 << "\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">"
        << (isTime ? "Time" : "Residual") << ", " << m_problems.size() << " problems</text>\n";
    for (int tick = 0; tick <= 5; ++tick) {
      const double y = yOf(0.2 * tick);
      out << "<path d=\"M" << x0 << ' ' << y << 'h' << kWidth << "\" stroke=\"#ddd\"/><text x=\"" << x0 - 6
          << "\" y=\"" << y + 4 << "\" text-anchor=\"end\">" << 20 * tick << " %</text>\n";
    }
    for (int decade = 0; decade <= static_cast<int>(decades); ++decade) {
      const double x = xOf(std::pow(10, decade));
      out << "<path d=\"M" << x << ' ' << y0 << 'v' << -kHeight << "\" stroke=\"#ddd\"/><text x=\"" << x
          << "\" y=\"" << y0 + 17 << "\" text-anchor=\"middle\">" << std::pow(10, decade) << "</text>\n";
    }
    out << "<text x=\"" << x0 + kWidth / 2 << "\" y=\"" << y0 + 36
        << "\" text-anchor=\"middle\">within this factor of the "
        << (isTime ? "fastest" : "smallest residual") << "</text>\n<rect x=\"" << x0 << "\" y=\"" << kTop
        << "\" width=\"" << kWidth << "\" height=\"" << kHeight << "\" fill=\"none\" stroke=\"#444\"/>\n";
    for (std::size_t solver = 0; solver < m_solvers.size(); ++solver) {
      std::ostringstream path;
      double share = 0;
      for (const Stair& stair : stairs(solver, measure)) {
        path << (path.str().empty() ? "M" : "L") << xOf(stair.factor) << ' ' << yOf(share) << 'L'
             << xOf(stair.factor) << ' ' << yOf(stair.share);
        share = stair.share;
      }
      path << 'L' << x0 + kWidth << ' ' << yOf(share);
      out << "<path d=\"" << path.str() << "\" fill=\"none\" stroke-width=\"2\" stroke=\""
          << kColours[solver % 8] << "\" stroke-dasharray=\"" << kDashes[solver % 4] << "\"/>\n";
    }
  }
  for (std::size_t solver = 0; solver < m_solvers.size(); ++solver) {
    const double y = kTop + kHeight + 56 + 18.0 * static_cast<double>(solver);
    out << "<path d=\"M" << kLeft << ' ' << y << "h36\" stroke-width=\"2\" stroke=\"" << kColours[solver % 8]
        << "\" stroke-dasharray=\"" << kDashes[solver % 4] << "\"/><text x=\"" << kLeft + 44 << "\" y=\""
        << y + 4 << "\">" << xmlText(m_solvers[solver]) << "</text>\n";
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace touchstone
