#pragma once

#include <functional>
#include <string>

namespace touchstone {

class Recording;

/// Writes a recording for ParaView: for each pane `<number>-<label>-bodies.pvd` and `…-contacts.pvd`, which
/// name a .vtp file a frame; files of an earlier export into the folder are replaced once the new ones are
/// whole. Bodies: surfaces in the world frame with the cell arrays body, depth_m, velocity_m_per_s. Contacts:
/// points with gap_m, normal, force_N (on the second body), trap.
/// @param progress  called with the share done; returns false to cancel, which removes what was written
/// @return false if cancelled   @throws std::runtime_error naming the file that cannot be written
bool exportForParaview(const Recording& recording, const std::string& folder,
                       const std::function<bool(double)>& progress);

}  // namespace touchstone
