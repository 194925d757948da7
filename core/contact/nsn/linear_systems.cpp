#include "core/contact/nsn/linear_systems.inl"

#include "core/parallel/device/backend_registry.h"
#include "core/parallel/host_backend.h"

namespace touchstone::nsn {

static BackendRegistry<BatchedLinearSystems>& linearSystemsEngines() {
  static BackendRegistry<BatchedLinearSystems> table(
      BackendKind::Cpu, [] { return std::make_unique<BatchedLinearSystemsOn<HostBackend>>(); });
  return table;
}

std::unique_ptr<BatchedLinearSystems> makeBatchedLinearSystems(BackendKind backend) {
  return linearSystemsEngines().make(backend);
}

void registerBatchedLinearSystems(BackendKind backend,
                                  std::function<std::unique_ptr<BatchedLinearSystems>()> factory) {
  linearSystemsEngines().add(backend, std::move(factory));
}

void LinearSystems::layOut(const std::vector<SystemSize>& sizes, int maxIterations) {
  places.resize(sizes.size());
  SystemPlace next;
  largeCount = residualCount = 0;
  for (std::size_t system = 0; system < sizes.size(); ++system) {
    const SystemSize& size = sizes[system];
    if (isLarge(size)) largeCount = static_cast<int>(system) + 1;
    next.rowCount = size.rows;
    next.bodyCount = size.bodies;
    next.firstResidual = size.isReported ? residualCount : -1;
    places[system] = next;
    next.firstRow += size.rows;
    next.firstBody += size.bodies;
    next.firstTerm += size.terms;
    next.firstSum += static_cast<int>(scratchForSum(size.rows));
    if (size.isReported) residualCount += maxIterations;
  }
  rows.resize(next.firstRow);
  bodies.resize(next.firstBody);
  terms.resize(next.firstTerm);
  sides.resize(terms.size());
  sumCount = next.firstSum;
}

void LinearSystems::findSides(int system) {
  const SystemPlace& place = places[system];
  SystemBody* const ownBodies = bodies.data();
  for (int body = place.firstBody; body < place.firstBody + place.bodyCount; ++body) {
    ownBodies[body].sideCount = 0;
    ownBodies[body].system = system;
  }
  const auto eachSide = [&](const auto& visit) {
    for (int row = place.firstRow; row < place.firstRow + place.rowCount; ++row) {
      const SystemRow& systemRow = rows[row];
      for (int term = systemRow.firstTerm; term < systemRow.firstTerm + systemRow.termCount; ++term)
        visit(ownBodies[terms[term].body], row, term);
    }
  };
  eachSide([](SystemBody& body, int, int) { ++body.sideCount; });
  int first = place.firstTerm;
  for (int body = place.firstBody; body < place.firstBody + place.bodyCount; ++body) {
    ownBodies[body].firstSide = first;
    first += ownBodies[body].sideCount;
    ownBodies[body].sideCount = 0;
  }
  eachSide([this](SystemBody& body, int row, int term) {
    sides[body.firstSide + body.sideCount++] = {row, term};
  });
  for (int row = 0; row < place.rowCount; ++row) {
    SystemRow& systemRow = rows[place.firstRow + row];
    systemRow.system = system;
    systemRow.sum = place.firstSum + row;
  }
}

}  // namespace touchstone::nsn
