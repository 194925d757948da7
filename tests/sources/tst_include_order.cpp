#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

/// Includes go only downwards: app → widgets → core, gpu → core, and within core from verify down to math.
/// Folders stay small enough to be read through.
class IncludeOrderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void coreKnowsNeitherQtNorVtk();
  void roomsIncludeOnlyWhatIsBelowThem();
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
