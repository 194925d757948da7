#include "core/store/step_problem.h"

#include <algorithm>

#include "core/contact/complementarity/problem_detail.h"
#include "core/files/json_file.h"
#include "core/files/json_view.h"
#include "core/math/count.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

Json vectorJson(const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); }

Json matrixJson(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) rows.push_back(vectorJson(matrix.row(row)));
  return rows;
}

const char* typeName(ConstraintType type) {
  return type == ConstraintType::I ? "I" : type == ConstraintType::X ? "X" : "U";
}

Json setJson(const ModelSet& set, int firstRow, const StepDetail& detail, const Scene& scene) {
  Json json{{"type", typeName(set.type)}, {"first_row", firstRow}, {"friction", set.friction}};
  for (int index : set.contacts) {
    const ModelContact& contact = problemDetail(detail).contacts[index];
    const Vec3& n = contact.geometry.normal;
    json["contacts"].push_back({{"body_a", scene.bodies[contact.bodyA].name},
                                {"body_b", scene.bodies[contact.bodyB].name},
                                {"gap_m", contact.geometry.psi},
                                {"rate_m_per_s", contact.rate},
                                {"normal", {n.x(), n.y(), n.z()}}});
  }
  return json;
}

// A file of 64 MiB holds the matrix of no more rows. A smaller value refuses files that the program wrote.
constexpr int kMostRows = 5000;
/// A larger value lets a damaged file use more memory and time; a smaller one refuses steps with many
/// islands.
constexpr std::size_t kMostIslands = 10'000;
/// A larger value lets a file start solves that never end; a smaller one refuses long valid settings.
constexpr int kMostIterations = 1'000'000;
constexpr char kRemedy[] = "give a file that 'Export this step's problem' wrote";

/// @param rows  required length
Eigen::VectorXd columnOf(const JsonView& json, int rows) {
  const std::vector<double> numbers = json.numbers(kMostRows);
  if (countOf(numbers) != rows)
    json.fail("has " + std::to_string(numbers.size()) + " numbers instead of " + std::to_string(rows),
              kRemedy);
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), rows);
}

FrictionDisk diskOf(const JsonView& json, int rows) {
  json.allowOnly({"normal_row", "first_row", "rows", "friction"});
  FrictionDisk disk;
  disk.normal = json.at("normal_row").integer(0, rows - 1);
  disk.count = json.at("rows").integer(1, std::min(2, rows));
  disk.first = json.at("first_row").integer(0, rows - disk.count);
  disk.friction = json.at("friction").nonNegative();
  if (disk.normal >= disk.first && disk.normal < disk.first + disk.count)
    json.at("normal_row").fail("is one of the rows of the disk", kRemedy);
  return disk;
}

MaximumRow maximumOf(const JsonView& json, int rows) {
  json.allowOnly({"row", "slacks"});
  const int row = json.at("row").integer(0, rows - 1);
  if (row + 1 == rows) json.at("row").fail("is the last row and has no slacks", kRemedy);
  return {row, json.at("slacks").integer(1, rows - 1 - row)};
}

/// Each row may occur at most once in one of the lists: a solver takes the rows of a list together.
template <class Lists, class RowsOf>
void requireDistinct(const JsonView& json, const Lists& lists, int rows, const RowsOf& rowsOf) {
  std::vector<char> taken(rows, 0);
  for (const auto& list : lists) {
    const auto [first, count] = rowsOf(list);
    for (int row = first; row < first + count; ++row)
      if (taken[row]++) json.fail("has row " + std::to_string(row) + " twice", kRemedy);
  }
}

StoredProblem problemOf(const JsonView& json) {
  json.allowOnly({"rows", "free_rows", "symmetric", "sets", "disks", "maxima", "A", "b", "start", "answer"});
  StoredProblem stored;
  const int rows = json.at("rows").integer(1, kMostRows);
  ComplementarityProblem& problem = stored.problem;
  problem.b = columnOf(json.at("b"), rows);
  problem.A.resize(rows, rows);
  const std::vector<JsonView> lines = json.at("A").items(kMostRows);
  if (countOf(lines) != rows) json.at("A").fail("has not as many rows as b", kRemedy);
  for (int row = 0; row < rows; ++row) problem.A.row(row) = columnOf(lines[row], rows);
  problem.freeCount = json.at("free_rows").integer(0, rows);
  problem.symmetric = json.at("symmetric").boolean();
  stored.start = columnOf(json.at("start"), rows);
  if (json.has("disks")) {
    for (const JsonView& disk : json.at("disks").items(kMostRows))
      problem.disks.push_back(diskOf(disk, rows));
    requireDistinct(json.at("disks"), problem.disks, rows,
                    [](const FrictionDisk& disk) { return std::make_pair(disk.first, disk.count); });
  }
  if (json.has("maxima")) {
    for (const JsonView& item : json.at("maxima").items(kMostRows))
      problem.maxima.push_back(maximumOf(item, rows));
    requireDistinct(json.at("maxima"), problem.maxima, rows, [](const MaximumRow& maximum) {
      return std::make_pair(maximum.row, 1 + maximum.slacks);
    });
  }
  return stored;
}

Json islandJson(const IslandAnswer& answer, const StepDetail& detail, const Scene& scene) {
  const IslandProblem& island = answer.island;
  const SolverResult& result = answer.result;
  Json json;
  json["rows"] = island.problem.b.size();
  json["free_rows"] = island.problem.freeCount;
  json["symmetric"] = island.problem.symmetric;
  for (std::size_t k = 0; k < island.sets.size(); ++k)
    json["sets"].push_back(setJson(island.sets[k], island.first[k], detail, scene));
  for (const FrictionDisk& disk : island.problem.disks)
    json["disks"].push_back({{"normal_row", disk.normal},
                             {"first_row", disk.first},
                             {"rows", disk.count},
                             {"friction", disk.friction}});
  for (const MaximumRow& maximum : island.problem.maxima)
    json["maxima"].push_back({{"row", maximum.row}, {"slacks", maximum.slacks}});
  json["A"] = matrixJson(island.problem.A);
  json["b"] = vectorJson(island.problem.b);
  const Eigen::Index rows = island.problem.b.size();
  json["start"] = vectorJson(answer.start.size() == rows ? answer.start : Eigen::VectorXd::Zero(rows));
  json["answer"] = {{"solver", result.deliveredBy},
                    {"status", toString(result.status)},
                    {"residual_m_per_s", result.residual},
                    {"z", vectorJson(result.z)}};
  return json;
}

}  // namespace

const char* toString(SolveStatus status) {
  return status == SolveStatus::Solved       ? "solved"
         : status == SolveStatus::NoSolution ? "no solution"
                                             : "not converged";
}

std::string problemText(const StepDetail& detail, const Scene& scene, const std::string& pane) {
  const ProblemDetail& inside = problemDetail(detail);
  Json json;
  json["touchstone_problem"] = 1;
  json["what"] =
      "w = A z + b; the first free_rows rows have w = 0, the others 0 <= z, 0 <= w, z w = 0; the rows of a "
      "disk "
      "have z = proj(z - w/r) onto |z| <= friction * z of normal_row, r: largest eigenvalue of their block "
      "of A";
  json["maxima"] =
      "pgs, and Newton without a matrix, take a row and its slacks together: 0 <= p, 0 <= largest of its "
      "rates, p times it = 0";
  json["row_order"] =
      "per set: p, slacks c2.., and with friction beta1.. (facets), sigma; of a disk: its tangents";
  json["scene"] = scene.name;
  json["pane"] = pane;
  json["time_s"] = detail.time;
  json["dt_s"] = detail.dt;
  json["facets"] = inside.modelSettings.facets;
  json["tolerance"] = inside.solverSettings.tolerance;
  json["max_iterations"] = inside.solverSettings.maxIterations;
  if (inside.leftOutRows > 0) json["largest_island_left_out_rows"] = inside.leftOutRows;
  json["islands"] = Json::array();
  for (const IslandAnswer& answer : inside.problems)
    json["islands"].push_back(islandJson(answer, detail, scene));
  return json.dump(1);
}

StoredProblems readProblems(const std::string& path) {
  const nlohmann::json json = readJson(path, kRemedy);
  const JsonView root(json, path, kRemedy);
  root.allowOnly({"touchstone_problem", "what", "maxima", "row_order", "scene", "pane", "time_s", "dt_s",
                  "facets", "tolerance", "max_iterations", "largest_island_left_out_rows", "islands"});
  root.at("touchstone_problem").integer(1, 1);
  StoredProblems problems;
  problems.settings.tolerance = root.at("tolerance").positive();
  problems.settings.maxIterations = root.at("max_iterations").integer(1, kMostIterations);
  for (const JsonView& island : root.at("islands").items(kMostIslands))
    problems.islands.push_back(problemOf(island));
  if (problems.islands.empty()) root.at("islands").fail("is empty", "export a step with contacts");
  return problems;
}

}  // namespace touchstone
