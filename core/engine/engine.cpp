#include "core/engine/engine.h"

#include <utility>

namespace touchstone {

namespace {

std::deque<EngineInfo>& engineTable() {
  static std::deque<EngineInfo> table;
  return table;
}

}  // namespace

void addEngine(EngineInfo info) {
  if (!info.method.refusal) info.method.refusal = engineRefusal;
  info.method.balances = info.method.balancesJoints = false;
  addMethod(info.method);
  engineTable().push_back(std::move(info));
}

const EngineInfo* findEngine(const std::string& key) {
  for (const EngineInfo& engine : engineTable())
    if (engine.method.key == key) return &engine;
  return nullptr;
}

std::vector<const MethodInfo*> contactMethods() {
  std::vector<const MethodInfo*> methods;
  for (const MethodInfo& method : methodTable())
    if (!findEngine(method.key)) methods.push_back(&method);
  return methods;
}

std::string engineRefusal(const Scene& scene) {
  for (const Body& body : scene.bodies)
    if (body.shape->kind != Shape::Kind::Plane && body.shape->pieces.empty())
      return "body '" + body.name +
             "' has no convex pieces; give it pieces in the scene file, or choose dpf or cpf";
  return {};
}

}  // namespace touchstone
