#pragma once

namespace touchstone {

/// Parameter of `nsn`: the Newton iteration that solves its rows.
inline constexpr const char* kNewtonForm = "newton";
inline constexpr const char *kAutomaticNewton = "automatic", *kProximalNewton = "proximal",
                            *kMacklinNewton = "macklin";
/// Value of kStart of `nsn`: as the iteration needs it.
inline constexpr const char* kAutomaticStart = "automatic";

}  // namespace touchstone
