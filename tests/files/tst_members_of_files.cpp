#include <QtTest>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/files/text_forms.h"
#include "core/motion/motion_file.h"
#include "core/run/command.h"
#include "core/run/settings_json.h"
#include "core/store/manifest.h"
#include "core/store/step_problem.h"
#include "core/study/claims.h"
#include "tests/files/member_walk.h"

using namespace touchstone;
using Json = nlohmann::json;

/// Each member of a file has an effect, and what is misspelt or of a wrong type is refused: manifests,
/// commands of recordings, problems, claims, published values, formats of motions. For scenes, studies and
/// phenomena see tst_every_member.cpp, for sessions tests/app/tst_session_members.cpp.
class MembersOfFilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyMemberHasAnEffect_data() { files(); }
  void everyMemberHasAnEffect();
  void unknownMembersAreRefused_data() { files(); }
  void unknownMembersAreRefused();
  void misspeltMembersAreRefused_data() { files(); }
  void misspeltMembersAreRefused();
  void membersOfWrongTypesAreRefused_data() { files(); }
  void membersOfWrongTypesAreRefused();

 private:
  static void files();
  test::MemberWalk walk();
  test::SceneFolder m_folder;
};

namespace {

/// Members of each kind of file for people and other programs: they are read and change nothing.
const std::map<std::string, QStringList> kForPeople = {
    {"manifest",
     {"/version", "/commit", "/compiler", "/build_type", "/threads", "/backends", "/command", "/reached_s",
      "/end", "/conventions", "/in_force", "/files", "/writing"}},
    {"problem",
     {"/what", "/maxima", "/row_order", "/scene", "/pane", "/time_s", "/dt_s", "/facets",
      "/largest_island_left_out_rows", "/islands/0/sets", "/islands/0/answer"}},
    {"claims", {"/note"}},
    {"published",
     {"/format", "/note", "/papers/p/title", "/papers/p/year", "/papers/p/authors", "/papers/p/hardware",
      "/papers/p/doi", "/papers/p/solver", "/figures/f/parameters_not_stated", "/figures/f/numbers/note"}},
    {"verdict", {"/numbers"}}};

const char kManifest[] =
    R"({"touchstone_manifest": 1, "version": "1", "commit": "c", "compiler": "g", "build_type": "R",
  "threads": 2, "backends": {"cpu": "2 threads"}, "command": "run a.json", "scene": "a.json",
  "hashes": {"a.json": "00"}, "dt_s": 0.01, "time_s": 0.5, "reached_s": 0.5, "end": "complete",
  "start": {"seed": 3, "position_m": 0.1, "angle_rad": 0.2, "spin_rad_per_s": 0.3},
  "panes": [{"method": "lcp", "solver": "pgs", "substeps": 2, "backend": "cuda",
             "parameters": {"tolerance": 1e-7}}],
  "in_force": [], "conventions": "SI", "files": {"a.csv": "00"}, "writing": ["a.csv"]})";

const char kCommands[] =
    R"({"commands": [{"do": "dt", "dt_s": 0.01},
  {"do": "parameter", "pane": 1, "key": "stiffness", "value": 3},
  {"do": "substeps", "pane": 1, "value": 3},
  {"do": "pane", "pane": 1, "settings": {"method": "lcp", "solver": "pgs", "substeps": 2, "backend": "cuda",
     "parameters": {"tolerance": 1e-7}}},
  {"do": "add", "settings": {"method": "cpf", "solver": "", "substeps": 1, "backend": "cpu"}, "id": 4,
     "source": 2},
  {"do": "duplicate", "source": 2, "id": 5}, {"do": "restore", "id": 2, "to": 1},
  {"do": "remove", "pane": 1}, {"do": "move", "pane": 1, "to": 2},
  {"do": "fork", "pane": 1, "frame": 7, "id": 3, "counted": true},
  {"do": "pull", "spring": {"body": 1, "local_m": [1, 2, 3], "target_m": [4, 5, 6], "stiffness_N_per_m": 7,
     "damping_Ns_per_m": 8, "vertices": [1, 2, 3], "weights": [0.5, 0.25, 0.25]}},
  {"do": "all", "dt_s": 0.02, "panes": [{"method": "cpf", "solver": "", "substeps": 1, "backend": "cpu"}],
     "ids": [6], "counts": true}]})";

const char kProblem[] =
    R"({"touchstone_problem": 1, "what": "w", "maxima": "m", "row_order": "r", "scene": "s", "pane": "p",
  "time_s": 1, "dt_s": 0.01, "facets": 4, "tolerance": 1e-9, "max_iterations": 50,
  "largest_island_left_out_rows": 9, "islands": [{"rows": 5, "free_rows": 1, "symmetric": true, "sets": [],
   "A": [[2, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]],
   "b": [-1, -1, 0, 0, 0], "start": [1, 0, 0, 0, 0], "answer": {},
   "disks": [{"normal_row": 0, "first_row": 1, "rows": 2, "friction": 0.5}],
   "maxima": [{"row": 3, "slacks": 1}]}]})";

const char kClaims[] =
    R"({"touchstone_claims": 1, "note": "n", "claims": [
  {"id": "a", "paper": "p", "where": "w", "published": "f", "claim": "c", "study": "s", "accept": "x"},
  {"id": "b", "paper": "p", "where": "w", "claim": "c", "untestable": "u"}]})";

const char kPublished[] =
    R"({"format": "F", "note": "N", "papers": {"p": {"title": "T", "year": 2000, "short": "S", "authors": "A",
  "hardware": "H", "doi": "D", "solver": "V"}},
  "figures": {"f": {"paper": "p", "kind": "table", "title": "T", "shape": "s", "unavailable": "u",
  "parameters": {"dt": 0.01}, "parameters_not_stated": ["m"], "numbers": {"n": 3, "r": [1, 2], "note": "t"}}}})";

const char kResults[] =
    R"({"touchstone_claim_results": 1, "results": [{"id": "a", "disposition": "reproduced", "ours": "o",
  "control": "turned", "perturbed": "p", "study": "s", "study_hash": "h", "scene": "s h", "command": "c",
  "program": "g", "quick": true}]})";

const char kVerdict[] =
    R"({"touchstone_study_verdict": 1, "study": "s", "study_hash": "h", "quick": true, "program": "g",
  "command": "c", "scene": "a.json h", "numbers": {"n": 1}, "accept": [
  {"id": "x", "disposition": "holds for a variant", "variant": "v", "claim": "c", "because": "b",
   "control": "p", "control_turned": true},
  {"id": "y", "disposition": "reproduced", "claim": "d", "without_control": "w"}]})";

const char kFormat[] =
    R"({"columns": {"x_m": "px", "time_s": "t"}, "unit": "mm", "up": "z", "quaternion": "xyzw", "omega": "body",
  "rate_hz": 100})";

std::string readManifestText(const std::string& path) {
  const Manifest manifest = readManifest(path);
  std::ostringstream text;
  text << manifest.scene << manifest.dt << ' ' << manifest.time << ' ' << manifest.seed << ' '
       << manifest.variation.position << ' ' << manifest.variation.angle << ' ' << manifest.variation.spin;
  for (const auto& [file, hash] : manifest.hashes) text << file << hash;
  for (const PaneSettings& pane : manifest.panes) text << toJson(pane);
  return text.str();
}

std::string readCommandsText(const std::string& path) {
  const Json json = readJson(path, "");
  const JsonView root(json, path, "give a file that Touchstone wrote");
  root.allowOnly({"commands"});
  std::string text;
  for (const JsonView& command : root.at("commands").items(100)) text += toText(commandOf(command)) + "\n";
  return text;
}

std::string readProblemText(const std::string& path) {
  const StoredProblems problems = readProblems(path);
  std::ostringstream text;
  text << problems.settings.tolerance << ' ' << problems.settings.maxIterations << '\n';
  for (const StoredProblem& island : problems.islands) {
    const ComplementarityProblem& problem = island.problem;
    text << problem.A << problem.b << problem.freeCount << problem.symmetric << island.start;
    for (const FrictionDisk& disk : problem.disks)
      text << disk.normal << ' ' << disk.first << ' ' << disk.count << ' ' << disk.friction << '\n';
    for (const MaximumRow& maximum : problem.maxima) text << maximum.row << ' ' << maximum.slacks << '\n';
  }
  return text.str();
}

std::string readPublishedText(const std::string& path) {
  const PublishedValues published(path);
  std::ostringstream text;
  for (const PublishedFigure& figure : published.figures()) {
    text << figure.id << published.paper(figure.paper) << figure.kind << figure.title << figure.shape
         << figure.unavailable;
    for (const auto& [name, numbers] : figure.numbers) {
      text << name;
      for (const double number : numbers) text << number << ' ';
    }
  }
  return text.str();
}

/// @param folder  with published.json
std::string readClaimsText(const std::string& path, test::SceneFolder& folder) {
  const PublishedValues published(folder.write("published-of-claims.json", kPublished));
  std::string text;
  for (const PublishedClaim& claim : loadClaims(path, published))
    text += claim.id + ' ' + claim.paper + ' ' + claim.where + ' ' + claim.published + ' ' + claim.claim +
            ' ' + claim.study + ' ' + claim.accept + ' ' + claim.untestable + '\n';
  return text;
}

std::string readVerdictText(test::SceneFolder& folder) {
  std::vector<PublishedClaim> claims(2);
  claims[0].id = claims[0].accept = "x";
  claims[1].id = claims[1].accept = "y";
  claims[0].study = claims[1].study = "s";
  return textOf(claimResults(claims, folder.path("")));
}

std::string readFormatText(const std::string& path) {
  QFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const MotionFormat format = motionFormatOf(file.readAll().toStdString(), path);
  std::ostringstream text;
  text << format.unit << ' ' << static_cast<int>(format.up) << static_cast<int>(format.quaternion)
       << static_cast<int>(format.omega) << ' ' << format.rate;
  for (const auto& [usual, kept] : format.columns) text << usual << kept;
  return text.str();
}

void verifyNone(const QStringList& places, const QString& fault, const QStringList& allowed = {}) {
  QStringList others;
  for (const QString& place : places)
    if (std::none_of(allowed.begin(), allowed.end(),
                     [&place](const QString& one) { return place == one || place.startsWith(one + '/'); }))
      others << place;
  QVERIFY2(others.isEmpty(), qPrintable(others.join(", ") + ": " + fault));
}

}  // namespace

void MembersOfFilesTest::files() {
  QTest::addColumn<QString>("kind");
  for (const char* kind :
       {"manifest", "commands", "problem", "claims", "published", "results", "verdict", "format"})
    QTest::newRow(kind) << QString(kind);
}

test::MemberWalk MembersOfFilesTest::walk() {
  const QString kind = QTest::currentDataTag();
  const auto walk = [this](const char* sample, test::MemberWalk::Read read, std::set<std::string> names = {},
                           const char* file = "sample.json") {
    return test::MemberWalk(m_folder, file, Json::parse(sample), std::move(read), std::move(names));
  };
  if (kind == "manifest")
    return walk(kManifest, readManifestText, {"/backends", "/hashes", "/panes/*/parameters", "/files"});
  if (kind == "commands") return walk(kCommands, readCommandsText, {"/commands/*/settings/parameters"});
  if (kind == "problem") return walk(kProblem, readProblemText, {"/islands/*/answer"});
  if (kind == "claims")
    return walk(kClaims, [this](const std::string& path) { return readClaimsText(path, m_folder); });
  if (kind == "published")
    return walk(kPublished, readPublishedText,
                {"/papers", "/figures", "/figures/*/parameters", "/figures/*/numbers"});
  if (kind == "results")
    return walk(kResults, [](const std::string& path) { return textOf(readClaimResults(path)); });
  if (kind == "verdict") {
    QDir(QString::fromStdString(m_folder.path(""))).mkpath("s");
    return walk(
        kVerdict, [this](const std::string&) { return readVerdictText(m_folder); }, {"/numbers"},
        "s/verdict.json");
  }
  return walk(kFormat, readFormatText);
}

void MembersOfFilesTest::everyMemberHasAnEffect() {
  const auto forPeople = kForPeople.find(QTest::currentDataTag());
  verifyNone(walk().idle(), "has no effect",
             forPeople == kForPeople.end() ? QStringList() : forPeople->second);
}

void MembersOfFilesTest::unknownMembersAreRefused() {
  verifyNone(walk().withUnknownMembers(), "takes a member that is not known");
}

void MembersOfFilesTest::misspeltMembersAreRefused() { verifyNone(walk().misspelt(), "may be misspelt"); }

void MembersOfFilesTest::membersOfWrongTypesAreRefused() {
  const auto forPeople = kForPeople.find(QTest::currentDataTag());
  QStringList allowed = forPeople == kForPeople.end() ? QStringList() : forPeople->second;
  // The method of a pane refuses values that its parameters do not have.
  allowed << "/panes/0/parameters/tolerance"
          << "/commands/3/settings/parameters/tolerance";
  // Among the numbers of a published figure stand words and truths as notes.
  if (QTest::currentDataTag() == QByteArray("published"))
    allowed << "/figures/f/numbers/n"
            << "/figures/f/numbers/r"
            << "/figures/f/parameters/dt";
  verifyNone(walk().ofWrongTypes(), "may be of another type", allowed);
}

QTEST_GUILESS_MAIN(MembersOfFilesTest)
#include "tst_members_of_files.moc"
