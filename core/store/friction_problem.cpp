#include "core/store/friction_problem.h"

#include <Eigen/LU>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/files/scene_error.h"
#ifdef TS_HAVE_HDF5
#include <hdf5.h>
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
  int integer(const std::string& field, int least, int most) {
    const double number = real(field);
    if (number != std::floor(number) || number < least || number > most)
      throw SceneError(m_path, field,
                       "is no whole number from " + std::to_string(least) + " to " + std::to_string(most),
                       kRemedy);
    return static_cast<int>(number);
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
  for (double& each : q) each = numbers.real("q");
  for (double& each : friction) {
    each = numbers.real("mu");
    if (each < 0) throw SceneError(path, "mu", "is negative", "give coefficients of at least 0");
  }
  return problemOf(std::move(W), std::move(q), friction);
}

#ifdef TS_HAVE_HDF5
/// An identifier of HDF5 with what closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : m_id(id), m_close(close) {}
  ~Handle() {
    if (m_id >= 0) m_close(m_id);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t id() const { return m_id; }
  bool isValid() const { return m_id >= 0; }

 private:
  hid_t m_id;
  herr_t (*m_close)(hid_t);
};

class Hdf5File {
 public:
  explicit Hdf5File(const std::string& path)
      : m_path(path),
        m_file(
            (H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)),
            H5Fclose) {
    if (!m_file.isValid()) throw SceneError(path, "", "is no HDF5 file that can be read", kRemedy);
  }
  bool has(const std::string& name) const { return H5Lexists(m_file.id(), name.c_str(), H5P_DEFAULT) > 0; }
  std::vector<double> reals(const std::string& name) const { return read<double>(name, H5T_NATIVE_DOUBLE); }
  std::vector<int> integers(const std::string& name) const { return read<int>(name, H5T_NATIVE_INT); }
  int integer(const std::string& name) const {
    const std::vector<int> all = integers(name);
    if (all.size() != 1) fail(name, "is no single number");
    return all.front();
  }
  [[noreturn]] void fail(const std::string& field, const std::string& problem) const {
    throw SceneError(m_path, field, problem, kRemedy);
  }

  /// FCLIB's sparse matrix below a group.
  Eigen::MatrixXd matrix(const std::string& group) const {
    const int rows = integer(group + "/m"), columns = integer(group + "/n"), kind = integer(group + "/nz");
    if (rows < 1 || rows > kMostRows || columns < 1 || columns > kMostRows)
      fail(group, "has " + std::to_string(rows) + " × " + std::to_string(columns) + " entries");
    const std::vector<int> p = integers(group + "/p"), i = integers(group + "/i");
    const std::vector<double> x = reals(group + "/x");
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(rows, columns);
    const auto put = [&](int row, int column, double value) {
      if (row < 0 || row >= rows || column < 0 || column >= columns)
        fail(group, "has an entry outside itself");
      if (!std::isfinite(value)) fail(group, "has an entry that is not finite");
      full(row, column) += value;
    };
    if (kind >= 0) {
      if (static_cast<std::size_t>(kind) > std::min({p.size(), i.size(), x.size()}))
        fail(group, "has fewer triplets than it says");
      for (int k = 0; k < kind; ++k) put(i[k], p[k], x[k]);
      return full;
    }
    const bool byRows = kind == -2;
    const int lines = byRows ? rows : columns;
    if (p.size() < static_cast<std::size_t>(lines) + 1) fail(group + "/p", "is too short");
    for (int line = 0; line < lines; ++line)
      for (int k = p[line]; k < p[line + 1]; ++k) {
        if (k < 0 || static_cast<std::size_t>(k) >= std::min(i.size(), x.size()))
          fail(group + "/p", "points outside the entries");
        byRows ? put(line, i[k], x[k]) : put(i[k], line, x[k]);
      }
    return full;
  }
  Eigen::VectorXd vector(const std::string& name) const {
    const std::vector<double> all = reals(name);
    for (const double each : all)
      if (!std::isfinite(each)) fail(name, "is not finite");
    return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  }

 private:
  template <class T>
  std::vector<T> read(const std::string& name, hid_t type) const {
    if (!has(name)) fail(name, "is missing");
    const Handle set(H5Dopen2(m_file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set.isValid()) fail(name, "is no data set");
    const Handle space(H5Dget_space(set.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (count < 0 || count > static_cast<hssize_t>(kMostRows) * kMostRows) fail(name, "is too large");
    std::vector<T> all(static_cast<std::size_t>(count));
    if (count > 0 && H5Dread(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
      fail(name, "cannot be read");
    return all;
  }

  std::string m_path;
  Handle m_file;
};

ComplementarityProblem readHdf5(const std::string& path) {
  const Hdf5File file(path);
  if (file.has("fclib_local")) {
    Eigen::MatrixXd W = file.matrix("fclib_local/W");
    Eigen::VectorXd q = file.vector("fclib_local/vectors/q");
    const Eigen::VectorXd friction = file.vector("fclib_local/vectors/mu");
    requireSizes(path, W.rows(), W.cols(), q.size(), friction.size());
    requireFriction(path, friction);
    return problemOf(std::move(W), std::move(q), friction);
  }
  if (!file.has("fclib_global")) file.fail("fclib_local", "is missing, and fclib_global as well");
  const Eigen::MatrixXd M = file.matrix("fclib_global/M"), H = file.matrix("fclib_global/H");
  const Eigen::VectorXd f = file.vector("fclib_global/vectors/f"), w = file.vector("fclib_global/vectors/w"),
                        friction = file.vector("fclib_global/vectors/mu");
  if (M.rows() != M.cols() || H.rows() != M.rows() || f.size() != M.rows())
    file.fail("fclib_global", "has M, H and f that do not fit");
  requireSizes(path, H.cols(), H.cols(), w.size(), friction.size());
  requireFriction(path, friction);
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
    const FrictionDisk& disk = problem.disks[static_cast<std::size_t>(contact)];
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
  for (const double each : problem.b) put(each);
  for (const FrictionDisk& disk : problem.disks) put(disk.friction);
  return text;
}

}  // namespace touchstone
