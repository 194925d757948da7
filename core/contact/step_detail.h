#pragma once

#include <algorithm>
#include <vector>

#include "core/contact/complementarity/complementarity_model.h"
#include "core/contact/complementarity/pose.h"
#include "core/contact/cpf/continuous_penalty.h"
#include "core/detect/candidates.h"

namespace touchstone {

/// One feature pair of a penalty method as it was evaluated over the predicted path.
struct PairDetail {
  FeaturePair pair;  ///< features of pieces where these are named, as Contact has them
  PairPath input;
  PairImpulse result;
  int pieceA = -1, pieceB = -1;
  bool isReversed = false;  ///< the first row of the input is of piece B
};

/// Rows up to which a problem is kept with its matrix (32 MB), to be shown, solved again and exported.
inline constexpr int kShownRows = 2000;

/// The inside of the last step of a frame, beyond what its record says. Asked for one step at a time, since
/// it costs memory and nothing else reads it.
struct StepDetail {
  double time = 0, dt = 0;                           ///< at the start [s], length [s]
  Pose start, predicted, end;                        ///< of the step; predicted: without contact
  std::vector<FeaturePair> features, vertexSurface;  ///< penalty methods: what broad phase found of features
  std::vector<PairDetail> pairs;                     ///< cpf, dpf-ccd: those that could act; corners of faces
  std::vector<PiecePair> pieces;                     ///< what broad phase found of convex pieces
  std::vector<ModelContact> contacts;                ///< lcp, peg: that the problems' sets refer to
  std::vector<IslandAnswer> problems;                ///< of at most kShownRows rows, with matrices
  int leftOutRows = 0;                               ///< of the largest problem beyond kShownRows, or 0
  ModelSettings modelSettings;
  SolverSettings solverSettings;

  /// True if a problem of so many rows belongs to `problems`; notes it if not.
  bool takesProblemOf(int rows) {
    if (rows > kShownRows) leftOutRows = std::max(leftOutRows, rows);
    return rows <= kShownRows;
  }
};

}  // namespace touchstone
