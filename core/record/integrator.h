#pragma once

namespace touchstone {

/// Word of files whose steps are v += h a, x += h v. All methods of this program take such steps; files of
/// other engines say so in their header.
constexpr char kSemiImplicitEuler[] = "semi-implicit-euler";

}  // namespace touchstone
