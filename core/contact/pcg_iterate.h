#pragma once

namespace touchstone {

/// The parameter of lcp, peg and nsn that says which iterate of the linear solver pcg is its answer.
inline constexpr char kPcgIterate[] = "pcg_iterate";

}  // namespace touchstone
