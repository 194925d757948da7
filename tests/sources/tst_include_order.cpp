#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>
#include <functional>

/// Includes go only downwards: app → widgets → core, gpu → core, and within core from verify down to math.
/// Folders stay small enough to be read through.
class IncludeOrderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void coreKnowsNeitherQtNorVtk();
  void roomsIncludeOnlyWhatIsBelowThem();
  void foldersInsideRoomsIncludeOnlyWhatIsBelowThem();
  void noFileIncludesItselfInACircle();
  void headersBringNoLoops();
  void penaltyMethodsReadNoSolver();
  void theRefereeKnowsNoMethodAndNoSolver();
  void solversKnowRowsAndNoContacts();
  void noFolderOfCoreHasMoreThanThirtyFiles();
};

static QMap<QString, QStringList> includesByFile() {
  QMap<QString, QStringList> result;
  const QRegularExpression include(QStringLiteral("#include [\"<]([^\">]+)[\">]"));
  for (const char* top : {"core", "gpu", "widgets", "app"}) {
    QDirIterator files(QStringLiteral(TS_SOURCE_DIR "/%1").arg(top), {"*.h", "*.cpp", "*.inl", "*.cu"},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) continue;
      auto matches = include.globalMatch(QString::fromUtf8(file.readAll()));
      QStringList& list = result[QDir(TS_SOURCE_DIR).relativeFilePath(file.fileName())];
      while (matches.hasNext()) list << matches.next().captured(1);
    }
  }
  return result;
}

static QString folderOf(const QString& path) { return path.left(path.lastIndexOf('/')); }

/// The folders of a room, lowest first. A file includes what is in its own folder and in those before it. A
/// list of all methods or solvers knows the folders above its own, and has a rank of its own: its path
/// without ending.
struct Floors {
  QString room;
  QStringList folders;
  int of(const QString& path) const {
    const int fileRank = folders.indexOf(path.section('.', 0, 0));
    return fileRank >= 0 ? fileRank : folders.indexOf(folderOf(path));
  }
};
static const QList<Floors> kFloors = {
    {"core/parallel", {"core/parallel", "core/parallel/device"}},
    {"core/scene", {"core/scene/deformable", "core/scene"}},
    {"core/robot", {"core/robot", "core/robot/export"}},
    {"core/solver",
     {"core/solver/linear", "core/solver/rows", "core/solver/product", "core/solver/table",
      "core/solver/dense", "core/solver", "core/solver/newton", "core/solver/sweep", "core/solver/carrier",
      "core/solver/host", "core/solver/auto", "core/solver/solvers"}},
    {"core/contact",
     {"core/contact", "core/contact/manifold", "core/contact/penalty", "core/contact/dpf", "core/contact/cpf",
      "core/contact/complementarity", "core/contact/lcp", "core/contact/peg", "core/contact/nsn",
      "core/contact/methods"}},
    {"widgets",
     {"widgets", "widgets/text", "widgets/parameters", "widgets/gallery", "widgets/timeline", "widgets/plots",
      "widgets/views"}},
    {"app",
     {"app/work", "app/engines", "app/bench", "app/cli", "app/session", "app/ensemble", "app/plots",
      "app/branches", "app/panels", "app/study_panel", "app/exports", "app/window", "app"}}};

void IncludeOrderTest::coreKnowsNeitherQtNorVtk() {
  const auto files = includesByFile();
  QVERIFY(files.size() > 20);
  for (auto file = files.begin(); file != files.end(); ++file)
    if (file.key().startsWith("core/") || file.key().startsWith("gpu/"))
      for (const QString& name : file.value())
        QVERIFY2(!name.startsWith('Q') && !name.startsWith("vtk"),
                 qPrintable(file.key() + " includes " + name));
}

void IncludeOrderTest::roomsIncludeOnlyWhatIsBelowThem() {
  // Rank of each folder; a file may include its own rank and below.
  const QStringList order = {"core/math",        "core/parallel", "core/elasticity", "core/geometry",
                             "core/files",       "core/shape",    "core/scene",      "core/robot",
                             "core/world",       "core/record",   "core/detect",     "core/solver",
                             "core/constraints", "core/contact",  "core/explain",    "core/referee",
                             "core/trajectory",  "core/engine",   "core/run",        "core/store",
                             "core/statistics",  "core/motion",   "core/conform",    "core/study",
                             "core/verify",      "gpu",           "widgets",         "app"};
  const auto rank = [&order](const QString& path) {
    for (int index = 0; index < order.size(); ++index)
      if (path.startsWith(order[index] + "/")) return index;
    return -1;
  };
  const auto files = includesByFile();
  for (auto file = files.begin(); file != files.end(); ++file) {
    QVERIFY2(!file.key().startsWith("core/") || rank(file.key()) >= 0,
             qPrintable(file.key() + " has no room"));
    for (const QString& name : file.value()) {
      const int from = rank(file.key()), to = rank(name);
      QVERIFY2(from < 0 || to <= from, qPrintable("goes upwards: " + file.key() + " " + name));
    }
  }
}

void IncludeOrderTest::foldersInsideRoomsIncludeOnlyWhatIsBelowThem() {
  const auto files = includesByFile();
  for (const Floors& floors : kFloors)
    for (auto file = files.begin(); file != files.end(); ++file) {
      if (!file.key().startsWith(floors.room + '/')) continue;
      const int floor = floors.of(file.key());
      QVERIFY2(floor >= 0, qPrintable(file.key() + " is in a folder without a rank; add it to kFloors"));
      for (const QString& name : file.value())
        QVERIFY2(floors.of(name) <= floor, qPrintable("goes upwards: " + file.key() + " " + name));
    }
}

void IncludeOrderTest::noFileIncludesItselfInACircle() {
  const auto files = includesByFile();
  QSet<QString> done;
  QStringList chain;  // from a first file to the visited one, each included by the one before
  const std::function<QString(const QString&)> circleFrom = [&](const QString& path) {
    if (chain.contains(path)) return (chain.mid(chain.indexOf(path)) << path).join(" > ");
    if (done.contains(path)) return QString();
    chain << path;
    for (const QString& name : files.value(path))
      if (const QString circle = circleFrom(name); !circle.isEmpty()) return circle;
    chain.removeLast();
    done << path;
    return QString();
  };
  for (auto file = files.begin(); file != files.end(); ++file) {
    const QString circle = circleFrom(file.key());
    QVERIFY2(circle.isEmpty(), qPrintable(circle));
  }
}

/// A header that includes an .inl brings the bodies of its functions into every unit that only needs a type.
void IncludeOrderTest::headersBringNoLoops() {
  const auto files = includesByFile();
  for (auto file = files.begin(); file != files.end(); ++file)
    if (file.key().endsWith(".h"))
      for (const QString& name : file.value())
        QVERIFY2(!name.endsWith(".inl"), qPrintable(file.key() + " includes " + name));
}

/// Penalty methods need the islands that joints make of rows/, and no solver.
void IncludeOrderTest::penaltyMethodsReadNoSolver() {
  const auto files = includesByFile();
  for (const char* method : {"core/contact/dpf/dpf.inl", "core/contact/cpf/cpf.inl"}) {
    QVERIFY2(files.contains(method), method);
    QStringList open{method};
    QSet<QString> read;
    while (!open.isEmpty())
      for (const QString& name : files.value(open.takeLast()))
        if (!read.contains(name)) {
          read << name;
          open << name;
          QVERIFY2(!name.startsWith("core/solver/") || name == "core/solver/rows/host_islands.h",
                   qPrintable(QString(method) + " reads " + name));
        }
  }
}

void IncludeOrderTest::theRefereeKnowsNoMethodAndNoSolver() {
  const auto files = includesByFile();
  for (auto file = files.begin(); file != files.end(); ++file)
    if (file.key().startsWith("core/referee/"))
      for (const QString& name : file.value())
        QVERIFY2(!name.startsWith("core/contact/") && !name.startsWith("core/solver/"),
                 qPrintable(file.key() + " includes " + name));
}

void IncludeOrderTest::solversKnowRowsAndNoContacts() {
  const auto files = includesByFile();
  for (auto file = files.begin(); file != files.end(); ++file)
    if (file.key().startsWith("core/solver/"))
      for (const QString& name : file.value())
        QVERIFY2(!name.startsWith("core/contact/") && !name.startsWith("core/detect/"),
                 qPrintable(file.key() + " includes " + name));
}

void IncludeOrderTest::noFolderOfCoreHasMoreThanThirtyFiles() {
  QDirIterator folders(QStringLiteral(TS_SOURCE_DIR "/core"), QDir::Dirs | QDir::NoDotAndDotDot,
                       QDirIterator::Subdirectories);
  while (folders.hasNext()) {
    const QString folder = folders.next();
    const auto count = QDir(folder).entryList(QDir::Files).size();
    QVERIFY2(count <= 30, qPrintable(QStringLiteral("%1: %2 files").arg(folder).arg(count)));
  }
}

QTEST_APPLESS_MAIN(IncludeOrderTest)
#include "tst_include_order.moc"
