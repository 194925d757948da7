#pragma once

#include <string>
#include <vector>

/// The commands of touchstone-cli. Each returns the exit code: 0 done, 1 a simulation failed, 2 usage or bad
/// input, 3 the environment (no GPU, disk full). Errors go to stderr as `file:field: what is wrong; what to
/// do`.
namespace touchstone::cli {

constexpr int kDone = 0, kSimulationFailed = 1, kBadInput = 2, kEnvironment = 3;

struct RunOptions {
  std::string scene;                 ///< path, or the name of a shipped scene
  std::vector<std::string> methods;  ///< `method` or `method-solver`; empty: as the scene suggests
  std::string backend = "cpu";
  double dt = 0;                    ///< s; 0: the scene's
  double time = 0;                  ///< s; 0: the scene's duration
  int substeps = 0;                 ///< 0: as suggested
  int threads = 0;                  ///< 0: all
  std::vector<std::string> sets;    ///< method.key=value
  std::string out;                  ///< folder; empty: table only
  std::string from;                 ///< manifest to repeat
  std::vector<std::string> stopOn;  ///< conditions that end the run
  std::string record;               ///< file to write a recording to; empty: none
  bool force = false;
  bool contacts = false;                ///< also write contacts.csv
  bool allContacts = false;             ///< of every substep
  bool poses = false;                   ///< also write poses of bodies
  std::vector<std::string> quantities;  ///< of named bodies, further columns of quantities.csv
  int seed = 0;                         ///< of the start; 0: as the scene has it
  std::string variation;                ///< of the start; empty: the usual one of the scene
  std::string commandLine;              ///< for the manifest
};

struct StudyOptions {
  std::string study;  ///< study file
  std::string out;    ///< folder; empty: NAME-results
  int jobs = 1;       ///< runs side by side
  bool resume = false;
  std::string commandLine;  ///< for the manifest
};

struct MapOptions {
  std::string scene;   ///< path, or the name of a shipped scene
  std::string method;  ///< `method` or `method-solver`
  std::string backend = "cpu";
  double dt = 0;                  ///< s; 0: the scene's
  double time = 0;                ///< s; 0: the scene's duration
  std::vector<std::string> vary;  ///< one or two of key=first..last/count or key=a,b,c
  std::vector<std::string> sets;  ///< method.key=value, for all worlds
  std::string out;                ///< folder; empty: picture only
  bool force = false;
  std::string commandLine;  ///< for the manifest
};

enum class BenchFormat { Text, Json, Markdown };

struct BenchOptions {
  std::string filter;  ///< only benchGroups() with it in the name; a,b: either
  std::vector<std::string> backends = {"cpu", "cuda"};  ///< of the rows that measure backends
  bool backendsGiven = false;                           ///< a backend that cannot be used is an error
  BenchFormat format = BenchFormat::Text;
  std::string commandLine;  ///< for the page
};

int list();
int study(const StudyOptions& options);
int run(const RunOptions& options);
/// One scene with many parameters, all worlds at once.
int map(const MapOptions& options);
/// Runs a recording again; exit code 1 and the first frame and array that differ if it does not repeat.
int replay(const std::string& file, int threads);
/// Solves the problems of an exported step with these solvers (empty: all). Exit code 1 if any does not.
int solve(const std::string& file, const std::vector<std::string>& solvers);
/// Writes a recording as .pvd and .vtp files.
int exportParaview(const std::string& file, const std::string& folder);
/// Writes the poses of a recording, a file for each pane.
int exportPoses(const std::string& file, const std::string& poses);
/// @param scenes  paths or names; empty: all shipped
int verify(const std::string& backend, const std::vector<std::string>& scenes = {});
/// Continuous collision detection against queries with known answers (the form of the public benchmark). Exit
/// code 1 on a false negative.
int verifyCcdQueries(const std::string& folder);
/// What BenchOptions::filter chooses from, with commas between.
std::string benchGroups();
/// @throws std::invalid_argument for a filter that chooses nothing
int bench(const BenchOptions& options);

/// Progress in per cent on a terminal; nothing where stderr is a file or a pipe.
void printProgress(double share);
/// A value of /proc/self/status [bytes], such as VmRSS, or −1.
double processMemory(const std::string& key);
/// Path of a scene given as a path or as the name of a shipped one.
/// @throws SceneError if there is neither
std::string resolveScene(const std::string& nameOrPath);
/// Folder of the shipped datasets: TOUCHSTONE_DATASETS, else beside the program, else where it was built.
std::string datasetsFolder();

}  // namespace touchstone::cli
