#pragma once

#include <memory>
#include <vector>

#include "core/detect/candidates.h"
#include "core/world/pose.h"

namespace touchstone {

struct PenaltyDetail;  // core/contact/penalty/penalty_detail.h
struct ProblemDetail;  // core/contact/complementarity/problem_detail.h
struct RowsDetail;     // core/solver/rows/rows_detail.h

/// The inside of the last step of a frame, beyond what its record says. Asked for one step at a time, since
/// it costs memory and nothing else reads it. Copies share the parts of the methods.
struct StepDetail {
  double time = 0, dt = 0;                           ///< at the start [s], length [s]
  Pose start, predicted, end;                        ///< of the step; predicted: without contact
  std::vector<FeaturePair> features, vertexSurface;  ///< penalty methods: what broad phase found of features
  std::vector<PiecePair> pieces;                     ///< what broad phase found of convex pieces
  std::shared_ptr<PenaltyDetail> penalty;            ///< null, see penaltyDetail()
  std::shared_ptr<ProblemDetail> problem;            ///< null, see problemDetail()
  std::shared_ptr<RowsDetail> rows;                  ///< null: the method solved no rows
};

}  // namespace touchstone
