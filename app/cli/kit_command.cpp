#include "app/cli/kit_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "app/cli/conform_command.h"
#include "app/cli/conform_options.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "app/work/result_folder.h"
#include "core/conform/card_file.h"
#include "core/conform/kit.h"
#include "core/files/file_bytes.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/written_file.h"

namespace touchstone::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kKitManifest[] = "kit.json";
/// Files of datasets/adapters/kit that every kit has.
constexpr const char* kKitScripts[] = {"README.md", "engine.py"};

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string batteryFile(const char* name) { return (fs::path(datasetsFolder()) / "battery" / name).string(); }

}  // namespace

std::vector<Phenomenon> phenomenaNamed(const std::vector<std::string>& names) {
  const std::string folder = (fs::path(datasetsFolder()) / "battery").string();
  const std::string scenes = (fs::path(datasetsFolder()) / "scenes").string();
  std::vector<Phenomenon> shipped = loadPhenomena(folder);
  if (names.empty()) return shipped;
  std::vector<Phenomenon> some;
  std::vector<std::string> known;
  for (const Phenomenon& phenomenon : shipped) known.push_back(phenomenon.name);
  for (const std::string& name : names) {
    const auto found = std::find_if(shipped.begin(), shipped.end(), [&](const Phenomenon& phenomenon) {
      return phenomenon.name == name || phenomenon.number == name;
    });
    std::error_code ignored;
    if (found != shipped.end()) {
      some.push_back(*found);
    } else if (fs::is_regular_file(name, ignored)) {
      some.push_back(loadPhenomenon(name, scenes));
    } else {
      const std::string nearest = nearestName(name, known);
      throw std::invalid_argument(
          "conform: there is no phenomenon '" + name + "'; " +
          (nearest.empty() ? "choose from " + listed(known) : "did you mean '" + nearest + "'?"));
    }
  }
  return some;
}

int writeKit(const ConformOptionsOfCli& options) {
  const std::vector<Phenomenon> phenomena = phenomenaNamed(options.names);
  Kit kit = kitOf(phenomena);
  for (const char* name : kKitScripts)
    kit.files.push_back({name, readFile((fs::path(datasetsFolder()) / "adapters" / "kit" / name).string(),
                                        "install the datasets again")});
  std::vector<std::string> names;
  for (const ExportedFile& file : kit.files) names.push_back(file.name);
  const ResultFolder folder(options.kit,
                            options.force ? ResultFolder::Earlier::Replace : ResultFolder::Earlier::Keep,
                            names, kKitManifest);
  const nlohmann::ordered_json manifest = nlohmann::ordered_json::parse(kit.manifest);
  folder.announce(manifest);
  std::set<std::string> folders;
  for (const ExportedFile& file : kit.files) {
    const std::string path = folder.path(file.name);
    if (const std::string parent = fs::path(path).parent_path().string(); folders.insert(parent).second)
      createFolder(parent);
    writeWhole(path, [&](std::ostream& out) { out << file.text; });
  }
  folder.finish(manifest, names);
  std::cout << "Written to " << options.kit << ": " << counted(manifest.at("runs").size(), "run", "runs")
            << " of " << counted(phenomena.size(), "phenomenon", "phenomena")
            << "; fill in simulate() of engine.py, README.md says how\n";
  for (const std::string& sentence : kit.notExported) std::cout << "  " << sentence << "\n";
  return kDone;
}

int checkFolder(const ConformOptionsOfCli& options) {
  std::error_code ignored;
  if (!fs::is_directory(options.check, ignored))
    throw std::invalid_argument("--check " + options.check +
                                ": there is no such folder; give the folder of SCENE.RUN.csv files");
  const std::vector<Phenomenon> phenomena = phenomenaNamed(options.names);
  const FolderCheck check = checkedFolder(options.check, phenomena, phenomenaNamed({}));
  for (const RunCheck& run : check.runs) {
    for (const std::string& problem : run.problems) std::cout << run.file << ": " << problem << "\n";
    for (const std::string& note : run.notes) std::cout << run.file << ": note: " << note << "\n";
  }
  const std::vector<std::string> missing = check.missing();
  if (!missing.empty())
    std::cout << counted(missing.size(), "trajectory is", "trajectories are")
              << " not there: " << listed(missing) << "\n";
  for (const std::string& stray : check.strays) std::cout << stray << "\n";
  std::cout << options.check << ": " << check.complete() << " of "
            << counted(check.runs.size(), "run is", "runs are") << " complete\n";
  return check.complete() == check.runs.size() ? kDone : kSimulationFailed;
}

int verifyCard(const ConformOptionsOfCli& options) {
  const CardFile file = readCardFile(options.verify, phenomenaNamed({}));
  const Card& card = file.card;
  const char* shipped =
      card.settings == ConformSettings::Published ? "expected-published.csv" : "expected.csv";
  const Card ours = options.methods.empty()
                        ? cardOf(readCard(batteryFile(shipped)), card.phenomena, card.settings)
                        : cardOfMethods(options, card.phenomena, card.settings);
  std::cout << textOf(besides(card, ours)) << "\n";
  for (const std::string& note : file.notes) std::cout << options.verify << ": note: " << note << "\n";
  for (const std::string& contradiction : file.contradictions)
    std::cerr << options.verify << ": " << contradiction << "\n";
  if (!file.contradictions.empty()) {
    std::cerr << options.verify << ": "
              << counted(file.contradictions.size(), "contradiction", "contradictions") << "\n";
    return kSimulationFailed;
  }
  std::cout << options.verify << ": consistent with the battery, version " << kBatteryVersion << ": "
            << counted(card.numbers.size(), "number", "numbers") << " in "
            << counted(card.columns.size(), "column", "columns") << " of "
            << counted(card.phenomena.size(), "phenomenon", "phenomena") << "\n";
  return kDone;
}

}  // namespace touchstone::cli
