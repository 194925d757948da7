#include "core/study/claims.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "core/files/file_bytes.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/text_forms.h"

namespace touchstone {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Most claims of a manifest, and members of a verdict. More take long to read; fewer refuse a rich field.
constexpr std::size_t kMost = 10'000;
constexpr char kGuide[] = "run `touchstone-cli study` again, which writes it";
constexpr char kNotJudged[] = "not judged", kNotTestable[] = "not testable";
constexpr char kTurned[] = "turned", kNotTurned[] = "not turned", kNone[] = "none",
               kCannotBeMade[] = "cannot be made";

ClaimResult resultOf(const PublishedClaim& claim, const std::string& folder) {
  ClaimResult result;
  result.id = claim.id;
  result.control = kNone;
  if (!claim.untestable.empty()) {
    result.disposition = kNotTestable;
    result.ours = claim.untestable;
    return result;
  }
  result.study = claim.study;
  result.disposition = kNotJudged;
  const std::string verdict = (fs::path(folder) / claim.study / "verdict.json").string();
  std::error_code ignored;
  if (!fs::is_regular_file(verdict, ignored)) {
    result.ours = "its study has not been run";
    return result;
  }
  const nlohmann::json document = readJson(verdict, kGuide);
  const JsonView root(document, verdict, kGuide);
  root.allowOnly({"touchstone_study_verdict", "study", "study_hash", "quick", "program", "command", "scene",
                  "numbers", "accept"});
  root.at("touchstone_study_verdict").integer(1, 1);
  if (root.at("study").text() != claim.study)
    root.at("study").fail("is another study", "put each study into the folder of its name");
  result.studyHash = root.at("study_hash").text();
  result.scene = root.textOr("scene", "");
  result.command = root.textOr("command", "");
  result.program = root.at("program").text();
  result.isQuick = root.at("quick").boolean();
  for (const JsonView& entry : root.at("accept").items(kMost)) {
    entry.allowOnly(
        {"id", "disposition", "variant", "claim", "because", "without_control", "control", "control_turned"});
    if (entry.at("id").text() != claim.accept) continue;
    result.disposition = entry.at("disposition").text();
    if (entry.has("variant")) result.disposition = "holds for " + entry.at("variant").text();
    result.ours = entry.at("claim").text();
    if (entry.has("because")) result.ours += ". " + entry.at("because").text();
    if (!entry.textOr("without_control", "").empty()) result.control = kCannotBeMade;
    if (entry.has("control_turned") && result.disposition != kNotJudged) {
      result.control = entry.at("control_turned").boolean() ? kTurned : kNotTurned;
      result.perturbed = entry.textOr("control", "");
    }
    return result;
  }
  result.ours = "its study has no acceptance " + claim.accept;
  return result;
}

}  // namespace

std::vector<PublishedClaim> loadClaims(const std::string& file, const PublishedValues& published) {
  const nlohmann::json document = readJson(file, "it is shipped with the datasets");
  const JsonView root(document, file, "add it; datasets/README.md describes the file");
  root.allowOnly({"touchstone_claims", "note", "claims"});
  root.at("touchstone_claims").integer(1, 1);
  std::vector<PublishedClaim> claims;
  std::set<std::string> ids;
  for (const JsonView& view : root.at("claims").items(kMost)) {
    view.allowOnly({"id", "paper", "where", "published", "claim", "study", "accept", "untestable"});
    PublishedClaim claim;
    claim.id = view.at("id").text();
    if (!ids.insert(claim.id).second) view.at("id").fail("is used twice", "rename one");
    claim.paper = view.at("paper").text();
    claim.where = view.at("where").text();
    claim.claim = view.at("claim").text();
    claim.published = view.textOr("published", "");
    if (!claim.published.empty() && !published.find(claim.published))
      view.at("published").fail("is no published figure", "datasets/published.json has them");
    claim.untestable = view.textOr("untestable", "");
    if (claim.untestable.empty() == !view.has("study"))
      view.at("study").fail("and untestable stand in one claim", "give one of the two");
    if (view.has("accept") && !view.has("study"))
      view.at("accept").fail("has no effect without a study", "give its study, or remove it");
    if (view.has("study")) {
      claim.study = view.at("study").text();
      claim.accept = view.at("accept").text();
      if (!isPlainName(claim.study))
        view.at("study").fail("is no name of a study", "as study --list names it");
    }
    claims.push_back(claim);
  }
  return claims;
}

std::vector<ClaimResult> claimResults(const std::vector<PublishedClaim>& claims, const std::string& folder) {
  std::vector<ClaimResult> results;
  for (const PublishedClaim& claim : claims) results.push_back(resultOf(claim, folder));
  return results;
}

std::string textOf(const std::vector<ClaimResult>& results) {
  Json json{{"touchstone_claim_results", 1}, {"results", Json::array()}};
  for (const ClaimResult& claim : results) {
    Json entry{{"id", claim.id},
               {"disposition", claim.disposition},
               {"ours", claim.ours},
               {"control", claim.control}};
    if (!claim.perturbed.empty()) entry["perturbed"] = claim.perturbed;
    if (!claim.study.empty())
      entry.update(Json{{"study", claim.study},
                        {"study_hash", claim.studyHash},
                        {"scene", claim.scene},
                        {"command", claim.command},
                        {"program", claim.program},
                        {"quick", claim.isQuick}});
    json["results"].push_back(entry);
  }
  return json.dump(1) + "\n";
}

std::vector<ClaimResult> readClaimResults(const std::string& file) {
  const nlohmann::json document = readJson(file, "touchstone-cli claims --from FOLDER --write FILE makes it");
  const JsonView root(document, file, "touchstone-cli claims --from FOLDER --write FILE makes it");
  root.allowOnly({"touchstone_claim_results", "results"});
  root.at("touchstone_claim_results").integer(1, 1);
  std::vector<ClaimResult> results;
  for (const JsonView& view : root.at("results").items(kMost)) {
    view.allowOnly({"id", "disposition", "ours", "control", "perturbed", "study", "study_hash", "scene",
                    "command", "program", "quick"});
    ClaimResult result;
    result.id = view.at("id").text();
    result.disposition = view.at("disposition").text();
    result.ours = view.at("ours").text();
    result.control = view.at("control").text();
    result.perturbed = view.textOr("perturbed", "");
    result.study = view.textOr("study", "");
    result.studyHash = view.textOr("study_hash", "");
    result.scene = view.textOr("scene", "");
    result.command = view.textOr("command", "");
    result.program = view.textOr("program", "");
    if (view.has("quick")) result.isQuick = view.at("quick").boolean();
    results.push_back(result);
  }
  return results;
}

TurnedVerdicts turnedOf(const std::vector<ClaimResult>& results) {
  TurnedVerdicts verdicts;
  for (const ClaimResult& claim : results) {
    if (claim.disposition == kNotJudged || claim.disposition == kNotTestable) continue;
    ++verdicts.count;
    verdicts.turned += claim.control == kTurned;
  }
  return verdicts;
}

std::vector<std::string> faultsOf(const std::vector<PublishedClaim>& claims,
                                  const std::vector<ClaimResult>& results, const std::string& datasets) {
  std::vector<std::string> faults;
  std::set<std::string> staleStudies;
  std::size_t withoutControl = 0;
  for (const PublishedClaim& claim : claims) {
    const auto found = std::find_if(results.begin(), results.end(), [&claim](const ClaimResult& candidate) {
      return candidate.id == claim.id;
    });
    if (found == results.end()) {
      faults.push_back(claim.id + ": has no result");
      continue;
    }
    const bool isJudged = found->disposition != kNotJudged && found->disposition != kNotTestable;
    if (found->control == kCannotBeMade)
      ++withoutControl;
    else if (found->disposition == kNotJudged)
      faults.push_back(claim.id + ": is not judged: " + found->ours);
    if (isJudged && found->control == kNone)
      faults.push_back(claim.id + ": is judged without a control; its study's acceptance needs one");
    if (found->control == kNotTurned)
      faults.push_back(claim.id + ": no perturbed program turns its verdict, so that it cannot fail");
    if (claim.study.empty()) continue;
    const std::string file = (fs::path(datasets) / "studies" / (claim.study + ".json")).string();
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
      faults.push_back(claim.id + ": there is no study " + claim.study);
    else if (!found->studyHash.empty() && hashOf(readFile(file, kGuide)) != found->studyHash &&
             staleStudies.insert(claim.study).second)
      faults.push_back("study " + claim.study + " has changed since its result; run it again");
    // "name hash, name hash" of the scenes of the study.
    std::istringstream scenes(found->scene);
    for (std::string sceneEntry; std::getline(scenes >> std::ws, sceneEntry, ',');) {
      const std::size_t space = sceneEntry.rfind(' ');
      if (space == std::string::npos) continue;
      for (const char* folder : {"scenes", "studies/scenes"}) {
        const fs::path scene = fs::path(datasets) / folder / sceneEntry.substr(0, space);
        if (fs::is_regular_file(scene, ignored) &&
            hashOf(readFile(scene.string(), kGuide)) != sceneEntry.substr(space + 1) &&
            staleStudies.insert(claim.study + sceneEntry).second)
          faults.push_back("scene " + scene.filename().string() + " has changed since the result of study " +
                           claim.study + "; run it again");
      }
    }
  }
  if (withoutControl > kMostWithoutControl)
    faults.push_back(std::to_string(withoutControl) + " claims have no control, of which " +
                     std::to_string(kMostWithoutControl) + " are allowed; make controls for the others");
  return faults;
}

}  // namespace touchstone
