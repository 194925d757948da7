#pragma once

namespace touchstone {

/// Parameter of methods that solve rows: what their impulses start from in a step.
constexpr char kStart[] = "start", kWarmStart[] = "warm", kZeroStart[] = "zero";

}  // namespace touchstone
