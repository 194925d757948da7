#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace touchstone::cli {

/// The command line of a call, for manifests and pages.
struct CommandLine {
  std::string called;  ///< as the program was called
  std::string named;   ///< the same with the program's name in the place of its path
};

/// A call with the values of the declared options. It returns an exit code; see app/work/exit_codes.h.
using Declared = std::function<int()>;

/// A command of touchstone-cli.
struct CommandInfo {
  const char *name, *description;
  /// Declares the options of the command, which it has been given. @return the call that runs it
  Declared (*declare)(CLI::App& command, const CommandLine& line);
};

}  // namespace touchstone::cli
