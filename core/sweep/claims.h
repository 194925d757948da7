#pragma once

#include <string>
#include <vector>

#include "core/sweep/published_values.h"

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

/// What a study has said of a claim, from the files of its folder.
struct ClaimResult {
  std::string id;           ///< of the claim
  std::string disposition;  ///< "reproduced", "holds for …", "contradicted", "not judged", "not testable"
  std::string ours;         ///< the acceptance's sentence with our numbers; or the reason
  std::string control;      ///< "turned", "not turned", "none"
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

/// What is wrong with results: claims without one, studies and scenes that have changed since, controls that
/// did not turn. One sentence each; none: all is well.
/// @param datasets  folder with studies/ and scenes/
std::vector<std::string> faultsOf(const std::vector<PublishedClaim>& claims,
                                  const std::vector<ClaimResult>& results, const std::string& datasets);

}  // namespace touchstone
