#pragma once

#include <string>
#include <vector>

#include "core/study/published_values.h"

namespace touchstone {

/// A claim of a paper: what judges it, or why nothing can.
struct PublishedClaim {
  std::string id, paper, where;  ///< where: figure, table or section
  std::string published;         ///< id of PublishedValues; empty: none
  std::string claim;             ///< in words
  std::string study, accept;     ///< the study and its acceptance
  std::string untestable;        ///< why it is not judged, in the place of study and acceptance
};
/// Reads a manifest of claims (JSON, "touchstone_claims": 1).   @throws SceneError with file, field and
/// remedy
std::vector<PublishedClaim> loadClaims(const std::string& file, const PublishedValues& published);

/// Result of a study for a claim, from the files of its folder.
struct ClaimResult {
  std::string id;           ///< of the claim
  std::string disposition;  ///< "reproduced", "holds for …", "contradicted", "not judged", "not testable"
  std::string ours;         ///< the acceptance's sentence with our numbers; or the reason
  std::string control;      ///< "turned", "not turned", "none", "cannot be made"
  std::string perturbed;    ///< what the control perturbs, in words
  std::string study, studyHash, command, program;
  std::string scene;  ///< "name hash, name hash": files of its scenes
  bool isQuick = false;
};
/// Results of all claims from a folder with a folder for each study (`study --all`).
/// @throws SceneError for files that no study wrote
std::vector<ClaimResult> claimResults(const std::vector<PublishedClaim>& claims, const std::string& folder);

/// Results as JSON ("touchstone_claim_results": 1), and back.
std::string textOf(const std::vector<ClaimResult>& results);
std::vector<ClaimResult> readClaimResults(const std::string& file);

/// Most claims that may stay without a judgement because no control can be made for them.
inline constexpr std::size_t kMostWithoutControl = 10;

/// Number of verdicts that a perturbed program turns, and of all verdicts.
struct TurnedVerdicts {
  std::size_t turned = 0, count = 0;
};
TurnedVerdicts turnedOf(const std::vector<ClaimResult>& results);

/// Faults of results: claims without one, studies and scenes that have changed since, verdicts
/// without a control or with one that did not turn. One sentence each; none: all is well.
/// @param datasets  folder with studies/ and scenes/
std::vector<std::string> faultsOf(const std::vector<PublishedClaim>& claims,
                                  const std::vector<ClaimResult>& results, const std::string& datasets);

}  // namespace touchstone
