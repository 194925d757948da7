#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/robot/robot_import.h"
#include "core/store/step_problem.h"

/// The commands of touchstone-cli. Each returns the exit code: 0 success, 1 a simulation failed, 2 usage or
/// bad input, 3 the environment (no GPU, disk full). Errors go to stderr as `file:field: problem; remedy`.
namespace touchstone::cli {

constexpr int kDone = 0, kSimulationFailed = 1, kBadInput = 2, kEnvironment = 3;
/// The exit code of a program that a signal ends in the middle of its work, without the number of the signal.
constexpr int kEndedBySignal = 128;

struct RunOptions {
  std::string scene;                 ///< path, or the name of a shipped scene
  std::vector<std::string> methods;  ///< `method` or `method-solver`; empty: those of the scene
  std::string backend = "cpu";
  double dt = 0;                    ///< s; 0: the scene's
  double time = 0;                  ///< s; 0: the scene's duration
  int substeps = 0;                 ///< 0: as suggested
  int threads = 0;                  ///< 0: all
  std::vector<std::string> sets;    ///< method.key=value
  std::string out;                  ///< folder; empty: table only
  std::string from;                 ///< manifest to repeat
  std::vector<std::string> stopOn;  ///< conditions that end the run
  std::string record;               ///< file of the recording; empty: none
  bool force = false;
  bool contacts = false;                ///< also write contacts.csv
  bool allContacts = false;             ///< contacts of every substep
  bool poses = false;                   ///< also write poses of bodies
  bool extents = false;                 ///< also write the outermost points of what moves
  std::vector<std::string> quantities;  ///< quantities of named bodies: further columns of quantities.csv
  int seed = 0;                         ///< seed of the start; 0: the unchanged scene
  std::string variation;                ///< variation of the start; empty: the usual one of the scene
  std::string motion;                   ///< recorded motion to compare with; empty: none
  std::vector<std::string> toss;        ///< tosses of it by name; empty: all, or `tosses` of them
  int tosses = 0;                       ///< how many, drawn by the seed; 0: all
  double secondsPerFrame = 0;           ///< of the clock; 0: without end
  std::string commandLine;              ///< for the manifest
};

struct CheckOptions {
  std::string scene;                 ///< path, or the name of a shipped scene
  std::vector<std::string> methods;  ///< as of RunOptions
  std::string backend = "cpu";
  double dt = 0;                  ///< s; 0: the scene's
  int substeps = 0;               ///< 0: as suggested
  std::vector<std::string> sets;  ///< method.key=value
};

struct StudyOptions {
  std::vector<std::string> studies;  ///< study files, or names of shipped ones; of merge: a study and folders
  std::string out;                   ///< folder; empty: NAME-results
  std::string shard;                 ///< "3/8": only the third of eight parts of the runs; empty: all
  int jobs = 1;                      ///< concurrent runs
  bool resume = false, quick = false, all = false, list = false;
  bool isQuiet = false;     ///< without the tables
  double secondsPerFrame = 0;  ///< of the clock; 0: without end
  std::string commandLine;  ///< for the manifest
};

struct ClaimsOptions {
  std::string from;    ///< folder with a folder for each study; empty: the shipped results
  std::string write;   ///< file for the results; empty: none
  bool force = false;  ///< replace earlier results in `write`
};

struct MapOptions {
  std::string scene;   ///< path, or the name of a shipped scene
  std::string method;  ///< `method` or `method-solver`
  std::string backend = "cpu";
  double dt = 0;                  ///< s; 0: the scene's
  double time = 0;                ///< s; 0: the scene's duration
  std::vector<std::string> vary;  ///< one or two of key=first..last/count or key=a,b,c
  std::vector<std::string> sets;  ///< method.key=value, for all replicas
  std::string out;                ///< folder; empty: picture only
  std::string motion;             ///< recorded motion to come close to; empty: none
  int tosses = 0;                 ///< of it, drawn by the seed; 0: all
  int seed = 1;
  std::string score = "end";  ///< error of the centre: at the end, or mean from the first contact on
  bool force = false;
  std::string commandLine;  ///< for the manifest
};

struct ConformOptionsOfCli {
  std::vector<std::string> names;         ///< of phenomena, or files; empty: all shipped
  std::vector<std::string> methods;       ///< columns; empty: defaultColumns()
  std::vector<std::string> trajectories;  ///< KEY=FOLDER
  std::string settings = "battery";       ///< or "published"
  std::string expect;                     ///< card.csv of an earlier run; empty: none
  std::string kit;                        ///< folder for all runs for other engines; empty: none
  std::string check;                      ///< folder of trajectories to look through; empty: none
  std::string verify;                     ///< card.json to check; empty: none
  std::string out;                        ///< folder; empty: table only
  int jobs = 0;                           ///< runs side by side; 0: as many as threads
  bool controls = false, list = false, force = false;
  bool quiet = false;                          ///< print nothing (the workbench)
  std::function<void(double share)> progress;  ///< null: printProgress()
  double secondsPerFrame = 0, secondsPerColumn = 0;  ///< of the clock; 0: without end
  std::string commandLine;                     ///< for the manifests
};

struct JudgeOptions {
  std::string scene;                      ///< path, or the name of a shipped scene
  std::vector<std::string> trajectories;  ///< [KEY=]FILE
  std::vector<std::string> ensembles;     ///< KEY=FOLDER of copies, in the place of trajectories
  std::vector<std::string> quantities;    ///< of ensembles, Q[@time|max|mean|median]; empty: mean_height
  std::vector<std::string> margins;       ///< of ensembles, Q=2% or Q=0.005
  std::vector<std::string> contacts;      ///< KEY=FILE
  std::vector<std::string> methods;       ///< of ours to run beside them
  std::string reference;                  ///< KEY; empty: the first
  std::vector<std::string> shifts;        ///< KEY=SECONDS, or first-contact
  std::string names;                      ///< file; empty: names are ours
  std::string missing = "error";
  std::string out;  ///< folder; empty: summary only
  bool force = false;
  double secondsPerFrame = 0;  ///< of the clock; 0: without end
  std::string commandLine;  ///< for the manifest
};

struct EnsembleOptions {
  std::string scene;                 ///< path, or the name of a shipped scene
  std::vector<std::string> methods;  ///< `method` or `method-solver`; empty: those of the scene
  std::vector<std::string> engines;  ///< KEY=FOLDER of trajectories of copies; then no methods are usual
  std::string backend = "cpu";
  double dt = 0;                        ///< s; 0: the scene's
  double time = 0;                      ///< s; 0: the scene's duration
  int copies = 32;                      ///< the unperturbed one among them
  double perturb = 1e-9;                ///< m
  int seed = 1;                         ///< of the perturbation
  std::vector<std::string> quantities;  ///< Q[@time|max|mean|median]
  std::vector<std::string> margins;     ///< Q=2% or Q=0.005
  double alpha = 0.05;
  std::vector<std::string> sets;  ///< method.key=value
  std::string out;                ///< folder; empty: summary only
  std::string scenes;             ///< folder for a scene file of each copy; empty: none
  bool poses = false;             ///< also write poses of all copies
  bool force = false;
  double secondsPerFrame = 0;  ///< of the clock; 0: without end
  std::string commandLine;  ///< for the manifest
};

struct ImportOptions {
  std::string file;                   ///< URDF or MJCF file
  std::string out;                    ///< scene file; empty: NAME.json in the current folder
  std::vector<std::string> packages;  ///< NAME=FOLDER
  RobotOptions robot;                 ///< all but packages and base
  bool fixedBase = false, freeBase = false;
  bool force = false;
};

struct ExportOptions {
  std::string input;                        ///< recording, or a scene: path or name of a shipped one
  std::string paraview, poses, mjcf, urdf;  ///< where to write; empty: not
  bool force = false;                       ///< replace what an earlier export wrote
};

enum class BenchFormat { Text, Json, Markdown };

struct BenchOptions {
  std::string filter;  ///< only benchGroups() with it in the name; a,b: either
  std::vector<std::string> backends = {"cpu", "cuda"};  ///< of the rows that measure backends
  bool backendsGiven = false;                           ///< a backend that cannot be used is an error
  BenchFormat format = BenchFormat::Text;
  std::string commandLine;  ///< for the page
  /// The whole choice is measured so often; 0: three times where figures are kept or compared, else once.
  int rounds = 0;
  std::string compared;       ///< file of an earlier `bench --json`; empty: none
  double threshold = 5;       ///< of a difference that counts [%]
  bool otherMachine = false;  ///< compare with a file of another machine all the same
};

int list();
/// Prints bodies, materials, panes and every value in force of a run, and takes no step.
int check(const CheckOptions& options);
/// Makes a scene file of a robot, with copies of its meshes where they lie elsewhere.
int importRobotFile(const ImportOptions& options);
/// Runs the conformance card. Exit code 0 whatever the verdicts; 1 if `expect` or a control asks for another
/// one.
int conform(const ConformOptionsOfCli& options);
/// Runs phenomena with steps of several lengths: error against processor time, and the step's effect.
int conformCost(const ConformOptionsOfCli& options);
/// Runs studies. Exit code 1 if runs are missing.
int study(const StudyOptions& options);
/// Makes one study of parts that were computed elsewhere. Exit code 1 if runs are missing, which it names.
int mergeStudy(const StudyOptions& options);
/// Prints published claims and what became of each. Exit code 1 if one is not judged, a study or scene has
/// changed since, or a negative control did not turn.
int claims(const ClaimsOptions& options);
int run(const RunOptions& options);
/// Measures trajectories of any engine with the Referee and compares them.
int judge(const JudgeOptions& options);
/// Runs one scene with many parameter values, all replicas in one run.
int map(const MapOptions& options);
/// Runs many copies of a scene that differ by nearly nothing, and compares methods by them.
int ensemble(const EnsembleOptions& options);
/// Runs a scene from the starts of a recorded motion, and says how far each method is from it.
int runMotion(const RunOptions& options);
/// Finds the values with which a method comes closest to a recorded motion.
int mapMotion(const MapOptions& options);
/// Repeats a recording. If it differs, the exit code is 1, and the first differing frame and array are
/// printed.
int replay(const std::string& file, int threads);
/// The problems of a file: an exported step, or a published friction problem, which gets our tolerance.
StoredProblems problemsOf(const std::string& file);
/// A solver of such problems: those of the program, and the forms of NSN's friction.
/// @throws std::invalid_argument for an unknown key
std::unique_ptr<ComplementaritySolver> problemSolver(const std::string& key);
/// The solvers to try on a file of which the user names none.
std::vector<std::string> solversFor(const std::string& file);
/// Solves the problems of a file with these solvers (empty: all). Exit code 1 if one fails.
/// @param out  also write the problem as text, of several islands FILE-1, FILE-2, …; or empty
int solve(const std::string& file, const std::vector<std::string>& solvers, const std::string& out = {});
/// Writes the problems of every step of a recording into a folder, in which no file is replaced.
int harvest(const std::string& file, const std::string& folder);
/// Performance profiles of solvers (empty: all) over all problems of these files.
/// @param table   CSV file with time and residual of each solver on each problem, or empty
/// @param figure  SVG file with the profiles, or empty
/// @param force   replace files of an earlier call
int profile(const std::vector<std::string>& files, const std::vector<std::string>& solvers,
            const std::string& table, const std::string& figure, bool force = false);
/// Writes a recording as .pvd and .vtp files.
int exportParaview(const std::string& file, const std::string& folder, bool force = false);
/// Writes the poses of a recording, one file per pane.
int exportPoses(const std::string& file, const std::string& poses, bool force = false);
/// Writes what is wanted of a recording, and its scene, or that of a file, for other engines: what they do
/// not get is told on stderr.
int exportFiles(const ExportOptions& options);
/// @param scenes  paths or names; empty: all shipped
int verify(const std::string& backend, const std::vector<std::string>& scenes = {});
/// Tests continuous collision detection on queries with known answers (in the format of the public
/// benchmark). Exit code 1 on a false negative.
int verifyCcdQueries(const std::string& folder);
/// The values of BenchOptions::filter, separated by commas.
std::string benchGroups();
/// @throws std::invalid_argument for a filter that matches nothing
int bench(const BenchOptions& options);

/// Prints progress in per cent on a terminal; nothing if stderr is a file or a pipe.
void printProgress(double share);
/// A value of /proc/self/status [bytes], such as VmRSS, or −1.
double processMemory(const std::string& key);
/// Folder of the running program.
std::filesystem::path programFolder();
/// Folders of the shipped scenes: those of their own, and those of the conformance card.
std::vector<std::string> sceneFolders();
/// Path of a scene, given as a path or as the name of a shipped scene.
/// @throws SceneError if neither exists
std::string resolveScene(const std::string& nameOrPath);
/// Folder of the shipped datasets: TOUCHSTONE_DATASETS, else next to the program, else in the source tree.
std::string datasetsFolder();

}  // namespace touchstone::cli
