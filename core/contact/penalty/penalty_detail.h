#pragma once

#include <memory>
#include <vector>

#include "core/contact/manifold/continuous_penalty.h"
#include "core/contact/step_detail.h"

namespace touchstone {

/// One feature pair of a penalty method as it was evaluated over the predicted path.
struct PairDetail {
  FeaturePair pair;  ///< features of pieces where these are named, as Contact has them
  PairPath input;
  PairImpulse result;
  int pieceA = -1, pieceB = -1;
  bool isReversed = false;  ///< the first row of the input is of piece B
};

/// The part of a StepDetail that penalty methods add.
struct PenaltyDetail {
  std::vector<PairDetail> pairs;  ///< cpf, dpf-ccd: those that could act; corners of faces
};

/// The part of a penalty method; empty where another method took the step.
inline const PenaltyDetail& penaltyDetail(const StepDetail& detail) {
  static const PenaltyDetail none;
  return detail.penalty ? *detail.penalty : none;
}
/// The same, to be written to.
inline PenaltyDetail& penaltyDetail(StepDetail& detail) {
  if (!detail.penalty) detail.penalty = std::make_shared<PenaltyDetail>();
  return *detail.penalty;
}

}  // namespace touchstone
