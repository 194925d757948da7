#include "core/run/stepper.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"
#include "core/run/engine_stepper.h"

namespace touchstone {

using Steppers =
    BackendRegistry<Stepper, const MethodChoice&, const World&, const std::shared_ptr<DeviceWorld>&>;

static Steppers& steppers() {
  static Steppers table(BackendKind::Cpu,
                        [](const MethodChoice& choice, const World& world, const auto& deviceWorld) {
                          return std::make_unique<StepperOn<HostBackend>>(choice, world, deviceWorld);
                        });
  return table;
}

std::unique_ptr<Stepper> makeStepper(BackendKind backend, const MethodChoice& choice, const World& world,
                                     const std::shared_ptr<DeviceWorld>& deviceWorld) {
  if (const EngineInfo* engine = findEngine(choice.method)) {
    if (backend != BackendKind::Cpu)
      throw std::runtime_error(engine->method.name + " moves bodies on the CPU only");
    return std::make_unique<EngineStepper>(*engine, world, choice.values);
  }
  return steppers().make(backend, choice, world, deviceWorld);
}

void registerStepper(BackendKind backend, StepperFactory factory) {
  steppers().add(backend, std::move(factory));
}

bool hasStepper(BackendKind backend) { return steppers().has(backend); }

}  // namespace touchstone
