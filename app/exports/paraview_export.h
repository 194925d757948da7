#pragma once

#include <functional>
#include <string>

namespace touchstone {

class Recording;

/// Writes a recording for ParaView: for each pane `<number>-<label>-bodies.pvd` and `…-contacts.pvd`, which
/// name one .vtp file per frame. Files of an earlier export in the folder are replaced when the new ones are
/// complete. Bodies: surfaces in the world frame with the cell arrays body, depth_m, velocity_m_per_s.
/// Contacts: points with gap_m, normal, force_N (on the second body), trap.
/// @param progress  called with the completed share; returns false to cancel, which removes written files
/// @return false if cancelled   @throws std::runtime_error with the file that cannot be written
bool exportForParaview(const Recording& recording, const std::string& folder,
                       const std::function<bool(double)>& progress);

}  // namespace touchstone
