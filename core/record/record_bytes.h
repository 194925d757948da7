#pragma once

#include <string>

#include "core/record/step_record.h"

namespace touchstone {

/// Number of doubles per body in bodyBytes().
constexpr int kBodyNumbers = 14;

/// The states of all bodies as float64 [bodyCount][14]: position x y z [m], orientation w x y z, linear
/// velocity [m/s], angular velocity [rad/s], and 1 if the body is released, else 0.
std::string bodyBytes(const std::vector<BodyState>& bodies);
/// @throws std::runtime_error if the size is not a multiple of a body's size
std::vector<BodyState> bodiesOf(const std::string& bytes);

/// Everything else in a record except its quantities: contacts, overlaps, iterations, totals, texts.
std::string detailBytes(const StepRecord& record);
/// Restores what detailBytes() wrote. @throws std::runtime_error if the bytes are damaged or of another
/// version
void readDetail(const std::string& bytes, StepRecord& record);

}  // namespace touchstone
