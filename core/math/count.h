#pragma once

namespace touchstone {

/// Number of elements of an array. Counts and indices are `int` here, because they are compared with −1 and
/// subtracted.
template <class Array>
constexpr int countOf(const Array& array) {
  return static_cast<int>(array.size());
}

}  // namespace touchstone
