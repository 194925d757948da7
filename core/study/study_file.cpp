#include <algorithm>
#include <cmath>

#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/text_forms.h"
#include "core/scene/frame_count.h"
#include "core/study/study.h"

namespace touchstone {

namespace {

/// Most runs of a study. A larger value accepts studies that never end; a smaller one refuses large sweeps.
constexpr int kMostRuns = 100'000;

PaneSettings readSettings(const JsonView& view) {
  PaneSettings settings;
  settings.method = view.at("method").text();
  if (!findMethod(settings.method))
    view.at("method").fail("'" + settings.method + "' is no method", "touchstone-cli list names them");
  settings.solver = view.textOr("solver", "");
  if (view.has("substeps")) settings.substeps = view.at("substeps").integer(1, kMostSubsteps);
  if (view.has("parameters")) settings.parameters = parametersOf(view.at("parameters"));
  return settings;
}

/// A label is the title of a table row and a cell of a CSV file.
bool isLabel(const std::string& label) {
  // A larger value breaks the layout of tables; a smaller one refuses descriptive labels.
  constexpr std::size_t kLongest = 200;
  return !label.empty() && label.size() <= kLongest &&
         std::none_of(label.begin(), label.end(),
                      [](unsigned char c) { return c < ' ' || c == ',' || c == '|' || c == '"'; });
}

void readPanes(const JsonView& root, Study& study) {
  for (const JsonView& view : root.at("panes").items(100)) {
    view.allowOnly({"label", "method", "solver", "substeps", "parameters"});
    StudyPane pane{view.at("label").text(), readSettings(view)};
    if (!isLabel(pane.label))
      view.at("label").fail("is empty, too long or has a comma, a bar, a quote or a control character",
                            "it heads a row of a table");
    for (const StudyPane& other : study.panes)
      if (other.label == pane.label) view.at("label").fail("is used twice", "rename one");
    study.panes.push_back(pane);
  }
  if (study.panes.empty()) root.at("panes").fail("is empty", "give at least one method");
}

void readSeeds(const JsonView& root, Study& study) {
  const JsonView seeds = root.at("seeds");
  seeds.allowOnly({"first", "count"});
  const int first = seeds.at("first").integer(0, 1'000'000'000), count = seeds.at("count").integer(1, 10'000);
  for (int seed = first; seed < first + count; ++seed) study.seeds.push_back(seed);
  if (!root.has("variation")) {
    if (count > 1) root.at("variation");  // without it several seeds would give the same run
    return;
  }
  const JsonView variation = root.at("variation");
  variation.allowOnly({"position", "angle_deg", "spin"});
  if (variation.has("position")) study.variation.position = variation.at("position").nonNegative();
  if (variation.has("angle_deg"))
    study.variation.angle = variation.at("angle_deg").nonNegative() * M_PI / 180;
  if (variation.has("spin")) study.variation.spin = variation.at("spin").nonNegative();
}

}  // namespace

Study loadStudy(const std::string& path) {
  const nlohmann::json document = readJson(path, "give the path of a study file");
  const JsonView root(document, path, "add it; datasets/README.md describes the format");
  root.allowOnly({"touchstone_study", "name", "title", "scene", "time", "dt", "seeds", "variation",
                  "crash_speed", "panes"});
  root.at("touchstone_study").integer(1, 1);
  Study study;
  study.file = path;
  study.name = root.at("name").text();
  if (!isPlainName(study.name))
    root.at("name").fail("must be 1 to 100 letters, digits, - and _", "it becomes the name of a folder");
  study.title = root.at("title").text();
  study.scene = root.at("scene").text();
  study.time = root.at("time").positive();
  if (root.has("crash_speed")) study.crashSpeed = root.at("crash_speed").positive();
  for (const JsonView& dt : root.at("dt").items(100)) {
    study.dt.push_back(dt.positive());
    const std::string problem = frameCountProblem(study.time, study.dt.back());
    if (!problem.empty()) dt.fail(problem, kFrameCountRemedy);
    if (std::count(study.dt.begin(), study.dt.end(), study.dt.back()) > 1)
      dt.fail("is given twice", "remove one of the two");
  }
  if (study.dt.empty()) root.at("dt").fail("is empty", "give at least one time step in s");
  readSeeds(root, study);
  readPanes(root, study);
  if (study.dt.size() * study.seeds.size() * study.panes.size() > kMostRuns)
    root.at("seeds").fail("asks for more than 100 000 runs", "use fewer seeds, steps or panes");
  return study;
}

}  // namespace touchstone
