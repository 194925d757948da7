#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "app/cli/bench_command.h"
#include "app/cli/check_command.h"
#include "app/cli/claims_command.h"
#include "app/cli/conform_command.h"
#include "app/cli/ensemble_command.h"
#include "app/cli/export_command.h"
#include "app/cli/import_command.h"
#include "app/cli/interrupt.h"
#include "app/cli/judge_command.h"
#include "app/cli/list_command.h"
#include "app/cli/map_command.h"
#include "app/cli/printable_stream.h"
#include "app/cli/problems_command.h"
#include "app/cli/replay_command.h"
#include "app/cli/run_command.h"
#include "app/cli/solve_command.h"
#include "app/cli/study_command.h"
#include "app/cli/verify_command.h"
#include "app/engines/engines.h"
#include "app/work/exit_codes.h"
#include "core/engine/engine.h"
#include "core/files/scene_error.h"
#include "core/math/count.h"
#include "core/parallel/frame_clock.h"
#include "core/store/database.h"
#include "core/store/provenance.h"
#include "gpu/cuda_device.h"

using namespace touchstone;
using namespace touchstone::cli;

namespace {

/// All commands, in the order of the help.
const CommandInfo kCommands[] = {
    {"list", "Methods, solvers, scenes and backends", declareList},
    {"check",
     "Print bodies, masses, overlaps and contacts of the start, methods and all values in force of a run",
     declareCheck},
    {"run", "Run a scene under several methods; table, and CSV with --out", declareRun},
    {"import", "Make a scene file of a robot (URDF or MJCF)", declareImport},
    {"conform", "Run the conformance card: contact phenomena with known answers under every method",
     declareConform},
    {"map", "Run a scene with many values of one or two numbers, all worlds at once: where does it hold?",
     declareMap},
    {"judge", "Measure trajectories of any engine as panes are measured, and how far they come apart",
     declareJudge},
    {"ensemble", "Run many copies that differ by nearly nothing: what do methods differ in beyond chance?",
     declareEnsemble},
    {"study",
     "Run sweeps of methods, steps, parameters and seeds: tables, figures and what they say of claims",
     declareStudy},
    {"claims", "Published claims: reproduced, contradicted, or why not testable; checks them", declareClaims},
    {"replay", "Run a recording again and name the first frame and array that differ", declareReplay},
    {"export", "Write a recording for ParaView or as trajectory files, or a scene for other engines",
     declareExport},
    {"solve", "Solve an exported step's complementarity problem with any solver", declareSolve},
    {"harvest", "Run a recording again and write the problem of every step", declareHarvest},
    {"profile", "Share of problems that each solver solves within a factor of the best, in time and residual",
     declareProfile},
    {"verify", "Check a backend on every scene and against analytic answers", declareVerify},
    {"bench", "Measure the speed: a table, or a page with --markdown", declareBench},
};

CommandLine commandLineOf(int argc, char** argv) {
  std::string words;
  for (int index = 1; index < argc; ++index) words += std::string(" ") + argv[index];
  return {argv[0] + words, "touchstone-cli" + words};
}

/// Parses a call, and runs its command. @return the exit code
int runCommand(int argc, char** argv) {
  const CommandLine line = commandLineOf(argc, argv);
  if (isCostCall(argc, argv)) return costCall(argc, argv, line);
  CLI::App app("Touchstone: what does each contact method do with the very same scene, and why?",
               "touchstone-cli");
  app.set_version_flag("--version", provenanceText);
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

  std::vector<Declared> calls;
  for (const CommandInfo& command : kCommands)
    calls.push_back(command.declare(*app.add_subcommand(command.name, command.description), line));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  for (int index = 0; index < countOf(calls); ++index)
    if (app.got_subcommand(kCommands[index].name)) return calls[index]();
  return kBadInput;
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
  try {
    return runCommand(argc, argv);
  } catch (const Interrupted& interrupted) {
    std::cerr << "touchstone-cli: interrupted by " << interrupted.signal << "; it is not complete\n";
    return kSimulationFailed;
  } catch (const FrameEnded&) {
    std::cerr << "touchstone-cli: interrupted by " << interruption()
              << " within a frame; it is not complete\n";
    return kSimulationFailed;
  } catch (const SceneError& error) {
    std::cerr << error.what() << '\n';
    return kBadInput;
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << '\n';
    return kBadInput;
  } catch (const DatabaseError& error) {
    std::cerr << error.what() << '\n';
    return error.fault() == DatabaseError::Fault::Input ? kBadInput : kEnvironment;
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
  registerCuda();
  registerEngines();
  int code = execute(argc, argv);
  if (!isPrinted()) {
    std::cerr << "touchstone-cli: standard output cannot be written; free some space, or print elsewhere\n";
    if (code == kDone) code = kEnvironment;
  }
  if (hasAbandonedCalls()) _exit(code);
  return code;
}
