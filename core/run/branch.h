#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/command.h"
#include "core/run/history.h"
#include "core/run/keyframes.h"
#include "core/run/simulation.h"

namespace touchstone {

/// One simulation with what was recorded of it. While it rests it is not stepped and takes little memory.
struct ComparedPane {
  struct Origin {
    int id;     ///< of the pane that computed the frames
    long last;  ///< up to this one
  };
  int id = 0;                              ///< names it for good, whatever panes come and go
  std::unique_ptr<Simulation> simulation;  ///< null while it rests
  History history;
  Keyframes keyframes;
  Checkpoint end = {};               ///< while it rests: what it goes on from, bit for bit
  std::vector<Origin> origins = {};  ///< of a duplicate, ascending: whose its frames are before its own
};

/// Origin and length of a branch.
struct BranchInfo {
  int id = 0;
  long from = 0;        ///< frame of the fork; 0 of a start
  double fromTime = 0;  ///< s
  std::string source;   ///< what the pane ran whose state all panes took over ("cpf"); empty: a start
  long last = 0;
  double lastTime = 0;  ///< s
};

/// Time is a tree, and this is one way through it: from a start to its present frame, with every
/// frame that all panes have on that way.
///
/// *When one begins.* A fork gives the state of one pane at a recorded frame to all panes; a restart goes
/// back to the scene's start. Both begin a branch and keep the one that is left as it is: its frames, its
/// commands, and of each pane a checkpoint of its end, so that it goes on bit for bit when it is shown again.
/// Nothing else begins one: to look at a past frame, to play from there and to change a parameter leave time
/// as it is, and panes that are added, removed and moved do so at its end.
///
/// *What it costs.* Records are immutable, so that branches share the frames before they part. All that
/// rests, branches that are not shown and panes that were removed, has together as much memory as the panes
/// that are shown; beyond that the oldest keep their frames at a spacing, and the others are computed again
/// when they are looked at, as everywhere. At most Comparison::kMostBranches are kept; then the oldest goes.
/// The window asks before that loses a long run.
///
/// *Undo.* Each change of structure is a command that has an opposite: fork and restart are undone by showing
/// the branch that was left, and done again by showing the other; a pane that was added or duplicated is
/// removed; one that was removed comes back with its history, and first computes the frames that it has
/// missed, under the commands to all panes that were given meanwhile. A branch that was removed rests like
/// the others, in no list, and comes back whole.
///
/// *Files.* The commands of a branch, with its start, determine all its states: a recording holds one branch
/// with all its panes, and a replay runs it. Of a fork its log has the state that all panes take over, and
/// after it all settings, since later ones may be others than those of that frame. A recording that runs
/// while the branch changes goes on in a file of its own; the one so far is whole. A session file holds no
/// frames and no branches.
struct Branch {
  BranchInfo info;
  double dt = 0;  ///< frame length [s]
  std::vector<ComparedPane> panes;
  std::vector<ComparedPane> removed;  ///< at rest, oldest first
  command::SetAll start;
  std::vector<LoggedCommand> log;
  long archiveEnd = -1;  ///< last frame that the archive of a resumed comparison still has as it happened
};

}  // namespace touchstone
