#include "core/contact/complementarity/complementarity_model.h"
#include "core/math/count.h"

namespace touchstone {

int rowsOf(const ModelSet& set, const ModelSettings& settings) {
  ContactRow row{};
  row.friction = set.friction;
  return unknownsOfRow(row, countOf(set.contacts) - 1, settings);
}

bool hasFriction(const World& world) {
  const auto rubs = [&world](std::size_t body) { return (*world.constants)[body].staticFriction > 0; };
  int rubbing = 0, moving = 0;
  for (std::size_t body = 0; body < world.constants->size(); ++body) {
    rubbing += rubs(body);
    moving += rubs(body) && world.scene->bodies[body].motion == Motion::Dynamic;
  }
  return rubbing > 1 && moving > 0;
}

void raiseStatus(StepStatus status, const std::string& text, StepRecord& record) {
  if (status == StepStatus::Ok || status < record.status) return;
  record.status = status;
  record.statusText = text;
}

}  // namespace touchstone
