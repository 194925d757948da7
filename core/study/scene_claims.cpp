#include "core/study/scene_claims.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/text_forms.h"
#include "core/math/not_a_number.h"
#include "core/math/quantile.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

/// Most claims of a scene. A larger value lets a file slow down its runs; a smaller one refuses long lessons.
constexpr std::size_t kMostClaims = 100;

void readReduction(const JsonView& view, SceneClaim& claim) {
  const std::string reduction = view.at("reduce").oneOf({"max", "median", "end", "at"});
  claim.reduction = reduction == "max"      ? SceneClaim::Reduction::Max
                    : reduction == "median" ? SceneClaim::Reduction::Median
                    : reduction == "end"    ? SceneClaim::Reduction::End
                                            : SceneClaim::Reduction::AtTime;
  if (claim.reduction == SceneClaim::Reduction::AtTime)
    claim.time = view.at("time").nonNegative();
  else if (view.has("time"))
    view.at("time").fail("stands beside another reduce than \"at\"", "remove it or write \"reduce\": \"at\"");
}

/// Keys and units of the rows of verdicts.
std::vector<std::pair<std::string, std::string>> verdictKeys(bool planar) {
  PaneSummary summary;
  summary.planar = planar;
  summary.frozenFrom = 0;
  std::vector<std::pair<std::string, std::string>> keys;
  for (const VerdictRow& row : verdictOf({summary}).rows) keys.emplace_back(row.key, row.unit);
  return keys;
}

void readVerdictKey(const JsonView& view, const Scene& scene, SceneClaim& claim) {
  claim.reduction = SceneClaim::Reduction::Verdict;
  std::vector<std::string> known;
  for (const auto& [key, unit] : verdictKeys(scene.planar)) {
    known.push_back(key);
    if (key != claim.quantity) continue;
    claim.unit = unit;
    return;
  }
  const std::string nearest = nearestName(claim.quantity, known);
  view.at("quantity")
      .fail("'" + claim.quantity + "' is no row of the verdict, and no reduce is given",
            nearest.empty() ? "add reduce (max, median, end or at), or name a row"
                            : "add reduce, or did you mean '" + nearest + "'?");
}

void readQuantityKey(const JsonView& view, const Scene& scene, SceneClaim& claim) {
  if (const QuantityInfo* info = findQuantity(claim.quantity)) {
    claim.ofRecord = info->quantity;
    claim.unit = quantityInfo(info->quantity, scene.planar).unit;
    return;
  }
  try {
    claim.ofBodies = bodyQuantityOf(claim.quantity, scene);
  } catch (const std::invalid_argument& error) {
    std::vector<std::string> known;
    for (const QuantityInfo& info : quantityTable()) known.push_back(info.key);
    const std::string nearest = nearestName(claim.quantity, known);
    view.at("quantity")
        .fail(error.what(), nearest.empty() ? "or give the key of a column of quantities.csv"
                                            : "or did you mean '" + nearest + "'?");
  }
  claim.unit = unitOf(claim.ofBodies);
  if (view.has("component")) {
    const std::string component = view.at("component").oneOf({"x", "y", "z"});
    claim.component = component[0] - 'x';
  } else if (claim.ofBodies.kind == BodyQuantity::Kind::Position) {
    view.fail("has a position without component", "add \"component\": \"x\", \"y\" or \"z\"");
  }
}

void readComparison(const JsonView& view, SceneClaim& claim) {
  const std::string comparison = view.at("compare").oneOf({"<", ">", "within"});
  if (comparison == "within") {
    claim.comparison = SceneClaim::Comparison::Within;
    const std::vector<double> limits = view.at("value").numbers(2);
    if (limits.size() != 2 || !(limits[0] < limits[1]))
      view.at("value").fail("must be two ascending numbers", "give the lower and the upper limit");
    claim.value = limits[0];
    claim.upper = limits[1];
    return;
  }
  claim.comparison = comparison == "<" ? SceneClaim::Comparison::Less : SceneClaim::Comparison::Greater;
  claim.value = view.at("value").number();
}

SceneClaim readClaim(const JsonView& view, const Scene& scene) {
  view.requireObject();
  view.allowOnly({"text", "pane", "quantity", "component", "reduce", "time", "compare", "value"});
  SceneClaim claim;
  claim.text = view.at("text").text();
  claim.pane = view.at("pane").text();
  claim.quantity = view.at("quantity").text();
  if (view.has("reduce")) {
    readReduction(view, claim);
    readQuantityKey(view, scene, claim);
  } else {
    readVerdictKey(view, scene, claim);
  }
  if (view.has("component") && claim.ofBodies.body < 0 && claim.ofBodies.first.empty())
    view.at("component").fail("is given for a quantity without components", "remove it");
  readComparison(view, claim);
  return claim;
}

bool holds(const SceneClaim& claim, double value) {
  if (claim.comparison == SceneClaim::Comparison::Less) return value < claim.value;
  if (claim.comparison == SceneClaim::Comparison::Greater) return value > claim.value;
  return value >= claim.value && value <= claim.upper;
}

double valueIn(const SceneClaim& claim, const StepRecord& record) {
  if (claim.ofRecord != Quantity::Count) return record.quantities[claim.ofRecord];
  const Vec3 value = valueOf(claim.ofBodies, record);
  return claim.component < 0 ? value.norm() : value[claim.component];
}

}  // namespace

std::vector<SceneClaim> claimsOf(const Scene& scene) {
  const auto source = scene.sources.find(std::filesystem::path(scene.file).filename().string());
  if (source == scene.sources.end()) return {};
  const nlohmann::json document = parseJson(*source->second.bytes, scene.file);
  const JsonView root(document, scene.file, "add it; datasets/README.md describes the format");
  std::vector<SceneClaim> claims;
  if (!root.has("claims")) return claims;
  std::vector<PaneSettings> panes = panesFor({}, scene);
  for (PaneSettings& pane : panes) resolve(scene, pane);  // with the solver's name, as tables have it
  const std::vector<std::string> labels = paneLabels(scene, panes);
  for (const JsonView& claim : root.at("claims").items(kMostClaims)) {
    claims.push_back(readClaim(claim, scene));
    if (std::find(labels.begin(), labels.end(), claims.back().pane) == labels.end())
      claim.at("pane").fail("'" + claims.back().pane + "' is no pane of this scene",
                            "name one of its panes: " + listed(labels, " or "));
  }
  return claims;
}

ClaimMeter::ClaimMeter(std::vector<SceneClaim> claims)
    : m_claims(std::move(claims)), m_followed(m_claims.size(), Followed{kNaN, kNaN, kNaN, {}}) {}

bool ClaimMeter::needsContacts() const {
  return std::any_of(m_claims.begin(), m_claims.end(), [](const SceneClaim& claim) {
    return claim.ofBodies.kind == BodyQuantity::Kind::PairForce;
  });
}

void ClaimMeter::add(const std::string& pane, const StepRecord& record) {
  for (std::size_t index = 0; index < m_claims.size(); ++index) {
    const SceneClaim& claim = m_claims[index];
    if (claim.pane != pane || claim.reduction == SceneClaim::Reduction::Verdict) continue;
    Followed& followed = m_followed[index];
    const double value = valueIn(claim, record);
    followed.end = value;
    if (std::isnan(followed.largest) || value > followed.largest) followed.largest = value;
    if (claim.reduction == SceneClaim::Reduction::Median) followed.values.push_back(value);
    // The first frame that reaches the time, with rounding of the frame's time allowed for.
    if (std::isnan(followed.atTime) && record.time >= claim.time - 1e-9 * std::max(1.0, claim.time))
      followed.atTime = value;
  }
}

std::vector<SceneClaimResult> ClaimMeter::results(const VerdictTable& verdict) const {
  std::vector<SceneClaimResult> results;
  for (std::size_t index = 0; index < m_claims.size(); ++index) {
    SceneClaimResult result;
    result.claim = m_claims[index];
    const Followed& followed = m_followed[index];
    switch (result.claim.reduction) {
      case SceneClaim::Reduction::Verdict: {
        const auto pane = std::find(verdict.panes.begin(), verdict.panes.end(), result.claim.pane);
        for (const VerdictRow& row : verdict.rows)
          if (row.key == result.claim.quantity && pane != verdict.panes.end())
            result.value = row.values[pane - verdict.panes.begin()];
        break;
      }
      case SceneClaim::Reduction::Max:
        result.value = followed.largest;
        break;
      case SceneClaim::Reduction::Median:
        result.value = median(followed.values);
        break;
      case SceneClaim::Reduction::End:
        result.value = followed.end;
        break;
      case SceneClaim::Reduction::AtTime:
        result.value = followed.atTime;
        break;
    }
    if (!std::isnan(result.value))
      result.state = holds(result.claim, result.value) ? SceneClaimResult::State::Passes
                                                       : SceneClaimResult::State::Fails;
    results.push_back(std::move(result));
  }
  return results;
}

std::string claimNumber(const SceneClaimResult& result) {
  const SceneClaim& claim = result.claim;
  const std::string unit = claim.unit.empty() ? "" : " " + claim.unit;
  const std::string asked =
      claim.comparison == SceneClaim::Comparison::Within
          ? "within " + fourDigits(claim.value) + " to " + fourDigits(claim.upper)
          : (claim.comparison == SceneClaim::Comparison::Less ? "< " : "> ") + fourDigits(claim.value);
  const std::string number = std::isnan(result.value)   ? "not known"
                             : std::isinf(result.value) ? "never"
                                                        : fourDigits(result.value) + unit;
  return claim.quantity + " is " + number + ", claimed " + asked + unit;
}

std::string claimLines(const std::vector<SceneClaimResult>& results) {
  if (results.empty()) return {};
  std::string text = "\nClaims of the scene\n";
  for (const SceneClaimResult& result : results) {
    const char* state = result.state == SceneClaimResult::State::Passes  ? "  holds    "
                        : result.state == SceneClaimResult::State::Fails ? "  FAILS    "
                                                                         : "  not run  ";
    text += state + result.claim.text + " (" + result.claim.pane + ": " + claimNumber(result) + ")\n";
  }
  return text;
}

}  // namespace touchstone
