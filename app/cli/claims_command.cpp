#include "app/cli/claims_command.h"
#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "app/cli/checks.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "core/files/scene_error.h"
#include "core/files/written_file.h"
#include "core/store/provenance.h"
#include "core/study/claims.h"

namespace touchstone::cli {

namespace fs = std::filesystem;

namespace {

bool holdsResults(const std::string& file) {
  try {
    readClaimResults(file);
    return true;
  } catch (const SceneError&) {
    return false;
  }
}

}  // namespace

int claims(const ClaimsOptions& options) {
  const fs::path datasets = datasetsFolder();
  const PublishedValues published((datasets / "published.json").string());
  const std::vector<PublishedClaim> claims = loadClaims((datasets / "claims.json").string(), published);
  const std::string shipped = (datasets / "claim-results.json").string();
  const std::vector<ClaimResult> results =
      options.from.empty() ? readClaimResults(shipped) : claimResults(claims, options.from);
  std::map<std::string, long> counts;
  for (const PublishedClaim& claim : claims)
    for (const ClaimResult& result : results) {
      if (result.id != claim.id) continue;
      const bool isVariant = result.disposition.rfind("holds for", 0) == 0;
      ++counts[isVariant ? "holds for a variant" : result.disposition];
      std::cout << claim.id << "  (" << published.paper(claim.paper) << ", " << claim.where
                << ")\n  claim: " << claim.claim << "\n  " << result.disposition << ": " << result.ours
                << '\n';
      if (!result.study.empty())
        std::cout << "  study " << result.study << (result.isQuick ? ", quick" : "") << "; scene "
                  << (result.scene.empty() ? "none" : result.scene) << "; control " << result.control
                  << (result.perturbed.empty() ? "" : " (" + result.perturbed + ")") << '\n';
    }
  std::cout << '\n' << claims.size() << " claims";
  for (const auto& [disposition, count] : counts) std::cout << "; " << count << ' ' << disposition;
  const TurnedVerdicts verdicts = turnedOf(results);
  std::cout << "\nPerturbed programs turn " << verdicts.turned << " of " << verdicts.count << " verdicts";
  std::set<std::string> programs;
  for (const ClaimResult& result : results)
    if (!result.program.empty()) programs.insert(result.program);
  for (const std::string& program : programs) std::cout << "\nComputed by " << program;
  std::cout << "\nThis is " << programVersion() << '\n';
  if (!options.write.empty())
    writeNew(
        options.write, [&](std::ostream& out) { out << textOf(results); },
        [&](const std::string& file) { return options.force && holdsResults(file); });
  const std::vector<std::string> faults = faultsOf(claims, results, datasets.string());
  for (const std::string& fault : faults) std::cerr << fault << '\n';
  return faults.empty() ? kDone : kSimulationFailed;
}

Declared declareClaims(CLI::App& command, const CommandLine&) {
  const auto options = std::make_shared<ClaimsOptions>();
  command.add_option("--from", options->from,
                     "folder of `study --all`; default: the results of this version that are shipped");
  command.add_option("--write", options->write, "file for the results as JSON");
  command.add_flag("--force", options->force, "replace earlier results in --write; never other files");
  return [&command, options] {
    refuseIdle(command, {{"--force", {"--write"}}});
    return claims(*options);
  };
}

}  // namespace touchstone::cli
