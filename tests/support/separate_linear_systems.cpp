#include "core/contact/nsn/linear_systems.inl"
#include "tests/support/separate_backend.h"
#include "tests/support/separate_device.h"

namespace touchstone::test {

std::unique_ptr<nsn::BatchedLinearSystems> separateBatchedLinearSystems() {
  return std::make_unique<nsn::BatchedLinearSystemsOn<SeparateBackend>>();
}

}  // namespace touchstone::test
