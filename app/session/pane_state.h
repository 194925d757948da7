#pragma once

#include <QMetaType>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/step_detail.h"
#include "core/run/comparison.h"
#include "core/run/settings_spans.h"
#include "core/solver/dense/problem.h"

namespace touchstone {

/// State of a pane in the window: its settings and values, and the origin of its frames.
struct PaneState {
  int id = 0;  ///< permanent; its index may change
  PaneSettings settings;
  ParameterValues values;
  std::vector<SettingsSpan> spans;
};

/// A pane of a branch of time.
struct BranchPane {
  int branch = 0;  ///< number
  int pane = 0;    ///< id
  bool operator==(const BranchPane& other) const { return branch == other.branch && pane == other.pane; }
  bool operator<(const BranchPane& other) const {
    return branch != other.branch ? branch < other.branch : pane < other.pane;
  }
};

/// A branch that is kept and does not go on.
struct RestingBranch {
  int id = 0;
  std::vector<PaneState> panes;    ///< without values
  std::vector<History> histories;  ///< [panes]; empty ones unless the window watches the branch
};

/// The whole state of a comparison, which the worker sends after every command that changes more than the
/// next frame. Records are shared, so that copying costs one pointer per frame and pane.
struct ComparisonState {
  std::shared_ptr<const Scene> scene;
  std::vector<PaneState> panes;
  std::vector<History> histories;      ///< [paneCount]
  double dt = 0;                       ///< frame length [s]
  std::vector<BranchInfo> branches;    ///< kept branches, by number
  int branch = 0;                      ///< number of this branch
  std::vector<long> forks;             ///< frames at which it was forked; its own first frame is last
  int nextToGo = -1;                   ///< the branch that the next one replaces; −1: there is space for
                                       ///< another
  std::vector<RestingBranch> resting;  ///< the others
};
using ComparisonStatePtr = std::shared_ptr<const ComparisonState>;

/// The inside of the last step of a frame of a pane.
struct Explained {
  int pane = 0;  ///< id
  long frame = 0;
  RecordPtr record;  ///< the frame, computed again; null: no step led to it
  StepDetail detail;
};
using ExplainedPtr = std::shared_ptr<const Explained>;

/// The largest problem of a step, solved again.
struct Resolved {
  int pane = 0;  ///< id
  long frame = 0;
  std::string solver;
  SolverResult result;
  int rows = 0;
};

/// Frames in order of time, with one record per pane.
using FrameBatch = std::vector<std::vector<RecordPtr>>;
using FrameBatchPtr = std::shared_ptr<const FrameBatch>;

}  // namespace touchstone

Q_DECLARE_METATYPE(touchstone::ComparisonStatePtr)
Q_DECLARE_METATYPE(touchstone::FrameBatchPtr)
Q_DECLARE_METATYPE(touchstone::ExplainedPtr)
Q_DECLARE_METATYPE(touchstone::Resolved)
Q_DECLARE_METATYPE(touchstone::BranchPane)
Q_DECLARE_METATYPE(std::vector<touchstone::RecordPtr>)
