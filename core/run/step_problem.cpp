#include "core/run/step_problem.h"

#include <nlohmann/json.hpp>

#include "core/contact/step_detail.h"
#include "core/scene/mesh_file.h"
#include "core/scene/scene_error.h"

namespace touchstone {

namespace {

using Json = nlohmann::ordered_json;

Json vectorJson(const Eigen::VectorXd& v) { return std::vector<double>(v.begin(), v.end()); }

Json matrixJson(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) rows.push_back(vectorJson(matrix.row(row)));
  return rows;
}

Eigen::VectorXd columnOf(const Json& json) {
  const auto numbers = json.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

const char* typeName(ConstraintType type) {
  return type == ConstraintType::I ? "I" : type == ConstraintType::X ? "X" : "U";
}

Json setJson(const ModelSet& set, int firstRow, const StepDetail& detail, const Scene& scene) {
  Json json{{"type", typeName(set.type)}, {"first_row", firstRow}, {"friction", set.friction}};
  for (int index : set.contacts) {
    const ModelContact& contact = detail.contacts[index];
    const Vec3& n = contact.geometry.normal;
    json["contacts"].push_back({{"body_a", scene.bodies[contact.bodyA].name},
                                {"body_b", scene.bodies[contact.bodyB].name},
                                {"gap_m", contact.geometry.psi},
                                {"rate_m_per_s", contact.rate},
                                {"normal", {n.x(), n.y(), n.z()}}});
  }
  return json;
}

FrictionDisk diskOf(const Json& json, Eigen::Index rows, const std::string& path) {
  FrictionDisk disk;
  disk.normal = json.at("normal_row").get<int>();
  disk.first = json.at("first_row").get<int>();
  disk.count = json.at("rows").get<int>();
  disk.friction = json.at("friction").get<double>();
  const bool fits = disk.normal >= 0 && disk.normal < rows && (disk.count == 1 || disk.count == 2) &&
                    disk.first >= 0 && disk.first + disk.count <= rows && disk.friction >= 0;
  if (!fits) throw SceneError(path, "disks", "has a disk of rows that do not exist", "export it anew");
  return disk;
}

MaximumRow maximumOf(const Json& json, Eigen::Index rows, const std::string& path) {
  const MaximumRow maximum{json.at("row").get<int>(), json.at("slacks").get<int>()};
  const bool fits = maximum.row >= 0 && maximum.slacks > 0 && maximum.row + maximum.slacks < rows;
  if (!fits) throw SceneError(path, "maxima", "has slacks of rows that do not exist", "export it anew");
  return maximum;
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
  json["start"] = vectorJson(answer.start);
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
  json["facets"] = detail.modelSettings.facets;
  json["tolerance"] = detail.solverSettings.tolerance;
  json["max_iterations"] = detail.solverSettings.maxIterations;
  if (detail.leftOutRows > 0) json["largest_island_left_out_rows"] = detail.leftOutRows;
  json["islands"] = Json::array();
  for (const IslandAnswer& answer : detail.problems)
    json["islands"].push_back(islandJson(answer, detail, scene));
  return json.dump(1);
}

StoredProblems readProblems(const std::string& path) {
  const std::string text = readFile(path, "give a file that 'Export this step's problem' wrote");
  StoredProblems problems;
  try {
    const Json json = Json::parse(text);
    if (json.at("touchstone_problem") != 1)
      throw SceneError(path, "touchstone_problem", "is a version that this program does not read",
                       "export it anew");
    problems.settings.tolerance = json.at("tolerance").get<double>();
    problems.settings.maxIterations = json.at("max_iterations").get<int>();
    for (const Json& island : json.at("islands")) {
      StoredProblem stored;
      stored.problem.b = columnOf(island.at("b"));
      const Eigen::Index n = stored.problem.b.size();
      stored.problem.A.resize(n, n);
      const Json& rows = island.at("A");
      for (Eigen::Index row = 0; row < n; ++row) {
        const Eigen::VectorXd values = columnOf(rows.at(static_cast<std::size_t>(row)));
        if (values.size() != n) throw SceneError(path, "A", "is not square like b", "export it anew");
        stored.problem.A.row(row) = values;
      }
      stored.problem.freeCount = island.at("free_rows").get<int>();
      stored.problem.symmetric = island.at("symmetric").get<bool>();
      stored.start = columnOf(island.at("start"));
      if (island.contains("disks"))
        for (const Json& disk : island.at("disks")) stored.problem.disks.push_back(diskOf(disk, n, path));
      if (island.contains("maxima"))
        for (const Json& each : island.at("maxima"))
          stored.problem.maxima.push_back(maximumOf(each, n, path));
      problems.islands.push_back(std::move(stored));
    }
  } catch (const nlohmann::json::exception& error) {
    throw SceneError(path, "", std::string("is no problem of a step (") + error.what() + ")",
                     "give a file that 'Export this step's problem' wrote");
  }
  return problems;
}

}  // namespace touchstone
