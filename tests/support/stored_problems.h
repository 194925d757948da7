#pragma once

#include <Eigen/Eigenvalues>

#include "tests/support/friction_problem.h"
#include "tests/support/row_models.h"

// Stored problems, and tables of rows that have their matrices.

namespace touchstone::test {

/// A stored problem with its name.
struct StoredProblem {
  QString name;
  ComplementarityProblem problem;
};

/// Name of a problem: its part of the file, its number and its kind.
inline QString nameOf(const char* part, int number, const nlohmann::json& given) {
  const QString kind = QString::fromStdString(given.at("kind").get<std::string>());
  return QStringLiteral("%1 %2 %3").arg(part).arg(number).arg(kind);
}

/// The problems of lcp-problems.json without free rows.
inline std::vector<StoredProblem> complementarityProblems() {
  std::vector<StoredProblem> problems;
  for (const nlohmann::json& file : referenceFiles(QStringLiteral("lcp-problems")))
    for (const nlohmann::json& given : file.at("problems")) {
      ComplementarityProblem problem;
      problem.A = matrixOf(given.at("A"));
      problem.b = vectorOf(given.at("b"));
      problem.symmetric = given.at("symmetric").get<bool>();
      problems.push_back({nameOf("problem", countOf(problems), given), problem});
    }
  return problems;
}

/// The problems of lcp-problems.json with free rows.
inline std::vector<StoredProblem> mixedProblems() {
  std::vector<StoredProblem> problems;
  for (const nlohmann::json& file : referenceFiles(QStringLiteral("lcp-problems")))
    for (const nlohmann::json& given : file.at("mlcp")) {
      ComplementarityProblem problem;
      const int freeCount = countOf(given.at("b1")), count = freeCount + countOf(given.at("b2"));
      problem.freeCount = freeCount;
      problem.b.resize(count);
      problem.b << vectorOf(given.at("b1")), vectorOf(given.at("b2"));
      problem.A.resize(count, count);
      problem.A << matrixOf(given.at("M11")), matrixOf(given.at("M12")), matrixOf(given.at("M21")),
          matrixOf(given.at("M22"));
      problems.push_back({nameOf("mixed", countOf(problems), given), problem});
    }
  return problems;
}

/// The problems of friction-problems.json.
inline std::vector<StoredProblem> frictionProblems() {
  std::vector<StoredProblem> problems;
  for (const nlohmann::json& file : referenceFiles(QStringLiteral("friction-problems")))
    for (const nlohmann::json& given : file.at("friction"))
      problems.push_back({nameOf("friction", countOf(problems), given), frictionProblem(given)});
  return problems;
}

/// Gradients of a stored problem's rows, with A = J H⁻¹ Fᵀ + C where C is diagonal.
struct StoredGradients {
  Eigen::MatrixXd J, F;  // [n × 6 carriers]
  Eigen::VectorXd C;     // [n]
};

/// Inverse of H along an unknown, a power of 4: products with it and with its root have no rounding.
inline double inverseOf(int unknown) {
  const double inverses[] = {4, 0.25, 16, 0.0625, 1, 4};
  return inverses[unknown % 6];
}

/// F = 1 and J = A H, but for half of the diagonal of rows without friction, which is compliance.
inline StoredGradients directGradients(const ComplementarityProblem& problem) {
  const int n = countOf(problem.b);
  StoredGradients gradients{problem.A, Eigen::MatrixXd::Identity(n, n), 0.5 * problem.A.diagonal()};
  for (const FrictionDisk& disk : problem.disks) gradients.C.segment(disk.first, disk.count).setZero();
  gradients.J.diagonal() -= gradients.C;
  for (int unknown = 0; unknown < n; ++unknown) gradients.J.col(unknown) /= inverseOf(unknown);
  return gradients;
}

/// J = F = √D V √(λ H) with A = √D V λ Vᵀ √D, where D is the diagonal of A: its rows may have any units.
/// Eigenvalues of singular matrices that rounding makes negative are 0.
inline StoredGradients symmetricGradients(const ComplementarityProblem& problem) {
  const int n = countOf(problem.b);
  Eigen::VectorXd units = problem.A.diagonal().cwiseSqrt();
  for (double& unit : units) unit = unit > 0 ? unit : 1;
  const Eigen::MatrixXd scaled =
      units.cwiseInverse().asDiagonal() * problem.A * units.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> factors(scaled);
  Eigen::MatrixXd root = units.asDiagonal() * factors.eigenvectors();
  for (int unknown = 0; unknown < n; ++unknown)
    root.col(unknown) *= std::sqrt(std::max(0.0, factors.eigenvalues()[unknown]) / inverseOf(unknown));
  return {root, root, Eigen::VectorXd::Zero(n)};
}

/// Sets the terms of a row: entry j of its gradient on unknown j of the bodies.
inline void setTerms(const Eigen::VectorXd& gradient, RowTerm* terms) {
  for (int unknown = 0; unknown < gradient.size(); ++unknown) {
    RowTerm& term = terms[unknown / 6];
    (unknown % 6 < 3 ? term.linear : term.angular)[unknown % 3] = gradient[unknown];
  }
}

/// The table of a stored problem: one block, one unit for each row or contact with friction.
inline Model tableOf(const ComplementarityProblem& problem, const StoredGradients& gradients) {
  const int n = countOf(problem.b);
  Model model((n + 5) / 6);
  std::vector<int> carriers;
  for (int carrier = 0; carrier < model.carrierCount(); ++carrier) {
    carriers.push_back(carrier);
    model.inverseMass[carrier] = Vec3(inverseOf(0), inverseOf(1), inverseOf(2));
    model.inverseInertia[carrier] = Vec3(inverseOf(3), inverseOf(4), inverseOf(5)).asDiagonal();
  }
  model.free = Motion(model.carrierCount());
  std::vector<int> diskOfRow(n, -1);
  for (int disk = 0; disk < countOf(problem.disks); ++disk)
    for (int row = 0; row < problem.disks[disk].count; ++row)
      diskOfRow[problem.disks[disk].first + row] = disk;

  RowBlock& block = model.table.addBlock({kPieceBlock, 0, 1}, RowForm::General, carriers);
  for (int row = 0; row < n; ++row) {
    Row ask =
        rowOf(row < problem.freeCount ? RowLaw::Free : RowLaw::Unilateral, problem.b[row], gradients.C[row]);
    if (diskOfRow[row] >= 0) {
      const FrictionDisk& disk = problem.disks[diskOfRow[row]];
      ask.law = RowLaw::Disk;
      ask.leader = static_cast<short>(row - disk.normal);
      ask.bound = disk.friction;
    }
    setTerms(gradients.J.row(row),
             diskOfRow[row] < 0 ? model.table.addRow(ask) : model.table.addRowToUnit(ask));
  }
  block.firstForce = countOf(model.table.terms);
  model.table.terms.resize(2 * block.firstForce, RowTerm{Vec3(0, 0, 0), Vec3(0, 0, 0)});
  for (int row = 0; row < n; ++row)
    setTerms(gradients.F.row(row), model.table.terms.data() + block.firstForce + row * countOf(carriers));
  return model;
}

}  // namespace touchstone::test
