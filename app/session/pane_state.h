#pragma once

#include <QMetaType>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/step_detail.h"
#include "core/run/comparison.h"
#include "core/run/settings_spans.h"

namespace touchstone {

/// What the window knows about a pane: what it runs and the values in force there, and who computed which of
/// its frames.
struct PaneState {
  int id = 0;  ///< names it for good; its index is only its place
  PaneSettings settings;
  ParameterValues values;
  std::vector<SettingsSpan> spans;
};

/// The whole state of a comparison as the worker hands it over after every command that changes more than the
/// next frame. Records are shared, so that the copy costs one pointer per frame and pane.
struct ComparisonState {
  std::shared_ptr<const Scene> scene;
  std::vector<PaneState> panes;
  std::vector<History> histories;    ///< [paneCount]
  double dt = 0;                     ///< frame length [s]
  std::vector<BranchInfo> branches;  ///< that are kept, by number
  int branch = 0;                    ///< the one that this is the state of
  std::vector<long> forks;           ///< frames at which it was forked, its own first frame last
  int nextToGo = -1;                 ///< the one that the next takes the place of; −1: there is room
};
using ComparisonStatePtr = std::shared_ptr<const ComparisonState>;

/// The inside of the last step of a frame of a pane.
struct Explained {
  int pane = 0;  ///< id
  long frame = 0;
  RecordPtr record;  ///< of that frame as it was computed again; null: no step led to it
  StepDetail detail;
};
using ExplainedPtr = std::shared_ptr<const Explained>;

/// The largest problem of a step solved again.
struct Resolved {
  int pane = 0;  ///< id
  long frame = 0;
  std::string solver;
  SolverResult result;
  int rows = 0;
};

/// Frames in order of time, each a record per pane.
using FrameBatch = std::vector<std::vector<RecordPtr>>;
using FrameBatchPtr = std::shared_ptr<const FrameBatch>;

}  // namespace touchstone

Q_DECLARE_METATYPE(touchstone::ComparisonStatePtr)
Q_DECLARE_METATYPE(touchstone::FrameBatchPtr)
Q_DECLARE_METATYPE(touchstone::ExplainedPtr)
Q_DECLARE_METATYPE(touchstone::Resolved)
Q_DECLARE_METATYPE(std::vector<touchstone::RecordPtr>)
