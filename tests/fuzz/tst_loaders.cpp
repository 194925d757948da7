#include <QElapsedTimer>
#include <QtTest>
#include <random>

#include "core/run/comparison.h"
#include "core/scene/mesh_file.h"
#include "core/scene/scene_error.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Files changed at random never crash the loaders: they load, or are refused by a SceneError that names file
/// and remedy. A fixed number of changes here; TOUCHSTONE_FUZZ_SECONDS=60 goes on for a minute with other
/// seeds.
class LoadersFuzz : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void changedScenesLoadOrAreRefused();
  void changedMeshesLoadOrAreRefused_data();
  void changedMeshesLoadOrAreRefused();

 private:
  template <class Load>
  void fuzz(const std::vector<QByteArray>& seeds, const QString& name, const Load& load);
  test::SceneFolder m_folder;
};

namespace {

constexpr int kRounds = 1500;

/// Words that break assumptions more often than random bytes.
const char* const kWords[] = {"-1",
                              "0",
                              "1e308",
                              "1e999",
                              "-0.0",
                              "NaN",
                              "null",
                              "[]",
                              "{}",
                              "\"\"",
                              "true",
                              "1e-320",
                              "99999999999999999999",
                              "\"box\"",
                              "\"plane\"",
                              "\"static\"",
                              "\"type\"",
                              "[[",
                              "]",
                              ",",
                              "\xff\xfe",
                              "\n",
                              "f 1 2 3\n",
                              "v 0 0 0\n",
                              "f -1 -2 -3\n",
                              "f 9 9 9\n"};

QByteArray changed(const QByteArray& seed, const std::vector<QByteArray>& seeds, std::mt19937& random) {
  const auto below = [&random](std::size_t count) {
    return static_cast<int>(random() % std::max<std::size_t>(1, count));
  };
  QByteArray text = seed;
  for (int change = 1 + below(4); change > 0; --change) {
    const int at = below(static_cast<std::size_t>(text.size()));
    const int length = below(24);
    switch (below(6)) {
      case 0:
        text.remove(at, length);
        break;
      case 1:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 2:
        text.insert(at, text.mid(below(static_cast<std::size_t>(text.size())), length));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(random() & 0xff);
        break;
      case 4: {  // a number becomes another word
        int digit = at;
        while (digit < text.size() && !isdigit(static_cast<unsigned char>(text[digit]))) ++digit;
        int end = digit;
        while (end < text.size() && (isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.'))
          ++end;
        text.replace(digit, end - digit, kWords[below(std::size(kWords))]);
        break;
      }
      default:
        if (below(8) == 0) {
          text.truncate(at);
        } else {
          const QByteArray& other = seeds[static_cast<std::size_t>(below(seeds.size()))];
          text.replace(at, length, other.mid(below(static_cast<std::size_t>(other.size())), length));
        }
    }
  }
  return text;
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
  return file.readAll();
}

}  // namespace

template <class Load>
void LoadersFuzz::fuzz(const std::vector<QByteArray>& seeds, const QString& name, const Load& load) {
  const int seconds = qEnvironmentVariableIntValue("TOUCHSTONE_FUZZ_SECONDS");
  QElapsedTimer timer;
  timer.start();
  std::mt19937 random(seconds > 0 ? std::random_device()() : 1u);
  int loaded = 0, refused = 0;
  for (int round = 0; round < kRounds || timer.elapsed() < 1000 * seconds; ++round) {
    const QByteArray text = changed(seeds[random() % seeds.size()], seeds, random);
    const std::string path = m_folder.write(name, text);
    try {
      load(path);
      ++loaded;
    } catch (const SceneError& error) {
      const QString what = QString::fromStdString(error.what());
      QVERIFY2(what.startsWith(QString::fromStdString(path).left(5)) && what.contains("; "),
               qPrintable(what));
      ++refused;
    } catch (const std::exception& error) {
      QFAIL(qPrintable(QString("%1: %2").arg(error.what(), QString::fromUtf8(text))));
    }
  }
  qInfo("%d loaded, %d refused", loaded, refused);
  QVERIFY(loaded > 0 && refused > 0);
}

void LoadersFuzz::changedScenesLoadOrAreRefused() {
  const QString folder = QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/");
  std::vector<QByteArray> seeds;
  for (const char* scene :
       {"resting-box", "corner-trap", "dual-trap", "thin-plate", "incline", "heavy-stack"})
    seeds.push_back(contentOf(folder + scene + ".json"));
  fuzz(seeds, "fuzz.json", [](const std::string& path) {
    const auto scene = loadScene(path);
    // What loads must also be able to start, or say why not.
    for (const PaneSettings& pane : suggestedPanes(*scene)) Simulation(scene, pane, scene->dt);
  });
}

void LoadersFuzz::changedMeshesLoadOrAreRefused_data() {
  QTest::addColumn<QByteArray>("seed");
  QTest::addColumn<QString>("name");
  const QByteArray obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  QTest::newRow("obj") << obj << "fuzz.obj";
  QTest::newRow("stl")
      << QByteArray(
             "solid t\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\n"
             "endfacet\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\n"
             "endfacet\nfacet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\n"
             "endfacet\nfacet normal -1 0 0\nouter loop\nvertex 0 1 0\nvertex 0 0 0\nvertex 0 0 1\nendloop\n"
             "endfacet\nendsolid t\n")
      << "fuzz.stl";
  QTest::newRow("ply")
      << QByteArray(
             "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
             "element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 "
             "1\n"
             "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n")
      << "fuzz.ply";
}

void LoadersFuzz::changedMeshesLoadOrAreRefused() {
  QFETCH(QByteArray, seed);
  QFETCH(QString, name);
  fuzz({seed}, name, [](const std::string& path) { loadMesh(path, 1); });
}

QTEST_GUILESS_MAIN(LoadersFuzz)
#include "tst_loaders.moc"
