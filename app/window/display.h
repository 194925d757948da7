#pragma once

namespace touchstone {

/// True if there is a display that accepts this program. Without one Qt aborts, and VTK crashes when it
/// creates its context.
bool hasDisplay();

}  // namespace touchstone
