#include "core/contact/methods.h"

#include <limits>
#include <stdexcept>

#include "core/parallel/host_backend.h"

namespace touchstone {

namespace {

template <class... Infos>
std::deque<MethodInfo> described(MethodList<Infos...>) {
  return {Infos::describe()...};
}

std::deque<MethodInfo>& table() {
  static std::deque<MethodInfo> methods = described(Methods());
  return methods;
}

}  // namespace

const std::deque<MethodInfo>& methodTable() { return table(); }

std::string refusalOf(const MethodInfo& method, const Scene& scene) {
  if (!scene.joints.empty() && !method.joints)
    return "joint '" + scene.joints.front().name +
           "' joins its bodies, which this method does not hold; choose another";
  for (const Body& body : scene.bodies)
    if (body.deformable && method.deformables == Deformables::Refused)
      return "body '" + body.name +
             "' deforms: elastic forces need an implicit or explicit step that this model does not have; "
             "choose "
             "dpf, dpf-ccd, cpf or nsn";
  if (method.deformables == Deformables::Explicit) {
    // More take hours for a second of motion.
    constexpr int kMostExplicit = 5000;
    const int substeps = explicitSubsteps(scene, scene.dt);
    if (substeps == std::numeric_limits<int>::max())
      return "its cloth has edges that do not stretch, for which no explicit step is stable; choose nsn, or "
             "give edge_stiffness";
    if (substeps > kMostExplicit)
      return "its elements are so stiff that explicit elasticity takes " + std::to_string(substeps) +
             " substeps, above " + std::to_string(kMostExplicit) +
             "; choose nsn, larger elements, or a smaller step";
  }
  return method.refusal ? method.refusal(scene) : std::string();
}

const MethodInfo* findMethod(const std::string& key) {
  for (const MethodInfo& method : table())
    if (method.key == key) return &method;
  return nullptr;
}

template <>
std::map<std::string, MethodMaker<HostBackend>>& methodMakers<HostBackend>() {
  static auto makers = makersOf<HostBackend>(Methods());
  return makers;
}

void offerSolver(const std::string& key) {
  for (MethodInfo& method : table())
    if (!method.solvers.empty()) method.solvers.push_back(key);
}

void addMethod(MethodInfo info) {
  if (findMethod(info.key)) throw std::logic_error("there is a method '" + info.key + "' already");
  table().push_back(std::move(info));
}

const ParameterSpec* findParameter(const MethodInfo& method, const std::string& key) {
  const std::string current = currentKey(key);
  for (const ParameterSpec& spec : method.parameters)
    if (spec.key == current) return &spec;
  return nullptr;
}

std::optional<AutomaticValue> automaticValueOf(const Scene& scene, const std::string& method,
                                               const std::string& key, double step) {
  const MethodInfo* info = findMethod(method);
  const ParameterSpec* spec = info ? findParameter(*info, key) : nullptr;
  if (!spec || !spec->automatic) return std::nullopt;
  return spec->automatic(scene, step);
}

}  // namespace touchstone
