#pragma once

namespace touchstone {

/// Parameter of methods with rows of contacts: whether overlaps are undone apart from their velocities.
inline constexpr const char* kPushOut = "push_out";
inline constexpr const char *kSplitPushOut = "split", *kPublishedPushOut = "published";

}  // namespace touchstone
