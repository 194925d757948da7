#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <string>

#include "app/cli/checks.h"
#include "app/cli/commands.h"
#include "app/cli/cost_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/printable_stream.h"
#include "app/engines/engines.h"
#include "core/engine/engine.h"
#include "core/files/scene_error.h"
#include "core/parallel/frame_clock.h"
#include "core/record/stop_condition.h"
#include "core/run/pane_settings.h"
#include "core/scene/variation.h"
#include "core/statistics/perturbed_copies.h"
#include "core/store/database.h"
#include "core/store/provenance.h"
#include "gpu/cuda_device.h"

using namespace touchstone::cli;

namespace {

constexpr char kSecondsPerFrame[] = "--seconds-per-frame";

/// A limit of the clock; without it a frame may take as long as it takes.
CLI::Option* addSecondsPerFrame(CLI::App& command, double& seconds) {
  return command
      .add_option(
          kSecondsPerFrame, seconds,
          "a frame of a pane that takes longer on the clock [s] ends the pane, with the reason; 0, the "
          "default: none")
      ->check(numberFrom(0));
}

void addRun(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand("run", "Run a scene under several methods; table, and CSV with --out");
  run->add_option("scene", options.scene, "scene file, or the name of a shipped scene");
  run->add_option("--methods", options.methods, "methods, for example dpf,cpf,lcp,peg-lemke")->delimiter(',');
  run->add_option("--backend", options.backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  run->add_option("--dt", options.dt, "frame length [s]")->check(frameLength());
  run->add_option("--time", options.time, "time to simulate [s]")->check(positiveNumber());
  run->add_option("--substeps", options.substeps, "steps per frame, all panes")
      ->check(CLI::Range(1, touchstone::kMostSubsteps));
  run->add_option("--threads", options.threads, "host threads; results do not depend on it")
      ->check(CLI::Range(1, 4096));
  addSecondsPerFrame(*run, options.secondsPerFrame);
  run->add_option("--set", options.sets, "method.key=value, for example cpf.stiffness=2e4; repeatable");
  run->add_option("--out", options.out,
                  "folder for quantities.csv, convergence.csv, summary.txt and manifest.json");
  run->add_option("--from", options.from, "repeat the run of a manifest.json");
  run->add_flag("--contacts", options.contacts, "also write contacts.csv, of the last substep of each frame");
  run->add_flag("--all-contacts", options.allContacts, "also write contacts.csv, of every substep");
  run->add_flag("--poses", options.poses,
                "also write poses.csv (of several panes poses-PANE.csv): a trajectory file; with --contacts "
                "pose-contacts.csv beside it");
  run->add_flag("--extents", options.extents,
                "also write extents.csv: outermost points of what moves in any pane, at the start, at the "
                "end and over the run, for a camera that holds them");
  run->add_option("--quantity", options.quantities,
                  "also write body_position:NAME, body_velocity:NAME, body_spin:NAME or pair_force:A:B into "
                  "quantities.csv; A and B are names or groups (a+b, stone*); repeatable");
  run->add_option("--seed", options.seed, "move the bodies at the start as studies do; 0: not")
      ->check(CLI::Range(0, touchstone::kMostSeed));
  run->add_option(
      "--variation", options.variation,
      "how far --seed moves them: position=0.05,angle_deg=180,spin=2 (as the shipped study of the scene)");
  run->add_option(
         "--stop-on", options.stopOn,
         "end when it begins in any pane: " + touchstone::stopConditionNames() + ", penetration_max>1e-3, …")
      ->delimiter(',');
  run->add_option(
      "--record", options.record,
      "file for a recording of every frame: opens in the workbench, replays, exports to ParaView");
  run->add_flag("--force", options.force,
                "replace an earlier run in --out and an earlier recording, once the new one is whole; never "
                "other files");
}

void addCheck(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand(
      "check", "Print bodies, masses, sizes, panes and all values in force of a run; takes no step");
  check->add_option("scene", options.scene, "scene file, or the name of a shipped scene")->required();
  check->add_option("--methods", options.methods, "methods, as for run")->delimiter(',');
  check->add_option("--backend", options.backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  check->add_option("--dt", options.dt, "frame length [s]")->check(frameLength());
  check->add_option("--substeps", options.substeps, "steps per frame, all panes")
      ->check(CLI::Range(1, touchstone::kMostSubsteps));
  check->add_option("--set", options.sets, "method.key=value; repeatable");
}

void addImport(CLI::App& app, ImportOptions& options) {
  CLI::App* import = app.add_subcommand("import", "Make a scene file of a robot (URDF or MJCF)");
  import->add_option("file", options.file, "URDF or MJCF file")->required();
  import->add_option("--out", options.out, "scene file (NAME.json); meshes elsewhere are copied beside it");
  import->add_option("--package", options.packages, "folder of package://NAME/…, as NAME=FOLDER; repeatable")
      ->allow_extra_args(false);
  import->add_option("--density", options.robot.density, "of solids without a mass [kg/m³]")
      ->check(positiveNumber());
  import->add_flag("--keep-fixed", options.robot.keepFixed,
                   "fixed joints hold six rows; else their links are one body");
  import->add_flag("--fixed-base", options.fixedBase, "the root is fixed to the world (usual for a URDF)");
  import->add_flag("--free-base", options.freeBase,
                   "the root moves (usual for an MJCF file with a free joint)");
  import->add_flag("--ground", options.robot.ground, "add a plane below the robot");
  import
      ->add_option("--stiffness", options.robot.stiffness,
                   "of drives that hold all joints where they start, up to their effort [N m/rad, N/m]")
      ->check(numberFrom(0));
  import->add_option("--damping", options.robot.damping, "of these drives [N m s/rad, N s/m]")
      ->check(numberFrom(0));
  import->add_option("--keyframe", options.robot.keyframe, "MJCF: start in the pose of this key");
  import->add_flag("--force", options.force, "replace an earlier scene; never other files");
}

void addStudy(CLI::App& app, StudyOptions& options) {
  CLI::App* study = app.add_subcommand(
      "study",
      "Run sweeps of methods, steps, parameters and seeds: tables, figures and what they say of claims");
  study->add_option("study", options.studies, "study files, or names of shipped ones (--list)");
  study->add_flag("--all", options.all, "all shipped studies, and a report of them");
  study->add_flag("--quick", options.quick, "the small form that each study has");
  study->add_flag("--list", options.list, "list the shipped studies and their figures");
  study->add_option(
      "--out", options.out,
      "folder for runs.db, runs.csv, series.csv, times.csv, tables.md, verdict.json and the figures "
      "(NAME-results)");
  study->add_option("--jobs", options.jobs, "runs side by side")->check(CLI::Range(1, 1024));
  addSecondsPerFrame(*study, options.secondsPerFrame);
  study->add_flag("--resume", options.resume,
                  "go on with the study that --out holds; several programs may do so at once");
  study->add_option(
      "--shard", options.shard,
      "I/N: only the I-th of N parts of the runs, into --out/shard-I-of-N; in a Slurm array its own");
  CLI::App* merge = study->add_subcommand(
      "merge", "Make one study of the parts that --out holds; names runs that are missing");
  merge->add_option("study", options.studies, "the study, and folders of parts elsewhere")->required();
  merge->add_option("--out", options.out, "folder with the parts, and for the result");
  merge->add_flag("--quick", options.quick, "of the small form");
  study->footer(
      "Under mpirun or srun all processes share the runs of --out. The guide has the pages Writing a study, "
      "Studies on many machines and Published figures.");
}

void addConform(CLI::App& app, ConformOptionsOfCli& options) {
  CLI::App* conform = app.add_subcommand(
      "conform", "Run the conformance card: contact phenomena with known answers under every method");
  conform->add_option("phenomena", options.names, "names or numbers of phenomena, or files; default: all");
  conform
      ->add_option("--methods", options.methods,
                   "columns METHOD[-SOLVER][:key=value,…], for example cpf,lcp-lemke:friction_facets=4")
      ->delimiter(',');
  conform->add_option(
      "--trajectory", options.trajectories,
      "KEY=FOLDER: a column from files FOLDER/SCENE[.RUN].csv of another engine, alone without "
      "--methods; repeatable");
  conform
      ->add_option("--settings", options.settings,
                   "battery: parameters of the scenes; published: defaults of the methods, the frame as step")
      ->check(CLI::IsMember({"battery", "published"}));
  conform->add_option("--expect", options.expect,
                      "card.csv of an earlier run: exit code 1 if a verdict or a number has changed");
  conform->add_flag("--controls", options.controls,
                    "also run the deliberate errors: exit code 1 if one is not noticed");
  conform->add_option("--kit", options.kit,
                      "folder for all runs for an engine of your own, with a script to begin with");
  conform->add_option("--check", options.check,
                      "folder of trajectories: say what is missing of the runs of a kit; exit code 1 if "
                      "something is");
  conform->add_option("--verify", options.verify,
                      "card.json of elsewhere: recompute what follows from its numbers and show it beside "
                      "ours, shipped or of --methods; exit code 1 if something contradicts");
  conform->add_option("--jobs", options.jobs, "runs side by side")->check(CLI::Range(1, 1024));
  addSecondsPerFrame(*conform, options.secondsPerFrame);
  conform
      ->add_option(
          "--seconds-per-column", options.secondsPerColumn,
          "what a column would take longer for on the clock [s], over all its frames, is !, with the "
          "reason; 0, the default: none")
      ->check(numberFrom(0));
  conform->add_option("--out", options.out, "folder for card.txt, .csv, .json, .html, .tex and all runs");
  conform->add_flag("--force", options.force, "replace an earlier card in --out; never other files");
  conform->add_flag("--list", options.list, "list phenomena and their answers");
  conform->add_flag("--cost",
                    "a command of its own, see conform --cost --help: error against cost at four steps");
}

void addMap(CLI::App& app, MapOptions& options) {
  CLI::App* map = app.add_subcommand(
      "map", "Run a scene with many values of one or two numbers, all worlds at once: where does it hold?");
  map->add_option("scene", options.scene, "scene file, or the name of a shipped scene")->required();
  map->add_option("--method", options.method, "method, or method-solver: cpf, lcp-pgs")->required();
  map->add_option(
         "--vary", options.vary,
         "a number of the method, scene.friction, or dt, the frame length [s]: stiffness=1e3..1e6/16 or "
         "damping=0,10,100; once or twice")
      ->required();
  map->add_option("--backend", options.backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  map->add_option("--dt", options.dt, "frame length [s]")->check(frameLength());
  map->add_option("--time", options.time, "time to simulate [s]")->check(positiveNumber());
  map->add_option("--set", options.sets, "method.key=value for all worlds; repeatable");
  map->add_option("--out", options.out, "folder for map.csv, its figures and manifest.json");
  map->add_flag("--force", options.force, "replace an earlier map in --out; never other files");
}

void addJudge(CLI::App& app, JudgeOptions& options) {
  CLI::App* judge = app.add_subcommand(
      "judge", "Measure trajectories of any engine as panes are measured, and how far they come apart");
  judge->add_option("scene", options.scene, "scene file, or the name of a shipped scene")->required();
  judge->add_option("trajectories", options.trajectories, "[KEY=]FILE, see the guide: Trajectories");
  judge
      ->add_option("--ensemble", options.ensembles,
                   "KEY=FOLDER: trajectories of copies, which are compared as `ensemble` does; repeatable")
      ->allow_extra_args(false);
  judge->add_option("--quantity", options.quantities, "of ensembles: mean_height, body_height:NAME, …")
      ->allow_extra_args(false);
  judge->add_option("--margin", options.margins, "of ensembles: Q=2% or Q=0.005")->allow_extra_args(false);
  judge->add_option("--contacts", options.contacts, "KEY=FILE: contacts of a trajectory; repeatable")
      ->allow_extra_args(false);
  judge->add_option("--methods", options.methods, "run these beside them, for example cpf,lcp")
      ->delimiter(',');
  addSecondsPerFrame(*judge, options.secondsPerFrame);
  judge->add_option("--reference", options.reference, "KEY that the others are compared with; the first");
  judge
      ->add_option("--shift", options.shifts,
                   "KEY=SECONDS, added to its times where motions are compared, or first-contact; repeatable")
      ->allow_extra_args(false);
  judge->add_option("--names", options.names, "file with rows theirs,ours");
  judge->add_option("--missing", options.missing, "dynamic bodies without rows: error or skip")
      ->check(CLI::IsMember({"error", "skip"}));
  judge->add_option("--out", options.out,
                    "folder for quantities.csv, laws.csv, pairs.csv, divergence.csv, summary.txt and "
                    "manifest.json");
  judge->add_flag("--force", options.force, "replace earlier results in --out; never other files");
}

void addEnsemble(CLI::App& app, EnsembleOptions& options) {
  CLI::App* ensemble = app.add_subcommand(
      "ensemble", "Run many copies that differ by nearly nothing: what do methods differ in beyond chance?");
  ensemble->add_option("scene", options.scene, "scene file, or the name of a shipped scene")->required();
  ensemble->add_option("--methods", options.methods, "methods, for example cpf,lcp")->delimiter(',');
  ensemble
      ->add_option("--quantity", options.quantities,
                   "mean_height, body_height:NAME or a measured quantity, at the end, or @TIME, @max, "
                   "@mean, @median; repeatable")
      ->required()
      ->allow_extra_args(false);
  ensemble
      ->add_option("--engine", options.engines,
                   "KEY=FOLDER: trajectory files of the copies by another engine, in order of their names; "
                   "repeatable")
      ->allow_extra_args(false);
  ensemble
      ->add_option("--margin", options.margins,
                   "difference of a quantity that counts as none: Q=2% or Q=0.005; repeatable")
      ->allow_extra_args(false);
  ensemble->add_option("--copies", options.copies, "copies, the first as the scene is")
      ->check(CLI::Range(1, touchstone::kMostCopies));
  ensemble->add_option("--perturb", options.perturb, "size of the difference of their starts [m]")
      ->check(numberFrom(0));
  ensemble->add_option("--seed", options.seed, "of these differences")
      ->check(CLI::Range(0, touchstone::kMostSeed));
  ensemble->add_option("--alpha", options.alpha, "chance of a false difference")
      ->check(numberFrom(1e-6, 0.499));
  ensemble->add_option("--backend", options.backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  ensemble->add_option("--dt", options.dt, "frame length [s]")->check(frameLength());
  ensemble->add_option("--time", options.time, "time to simulate [s]")->check(positiveNumber());
  addSecondsPerFrame(*ensemble, options.secondsPerFrame);
  ensemble->add_option("--set", options.sets, "method.key=value; repeatable");
  ensemble->add_option("--out", options.out,
                       "folder for ensemble.csv, copies.csv, verdicts.csv, summary.txt and manifest.json");
  ensemble->add_flag("--poses", options.poses, "also write a trajectory file of each copy");
  ensemble->add_option("--scenes", options.scenes, "folder for a scene file of each copy, for other engines");
  ensemble->add_flag("--force", options.force, "replace an earlier ensemble in --out; never other files");
}

/// Options of run and map for recorded motion.
void addMotion(CLI::App& app, RunOptions& run, MapOptions& map) {
  CLI::App* runs = app.get_subcommand("run");
  CLI::Option* motion =
      runs->add_option("--motion", run.motion,
                       "CSV with recorded motion: start as it did, print how far each method is from it");
  CLI::Option* names = runs->add_option("--toss", run.toss, "only these tosses of it: 3,17")->delimiter(',');
  runs->add_option("--tosses", run.tosses, "only so many of its tosses, drawn by --seed")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(names)
      ->needs(motion);
  names->needs(motion);
  for (const char* other : {"--time", "--from", "--contacts", "--all-contacts", "--poses", "--extents",
                            kSecondsPerFrame, "--quantity", "--variation", "--stop-on", "--record"})
    motion->excludes(runs->get_option(other));
  CLI::App* maps = app.get_subcommand("map");
  CLI::Option* fitted =
      maps->add_option("--motion", map.motion,
                       "CSV with recorded motion: which values come closest to it? Half of the tosses are "
                       "kept aside")
          ->excludes(maps->get_option("--time"));
  maps->add_option("--tosses", map.tosses, "only so many of its tosses, drawn by --seed")
      ->check(CLI::Range(2, 1'000'000))
      ->needs(fitted);
  maps->add_option("--seed", map.seed, "draws the tosses, and those kept aside")
      ->check(CLI::Range(0, touchstone::kMostSeed))
      ->needs(fitted);
  maps->add_option("--score", map.score, "of the centre: end, or mean from the first contact on")
      ->check(CLI::IsMember({"end", "mean"}))
      ->needs(fitted);
}

void addBenchComparison(CLI::App& bench, BenchOptions& options) {
  bench
      .add_option("--rounds", options.rounds,
                  "measure everything so often, in turn, and take medians; default: 3 with --compare or "
                  "--json, else 1")
      ->check(CLI::Range(1, 100));
  CLI::Option* compared = bench.add_option(
      "--compare", options.compared,
      "file of an earlier `bench --json`: say which rows moved by more than noise; exit code "
      "1 if one became slower, 2 if it is of another machine");
  bench.add_option("--threshold", options.threshold, "differences up to this many percent are none")
      ->check(numberFrom(0, 1000))
      ->capture_default_str()
      ->needs(compared);
  bench
      .add_flag("--other-machine", options.otherMachine,
                "compare with a file of another machine all the same")
      ->needs(compared);
}

void addExport(CLI::App& app, ExportOptions& options) {
  CLI::App* exporting = app.add_subcommand(
      "export", "Write a recording for ParaView or as trajectory files, or a scene for other engines");
  exporting
      ->add_option(
          "input", options.input,
          "recording (of `run --record` or the workbench), or a scene: file, or name of a shipped one")
      ->required();
  exporting->add_option("--paraview", options.paraview, "folder for .pvd and .vtp files of a recording");
  exporting->add_option("--poses", options.poses,
                        "file for the poses of a pane of a recording; of several panes FILE-PANE.csv each");
  exporting->add_option("--mjcf", options.mjcf, "file for the scene as a model of MuJoCo");
  exporting->add_option("--urdf", options.urdf,
                        "folder for the scene as a URDF per body and world.csv: poses, velocities, friction");
  exporting->add_flag("--force", options.force, "replace an earlier export; never other files");
}

/// Refuses options of the chosen command that would be ignored.   @throws std::invalid_argument
void refuseIdleOptions(const CLI::App& app) {
  using Names = std::vector<const char*>;
  // --from repeats the panes of a manifest; trajectories of other engines have their own steps and starts.
  const Names manifest = {"--from"}, folder = {"--out"}, list = {"--list"};
  const Names noColumns = {"--list", "--kit", "--check"}, noCard = {"--list", "--kit", "--check", "--verify"};
  const std::vector<std::pair<const char*, std::vector<OptionUse>>> uses = {
      {"run",
       {{"--methods", {}, manifest},
        {"--set", {}, manifest},
        {"--backend", {}, manifest},
        {"--substeps", {}, manifest},
        {"--contacts", folder, {"--all-contacts"}},
        {"--all-contacts", folder},
        {"--poses", folder},
        {"--extents", folder},
        {"--force", {"--out", "--record"}}}},
      {"conform",
       {{"--methods", {}, noColumns},
        {"--trajectory", {}, noCard},
        {"--settings", {}, noCard},
        {"--expect", {}, noCard},
        {"--controls", {}, noCard},
        {"--jobs", {}, noColumns},
        {kSecondsPerFrame, {}, noColumns},
        {"--seconds-per-column", {}, noColumns},
        {"--out", {}, noCard},
        {"--kit", {}, {"--list", "--check", "--verify"}},
        {"--check", {}, {"--list", "--verify"}},
        {"--verify", {}, {"--list", "phenomena"}},
        {"--force", {"--out", "--kit"}}}},
      {"study",
       {{"study", {}, {"--all", "--list"}},
        {"--all", {}, list},
        {"--quick", {}, list},
        {"--out", {}, list},
        {"--jobs", {}, list},
        {kSecondsPerFrame, {}, list},
        {"--resume", {}, list},
        {"--shard", {}, list}}},
      {"map", {{"--force", folder}}},
      {"judge", {{"--force", folder}, {"--missing", {}, {"--ensemble"}}, {kSecondsPerFrame, {"--methods"}}}},
      {"ensemble", {{"--force", {"--out", "--scenes"}}}},
      {"claims", {{"--force", {"--write"}}}},
      {"profile", {{"--force", {"--csv", "--figure"}}}},
      {"verify", {{"--backend", {}, {"--ccd-queries"}}, {"--scenes", {}, {"--ccd-queries"}}}}};
  for (const auto& [command, options] : uses)
    if (app.got_subcommand(command)) refuseIdle(*app.get_subcommand(command), options);
  // Options of a study do not reach its subcommand, which has its own.
  const CLI::App& study = *app.get_subcommand("study");
  if (study.got_subcommand("merge"))
    for (const char* option :
         {"study", "--all", "--quick", "--list", "--out", "--jobs", kSecondsPerFrame, "--resume", "--shard"})
      if (study.get_option(option)->count() > 0)
        throw std::invalid_argument(std::string("study: ") + option +
                                    " has no effect before merge; write the options of merge behind it");
  const CLI::App& run = *app.get_subcommand("run");
  if (run.count("--motion") > 0 && run.count("--tosses") == 0) refuseIdle(run, {{"--seed", {"--tosses"}}});
  const CLI::App& ensemble = *app.get_subcommand("ensemble");
  if (ensemble.count("--engine") > 0)
    refuseIdle(ensemble, {{"--backend", {"--methods"}},
                          {kSecondsPerFrame, {"--methods"}},
                          {"--dt", {"--methods"}},
                          {"--time", {"--methods"}},
                          {"--poses", {"--methods"}},
                          {"--copies", {"--methods", "--scenes"}},
                          {"--seed", {"--methods", "--scenes"}}});
}

}  // namespace

/// Opens closed standard streams; otherwise the next opened file would take their number and receive their
/// output.
void openStreams() {
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = open("/dev/null", O_RDWR);
  if (file > STDERR_FILENO) close(file);
}

/// True if all printed text has been written.
bool isPrinted() {
  std::cout.flush();
  return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int execute(int argc, char** argv) {
  CLI::App app("Touchstone: what does each contact method do with the very same scene, and why?",
               "touchstone-cli");
  app.set_version_flag("--version", touchstone::provenanceText);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all that was asked was done, 1 a simulation failed or was interrupted, 2 usage or bad "
      "input, "
      "3 the environment (disk, memory, another program that writes there), 130 or 143 a second SIGINT or "
      "SIGTERM, or one that could not be obeyed within five seconds.\n"
      "A kill at any moment leaves whole files or none (tables grow as NAME.csv.part until the run ends); "
      "SIGINT and SIGTERM end a run after its frame, or within a frame of more than two seconds, with all "
      "files.\n"
      "--force replaces only what Touchstone wrote and no program is writing; other files always stay.\n"
      "Files of others are checked before they are used, and refused with field and remedy; nothing in them "
      "is "
      "executed.");

  RunOptions options;
  for (int index = 0; index < argc; ++index)
    options.commandLine += (index ? " " : "") + std::string(argv[index]);
  std::string backend = "cpu";
  BenchOptions benchOptions;
  benchOptions.commandLine = "touchstone-cli";
  for (int index = 1; index < argc; ++index) benchOptions.commandLine += std::string(" ") + argv[index];
  app.add_subcommand("list", "Methods, solvers, scenes and backends");
  CheckOptions checkOptions;
  addCheck(app, checkOptions);
  addRun(app, options);
  ImportOptions importOptions;
  addImport(app, importOptions);
  ConformOptionsOfCli conformOptions;
  conformOptions.commandLine = options.commandLine;
  addConform(app, conformOptions);
  CLI::App cost("Error against processor time of the card's numbers, at four lengths of each column's steps",
                "touchstone-cli conform --cost");
  addCost(cost, conformOptions);
  MapOptions mapOptions;
  mapOptions.commandLine = options.commandLine;
  addMap(app, mapOptions);
  JudgeOptions judgeOptions;
  judgeOptions.commandLine = options.commandLine;
  addJudge(app, judgeOptions);
  EnsembleOptions ensembleOptions;
  ensembleOptions.commandLine = options.commandLine;
  addEnsemble(app, ensembleOptions);
  addMotion(app, options, mapOptions);
  StudyOptions studyOptions;
  studyOptions.commandLine = options.commandLine;
  addStudy(app, studyOptions);
  ClaimsOptions claimsOptions;
  CLI::App* claiming = app.add_subcommand(
      "claims", "Published claims: reproduced, contradicted, or why not testable; checks them");
  claiming->add_option("--from", claimsOptions.from,
                       "folder of `study --all`; default: the results of this version that are shipped");
  claiming->add_option("--write", claimsOptions.write, "file for the results as JSON");
  claiming->add_flag("--force", claimsOptions.force, "replace earlier results in --write; never other files");
  std::string recording;
  int threads = 0;
  CLI::App* replay =
      app.add_subcommand("replay", "Run a recording again and name the first frame and array that differ");
  replay->add_option("recording", recording, "file that `run --record` or the workbench wrote")->required();
  replay->add_option("--threads", threads, "host threads; results do not depend on it")
      ->check(CLI::Range(1, 4096));
  ExportOptions exportOptions;
  addExport(app, exportOptions);
  std::string problem;
  std::vector<std::string> solvers;
  CLI::App* solving =
      app.add_subcommand("solve", "Solve an exported step's complementarity problem with any solver");
  solving
      ->add_option("problem", problem,
                   "JSON that the workbench exported, or a published friction problem (.dat, .hdf5)")
      ->required();
  std::string written;
  solving->add_option("--write", written,
                      "also write the problem as text (.dat); of several islands FILE-1.dat, …");
  solving->add_option("--solvers", solvers, "for example lemke,newton-fb; default: all")->delimiter(',');
  std::string harvested, harvestFolder;
  CLI::App* harvesting =
      app.add_subcommand("harvest", "Run a recording again and write the problem of every step");
  harvesting->add_option("recording", harvested, "file that `run --record` or the workbench wrote")
      ->required();
  harvesting->add_option("--out", harvestFolder, "folder for PANE-FRAME.json")->required();
  std::vector<std::string> profiled;
  std::string profileTable, profileFigure;
  CLI::App* profiling = app.add_subcommand(
      "profile",
      "Share of problems that each solver solves within a factor of the best, in time and residual");
  profiling->add_option("problems", profiled, "files as for solve")->required();
  profiling->add_option("--solvers", solvers, "for example lemke,newton-fb; default: all")->delimiter(',');
  profiling->add_option("--csv", profileTable, "file for time and residual of each solver on each problem");
  profiling->add_option("--figure", profileFigure, "SVG file for the profiles of time and residual");
  bool replacesProfile = false;
  profiling->add_flag("--force", replacesProfile, "replace earlier profiles; never other files");
  CLI::App* verify =
      app.add_subcommand("verify", "Check a backend on every scene and against analytic answers");
  verify->add_option("--backend", backend, "cpu or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  std::vector<std::string> scenes;
  verify->add_option("--scenes", scenes, "only these scenes, for example pour,incline")->delimiter(',');
  std::string queries;
  verify->add_option(
      "--ccd-queries", queries,
      "folder with …/edge-edge/*.csv and …/vertex-face/*.csv: check collision detection against them");
  CLI::App* bench = app.add_subcommand("bench", "Measure the speed: a table, or a page with --markdown");
  bench->add_option("filter", benchOptions.filter,
                    "only those with this in their name (pairs,pour: or that), of " + benchGroups());
  CLI::Option* backends = bench
                              ->add_option("--backend", benchOptions.backends,
                                           "for example cpu,cuda; default: all that can be used")
                              ->delimiter(',')
                              ->check(CLI::IsMember({"cpu", "cuda"}));
  CLI::Option* asJson = bench->add_flag("--json", "as JSON");
  CLI::Option* asPage = bench->add_flag("--markdown", "as a page of Markdown, like BENCHMARKS.md");
  asPage->excludes(asJson);
  addBenchComparison(*bench, benchOptions);

  const bool isCost = isCostCall(argc, argv);
  try {
    if (isCost) {
      parseCost(cost, argc, argv);
      return conformCost(conformOptions);
    }
    app.parse(argc, argv);
    refuseIdleOptions(app);
    if (app.got_subcommand("list")) return list();
    if (app.got_subcommand("check")) return check(checkOptions);
    if (app.got_subcommand("run")) return run(options);
    if (app.got_subcommand("judge")) return judge(judgeOptions);
    if (app.got_subcommand("import")) return importRobotFile(importOptions);
    if (app.got_subcommand("conform")) return touchstone::cli::conform(conformOptions);
    if (app.got_subcommand("map")) return touchstone::cli::map(mapOptions);
    if (app.got_subcommand("ensemble")) return touchstone::cli::ensemble(ensembleOptions);
    if (app.got_subcommand("replay")) return touchstone::cli::replay(recording, threads);
    if (app.got_subcommand("export")) return exportFiles(exportOptions);
    if (app.got_subcommand("solve")) return touchstone::cli::solve(problem, solvers, written);
    if (app.got_subcommand("harvest")) return touchstone::cli::harvest(harvested, harvestFolder);
    if (app.got_subcommand("profile"))
      return touchstone::cli::profile(profiled, solvers, profileTable, profileFigure, replacesProfile);
    if (app.got_subcommand("claims")) return touchstone::cli::claims(claimsOptions);
    if (app.got_subcommand("study"))
      return app.get_subcommand("study")->got_subcommand("merge") ? mergeStudy(studyOptions)
                                                                  : study(studyOptions);
    if (app.got_subcommand("verify") && !queries.empty()) return verifyCcdQueries(queries);
    if (app.got_subcommand("verify")) return touchstone::cli::verify(backend, scenes);
    benchOptions.backendsGiven = backends->count() > 0;
    if (asJson->count() > 0) benchOptions.format = BenchFormat::Json;
    if (asPage->count() > 0) benchOptions.format = BenchFormat::Markdown;
    return touchstone::cli::bench(benchOptions);
  } catch (const CLI::ParseError& error) {
    return (isCost ? cost : app).exit(error) == 0 ? kDone : kBadInput;
  } catch (const Interrupted& interrupted) {
    std::cerr << "touchstone-cli: interrupted by " << interrupted.signal << "; it is not complete\n";
    return kSimulationFailed;
  } catch (const touchstone::FrameEnded&) {
    std::cerr << "touchstone-cli: interrupted by " << interruption()
              << " within a frame; it is not complete\n";
    return kSimulationFailed;
  } catch (const touchstone::SceneError& error) {
    std::cerr << error.what() << '\n';
    return kBadInput;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << '\n';
    return kBadInput;
  } catch (const touchstone::DatabaseError& error) {
    std::cerr << error.what() << '\n';
    return error.fault() == touchstone::DatabaseError::Fault::Input ? kBadInput : kEnvironment;
  } catch (const std::bad_alloc&) {
    std::cerr << "touchstone-cli: there is too little memory; use fewer bodies, panes or threads\n";
    return kEnvironment;
  } catch (const std::exception& error) {
    std::cerr << "touchstone-cli: " << error.what() << '\n';
    return kEnvironment;
  }
}

int main(int argc, char** argv) {
  openStreams();
  endOnInterrupts();
  const PrintableStream output(std::cout), errors(std::cerr);
  touchstone::registerCuda();
  touchstone::registerEngines();
  int code = execute(argc, argv);
  if (!isPrinted()) {
    std::cerr << "touchstone-cli: standard output cannot be written; free some space, or print elsewhere\n";
    if (code == kDone) code = kEnvironment;
  }
  if (touchstone::hasAbandonedCalls()) _exit(code);
  return code;
}
