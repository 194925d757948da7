#include <QtTest>
#include <algorithm>

#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

namespace {

/// A file of a kind with one body.
struct SceneSample {
  std::string extension;  ///< one of its kind
  QByteArray text;
};

QList<SceneSample> samples() {
  return {
      {".urdf",
       "<robot name=\"r\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision>"
       "</link></robot>"},
      {".xml",
       "\xef\xbb\xbf<mujoco model=\"m\"><worldbody><body name=\"a\"><freejoint/><geom size=\"0.1\"/></body>"
       "</worldbody></mujoco>"},
      {".json", test::SceneFolder::withBodies(
                    R"({"name": "a", "mass": 1, "shape": {"type": "box", "size": [1, 1, 1]}})")}};
}

bool hasExtension(const SceneReader& reader, const std::string& extension) {
  return std::count(reader.extensions.begin(), reader.extensions.end(), extension) > 0;
}

}  // namespace

class SceneReadersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyExtensionOfTheTableLoads();
  void theContentDecidesWhichReaderTakesAFile();
  void theReaderOfAnyTextIsTheLast();
  void rubbishIsRefusedAsNoScene();

 private:
  test::SceneFolder m_folder;
};

void SceneReadersTest::everyExtensionOfTheTableLoads() {
  for (const SceneReader& reader : sceneReaders())
    for (const std::string& extension : reader.extensions) {
      int loaded = 0;
      for (const SceneSample& sample : samples()) {
        if (!hasExtension(reader, sample.extension)) continue;
        ++loaded;
        const auto scene = loadScene(m_folder.write(QString::fromStdString("s" + extension), sample.text));
        QCOMPARE(scene->bodies.size(), std::size_t(1));
      }
      QVERIFY2(loaded > 0, ("no sample of a file " + extension).c_str());
    }
}

void SceneReadersTest::theContentDecidesWhichReaderTakesAFile() {
  for (const SceneSample& sample : samples()) {
    for (const char* name : {"s.json", "s.urdf", "s.txt", "s"})
      QCOMPARE(loadScene(m_folder.write(name, sample.text))->bodies.size(), std::size_t(1));
    const auto& readers = sceneReaders();
    const auto first = std::find_if(readers.begin(), readers.end(), [&](const SceneReader& reader) {
      return reader.canRead(sample.text.toStdString());
    });
    QVERIFY2(first != readers.end() && hasExtension(*first, sample.extension), sample.extension.c_str());
  }
}

/// A reader behind one that takes everything would never be asked.
void SceneReadersTest::theReaderOfAnyTextIsTheLast() {
  const auto& readers = sceneReaders();
  for (std::size_t index = 0; index < readers.size(); ++index)
    QCOMPARE(readers[index].canRead("a letter"), index + 1 == readers.size());
}

void SceneReadersTest::rubbishIsRefusedAsNoScene() {
  for (const char* text : {"", "a letter", "solid", "[1, 2"}) {
    try {
      loadScene(m_folder.write("s.urdf", text));
    } catch (const SceneError& error) {
      const QByteArray message = error.what();
      QVERIFY2(message.contains("s.urdf") && message.contains("JSON"), message);
      continue;
    }
    QFAIL(text);
  }
}

QTEST_APPLESS_MAIN(SceneReadersTest)
#include "tst_scene_readers.moc"
