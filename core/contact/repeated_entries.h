#pragma once

#include "core/contact/tracked_penalty.h"

namespace touchstone {

/// Entries of a vertex into a surface that are none:
/// - A vertex that hits a shared edge or corner passes the inside test of several triangles: of entries at
///   the same instant the lowest triangle counts.
/// - A vertex that already penetrates the surface cannot enter it: what has sunk through a thin body and
///   comes back meets the far side from outside, and would be held there.
/// Edge pairs that enter at an end point of an edge at the instant of such a vertex are that contact again.
void dropDuplicates(const SurfaceTopology& surface, PairBatch& batch);

}  // namespace touchstone
