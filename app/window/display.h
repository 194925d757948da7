#pragma once

namespace touchstone {

/// Whether there is a display that lets this program in. Without one Qt aborts and VTK crashes on creating
/// its context.
bool hasDisplay();

}  // namespace touchstone
