#include "core/conform/column.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "core/contact/method.h"
#include "core/contact/penalty/step_limit.h"
#include "core/engine/engine.h"
#include "core/files/text_forms.h"
#include "core/run/pane_name.h"

namespace touchstone {

namespace {

const ParameterValue* valueOf(const ParameterValues& values, const char* key) {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second;
}
double numberIn(const ParameterValues& values, const char* key, double otherwise) {
  const ParameterValue* value = valueOf(values, key);
  const double* number = value ? std::get_if<double>(value) : nullptr;
  return number ? *number : otherwise;
}

void addSprings(const MethodInfo& method, const ParameterValues& values, ColumnModel& model) {
  model.words.insert("elastic");
  model.words.insert("regularised");
  model.instant = instantOf(method, values);
  model.stiffness = numberIn(values, "stiffness", 0);
  model.weighting = numberIn(values, "friction_weighting", 0);
  model.text = "regularised friction (k_ω = " + fourDigits(model.weighting) +
               " s/m), springs at θ = " + fourDigits(model.instant) + " of the step";
  if (method.key == "dpf") model.words.insert("discrete");
}

void addRigid(const PaneSettings& settings, const ParameterValues& values, ColumnModel& model) {
  // Lemke's problem is linear and takes a pyramid; all other solvers take the cone, `auto` where Newton
  // finds an answer.
  const bool isCone = settings.solver != "lemke";
  if (isCone) {
    model.words.insert("cone");
    model.text = "Coulomb's cone";
  } else {
    model.facets = static_cast<int>(numberIn(values, "friction_facets", 0));
    model.words.insert("pyramid");
    model.words.insert("pyramid" + std::to_string(model.facets));
    model.text = "friction pyramid of " + std::to_string(model.facets) + " facets";
  }
  model.restitution = numberIn(values, "restitution", 0);
  model.words.insert(model.restitution > 0 ? "newton" : "plastic");
  model.text +=
      model.restitution > 0 ? ", Newton's e = " + fourDigits(model.restitution) : ", plastic impact";
}

}  // namespace

const std::vector<std::string>& modelWords() {
  static const std::vector<std::string> words = {"cone",     "pyramid",          "box",     "regularised",
                                                 "plastic",  "newton",           "elastic", "soft",
                                                 "discrete", kSemiImplicitEuler, "unknown"};
  return words;
}

bool isModelWord(const std::string& word) {
  const std::string pyramid = "pyramid";
  const bool isPyramid = word.rfind(pyramid, 0) == 0 &&
                         std::all_of(word.begin() + static_cast<std::ptrdiff_t>(pyramid.size()), word.end(),
                                     [](unsigned char c) { return c >= '0' && c <= '9'; });
  const PaneSettings pane = paneNamed(word);
  const MethodInfo* method = findMethod(pane.method);
  const bool isMethod = method && (pane.solver.empty() || std::count(method->solvers.begin(),
                                                                     method->solvers.end(), pane.solver) > 0);
  return isPyramid || isMethod || std::count(modelWords().begin(), modelWords().end(), word) > 0;
}

ColumnModel modelOf(const Scene& scene, const PaneSettings& settings, double dt) {
  PaneSettings resolved = settings;
  const MethodInfo& method = resolve(scene, resolved);
  if (const EngineInfo* engine = findEngine(method.key)) {
    ColumnModel model =
        declaredModel(engine->modelWith ? engine->modelWith(valuesInForce(scene, resolved)) : engine->model);
    model.words.insert(method.key);
    return model;
  }
  const ParameterValues values = valuesInForce(scene, resolved);
  ColumnModel model;
  model.words.insert({method.key, kSemiImplicitEuler});
  if (!resolved.solver.empty()) model.words.insert(method.key + "-" + resolved.solver);
  model.step = dt / resolved.substeps;
  if (method.penalty)
    addSprings(method, values, model);
  else
    addRigid(resolved, values, model);
  return model;
}

ColumnModel declaredModel(const std::vector<std::string>& words) {
  if (words.empty()) return unknownModel();
  const std::string pyramid = "pyramid";
  ColumnModel model;
  model.text = "as it declares: ";
  for (const std::string& word : words) {
    const bool isNumbered = word.rfind(pyramid, 0) == 0 && word.size() > pyramid.size();
    static const std::set<std::string> known = {"cone", "box",      "regularised",     "plastic",
                                                "soft", "discrete", kSemiImplicitEuler};
    if (known.count(word) == 0 && !(isNumbered && isModelWord(word)))
      throw std::invalid_argument("model: '" + word +
                                  "' is not known; use cone, pyramid4 (or another number of facets), box, "
                                  "regularised, plastic, soft, discrete");
    model.text += (model.words.empty() ? "" : ", ") + word;
    model.words.insert(word);
    if (!isNumbered) continue;
    model.facets = std::atoi(word.c_str() + pyramid.size());
    model.words.insert(pyramid);
  }
  return model;
}

ColumnModel unknownModel() {
  ColumnModel model;
  model.words = {"unknown"};
  model.text = "not known";
  return model;
}

std::vector<std::string> defaultColumns() {
  std::vector<std::string> columns;
  for (const MethodInfo* method : contactMethods()) {
    columns.push_back(method->key);
    if (method->key == "lcp") {
      columns.push_back("lcp-pgs");
      columns.push_back("lcp-lemke:friction_facets=4");
    }
    if (method->key == "peg") columns.push_back("peg:step=exact");
  }
  return columns;
}

}  // namespace touchstone
