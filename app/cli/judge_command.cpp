#include "app/cli/judge_command.h"
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/cli/checks.h"
#include "app/cli/ensemble_command.h"
#include "app/cli/interrupt.h"
#include "app/cli/judge_column.h"
#include "app/cli/pane_options.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/files/listed.h"
#include "core/files/scene_error.h"
#include "core/files/sha256.h"
#include "core/files/text_forms.h"
#include "core/files/written_file.h"
#include "core/math/quantile.h"
#include "core/robot/scene_readers.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "core/store/csv.h"
#include "core/store/manifest.h"
#include "core/store/provenance.h"

namespace touchstone::cli {

namespace {

constexpr char kQuantities[] = "quantities.csv", kLaws[] = "laws.csv", kPairs[] = "pairs.csv",
               kDivergence[] = "divergence.csv", kSummary[] = "summary.txt";
constexpr char kFirstContact[] = "first-contact";

/// "KEY=REST", split; the key is empty if the text before = cannot be one.
std::pair<std::string, std::string> keyAndRest(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || !isTrajectoryKey(text.substr(0, equals))) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Numbers of a motion for the summary.
struct ColumnSums {
  double deepest = 0, deepestAt = 0;
  std::string deepestPair = "-";
  std::vector<double> depths, slips;  ///< of the samples, or of every second, fourth, …
  long seen = 0, spacing = 1;
  double drift = NAN, energyGain = NAN;
  SampleLaws worst{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

  void add(const StepRecord& record, const SampleLaws& laws, const Scene& scene) {
    for (const Overlap& overlap : record.overlaps)
      if (overlap.depth > deepest) {
        deepest = overlap.depth;
        deepestAt = record.time;
        deepestPair =
            "'" + scene.bodies[overlap.bodyA].name + "' and '" + scene.bodies[overlap.bodyB].name + "'";
      }
    drift = record.quantities[Quantity::EnergyDrift];
    if (!(energyGain >= drift)) energyGain = drift;
    const auto keep = [](double value, double& largest) {
      if (!std::isnan(value) && !(largest >= value)) largest = value;
    };
    keep(laws.slip, worst.slip);
    keep(laws.neededFree, worst.neededFree);
    keep(laws.neededFreeCouple, worst.neededFreeCouple);
    keep(laws.outsideCone, worst.outsideCone);
    keep(laws.outsideHull, worst.outsideHull);
    keep(laws.newton, worst.newton);
    keep(laws.euler, worst.euler);
    keep(laws.signorini, worst.signorini);
    keep(laws.coulomb, worst.coulomb);
    keep(laws.energyMade, worst.energyMade);
    // Samples that are kept for medians. More take memory; fewer make medians coarse.
    constexpr std::size_t kMost = 20'000;
    if (seen++ % spacing != 0) return;
    depths.push_back(record.quantities[Quantity::PenetrationMax]);
    slips.push_back(laws.slip);
    if (depths.size() < kMost) return;
    spacing *= 2;
    for (std::vector<double>* values : {&depths, &slips}) {
      for (std::size_t k = 0; 2 * k < values->size(); ++k) (*values)[k] = (*values)[2 * k];
      values->resize((values->size() + 1) / 2);
    }
  }
  /// Mean slip over the last fifth [m/s].
  double creep() const {
    double sum = 0;
    int count = 0;
    for (std::size_t k = slips.size() - slips.size() / 5; k < slips.size(); ++k)
      if (!std::isnan(slips[k])) {
        sum += slips[k];
        ++count;
      }
    return count > 0 ? sum / count : NAN;
  }
};

std::string shown(double value) { return std::isnan(value) ? "-" : fourDigits(value); }

/// A time, without the last digits of a sum of steps [s].
std::string timeText(double time) { return csvNumber(std::round(time * 1e9) / 1e9); }

/// The divergence of one motion from the reference.
struct Parting {
  double first[3] = {NAN, NAN, NAN};  ///< times of D > 10⁻⁶, 10⁻³, 10⁻¹ L [s]
  double largest = NAN, largestAt = NAN;
  std::string pair;  ///< whose first contacts differ, at the last of these times
};
constexpr double kShares[3] = {1e-6, 1e-3, 1e-1};

class Judge {
 public:
  explicit Judge(const JudgeOptions& options) : m_options(options) {
    m_scene = loadScene(resolveScene(options.scene));
    if (!options.names.empty()) m_names = readNames(*m_scene, options.names);
    addTrajectories();
    addContacts();
    addMethods();
    findReference();
    readShifts();
    if (m_columns.size() < 2 && (!options.reference.empty() || !options.shifts.empty()))
      throw std::invalid_argument(
          "judge: --reference and --shift have no effect on one motion; give another one, or leave them out");
    noteInterrupts();
    if (options.out.empty()) return;
    m_folder = std::make_unique<ResultFolder>(
        options.out, options.force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
        std::vector<std::string>{kQuantities, kLaws, kPairs, kDivergence, kSummary});
  }

  void measure() {
    if (m_folder) {
      if (!m_folder->hadResults()) m_folder->announce(manifestOf(kUnfinished));
      m_quantities = std::make_unique<GrowingFile>(m_folder->path(kQuantities));
      m_quantities->add(quantityHeader(m_scene->planar));
      m_laws = std::make_unique<GrowingFile>(m_folder->path(kLaws));
      m_laws->add(lawsHeader());
    }
    m_sums.resize(m_columns.size());
    double until = 0;
    for (std::size_t index = 0; index < m_columns.size(); ++index) {
      JudgedColumn& column = m_columns[index];
      const auto tell = [&](const StepRecord& record, const SampleLaws& laws) {
        m_sums[index].add(record, laws, *m_scene);
        if (!m_quantities) return;
        m_quantityLines += quantityLines(record, column.label());
        m_lawLines += lawsLine(record.time, column.label(), laws);
        flush(std::size_t(1) << 16);
      };
      if (column.isOurs())
        runColumn(m_scene, until, m_options.secondsPerFrame, column, tell);
      else
        measureColumn(m_scene, optionsOf(column), column, tell);
      until = std::max(until, column.last);
    }
    if (m_quantities) flush(0);
  }

  void compare() {
    alignFirstContacts();
    if (m_folder) {
      m_divergence = std::make_unique<GrowingFile>(m_folder->path(kDivergence));
      m_divergence->add("time_s,a,b,D_m,D_over_L,A_rad,worst_body\n");
    }
    m_partings.resize(m_columns.size());
    for (std::size_t other = 0; other < m_columns.size(); ++other)
      if (other != m_reference) compareWith(other);
  }

  void finish() {
    const std::string summary = summaryText();
    if (m_folder) {
      if (m_folder->hadResults()) m_folder->announce(manifestOf(kUnfinished));  // while files are replaced
      m_quantities->finish();
      m_laws->finish();
      m_divergence->finish();
      writeWhole(m_folder->path(kPairs), [&](std::ostream& out) { out << pairsText(); });
      writeWhole(m_folder->path(kSummary), [&](std::ostream& out) { out << printable(summary); });
      m_folder->finish(manifestOf(kComplete), {kQuantities, kLaws, kPairs, kDivergence, kSummary});
    }
    std::cout << summary;
    if (m_folder) std::cout << "Written to " << m_options.out << "\n";
  }

  /// After bad input there are no results.
  void discard() {
    m_quantities.reset();
    m_laws.reset();
    m_divergence.reset();
    if (!m_folder || m_folder->hadResults()) return;
    std::error_code ignored;
    for (const char* name : {kQuantities, kLaws, kDivergence, kManifest})
      std::filesystem::remove(m_folder->path(name), ignored);
  }

 private:
  TrajectoryOptions optionsOf(const JudgedColumn& column) const {
    TrajectoryOptions options;
    options.key = column.key;
    options.names = m_names;
    options.contacts = column.contacts;
    options.missing =
        m_options.missing == "skip" ? TrajectoryOptions::Missing::Skip : TrajectoryOptions::Missing::Error;
    return options;
  }

  std::string keys() const {
    return listed(m_columns, ", ", [](const JudgedColumn& column) { return column.key; });
  }

  void add(JudgedColumn column) {
    for (const JudgedColumn& other : m_columns)
      if (other.key == column.key)
        throw std::invalid_argument("judge: two motions have the key '" + column.key +
                                    "'; give them different ones, as KEY=FILE");
    m_columns.push_back(std::move(column));
  }

  void addTrajectories() {
    for (const std::string& text : m_options.trajectories) {
      auto [key, path] = keyAndRest(text);
      if (std::filesystem::exists(text)) {  // a path with =
        key.clear();
        path = text;
      }
      JudgedColumn column;
      column.path = path;
      TrajectoryOptions options;
      options.key = key;
      column.key = TrajectoryReader(m_scene, path, options).key();
      add(std::move(column));
    }
  }

  void addContacts() {
    for (const std::string& text : m_options.contacts) {
      const auto [key, path] = keyAndRest(text);
      if (key.empty()) throw std::invalid_argument("--contacts " + text + ": is not of the form KEY=FILE");
      column("--contacts", key).contacts = path;
    }
  }

  void addMethods() {
    if (m_options.methods.empty()) return;
    const std::vector<PaneSettings> panes = panesOf({m_options.methods}, *m_scene);
    const std::vector<std::string> labels = paneLabels(*m_scene, panes);
    for (std::size_t index = 0; index < panes.size(); ++index) {
      JudgedColumn column;
      column.key = labels[index];
      column.pane = panes[index];
      add(std::move(column));
    }
  }

  JudgedColumn& column(const std::string& option, const std::string& key) {
    for (JudgedColumn& column : m_columns)
      if (column.key == key) return column;
    throw std::invalid_argument(option + " " + key + ": is no key here; the keys are " + keys());
  }

  void findReference() {
    if (m_options.reference.empty()) return;
    m_reference = &column("--reference", m_options.reference) - m_columns.data();
  }

  void readShifts() {
    for (const std::string& text : m_options.shifts) {
      const auto [key, rest] = keyAndRest(text);
      if (text == kFirstContact || rest == kFirstContact) {
        for (JudgedColumn& shifted : m_columns)
          if (key.empty() || &shifted == &column("--shift", key)) m_aligned.push_back(shifted.key);
        continue;
      }
      char* end = nullptr;
      const double shift = std::strtod(rest.c_str(), &end);
      if (key.empty() || rest.empty() || *end != '\0' || !std::isfinite(shift))
        throw std::invalid_argument("--shift " + text +
                                    ": is not of the form KEY=SECONDS, KEY=first-contact or first-contact");
      column("--shift", key).shift = shift;
    }
  }

  void flush(std::size_t least) {
    if (m_quantityLines.size() < least) return;
    m_quantities->add(m_quantityLines);
    m_laws->add(m_lawLines);
    m_quantityLines.clear();
    m_lawLines.clear();
  }

  void alignFirstContacts() {
    const JudgedColumn& reference = m_columns[m_reference];
    const double first = earliestOf(reference.firstContacts) + reference.shift;
    for (const std::string& key : m_aligned) {
      JudgedColumn& aligned = column("--shift", key);
      if (&aligned == &reference) continue;
      const double contact = earliestOf(aligned.firstContacts);
      if (std::isnan(first) || std::isnan(contact))
        throw std::invalid_argument("--shift first-contact: nothing touches in '" +
                                    (std::isnan(first) ? reference.key : key) +
                                    "'; give --shift KEY=SECONDS");
      aligned.shift = first - contact;
    }
  }

  void compareWith(std::size_t index) {
    const JudgedColumn &reference = m_columns[m_reference], &other = m_columns[index];
    const double begin = std::max(reference.first + reference.shift, other.first + other.shift),
                 end = std::min(reference.last + reference.shift, other.last + other.shift);
    const std::string noTime = "has no frame of the scene in common with '" + reference.key + "' (" +
                               timeText(reference.first + reference.shift) + " to " +
                               timeText(reference.last + reference.shift) + " s)";
    const std::string& file = other.isOurs() ? reference.path : other.path;
    const double dt = m_scene->dt, slack = 1e-6;                    // of a frame: times are sums
    const double firstFrame = std::ceil(begin / dt - slack) + 0.0;  // -0 becomes 0
    if (firstFrame * dt > end + slack * dt)
      throw SceneError(file, "", noTime,
                       "give trajectories of the same times, or --shift " + other.key + "=SECONDS");
    const auto a = statesOf(m_scene, optionsOf(reference), reference),
               b = statesOf(m_scene, optionsOf(other), other);
    const double length = medianDiameter(*m_scene);
    Parting& parting = m_partings[index];
    std::string lines;
    double partedAt = NAN;
    for (double frame = firstFrame; frame * dt <= end + slack * dt; ++frame) {
      throwIfInterrupted();
      const double time = std::clamp(frame * dt, begin, end);
      const std::vector<BodyState>*statesA = a->at(time), *statesB = b->at(time);
      if (!statesA || !statesB) break;
      const Divergence apart = divergenceOf(*m_scene, *statesA, *statesB);
      if (!(parting.largest >= apart.distance) && !std::isnan(apart.distance)) {
        parting.largest = apart.distance;
        parting.largestAt = time;
      }
      for (int k = 0; k < 3; ++k)
        if (std::isnan(parting.first[k]) && apart.distance > kShares[k] * length) {
          parting.first[k] = partedAt = time;
        }
      if (!m_divergence) continue;
      lines += csvNumber(frame * dt) + ',' + csvText(reference.label()) + ',' + csvText(other.label()) + ',' +
               csvNumber(apart.distance) + ',' + csvNumber(apart.distance / length) + ',' +
               csvNumber(apart.angle) + ',' + (apart.worst < 0 ? "" : csvText(nameOf(apart.worst))) + '\n';
      if (lines.size() < std::size_t(1) << 16) continue;
      m_divergence->add(lines);
      lines.clear();
    }
    if (m_divergence) m_divergence->add(lines);
    if (std::isnan(partedAt)) return;
    const std::pair<int, int> pair =
        partedPair(reference.firstContacts, other.firstContacts, other.shift - reference.shift,
                   partedAt - reference.shift, dt);
    if (pair.first >= 0) parting.pair = "'" + nameOf(pair.first) + "' and '" + nameOf(pair.second) + "'";
  }

  const std::string& nameOf(int body) const { return m_scene->bodies[body].name; }

  std::string passedText(const JudgedColumn& column) const {
    if (column.passages.empty()) return "-";
    const auto first = std::min_element(column.passages.begin(), column.passages.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::size_t more = column.passages.size() - 1;
    return "'" + nameOf(first->first.first) + "' and '" + nameOf(first->first.second) + "' until " +
           timeText(first->second) + " s" + (more > 0 ? ", and " + std::to_string(more) + " more pairs" : "");
  }

  std::string summaryText() const {
    std::string text = "Scene " + m_scene->name + ", " + std::to_string(m_columns.size()) + " motions\n";
    bool isAnyDerived = false;
    for (std::size_t index = 0; index < m_columns.size(); ++index) {
      const JudgedColumn& column = m_columns[index];
      const ColumnSums& sums = m_sums[index];
      isAnyDerived = isAnyDerived || column.linearDerived || column.angularDerived;
      const auto row = [&text](const std::string& name, const std::string& value) {
        text += "  " + name +
                std::string(std::max<std::size_t>(1, 46 - std::min<std::size_t>(45, name.size())), ' ') +
                value + "\n";
      };
      text += "\n" + column.label() + (column.isOurs() ? "" : ": " + column.path) + "\n";
      if (!column.header.engine.empty()) row("engine", column.header.engine);
      row("samples, from and to [s]",
          std::to_string(column.samples) + ", " + timeText(column.first) + " to " + timeText(column.last));
      row("deepest penetration [m]",
          shown(sums.deepest) +
              (sums.deepest > 0 ? " of " + sums.deepestPair + " at " + timeText(sums.deepestAt) + " s" : ""));
      row("median of the deepest penetration [m]", shown(median(sums.depths)));
      row("passed through between samples", passedText(column));
      const BeliefSums& belief = column.belief;
      if (belief.replaced > 0)
        row("velocities from poses, which contradict them",
            std::to_string(belief.replaced) + " of " + std::to_string(belief.velocities));
      if (belief.correctedBody >= 0)
        row("largest correction of positions [m]", shown(belief.correction) + " of '" +
                                                       nameOf(belief.correctedBody) + "' at " +
                                                       timeText(belief.correctedAt) + " s");
      row("energy change at the end; largest [J]", shown(sums.drift) + "; " + shown(sums.energyGain));
      row("slip, largest; mean of the last fifth [m/s]", shown(sums.worst.slip) + "; " + shown(sums.creep()));
      row("impulse on groups that touch nothing [N s]", shown(sums.worst.neededFree));
      row("couple on groups that touch nothing [N m s]", shown(sums.worst.neededFreeCouple));
      row("impulse outside the friction cone [N s]", shown(sums.worst.outsideCone));
      row("foot of the impulse outside contact [m]", shown(sums.worst.outsideHull));
      if (column.contactsComplete) {
        row("Newton, Euler residual [N s, N m s]", shown(sums.worst.newton) + ", " + shown(sums.worst.euler));
        row("Signorini, Coulomb residual [m/s]",
            shown(sums.worst.signorini) + ", " + shown(sums.worst.coulomb));
        row("energy that a contact made [J]", shown(sums.worst.energyMade));
      }
      if (column.hasContacts && !column.contactsComplete)
        row("contacts", "samples: forces, errors of momenta and residuals of laws are not known");
      if (!column.missing.empty()) row("left out of all sums", "'" + listed(column.missing, "', '") + "'");
      for (const std::string& warning : column.warnings) text += "  Warning: " + warning + "\n";
    }
    if (isAnyDerived)
      text += "\n~ velocities are differences of poses: they smear an impact over two intervals\n";
    return text + partingText();
  }

  std::string partingText() const {
    if (m_columns.size() < 2) return {};
    const JudgedColumn& reference = m_columns[m_reference];
    std::string text =
        "\nApart from " + reference.key + ", L = " + fourDigits(medianDiameter(*m_scene)) + " m\n";
    for (std::size_t index = 0; index < m_columns.size(); ++index) {
      if (index == m_reference) continue;
      const Parting& parting = m_partings[index];
      text += "  " + m_columns[index].label() + ": D > 1e-6, 1e-3, 1e-1 L at ";
      for (int k = 0; k < 3; ++k) text += (k > 0 ? ", " : "") + shown(parting.first[k]);
      text += " s; largest " + shown(parting.largest) + " m at " + shown(parting.largestAt) + " s";
      if (!parting.pair.empty()) text += "; first contact differs of " + parting.pair;
      if (m_columns[index].shift != 0) text += "; shifted by " + csvNumber(m_columns[index].shift) + " s";
      text += "\n";
    }
    return text;
  }

  std::string pairsText() const {
    std::string text = "pane,body_a,body_b,first_contact_s,least_gap_m,at_s\n";
    for (const JudgedColumn& column : m_columns)
      for (const auto& [pair, extreme] : column.pairs)
        text += csvText(column.label()) + ',' + csvText(nameOf(pair.first)) + ',' +
                csvText(nameOf(pair.second)) + ',' + csvNumber(column.firstContacts.at(pair)) + ',' +
                csvNumber(extreme.leastGap) + ',' + csvNumber(extreme.time) + '\n';
    return text;
  }

  nlohmann::ordered_json manifestOf(const std::string& end) const {
    nlohmann::ordered_json json;
    json["touchstone_judge"] = 1;
    double until = 0;
    for (const JudgedColumn& column : m_columns) until = std::max(until, column.last);
    json.update(provenanceOfRun(*m_scene, m_scene->dt, until, m_options.commandLine));
    if (!m_options.names.empty())
      json["names"] = {{"file", m_options.names}, {"sha256", sha256OfFile(m_options.names)}};
    json["end"] = end;
    json["reference"] = m_columns[m_reference].key;
    for (const JudgedColumn& column : m_columns)
      json["motions"].push_back(motionJson(column, end == kComplete));
    return json;
  }

  /// @param isWhole  with hashes, which take time of long files
  nlohmann::ordered_json motionJson(const JudgedColumn& column, bool isWhole) const {
    nlohmann::ordered_json json;
    json["key"] = column.key;
    if (column.isOurs()) {
      json["pane"] = toJson(column.pane);
    } else {
      const TrajectoryHeader& header = column.header;
      json["file"] = column.path;
      if (isWhole) json["sha256"] = sha256OfFile(column.path);
      json["header"] = {{"scene", header.scene},
                        {"scene_sha256", header.sceneHash},
                        {"engine", header.engine},
                        {"length", header.length.empty() ? "m" : header.length},
                        {"up", header.isZUp ? "z" : "y"},
                        {"frame", header.isOfOrigin ? "origin" : "com"},
                        {"omega", header.isOmegaOfBody ? "body" : "world"},
                        {"step_s", header.step}};
      if (column.hasContacts && isWhole)
        json["contacts"] = {{"file", column.contacts},
                            {"sha256", sha256OfFile(column.contacts)},
                            {"complete", column.contactsComplete}};
      json["derived"] = nlohmann::ordered_json::array();
      if (column.linearDerived) json["derived"].push_back("linear velocities");
      if (column.angularDerived) json["derived"].push_back("angular velocities");
      json["rows"] = column.rows;
    }
    json["samples"] = column.samples;
    json["from_s"] = column.first;
    json["to_s"] = column.last;
    json["shift_s"] = column.shift;
    json["passed_through"] = nlohmann::ordered_json::array();
    for (const auto& [pair, time] : column.passages)
      json["passed_through"].push_back(
          {{"a", nameOf(pair.first)}, {"b", nameOf(pair.second)}, {"until_s", time}});
    json["velocities_from_poses"] = column.belief.replaced;
    json["largest_correction_m"] = column.belief.correction;
    json["left_out"] = column.missing;
    json["warnings"] = column.warnings;
    return json;
  }

  const JudgeOptions& m_options;
  std::shared_ptr<const Scene> m_scene;
  std::map<std::string, std::string> m_names;
  std::vector<JudgedColumn> m_columns;
  std::vector<ColumnSums> m_sums;
  std::vector<Parting> m_partings;
  std::size_t m_reference = 0;
  std::vector<std::string> m_aligned;  ///< keys to shift to the first contact of the reference
  std::unique_ptr<ResultFolder> m_folder;
  std::unique_ptr<GrowingFile> m_quantities, m_laws, m_divergence;
  std::string m_quantityLines, m_lawLines;
};

/// Copies of engines, as the command `ensemble` compares them.
int judgeEnsembles(const JudgeOptions& options) {
  const std::pair<const char*, bool> others[] = {
      {"FILE", !options.trajectories.empty()},     {"--contacts", !options.contacts.empty()},
      {"--reference", !options.reference.empty()}, {"--shift", !options.shifts.empty()},
      {"--names", !options.names.empty()},         {"--missing skip", options.missing != "error"}};
  for (const auto& [name, isGiven] : others)
    if (isGiven)
      throw std::invalid_argument(std::string("judge: --ensemble goes without ") + name +
                                  "; its folders have the motions of copies, with the names of the scene");
  EnsembleOptions ensemble;
  ensemble.scene = options.scene;
  ensemble.engines = options.ensembles;
  ensemble.methods = options.methods;
  ensemble.quantities =
      options.quantities.empty() ? std::vector<std::string>{"mean_height"} : options.quantities;
  ensemble.margins = options.margins;
  ensemble.secondsPerFrame = options.secondsPerFrame;
  ensemble.out = options.out;
  ensemble.force = options.force;
  ensemble.commandLine = options.commandLine;
  return touchstone::cli::ensemble(ensemble);
}

}  // namespace

int judge(const JudgeOptions& options) {
  if (!options.ensembles.empty()) return judgeEnsembles(options);
  if (options.trajectories.empty())
    throw std::invalid_argument("judge: no motion; give [KEY=]FILE, or --ensemble KEY=FOLDER");
  if (!options.quantities.empty() || !options.margins.empty())
    throw std::invalid_argument(
        "judge: --quantity and --margin are of ensembles; give --ensemble KEY=FOLDER");
  Judge judge(options);
  try {
    judge.measure();
    judge.compare();
  } catch (...) {
    judge.discard();
    throw;
  }
  judge.finish();
  return kDone;
}

Declared declareJudge(CLI::App& command, const CommandLine& line) {
  const auto options = std::make_shared<JudgeOptions>();
  options->commandLine = line.called;
  command.add_option("scene", options->scene, "scene file, or the name of a shipped scene")->required();
  command.add_option("trajectories", options->trajectories, "[KEY=]FILE, see the guide: Trajectories");
  command
      .add_option("--ensemble", options->ensembles,
                  "KEY=FOLDER: trajectories of copies, which are compared as `ensemble` does; repeatable")
      ->allow_extra_args(false);
  command.add_option("--quantity", options->quantities, "of ensembles: mean_height, body_height:NAME, …")
      ->allow_extra_args(false);
  command.add_option("--margin", options->margins, "of ensembles: Q=2% or Q=0.005")->allow_extra_args(false);
  command.add_option("--contacts", options->contacts, "KEY=FILE: contacts of a trajectory; repeatable")
      ->allow_extra_args(false);
  command.add_option("--methods", options->methods, "run these beside them, for example cpf,lcp")
      ->delimiter(',');
  addSecondsPerFrame(command, options->secondsPerFrame);
  command.add_option("--reference", options->reference, "KEY that the others are compared with; the first");
  command
      .add_option("--shift", options->shifts,
                  "KEY=SECONDS, added to its times where motions are compared, or first-contact; repeatable")
      ->allow_extra_args(false);
  command.add_option("--names", options->names, "file with rows theirs,ours");
  command.add_option("--missing", options->missing, "dynamic bodies without rows: error or skip")
      ->check(CLI::IsMember({"error", "skip"}));
  command.add_option("--out", options->out,
                     "folder for quantities.csv, laws.csv, pairs.csv, divergence.csv, summary.txt and "
                     "manifest.json");
  command.add_flag("--force", options->force, "replace earlier results in --out; never other files");
  return [&command, options] {
    refuseIdle(
        command,
        {{"--force", {"--out"}}, {"--missing", {}, {"--ensemble"}}, {kSecondsPerFrame, {"--methods"}}});
    return judge(*options);
  };
}

}  // namespace touchstone::cli
