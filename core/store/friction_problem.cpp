#include "core/store/friction_problem.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#ifdef TS_HAVE_HDF5
#include "core/store/hdf5_file.h"
#endif

namespace touchstone {

namespace {

// A matrix of more rows takes more than 800 MB. A smaller value refuses published problems.
constexpr int kMostRows = 10'000;
constexpr char kRemedy[] = "give a friction problem in text form (.dat) or FCLIB's HDF5 layout (.hdf5)";

/// Disks of contacts whose rows lie together.
ComplementarityProblem problemOf(Eigen::MatrixXd W, Eigen::VectorXd q, const Eigen::VectorXd& friction) {
  ComplementarityProblem problem;
  const Eigen::Index dimension = friction.size() > 0 ? q.size() / friction.size() : 0;
  for (Eigen::Index contact = 0; contact < friction.size(); ++contact)
    problem.disks.push_back({static_cast<int>(dimension * contact), static_cast<int>(dimension * contact) + 1,
                             static_cast<int>(dimension) - 1, friction[contact]});
  // Published matrices are symmetric to some digits only.
  problem.symmetric = (W - W.transpose()).norm() <= 1e-12 * W.norm();
  problem.A = std::move(W);
  problem.b = std::move(q);
  return problem;
}

void requireSizes(const std::string& path, Eigen::Index rows, Eigen::Index columns, Eigen::Index q,
                  Eigen::Index contacts) {
  const auto fail = [&path](const char* field, const std::string& problem) {
    throw SceneError(path, field, problem, kRemedy);
  };
  if (rows < 1 || rows > kMostRows)
    fail("rows", std::to_string(rows) + " are not between 1 and " + std::to_string(kMostRows));
  if (columns != rows) fail("columns", "the matrix is not square");
  if (q != rows) fail("q", "has " + std::to_string(q) + " numbers instead of " + std::to_string(rows));
  if (contacts < 1 || (rows != 3 * contacts && rows != 2 * contacts))
    fail("mu", std::to_string(contacts) + " contacts do not have " + std::to_string(rows) + " rows");
}

void requireFriction(const std::string& path, const Eigen::VectorXd& friction) {
  if (!(friction.array() >= 0).all())
    throw SceneError(path, "mu", "has a coefficient of friction below 0", kRemedy);
}

/// Numbers of a text one after the other.
class Numbers {
 public:
  Numbers(const std::string& path, const std::string& text) : m_path(path), m_text(text) {}
  double real(const std::string& field) {
    double number = 0;
    if (!(m_text >> number)) throw SceneError(m_path, field, "ends early, or is no number", kRemedy);
    if (!std::isfinite(number)) throw SceneError(m_path, field, "is not finite", kRemedy);
    return number;
  }
  int integer(const std::string& field, int minimum, int maximum) {
    const double number = real(field);
    if (number != std::floor(number) || number < minimum || number > maximum)
      throw SceneError(
          m_path, field,
          "is no whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum), kRemedy);
    return static_cast<int>(number);
  }
  void requireEnd() {
    if (!(m_text >> std::ws).eof()) throw SceneError(m_path, "mu", "is followed by more numbers", kRemedy);
  }

 private:
  std::string m_path;
  std::istringstream m_text;
};

ComplementarityProblem readText(const std::string& path) {
  Numbers numbers(path, readFile(path, kRemedy));
  const int dimension = numbers.integer("dimension", 2, 3),
            contacts = numbers.integer("contacts", 1, kMostRows);
  if (numbers.integer("storage", 0, 2) != 0)
    throw SceneError(path, "storage", "the matrix is stored as blocks", "store it dense (0)");
  const int rows = numbers.integer("rows", 1, kMostRows), columns = numbers.integer("columns", 1, kMostRows);
  numbers.integer("rows", rows, rows);
  numbers.integer("columns", columns, columns);
  requireSizes(path, rows, columns, rows, contacts);
  if (rows != dimension * contacts)
    throw SceneError(path, "rows", "are not dimension times contacts", kRemedy);
  Eigen::MatrixXd W(rows, columns);
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row) W(row, column) = numbers.real("matrix");
  Eigen::VectorXd q(rows), friction(contacts);
  for (double& entry : q) entry = numbers.real("q");
  for (double& coefficient : friction) {
    coefficient = numbers.real("mu");
    if (coefficient < 0) throw SceneError(path, "mu", "is negative", "give coefficients of at least 0");
  }
  numbers.requireEnd();
  return problemOf(std::move(W), std::move(q), friction);
}

#ifdef TS_HAVE_HDF5
/// FCLIB's sparse matrix below a group. Its sizes are read before its entries.
class SparseMatrix {
 public:
  SparseMatrix(const Hdf5File& file, const std::string& group)
      : m_file(file),
        m_group(group),
        m_rows(file.integer(group + "/m")),
        m_columns(file.integer(group + "/n")) {
    if (m_rows < 1 || m_rows > kMostRows || m_columns < 1 || m_columns > kMostRows)
      file.fail(group, "has " + std::to_string(m_rows) + " × " + std::to_string(m_columns) + " entries");
  }
  int rows() const { return m_rows; }
  int columns() const { return m_columns; }

  Eigen::MatrixXd full() const {
    const int kind = m_file.integer(m_group + "/nz");
    const std::vector<int> p = m_file.integers(m_group + "/p"), i = m_file.integers(m_group + "/i");
    const std::vector<double> x = m_file.reals(m_group + "/x");
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(m_rows, m_columns);
    const auto put = [&](int row, int column, double value) {
      if (row < 0 || row >= m_rows || column < 0 || column >= m_columns)
        m_file.fail(m_group, "has an entry outside itself");
      if (!std::isfinite(value)) m_file.fail(m_group, "has an entry that is not finite");
      full(row, column) += value;
    };
    if (kind >= 0) {
      if (static_cast<std::size_t>(kind) > std::min({p.size(), i.size(), x.size()}))
        m_file.fail(m_group, "has fewer triplets than it says");
      for (int k = 0; k < kind; ++k) put(i[k], p[k], x[k]);
      return full;
    }
    const bool byRows = kind == -2;
    const int lines = byRows ? m_rows : m_columns;
    if (p.size() < static_cast<std::size_t>(lines) + 1) m_file.fail(m_group + "/p", "is too short");
    for (int line = 0; line < lines; ++line) {
      if (p[line] < 0 || p[line + 1] < p[line] ||
          static_cast<std::size_t>(p[line + 1]) > std::min(i.size(), x.size()))
        m_file.fail(m_group + "/p", "points outside the entries");
      for (int k = p[line]; k < p[line + 1]; ++k) byRows ? put(line, i[k], x[k]) : put(i[k], line, x[k]);
    }
    return full;
  }

 private:
  const Hdf5File& m_file;
  std::string m_group;
  int m_rows, m_columns;
};

Eigen::VectorXd vectorOf(const Hdf5File& file, const std::string& name) {
  const std::vector<double> numbers = file.reals(name);
  for (const double number : numbers)
    if (!std::isfinite(number)) file.fail(name, "is not finite");
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

/// Refuses equalities, which FCLIB's problems may have, and which would be left out.
void requireFrictionOnly(const Hdf5File& file, const std::string& group,
                         const std::vector<const char*>& equalities) {
  for (const char* name : equalities)
    if (file.has(group + "/" + name))
      file.fail(group + "/" + name, "is a part of equalities, which are not solved here");
}

/// FCLIB's number of rows for each contact must be the one that the sizes give.
void requireDimension(const Hdf5File& file, const std::string& group, Eigen::Index rows,
                      Eigen::Index contacts) {
  const std::string name = group + "/spacedim";
  if (file.has(name) && file.integer(name) * contacts != rows)
    file.fail(name, "times " + std::to_string(contacts) + " contacts is not " + std::to_string(rows) +
                        ", the number of rows");
}

// Sizes are compared before a matrix takes memory. Initial guesses, solutions and notes are not the problem.
ComplementarityProblem readHdf5(const std::string& path) {
  const Hdf5File file(path, kRemedy);
  if (file.has("fclib_local")) {
    requireFrictionOnly(file, "fclib_local", {"V", "R", "vectors/s"});
    const SparseMatrix W(file, "fclib_local/W");
    Eigen::VectorXd q = vectorOf(file, "fclib_local/vectors/q");
    const Eigen::VectorXd friction = vectorOf(file, "fclib_local/vectors/mu");
    requireSizes(path, W.rows(), W.columns(), q.size(), friction.size());
    requireFriction(path, friction);
    requireDimension(file, "fclib_local", q.size(), friction.size());
    return problemOf(W.full(), std::move(q), friction);
  }
  if (!file.has("fclib_global")) file.fail("fclib_local", "is missing, and fclib_global as well");
  requireFrictionOnly(file, "fclib_global", {"G", "vectors/b"});
  const SparseMatrix massMatrix(file, "fclib_global/M"), directions(file, "fclib_global/H");
  const Eigen::VectorXd f = vectorOf(file, "fclib_global/vectors/f"),
                        w = vectorOf(file, "fclib_global/vectors/w"),
                        friction = vectorOf(file, "fclib_global/vectors/mu");
  if (massMatrix.rows() != massMatrix.columns() || directions.rows() != massMatrix.rows() ||
      f.size() != massMatrix.rows())
    file.fail("fclib_global", "has M, H and f that do not fit");
  requireSizes(path, directions.columns(), directions.columns(), w.size(), friction.size());
  requireFriction(path, friction);
  requireDimension(file, "fclib_global", w.size(), friction.size());
  const Eigen::MatrixXd M = massMatrix.full(), H = directions.full();
  const Eigen::PartialPivLU<Eigen::MatrixXd> inverse(M);
  return problemOf(H.transpose() * inverse.solve(H), H.transpose() * inverse.solve(f) + w, friction);
}
#endif

bool endsWith(const std::string& text, const char* end) {
  const std::string wanted = end;
  return text.size() >= wanted.size() &&
         text.compare(text.size() - wanted.size(), wanted.size(), wanted) == 0;
}

bool isHdf5(const std::string& path) { return endsWith(path, ".hdf5") || endsWith(path, ".h5"); }

}  // namespace

bool isFrictionProblem(const std::string& path) { return endsWith(path, ".dat") || isHdf5(path); }

ComplementarityProblem readFrictionProblem(const std::string& path) {
  if (!isHdf5(path)) return readText(path);
#ifdef TS_HAVE_HDF5
  return readHdf5(path);
#else
  throw SceneError(path, "", "is an HDF5 file, and this program was built without HDF5",
                   "install libhdf5-dev and build again, or give the text form");
#endif
}

std::string frictionProblemText(const ComplementarityProblem& problem) {
  const Eigen::Index rows = problem.b.size(), contacts = static_cast<Eigen::Index>(problem.disks.size());
  const Eigen::Index dimension = contacts > 0 ? rows / contacts : 0;
  bool isPlain = contacts > 0 && (dimension == 2 || dimension == 3) && dimension * contacts == rows;
  for (Eigen::Index contact = 0; isPlain && contact < contacts; ++contact) {
    const FrictionDisk& disk = problem.disks[contact];
    isPlain =
        disk.normal == dimension * contact && disk.first == disk.normal + 1 && disk.count == dimension - 1;
  }
  if (!isPlain || problem.freeCount > 0 || !problem.maxima.empty())
    throw std::invalid_argument(
        "the problem has rows that are not those of contacts with friction; only such problems have a text "
        "form");
  std::string text = std::to_string(dimension) + "\n" + std::to_string(contacts) + "\n0\n" +
                     std::to_string(rows) + "\n" + std::to_string(rows) + "\n" + std::to_string(rows) + " " +
                     std::to_string(rows) + "\n";
  const auto put = [&text](double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g\n", number);
    text += digits;
  };
  for (Eigen::Index column = 0; column < rows; ++column)
    for (Eigen::Index row = 0; row < rows; ++row) put(problem.A(row, column));
  for (const double entry : problem.b) put(entry);
  for (const FrictionDisk& disk : problem.disks) put(disk.friction);
  return text;
}

}  // namespace touchstone
