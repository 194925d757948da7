#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

/// Includes go only downwards: app → widgets → core, gpu → core, and within core from run down to math.
class IncludeOrderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void coreKnowsNeitherQtNorVtk();
  void roomsIncludeOnlyWhatIsBelowThem();
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
  // Rank of each room; a file may include its own rank and below. contact.h and the record are plain data
  // that solver, referee and contact share, so they rank below all three.
  const QStringList order = {"core/math",    "core/parallel", "core/geometry", "core/scene",
                             "core/world",   "core/record",   "core/solver",   "core/contact",
                             "core/referee", "core/run",      "gpu",           "widgets",
                             "app"};
  const auto rank = [&order](const QString& path) {
    if (path == "core/contact/contact.h") return static_cast<int>(order.indexOf("core/math"));
    for (int index = 0; index < order.size(); ++index)
      if (path.startsWith(order[index] + "/")) return index;
    return -1;
  };
  const auto files = includesByFile();
  for (auto file = files.begin(); file != files.end(); ++file)
    for (const QString& name : file.value()) {
      const int from = rank(file.key()), to = rank(name);
      if (from >= 0 && to >= 0)
        QVERIFY2(to <= from, qPrintable(file.key() + " includes " + name + ", which lies above it"));
    }
}

QTEST_APPLESS_MAIN(IncludeOrderTest)
#include "tst_include_order.moc"
