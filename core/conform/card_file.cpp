#include "core/conform/card_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/conform/kit.h"
#include "core/contact/method_info.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/listed.h"
#include "core/files/sha256.h"
#include "core/files/text_forms.h"
#include "core/run/pane_name.h"
#include "core/scene/scene_file.h"

namespace touchstone {

namespace {

constexpr char kCardGuide[] = "give a card.json of `touchstone-cli conform --out`";
/// Limits of a file. Larger: it holds more than anybody reads; smaller: a long sweep of columns is refused.
constexpr std::size_t kMostColumns = 1000, kMostCardNumbers = 1'000'000;
/// Relative rounding of numbers that another build computed. Larger: a changed answer passes; smaller:
/// rounding counts.
constexpr double kAnswerRounding = 1e-9;

bool isSameNumber(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return std::abs(a - b) <= kAnswerRounding * std::max(std::abs(a), std::abs(b));
}

std::string textOrNone(double value) { return std::isnan(value) ? "none" : csvNumber(value); }

double numberOrNone(const JsonView& view) { return view.json().is_null() ? NAN : view.number(); }

Verdict verdictIn(const JsonView& view) {
  const std::string word = view.text();
  std::vector<std::string> words;
  for (const Verdict verdict : allVerdicts()) {
    words.emplace_back(wordOf(verdict));
    if (words.back() == word) return verdict;
  }
  view.fail("'" + word + "' is no verdict", "it is one of " + listed(words));
}

double answerIn(const Measure& measure) {
  return measure.exact     ? *measure.exact
         : measure.atMost  ? *measure.atMost
         : measure.atLeast ? *measure.atLeast
                           : NAN;
}
double toleranceIn(const Measure& measure) {
  return measure.exact ? measure.tolerance.of(*measure.exact) : 0;
}
/// True where a value is as the exact answer or the bound asks.
bool isRight(const Measure& measure, double value) {
  if (measure.exact) return std::abs(value - *measure.exact) <= toleranceIn(measure);
  return measure.atMost ? value <= *measure.atMost : value >= *measure.atLeast;
}

std::string runLabel(const Measure& measure) {
  return measure.runs.size() > 1 ? measure.runs.front() + "…" + measure.runs.back() : measure.runs.back();
}

template <class Items>
auto byName(Items& items, const std::string& name) {
  return std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
}

/// Reads a card and collects what contradicts the battery.
class CardReader {
 public:
  CardReader(const JsonView& root, const std::vector<Phenomenon>& battery)
      : m_root(root), m_battery(battery) {}

  CardFile read() {
    m_root.requireObject();
    m_root.at("touchstone_card").integer(kCardSchema, kCardSchema);
    const std::string version = m_root.at("battery_version").text();
    if (version != kBatteryVersion)
      contradict("battery_version", "is " + version + "; this program has " + kBatteryVersion);
    Card& card = m_file.card;
    const bool isPublished = m_root.at("settings").oneOf({"battery", "published"}) == "published";
    card.settings = isPublished ? ConformSettings::Published : ConformSettings::Battery;
    readColumns();
    std::set<std::string> known;
    for (const JsonView& view : m_root.at("phenomena").items(kMostColumns)) {
      view.requireObject();
      const std::string name = view.at("name").text();
      if (!known.insert(name).second) view.at("name").fail("'" + name + "' is there twice", "remove one");
      const auto found = byName(m_battery, name);
      if (found == m_battery.end())
        contradict(name, "is no phenomenon of this battery");
      else
        readPhenomenon(view, *found);
    }
    if (m_root.has("efforts"))
      for (const JsonView& view : m_root.at("efforts").items(kMostColumns)) readEfforts(view);
    if (card.phenomena.empty() && m_file.contradictions.empty())
      m_root.at("phenomena").fail("is empty", kCardGuide);
    return std::move(m_file);
  }

 private:
  void contradict(const std::string& place, const std::string& what) {
    m_file.contradictions.push_back(place + ": " + what);
  }

  void note(const std::string& text) {
    if (std::count(m_file.notes.begin(), m_file.notes.end(), text) == 0) m_file.notes.push_back(text);
  }

  /// Told, not checked: nothing in a card says how long its runs took.
  void readEfforts(const JsonView& view) {
    view.requireObject();
    const std::string column = m_file.card.columns[columnOf(view.at("column"))];
    for (const JsonView& item : view.at("runs").items(kMostCardNumbers)) {
      item.requireObject();
      CardEffort cardEffort{item.at("phenomenon").text(), item.at("run").text(), column, {}};
      RunEffort& effort = cardEffort.effort;
      const auto countOr = [&item](const char* key, long otherwise) {
        return item.at(key).json().is_null() ? otherwise : item.at(key).count(0, 1'000'000'000'000);
      };
      effort.asked = item.at("frame_s").nonNegative();
      effort.step = item.at("step_s").json().is_null() ? 0 : item.at("step_s").positive();
      effort.substeps = static_cast<int>(std::min(countOr("substeps", 0), long(kMostSubsteps)));
      effort.iterations =
          static_cast<int>(std::min(countOr("iterations", RunEffort::kNotTold), 2'000'000'000L));
      effort.iterationSum = countOr("iteration_sum", RunEffort::kNotTold);
      effort.precision = item.at("precision").text();
      effort.processor = numberOrNone(item.at("processor_s"));
      if (item.has("file_sha256")) {
        effort.interval = item.at("sample_interval_s").nonNegative();
        effort.fileHash = item.at("file_sha256").text();
        effort.contactsHash = item.at("contacts_sha256").text();
        effort.isDistrusted = item.at("velocities_contradict_poses").boolean();
      }
      m_file.card.efforts.push_back(std::move(cardEffort));
    }
  }

  void readColumns() {
    Card& card = m_file.card;
    const auto addOnce = [](const JsonView& view, const auto& items) {
      const std::string label = view.text();
      if (label.empty()) view.fail("is empty", "name the column");
      if (std::count(items.begin(), items.end(), label) > 0)
        view.fail("'" + label + "' is there twice", "remove one");
      return label;
    };
    for (const JsonView& view : m_root.at("columns").items(kMostColumns))
      card.columns.push_back(addOnce(view, card.columns));
    if (card.columns.empty()) m_root.at("columns").fail("is empty", kCardGuide);
    for (const JsonView& view : m_root.at("foreign").items(kMostColumns)) {
      const std::string label = addOnce(view, card.foreign);
      if (std::count(card.columns.begin(), card.columns.end(), label) == 0)
        view.fail("'" + label + "' is no column", "name one of \"columns\"");
      card.foreign.insert(label);
    }
  }

  void readPhenomenon(const JsonView& view, const Phenomenon& phenomenon) {
    Card& card = m_file.card;
    readRuns(view.at("runs"), phenomenon);
    const std::size_t begin = card.numbers.size(), columns = card.columns.size();
    card.phenomena.push_back(phenomenon);
    card.numbers.resize(begin + phenomenon.measures.size() * columns);
    std::vector<char> isRead(phenomenon.measures.size() * columns);
    for (const JsonView& item : view.at("numbers").items(kMostCardNumbers)) {
      const CardNumber number = numberIn(item, phenomenon);
      const std::size_t column = columnOf(item.at("column"));
      std::size_t measure = 0;
      while (measure < phenomenon.measures.size() && phenomenon.measures[measure].id != number.measure)
        ++measure;
      if (measure == phenomenon.measures.size()) {
        contradict(placeOf(number), "is no measure of this battery");
        continue;
      }
      if (isRead[measure * columns + column]++) {
        contradict(placeOf(number), "is there twice");
        continue;
      }
      card.numbers[begin + measure * columns + column] = number;
      checkNumber(number, phenomenon, phenomenon.measures[measure]);
    }
    for (std::size_t place = 0; place < isRead.size(); ++place) {
      if (isRead[place]) continue;
      CardNumber& number = card.numbers[begin + place];
      number.phenomenon = phenomenon.name;
      number.measure = phenomenon.measures[place / columns].id;
      number.column = card.columns[place % columns];
      number.value = number.reference = number.model = number.deviation = NAN;
      contradict(placeOf(number), "is missing");
    }
    readCells(view.at("cells"), phenomenon, begin);
  }

  std::size_t columnOf(const JsonView& view) const {
    const std::vector<std::string>& columns = m_file.card.columns;
    const auto found = std::find(columns.begin(), columns.end(), view.text());
    if (found == columns.end())
      view.fail("'" + view.text() + "' is no column of the card", "name one of \"columns\"");
    return found - columns.begin();
  }

  static std::string placeOf(const CardNumber& number) {
    return number.phenomenon + " " + number.measure + " (" + number.column + ")";
  }

  CardNumber numberIn(const JsonView& view, const Phenomenon& phenomenon) const {
    view.requireObject();
    CardNumber number;
    number.phenomenon = phenomenon.name;
    number.measure = view.at("measure").text();
    number.run = view.at("run").text();
    number.column = view.at("column").text();
    number.unit = view.at("unit").text();
    number.value = numberOrNone(view.at("value"));
    number.reference = numberOrNone(view.at("reference"));
    number.model = numberOrNone(view.at("model"));
    number.tolerance = view.at("tolerance").nonNegative();
    number.deviation = numberOrNone(view.at("deviation"));
    number.verdict = verdictIn(view.at("verdict"));
    number.reason = view.at("reason").text();
    number.sceneHash = view.at("scene_hash").text();
    return number;
  }

  void readRuns(const JsonView& views, const Phenomenon& phenomenon) {
    std::set<std::string> known;
    for (const JsonView& view : views.items(kMostColumns)) {
      view.requireObject();
      CardRun run;
      run.phenomenon = phenomenon.name;
      run.run = view.at("id").text();
      run.sceneHash = view.at("scene_hash").text();
      run.sceneSha256 = view.at("scene_sha256").text();
      run.dt = view.at("dt").positive();
      run.time = view.at("time").positive();
      for (const auto& [column, words] : view.at("declares").members(kMostColumns))
        for (const JsonView& word : words.items(kMostColumns)) {
          if (m_file.card.foreign.count(column) == 0)
            words.fail("is of no foreign column", "name one of \"foreign\"");
          run.declared[column].insert(word.text());
          if (word.text() != kSemiImplicitEuler) modelOfWord(word);
        }
      const std::string place = phenomenon.name + ", run " + run.run;
      if (!known.insert(run.run).second) view.at("id").fail("'" + run.run + "' is there twice", "remove one");
      const auto found = std::find_if(phenomenon.runs.begin(), phenomenon.runs.end(),
                                      [&](const PhenomenonRun& ours) { return ours.id == run.run; });
      if (found == phenomenon.runs.end())
        contradict(place, "is no run of this battery");
      else
        checkRun(place, run, *found);
      m_file.card.runs.push_back(std::move(run));
    }
    for (const PhenomenonRun& run : phenomenon.runs)
      if (known.count(run.id) == 0) contradict(phenomenon.name + ", run " + run.id, "is missing");
  }

  struct Expected {
    std::shared_ptr<const Scene> scene;
    std::string hash, sha;
    double dt = 0, time = 0;
  };
  const Expected& expectedOf(const PhenomenonRun& run, const std::string& phenomenon) {
    Expected& expected = m_expected[{phenomenon, run.id}];
    if (expected.scene) return expected;
    const SourceFile source = sceneSourceOf(run, m_file.card.settings == ConformSettings::Published);
    expected.scene = readScene(run.scene, source);
    expected.hash = source.hash;
    expected.sha = sha256(*source.bytes);
    expected.dt = run.dt > 0 ? run.dt : expected.scene->dt;
    expected.time = run.time > 0 ? run.time : expected.scene->duration;
    return expected;
  }

  void checkRun(const std::string& place, const CardRun& run, const PhenomenonRun& ours) {
    const Expected& expected = expectedOf(ours, run.phenomenon);
    if (run.sceneSha256 != expected.sha)
      contradict(place, "scene_sha256 is not that of the scene of this battery");
    if (run.sceneHash != expected.hash)
      contradict(place, "scene_hash is not that of the scene of this battery");
    if (!isSameNumber(run.dt, expected.dt))
      contradict(place, "dt is " + textOrNone(run.dt) + ", here " + textOrNone(expected.dt));
    if (!isSameNumber(run.time, expected.time))
      contradict(place, "time is " + textOrNone(run.time) + ", here " + textOrNone(expected.time));
  }

  /// The model that a column has in a run; none: this program lacks the engine, or its method refuses the
  /// scene.
  std::optional<ColumnModel> modelIn(const std::string& column, const Phenomenon& phenomenon,
                                     const PhenomenonRun& run) {
    if (m_file.card.foreign.count(column) > 0) {
      const ColumnModel model = declaredIn(column, phenomenon, run);
      if (model.words.count("elastic") == 0) return model;
      note(column + " declares springs, whose answers depend on its step: its model is not recomputed");
      return {};
    }
    const MethodInfo* method = nullptr;
    try {
      const Expected& expected = expectedOf(run, phenomenon.name);
      PaneSettings settings = paneFor(column, *expected.scene);
      method = findMethod(settings.method);
      if (!method) throw std::invalid_argument(settings.method);
      if (run.substeps > 0) settings.substeps = run.substeps;
      for (const auto& [key, value] : run.parameters)
        if (findParameter(*method, key)) settings.parameters[key] = value;
      return modelOf(*expected.scene, settings, expected.dt);
    } catch (const std::invalid_argument&) {
      if (method) return {};  // it refuses the scene
    }
    note(column + " is no method of this program: its model is not recomputed");
    return {};
  }

  static void modelOfWord(const JsonView& word) {
    try {
      declaredModel({word.text()}, 0);
    } catch (const std::invalid_argument&) {
      word.fail("is no model of a column", "correct the word");
    }
  }

  ColumnModel declaredIn(const std::string& column, const Phenomenon& phenomenon,
                         const PhenomenonRun& run) const {
    std::set<std::string> words;
    for (const CardRun& read : m_file.card.runs) {
      const auto found = read.declared.find(column);
      if (read.phenomenon == phenomenon.name && read.run == run.id && found != read.declared.end())
        words = found->second;
    }
    const bool isEuler = words.erase(kSemiImplicitEuler) > 0;
    ColumnModel model = declaredModel({words.begin(), words.end()}, 0);
    if (isEuler) model.words.insert(kSemiImplicitEuler);
    return model;
  }

  void checkNumber(const CardNumber& number, const Phenomenon& phenomenon, const Measure& measure) {
    const std::string place = placeOf(number);
    const auto differs = [&](const char* what, const std::string& theirs, const std::string& ours) {
      if (theirs != ours) contradict(place, std::string(what) + " is " + theirs + ", here " + ours);
    };
    differs("run", number.run, runLabel(measure));
    differs("unit", number.unit, measure.unit);
    const double answer = answerIn(measure), tolerance = toleranceIn(measure);
    const bool isCompared = number.verdict != Verdict::NotApplicable && number.verdict != Verdict::Failed &&
                            number.verdict != Verdict::Shown;
    if (!isSameNumber(number.reference, answer) && (isCompared || !std::isnan(number.reference)))
      differs("the answer", textOrNone(number.reference), textOrNone(answer));
    if (!isSameNumber(number.tolerance, tolerance))
      differs("the tolerance", textOrNone(number.tolerance), textOrNone(tolerance));
    const double deviation = number.value - number.reference;
    if (!std::isnan(number.deviation) &&
        std::abs(number.deviation - deviation) >
            kAnswerRounding * (std::abs(number.value) + std::abs(number.reference)))
      differs("the deviation", textOrNone(number.deviation), textOrNone(deviation));
    const PhenomenonRun& run = phenomenon.run(measure.runs.back());
    const Expected& expected = expectedOf(run, phenomenon.name);
    if (number.sceneHash != expected.hash)
      contradict(place, "scene_hash is not that of the scene of this battery");
    const std::string problem = verdictProblem(number, measure, modelIn(number.column, phenomenon, run));
    if (!problem.empty())
      contradict(place, std::string("the verdict is '") + wordOf(number.verdict) + "', but " + problem);
  }

  /// Why a verdict does not follow from value, answer, tolerance and model, by the rule of judged(); or
  /// empty.
  std::string verdictProblem(const CardNumber& number, const Measure& measure,
                             const std::optional<ColumnModel>& model) const {
    const double value = number.value;
    const bool isForeign = m_file.card.foreign.count(number.column) > 0;
    const bool hasOwnForm = measure.polyhedral && !isForeign;
    const std::string* whyNot = model ? whyNotAsked(measure, *model) : nullptr;
    if (number.verdict == Verdict::Failed)
      return std::isnan(value) ? "" : "it has the value " + textOrNone(value);
    if (number.verdict == Verdict::NotApplicable) {
      const bool mayBeUnasked = !model && !(measure.notFor.empty() && measure.onlyFor.empty());
      if (std::isnan(value) || hasOwnForm || whyNot || mayBeUnasked) return {};
      return "it has the value " + textOrNone(value) + " and is asked of this column";
    }
    const bool hasRecordedFailure =
        std::any_of(measure.models.begin(), measure.models.end(), [&](const auto& entry) {
          return !entry.second.failure.empty() && (!model || model->words.count(entry.first) > 0);
        });
    if (std::isnan(value))
      return number.verdict == Verdict::AsRecorded && hasRecordedFailure ? "" : "it has no value";
    if (whyNot) return "it is not asked of this column: " + *whyNot;
    if (hasOwnForm) return "the round body is a polyhedron in this column";
    const bool isJudged = measure.exact || measure.atMost || measure.atLeast;
    if (number.verdict == Verdict::Shown || !isJudged)
      return isJudged == (number.verdict != Verdict::Shown) ? "" : "it has no answer to be compared with";
    const bool isAgreed = isRight(measure, value);
    const ModelAnswer* theory = nullptr;
    for (const auto& [word, answer] : measure.models)
      if (!theory && model && model->words.count(word) && answer.failure.empty()) theory = &answer;
    // The value of a theory with a query of its own is another number than the one that was compared.
    const bool isReplaced = theory && theory->query;
    if (number.verdict == Verdict::Agrees)
      return isAgreed
                 ? ""
                 : textOrNone(value) + " is not within its tolerance of " + textOrNone(answerIn(measure));
    if (isAgreed && !isReplaced)
      return textOrNone(value) + " is within its tolerance of " + textOrNone(answerIn(measure));
    if (!model) return {};
    const double predicted = theory ? answerOf(*theory, *model) : NAN;
    const double tolerance = theory && theory->tolerance > 0 ? theory->tolerance : number.tolerance;
    const bool isAsItsTheory = theory && std::abs(value - predicted) <= tolerance;
    const Verdict inBand = theory && theory->isRecorded ? Verdict::AsRecorded : Verdict::AsItsTheory;
    if (!isSameNumber(number.model, predicted))
      return "its model predicts " + textOrNone(predicted) + ", not " + textOrNone(number.model);
    if (number.verdict != (isAsItsTheory ? inBand : Verdict::Deviates))
      return textOrNone(value) +
             (isAsItsTheory
                  ? theory->isRecorded ? " is in the recorded band of " : " is what its model predicts, "
                  : " is not what its model predicts, ") +
             textOrNone(predicted);
    return {};
  }

  void readCells(const JsonView& views, const Phenomenon& phenomenon, std::size_t begin) {
    Card& card = m_file.card;
    const std::size_t columns = card.columns.size();
    std::vector<CardCell> cells(columns);
    std::vector<char> isRead(columns);
    for (const JsonView& view : views.items(kMostColumns)) {
      view.requireObject();
      const std::size_t column = columnOf(view.at("column"));
      const std::string place = phenomenon.name + " (" + card.columns[column] + ")";
      if (isRead[column]++) {
        contradict(place, "has two cells");
        continue;
      }
      CardCell& cell = cells[column];
      cell.verdict = verdictIn(view.at("verdict"));
      cell.text = view.at("text").text();
      cell.reason = view.at("reason").text();
      cell.notOk = view.at("frames_not_ok").count(0, 1'000'000'000);
      card.models[phenomenon.name + "/" + card.columns[column]] = view.at("model").text();
      std::vector<CardNumber*> numbers;
      for (std::size_t measure = 0; measure < phenomenon.measures.size(); ++measure)
        numbers.push_back(&card.numbers[begin + measure * columns + column]);
      const CardCell expected = cellOf(phenomenon, numbers);
      if (cell.verdict != expected.verdict)
        contradict(place, std::string("the cell says '") + wordOf(cell.verdict) + "', its numbers '" +
                              wordOf(expected.verdict) + "'");
      if (cell.text != expected.text)
        contradict(place, "the cell shows '" + cell.text + "', its numbers '" + expected.text + "'");
    }
    for (std::size_t column = 0; column < columns; ++column)
      if (!isRead[column]) contradict(phenomenon.name + " (" + card.columns[column] + ")", "has no cell");
    card.cells.push_back(std::move(cells));
  }

  const JsonView& m_root;
  const std::vector<Phenomenon>& m_battery;
  std::map<std::pair<std::string, std::string>, Expected> m_expected;
  CardFile m_file;
};

}  // namespace

CardFile readCardFile(const std::string& path, const std::vector<Phenomenon>& battery) {
  const nlohmann::json document = readJson(path, kCardGuide);
  const JsonView root(document, path, kCardGuide);
  return CardReader(root, battery).read();
}

Card cardOf(const std::vector<EarlierNumber>& numbers, const std::vector<Phenomenon>& phenomena,
            ConformSettings settings) {
  Card card;
  card.settings = settings;
  card.phenomena = phenomena;
  std::map<std::tuple<std::string, std::string, std::string>, const EarlierNumber*> known;
  for (const EarlierNumber& number : numbers) {
    known[{number.phenomenon, number.measure, number.column}] = &number;
    if (std::count(card.columns.begin(), card.columns.end(), number.column) == 0)
      card.columns.push_back(number.column);
  }
  const std::size_t columns = card.columns.size();
  for (const Phenomenon& phenomenon : card.phenomena) {
    const std::size_t begin = card.numbers.size();
    for (const Measure& measure : phenomenon.measures)
      for (const std::string& column : card.columns) {
        CardNumber number;
        number.phenomenon = phenomenon.name;
        number.measure = measure.id;
        number.run = runLabel(measure);
        number.column = column;
        number.unit = measure.unit;
        number.reference = answerIn(measure);
        number.tolerance = toleranceIn(measure);
        number.value = number.model = number.deviation = NAN;
        const auto found = known.find({phenomenon.name, measure.id, column});
        if (found != known.end()) {
          number.value = found->second->value;
          number.deviation = number.value - number.reference;
          for (int index = 0; index <= static_cast<int>(Verdict::Failed); ++index)
            if (found->second->verdict == wordOf(static_cast<Verdict>(index)))
              number.verdict = static_cast<Verdict>(index);
        }
        card.numbers.push_back(number);
      }
    card.cells.emplace_back();
    for (std::size_t column = 0; column < columns; ++column) {
      std::vector<CardNumber*> numbersOfCell;
      for (std::size_t measure = 0; measure < phenomenon.measures.size(); ++measure)
        numbersOfCell.push_back(&card.numbers[begin + measure * columns + column]);
      card.cells.back().push_back(cellOf(phenomenon, numbersOfCell));
    }
  }
  return card;
}

Card besides(const Card& card, const Card& ours) {
  Card both = card;
  for (const std::string& column : ours.columns) both.columns.push_back("ours: " + column);
  for (std::size_t row = 0; row < both.phenomena.size(); ++row) {
    const auto found = byName(ours.phenomena, both.phenomena[row].name);
    for (std::size_t column = 0; column < ours.columns.size(); ++column)
      both.cells[row].push_back(
          found == ours.phenomena.end() ? CardCell() : ours.cells[found - ours.phenomena.begin()][column]);
  }
  return both;
}

}  // namespace touchstone
