#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/run/simulation.h"

namespace touchstone {

class JsonView;

/// Commands of a user between two frames of a comparison. Together with the scene and the first panes a list
/// of commands determines every later state.
namespace command {

struct SetDt {
  double dt;  ///< frame length [s]
};
struct SetParameter {
  int pane;
  std::string key;
  ParameterValue value;
};
struct SetSubsteps {
  int pane, substeps;
};
struct SetPane {
  int pane;
  PaneSettings settings;
};
/// Starts from the state of another pane.
struct AddPane {
  PaneSettings settings;
  int id;           ///< of the new pane
  int source = -1;  ///< id of the other; −1: the first pane
};
/// Another pane with all that this one has and is.
struct DuplicatePane {
  int source;  ///< id of this one, also of one that was removed by then
  int id;      ///< of the new pane
};
struct RemovePane {
  int pane;
};
/// A pane that was removed, as if it had not been.
struct RestorePane {
  int id, to;  ///< and its place
};
/// The pane takes the place `to`; those between move up.
struct MovePane {
  int pane, to;
};
/// All panes continue from the state of `pane` at recorded `frame`.
struct Fork {
  int pane;
  long frame;
  int id = -1;           ///< of that pane, also of one that was removed by then; −1: `pane` is its place
  bool counted = false;  ///< what the Referee had measured of it goes over to all panes, too
};
/// The mouse spring in all panes; body −1 lets go.
struct Pull {
  Spring spring;
};
/// All panes as they are, for a log whose earlier entries have been forgotten.
struct SetAll {
  double dt;
  std::vector<PaneSettings> panes;
  std::vector<int> ids;  ///< [paneCount]
  bool counts = false;   ///< the Referee goes on counting; else it begins with the states
};

}  // namespace command

inline std::optional<Spring> asOptional(const Spring& spring) {
  return spring.body < 0 ? std::optional<Spring>() : spring;
}

using Command =
    std::variant<command::SetDt, command::SetParameter, command::SetSubsteps, command::SetPane,
                 command::AddPane, command::DuplicatePane, command::RemovePane, command::RestorePane,
                 command::MovePane, command::Fork, command::Pull, command::SetAll>;

struct LoggedCommand {
  long frame = 0;  ///< given after this frame, before the next
  Command command;
};

/// Largest number of panes of a recording or a session.
constexpr std::size_t kMostRecordedPanes = 16;

/// A command as one line of JSON, and back, with every value of its kind and in its range. Whether it goes
/// with a scene and the panes that there are checkCommands() says.
/// @param file  named by errors   @throws SceneError
std::string toText(const Command& command);
Command commandOf(const std::string& text, const std::string& file);
Command commandOf(const JsonView& json);
/// The command of that kind only.
command::SetAll setAllOf(const JsonView& json);

}  // namespace touchstone
