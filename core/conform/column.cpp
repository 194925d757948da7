#include "core/conform/column.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "core/contact/method_info.h"
#include "core/contact/penalty/step_limit.h"
#include "core/contact/push_out_form.h"
#include "core/engine/engine.h"
#include "core/files/text_forms.h"
#include "core/run/pane_name.h"
#include "core/solver/solver_traits.h"

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
  const bool isCone = traitsOf(settings.solver).cone;
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

/// The numbers after a word: "elastic=0.5/1e5" has two. @throws std::invalid_argument if they are none
std::vector<double> numbersAfter(const std::string& text, std::size_t equals) {
  std::vector<double> numbers;
  for (std::size_t begin = equals; begin < text.size();) {
    const std::size_t end = std::min(text.find('/', begin + 1), text.size());
    const std::string number = text.substr(begin + 1, end - begin - 1);
    char* rest = nullptr;
    numbers.push_back(std::strtod(number.c_str(), &rest));
    if (number.empty() || *rest != '\0' || !(numbers.back() >= 0) || !std::isfinite(numbers.back()))
      throw std::invalid_argument("model: '" + text +
                                  "' has a number that is none or below 0; write for example newton=0.5");
    begin = end;
  }
  return numbers;
}

/// A word that a header or an engine may declare, and the members of the model that its numbers fill.
struct DeclaredWord {
  const char* word;
  std::vector<double ColumnModel::*> numbers;  ///< in the order of the text
  bool mayLackThem = false;                    ///< its closed forms are not asked then
};
const std::vector<DeclaredWord>& declaredWords() {
  static const std::vector<DeclaredWord> words = {
      {"cone", {}},
      {"box", {}},
      {"regularised", {&ColumnModel::weighting}, true},
      {"plastic", {}},
      {"newton", {&ColumnModel::restitution}},
      {"elastic", {&ColumnModel::instant, &ColumnModel::stiffness}},
      {"soft", {}},
      {"discrete", {}},
      {kSemiImplicitEuler, {}}};
  return words;
}

/// @return false if there is no such word
bool declare(const std::string& text, ColumnModel& model) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string word = text.substr(0, equals), pyramid = "pyramid";
  const std::vector<double> numbers = numbersAfter(text, equals);
  if (word.rfind(pyramid, 0) == 0 && word.size() > pyramid.size() && isModelWord(word) && numbers.empty()) {
    model.facets = std::atoi(word.c_str() + pyramid.size());
    model.words.insert({pyramid, word});
    return model.facets >= 3;
  }
  for (const DeclaredWord& known : declaredWords()) {
    const bool hasNumbers = numbers.size() == known.numbers.size() || (numbers.empty() && known.mayLackThem);
    if (word != known.word || !hasNumbers) continue;
    for (std::size_t k = 0; k < numbers.size(); ++k) model.*known.numbers[k] = numbers[k];
    model.words.insert(word);
    return true;
  }
  return false;
}

}  // namespace

const std::vector<std::string>& modelWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> words = {"pyramid", "unknown"};
    for (const DeclaredWord& declared : declaredWords()) words.push_back(declared.word);
    return words;
  }();
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
        declaredModel(engine->modelWith ? engine->modelWith(valuesInForce(scene, resolved)) : engine->model,
                      dt / resolved.substeps);
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

ColumnModel declaredModel(const std::vector<std::string>& words, double step) {
  if (words.empty()) return unknownModel();
  ColumnModel model;
  model.step = step;
  model.text = "as it declares: ";
  for (const std::string& word : words) {
    model.text += (model.words.empty() ? "" : ", ") + word;
    if (!declare(word, model))
      throw std::invalid_argument("model: '" + word +
                                  "' is not known; use cone, pyramid4 (or another number of facets), box, "
                                  "regularised=K_OMEGA, plastic, "
                                  "newton=E, elastic=THETA/STIFFNESS, soft, discrete");
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
      columns.push_back(std::string("lcp:") + kPushOut + "=" + kPublishedPushOut);
      columns.push_back("lcp-pgs");
      columns.push_back("lcp-lemke:friction_facets=4");
    }
    if (method->key == "peg") columns.push_back("peg:step=exact");
  }
  return columns;
}

}  // namespace touchstone
