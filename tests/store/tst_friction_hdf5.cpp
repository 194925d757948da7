#include <hdf5.h>

#include <QtTest>
#include <cstring>
#include <functional>

#include "core/files/scene_error.h"
#include "core/math/count.h"
#include "core/store/friction_problem.h"
#include "tests/support/fuzz.h"
#include "tests/support/near.h"

using namespace touchstone;

/// Friction problems in the layout of FCLIB.
class FrictionHdf5Test : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsLocalProblems_data();
  void readsLocalProblems();
  void readsGlobalProblems();
  void isSolved();
  void damagedFilesAreRefused_data();
  void damagedFilesAreRefused();
  void cutFilesAreRefused();
  void compressedProblemsAreRead();
  void changedFilesGiveNoNumbersOfOthers();
  void numbersThatAreNotInTheFileAreRefused_data();
  void numbersThatAreNotInTheFileAreRefused();

 private:
  QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
  QTemporaryDir m_folder;
};

namespace {

/// A file that is written group by group.
class Writer {
 public:
  explicit Writer(const QString& path)
      : m_file(H5Fcreate(path.toUtf8().constData(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Writer() { H5Fclose(m_file); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  hid_t id() const { return m_file; }
  void group(const char* name) { H5Gclose(H5Gcreate2(m_file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
  /// @param creation  how it is stored
  void reals(const std::string& name, const std::vector<double>& values, hid_t creation = H5P_DEFAULT) {
    put(name, H5T_NATIVE_DOUBLE, values.size(), values.data(), creation);
  }
  void integers(const std::string& name, const std::vector<int>& values) {
    put(name, H5T_NATIVE_INT, values.size(), values.data());
  }
  /// A matrix of the given kind: −2 by rows, −1 by columns, 0 triplets.
  void matrix(const std::string& group, int rows, int columns, const std::vector<double>& byRows, int kind) {
    this->group(group.c_str());
    std::vector<int> p, i;
    std::vector<double> x;
    const int lines = kind == -1 ? columns : rows, others = kind == -1 ? rows : columns;
    if (kind != 0) p.push_back(0);
    for (int line = 0; line < lines; ++line) {
      for (int other = 0; other < others; ++other) {
        const int row = kind == -1 ? other : line, column = kind == -1 ? line : other;
        const double value = byRows[row * columns + column];
        if (value == 0) continue;
        x.push_back(value);
        i.push_back(kind == 0 ? row : other);
        if (kind == 0) p.push_back(column);
      }
      if (kind != 0) p.push_back(countOf(x));
    }
    integers(group + "/m", {rows});
    integers(group + "/n", {columns});
    integers(group + "/nz", {kind == 0 ? countOf(x) : kind});
    integers(group + "/p", p);
    integers(group + "/i", i);
    reals(group + "/x", x);
  }

 private:
  void put(const std::string& name, hid_t type, std::size_t count, const void* values,
           hid_t creation = H5P_DEFAULT) {
    const hsize_t size = count;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t set = H5Dcreate2(m_file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (count > 0) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  }
  hid_t m_file;
};

const std::vector<double> kMatrix = {2,   0, 0, 0.5, 0, 0, 0, 2,   0, 0, 0.5, 0, 0, 0, 2,   0, 0, 0.5,
                                     0.5, 0, 0, 2,   0, 0, 0, 0.5, 0, 0, 2,   0, 0, 0, 0.5, 0, 0, 2};
const std::vector<double> kFree = {-1, 0.3, 0, -1, 0, 0.9};

void writeLocal(const QString& path, int kind) {
  Writer file(path);
  file.group("fclib_local");
  file.matrix("fclib_local/W", 6, 6, kMatrix, kind);
  file.group("fclib_local/vectors");
  file.reals("fclib_local/vectors/q", kFree);
  file.reals("fclib_local/vectors/mu", {0.5, 0.25});
}

/// How a data set is stored.
class Storage {
 public:
  Storage() : m_list(H5Pcreate(H5P_DATASET_CREATE)) {}
  ~Storage() { H5Pclose(m_list); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  hid_t id() const { return m_list; }
  Storage& chunk(hsize_t size) {
    H5Pset_chunk(m_list, 1, &size);
    return *this;
  }

 private:
  hid_t m_list;
};

/// A problem without q; the test adds it.
void writeWithoutQ(Writer& file) {
  file.group("fclib_local");
  file.matrix("fclib_local/W", 6, 6, kMatrix, -2);
  file.group("fclib_local/vectors");
  file.reals("fclib_local/vectors/mu", {0.5, 0.25});
}

constexpr char kQ[] = "fclib_local/vectors/q";

}  // namespace

Q_DECLARE_METATYPE(std::function<void(Writer&)>)

void FrictionHdf5Test::readsLocalProblems_data() {
  QTest::addColumn<int>("kind");
  QTest::newRow("rows compressed") << -2;
  QTest::newRow("columns compressed") << -1;
  QTest::newRow("triplets") << 0;
}

void FrictionHdf5Test::readsLocalProblems() {
  QFETCH(int, kind);
  writeLocal(path("local.hdf5"), kind);
  const ComplementarityProblem problem = readFrictionProblem(path("local.hdf5").toStdString());
  QCOMPARE(problem.b.size(), Eigen::Index(6));
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 6; ++column) QCOMPARE(problem.A(row, column), kMatrix[6 * row + column]);
  QVERIFY(problem.b[5] == 0.9 && problem.disks[1].friction == 0.25 && problem.disks[1].normal == 3);
}

/// One body of 2 kg on one contact: W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w.
void FrictionHdf5Test::readsGlobalProblems() {
  {
    Writer file(path("global.h5"));
    file.group("fclib_global");
    file.matrix("fclib_global/M", 3, 3, {2, 0, 0, 0, 2, 0, 0, 0, 2}, -1);
    file.matrix("fclib_global/H", 3, 3, {0, 1, 0, 1, 0, 0, 0, 0, 1}, -1);
    file.group("fclib_global/vectors");
    file.reals("fclib_global/vectors/f", {0.4, -6, 0});
    file.reals("fclib_global/vectors/w", {0, 0, 0.1});
    file.reals("fclib_global/vectors/mu", {0.3});
  }
  const ComplementarityProblem problem = readFrictionProblem(path("global.h5").toStdString());
  QVERIFY(problem.A.isApprox(0.5 * Eigen::MatrixXd::Identity(3, 3)));
  QVERIFY(problem.b.isApprox(Eigen::Vector3d(-3, 0.2, 0.1)));
}

void FrictionHdf5Test::isSolved() {
  writeLocal(path("solved.hdf5"), -2);
  const ComplementarityProblem problem = readFrictionProblem(path("solved.hdf5").toStdString());
  SolverSettings settings;
  settings.maxIterations = 5000;
  const SolverResult result = makeSolver("pgs")->solve(problem, {}, settings);
  QVERIFY(result.status == SolveStatus::Solved);
  QVERIFY(naturalResidual(problem, result.z) < 1e-9);
}

void FrictionHdf5Test::damagedFilesAreRefused_data() {
  QTest::addColumn<std::function<void(Writer&)>>("write");
  QTest::addColumn<QString>("field");
  using Write = std::function<void(Writer&)>;
  const auto vectors = [](Writer& file, std::vector<double> q, std::vector<double> mu) {
    file.group("fclib_local/vectors");
    file.reals("fclib_local/vectors/q", q);
    file.reals("fclib_local/vectors/mu", mu);
  };
  const auto row = [](const char* name, Write write, const char* field) {
    QTest::newRow(name) << write << QString::fromLatin1(field);
  };
  row(
      "no group", [](Writer&) {}, "fclib_local");
  row(
      "no matrix", [](Writer& file) { file.group("fclib_local"); }, "fclib_local/W/m");
  row(
      "no q",
      [](Writer& file) {
        file.group("fclib_local");
        file.matrix("fclib_local/W", 6, 6, kMatrix, -2);
      },
      "fclib_local/vectors/q");
  row(
      "q is too short",
      [vectors](Writer& file) {
        file.group("fclib_local");
        file.matrix("fclib_local/W", 6, 6, kMatrix, -2);
        vectors(file, {1, 2}, {0.5, 0.5});
      },
      "q");
  row(
      "q is not finite",
      [vectors](Writer& file) {
        file.group("fclib_local");
        file.matrix("fclib_local/W", 6, 6, kMatrix, -2);
        vectors(file, {1, 2, 3, 4, 5, qQNaN()}, {0.5, 0.5});
      },
      "q");
  row(
      "friction below 0",
      [vectors](Writer& file) {
        file.group("fclib_local");
        file.matrix("fclib_local/W", 6, 6, kMatrix, -2);
        vectors(file, kFree, {0.5, -1});
      },
      "mu");
  row(
      "a matrix that is not finite",
      [vectors](Writer& file) {
        std::vector<double> matrix = kMatrix;
        matrix[7] = qInf();
        file.group("fclib_local");
        file.matrix("fclib_local/W", 6, 6, matrix, -2);
        vectors(file, kFree, {0.5, 0.5});
      },
      "W");
  row(
      "entries outside the matrix",
      [vectors](Writer& file) {
        file.group("fclib_local");
        file.group("fclib_local/W");
        for (const auto& [name, value] : {std::pair("m", 6), std::pair("n", 6), std::pair("nz", 1)})
          file.integers(std::string("fclib_local/W/") + name, {value});
        file.integers("fclib_local/W/p", {9});
        file.integers("fclib_local/W/i", {0});
        file.reals("fclib_local/W/x", {1});
        vectors(file, kFree, {0.5, 0.5});
      },
      "W");
  row(
      "fewer triplets than it says",
      [vectors](Writer& file) {
        file.group("fclib_local");
        file.group("fclib_local/W");
        for (const auto& [name, value] : {std::pair("m", 6), std::pair("n", 6), std::pair("nz", 100)})
          file.integers(std::string("fclib_local/W/") + name, {value});
        file.integers("fclib_local/W/p", {0});
        file.integers("fclib_local/W/i", {0});
        file.reals("fclib_local/W/x", {1});
        vectors(file, kFree, {0.5, 0.5});
      },
      "W");
  row(
      "an enormous matrix",
      [](Writer& file) {
        file.group("fclib_local");
        file.group("fclib_local/W");
        for (const auto& [name, value] :
             {std::pair("m", 2000000000), std::pair("n", 2000000000), std::pair("nz", -2)})
          file.integers(std::string("fclib_local/W/") + name, {value});
      },
      "W");
  row(
      "pointers beyond the entries",
      [vectors](Writer& file) {
        file.group("fclib_local");
        file.group("fclib_local/W");
        for (const auto& [name, value] : {std::pair("m", 3), std::pair("n", 3), std::pair("nz", -2)})
          file.integers(std::string("fclib_local/W/") + name, {value});
        file.integers("fclib_local/W/p", {0, 1, 2, 2000000});
        file.integers("fclib_local/W/i", {0, 1});
        file.reals("fclib_local/W/x", {1, 1});
        vectors(file, {1, 2, 3}, {0.5});
      },
      "p");
}

void FrictionHdf5Test::damagedFilesAreRefused() {
  QFETCH(std::function<void(Writer&)>, write);
  QFETCH(QString, field);
  {
    Writer file(path("damaged.hdf5"));
    write(file);
  }
  try {
    (void)readFrictionProblem(path("damaged.hdf5").toStdString());
    QFAIL("it was read");
  } catch (const SceneError& error) {
    const QString text = QString::fromStdString(error.what());
    QVERIFY2(text.contains(field) && text.contains(QLatin1String("damaged.hdf5")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1Char(';')), qPrintable(text));  // a remedy
  }
}

void FrictionHdf5Test::cutFilesAreRefused() {
  writeLocal(path("whole.hdf5"), -2);
  QFile whole(path("whole.hdf5"));
  QVERIFY(whole.open(QIODevice::ReadOnly));
  const QByteArray bytes = whole.readAll();
  for (int length = 0; length < bytes.size(); length += 97) {
    QFile cut(path("cut.hdf5"));
    QVERIFY(cut.open(QIODevice::WriteOnly));
    cut.write(bytes.left(length));
    cut.close();
    try {
      const ComplementarityProblem problem = readFrictionProblem(path("cut.hdf5").toStdString());
      QCOMPARE(problem.b.size(), Eigen::Index(6));  // what was cut was not needed
    } catch (const SceneError&) {
    }
  }
}

void FrictionHdf5Test::compressedProblemsAreRead() {
  {
    Writer file(path("packed.hdf5"));
    writeWithoutQ(file);
    Storage storage;
    H5Pset_shuffle(storage.chunk(4).id());  // the second chunk is not full
    H5Pset_deflate(storage.id(), 9);
    H5Pset_fletcher32(storage.id());
    file.reals(kQ, kFree, storage.id());
  }
  const ComplementarityProblem problem = readFrictionProblem(path("packed.hdf5").toStdString());
  QVERIFY(problem.b == Eigen::Map<const Eigen::VectorXd>(kFree.data(), 6));
}

/// Links, virtual data sets and filters that are changed at random open, or are refused with the file's name;
/// the numbers of the file beside them appear nowhere.
void FrictionHdf5Test::changedFilesGiveNoNumbersOfOthers() {
  test::SceneFolder folder;
  constexpr double kSecret = 8675309.25;
  const std::string other = folder.path("other.hdf5"), raw = folder.write("other.bin", QByteArray(48, 'x'));
  {
    Writer file(QString::fromStdString(other));
    file.group("fclib_local");
    file.group("fclib_local/vectors");
    file.reals(kQ, std::vector<double>(6, kSecret));
  }
  const hsize_t size = 6;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  std::vector<QByteArray> seeds;
  using Write = std::function<void(Writer&)>;
  const Write writes[] = {
      [](Writer& file) { file.reals(kQ, kFree); },
      [](Writer& file) {
        Storage storage;
        H5Pset_deflate(storage.chunk(4).id(), 9);
        file.reals(kQ, kFree, storage.id());
      },
      [&](Writer& file) {
        H5Lcreate_external(other.c_str(), kQ, file.id(), kQ, H5P_DEFAULT, H5P_DEFAULT);
        file.reals("spare", kFree);
      },
      [&](Writer& file) {
        file.reals("spare", kFree);
        H5Lcreate_soft("/spare", file.id(), kQ, H5P_DEFAULT, H5P_DEFAULT);
      },
      [&](Writer& file) {
        Storage storage;
        H5Pset_virtual(storage.id(), space, other.c_str(), kQ, space);
        H5Dclose(H5Dcreate2(file.id(), kQ, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage.id(), H5P_DEFAULT));
      },
      [&](Writer& file) {
        Storage storage;
        H5Pset_external(storage.id(), raw.c_str(), 0, 48);
        H5Dclose(H5Dcreate2(file.id(), kQ, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage.id(), H5P_DEFAULT));
      }};
  for (const Write& write : writes) {
    {
      Writer file(path("seed.hdf5"));
      writeWithoutQ(file);
      write(file);
    }
    QFile seed(path("seed.hdf5"));
    QVERIFY(seed.open(QIODevice::ReadOnly));
    seeds.push_back(seed.readAll());
  }
  H5Sclose(space);
  test::fuzz(folder, "fuzz.hdf5", seeds, test::Content::Binary, 1500, [&](const std::string& file) {
    const ComplementarityProblem problem = readFrictionProblem(file);
    double letters = 0;
    std::memcpy(&letters, "xxxxxxxx", sizeof letters);
    for (const double number : problem.b)
      if (number == kSecret || number == letters) qFatal("numbers of another file were read");
  });
}

/// The good problem lies beside each of these files, so that a reader that follows finds numbers.
void FrictionHdf5Test::numbersThatAreNotInTheFileAreRefused_data() {
  QTest::addColumn<std::function<void(Writer&)>>("write");
  QTest::addColumn<QString>("word");
  using Write = std::function<void(Writer&)>;
  const auto row = [](const char* name, const char* word, Write write) {
    QTest::newRow(name) << write << QString::fromLatin1(word);
  };
  const std::string good = path("good.hdf5").toStdString();
  const QByteArray raw = QByteArray(reinterpret_cast<const char*>(kFree.data()), 48);
  QFile numbers(path("numbers.bin"));
  QVERIFY(numbers.open(QIODevice::WriteOnly));
  numbers.write(raw);
  numbers.close();
  writeLocal(path("good.hdf5"), -2);
  row("in another file", "another file", [this](Writer& file) {
    writeWithoutQ(file);
    Storage storage;
    H5Pset_external(storage.id(), path("numbers.bin").toUtf8().constData(), 0, 48);
    const hsize_t size = 6;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    H5Dclose(H5Dcreate2(file.id(), kQ, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage.id(), H5P_DEFAULT));
    H5Sclose(space);
  });
  row("behind an external link", "link", [good](Writer& file) {
    writeWithoutQ(file);
    H5Lcreate_external(good.c_str(), kQ, file.id(), kQ, H5P_DEFAULT, H5P_DEFAULT);
  });
  row("in a group behind an external link", "link", [good](Writer& file) {
    H5Lcreate_external(good.c_str(), "/fclib_local", file.id(), "fclib_local", H5P_DEFAULT, H5P_DEFAULT);
  });
  row("in a group of it behind an external link", "link", [good](Writer& file) {
    file.group("fclib_local");
    file.matrix("fclib_local/W", 6, 6, kMatrix, -2);
    H5Lcreate_external(good.c_str(), "/fclib_local/vectors", file.id(), "fclib_local/vectors", H5P_DEFAULT,
                       H5P_DEFAULT);
  });
  row("behind a soft link", "link", [](Writer& file) {
    writeWithoutQ(file);
    file.reals("other", kFree);
    H5Lcreate_soft("/other", file.id(), kQ, H5P_DEFAULT, H5P_DEFAULT);
  });
  row("behind links in a circle", "link", [](Writer& file) {
    writeWithoutQ(file);
    H5Lcreate_soft(kQ, file.id(), kQ, H5P_DEFAULT, H5P_DEFAULT);
  });
  row("virtual", "virtual", [good](Writer& file) {
    writeWithoutQ(file);
    const hsize_t size = 6;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    Storage storage;
    H5Pset_virtual(storage.id(), space, good.c_str(), kQ, space);
    H5Dclose(H5Dcreate2(file.id(), kQ, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage.id(), H5P_DEFAULT));
    H5Sclose(space);
  });
  row("a hundred million zeros, deflated", "unfolds", [](Writer& file) {
    writeWithoutQ(file);
    const hsize_t size = 100'000'000;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    Storage storage;
    H5Pset_deflate(storage.chunk(1 << 20).id(), 9);
    H5Dclose(H5Dcreate2(file.id(), kQ, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage.id(), H5P_DEFAULT));
    H5Sclose(space);
  });
  row("more entries than 64 bits count", "unfolds", [](Writer& file) {
    writeWithoutQ(file);
    const hsize_t sizes[3] = {hsize_t(1) << 31, hsize_t(1) << 31, 4}, one[3] = {1, 1, 1};
    const hid_t space = H5Screate_simple(3, sizes, nullptr);
    const Storage storage;
    H5Pset_chunk(storage.id(), 3, one);
    H5Dclose(H5Dcreate2(file.id(), kQ, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage.id(), H5P_DEFAULT));
    H5Sclose(space);
  });
  row("a chunk larger than the file", "unfolds", [](Writer& file) {
    writeWithoutQ(file);
    const hsize_t size = 6, most = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &size, &most);
    Storage storage;
    H5Pset_deflate(storage.chunk(100'000'000).id(), 9);
    H5Dclose(H5Dcreate2(file.id(), kQ, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, storage.id(), H5P_DEFAULT));
    H5Sclose(space);
  });
  row("a chunk that unfolds to more than it says", "more than its size", [](Writer& file) {
    writeWithoutQ(file);
    Storage storage;
    H5Pset_deflate(storage.chunk(6).id(), 9);
    file.reals(kQ, kFree, storage.id());
    // A thousand times the size of the chunk in as many bytes as it may take.
    const QByteArray packed = qCompress(QByteArray(50'000, '\0'), 9).mid(4);
    const hid_t set = H5Dopen2(file.id(), kQ, H5P_DEFAULT);
    const hsize_t place = 0;
    H5Dwrite_chunk(set, H5P_DEFAULT, 0, &place, packed.size(), packed.constData());
    H5Dclose(set);
  });
  row("deflated three times", "filters", [](Writer& file) {
    writeWithoutQ(file);
    Storage storage;
    storage.chunk(6);
    for (int time = 0; time < 3; ++time) H5Pset_deflate(storage.id(), 9);
    file.reals(kQ, kFree, storage.id());
  });
  row("another filter", "filters", [](Writer& file) {
    writeWithoutQ(file);
    Storage storage;
    H5Pset_scaleoffset(storage.chunk(6).id(), H5Z_SO_FLOAT_DSCALE, 3);
    file.reals(kQ, kFree, storage.id());
  });
  row("texts", "plain numbers", [](Writer& file) {
    writeWithoutQ(file);
    const hid_t text = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(text, H5T_VARIABLE);
    H5Dclose(H5Dcreate2(file.id(), kQ, text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(text);
  });
}

void FrictionHdf5Test::numbersThatAreNotInTheFileAreRefused() {
  QFETCH(std::function<void(Writer&)>, write);
  QFETCH(QString, word);
  {
    Writer file(path("foreign.hdf5"));
    write(file);
  }
  try {
    (void)readFrictionProblem(path("foreign.hdf5").toStdString());
    QFAIL("it was read");
  } catch (const SceneError& error) {
    const QString text = QString::fromStdString(error.what());
    QVERIFY2(text.contains(word) && text.contains(QLatin1String("foreign.hdf5:fclib_local")) &&
                 text.contains(QLatin1Char(';')),
             qPrintable(text));
  }
}

QTEST_APPLESS_MAIN(FrictionHdf5Test)
#include "tst_friction_hdf5.moc"
