#pragma once

#include <optional>
#include <string>

#include "core/math/vec.h"

namespace touchstone {

/// A measure of a trajectory, as a phenomenon's file asks for it. Which members a quantity has says
/// trajectoryQuantityTable().
struct QuantityQuery {
  std::string quantity;  ///< key
  std::string body, other;
  Vec3 axis = Vec3::Zero();  ///< unit, world or body frame; 0: none given
  std::optional<Vec3> point;
  double from = 0, to = kEnd;  ///< window [s]
  double at = kEnd;            ///< s
  double value = 0;            ///< an angle [°] or a threshold
  double radius = 0;           ///< m
  int number = 1;              ///< which of several; −1: the last
  std::string which;           ///< a choice of the quantity
  double add = 0, divide = 1;  ///< the number is (what is measured + add) / divide

  static constexpr double kEnd = -1;  ///< the end of the run
};

}  // namespace touchstone
