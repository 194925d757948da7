#include "app/engines/engines.h"

#include "core/engine/trajectory_engine.h"

namespace touchstone {

void registerEngines() {
  addTrajectoryEngine();
#ifdef TS_HAVE_BULLET
  registerBullet();
#endif
#ifdef TS_HAVE_ODE
  registerOde();
#endif
#ifdef TS_HAVE_MUJOCO
  registerMujoco();
#endif
}

}  // namespace touchstone
