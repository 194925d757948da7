#pragma once

namespace touchstone {

/// Adds what moves bodies and is no contact method to the method table: trajectories, and the engines of
/// other programs that this program was built with. Once, at start, before any other thread.
void registerEngines();

// Each adds one engine of another program.
void registerBullet();
void registerOde();
void registerMujoco();

}  // namespace touchstone
