#include <sys/stat.h>

#include <QtTest>

#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Every malformed input is refused with file, field, problem and remedy; none crashes.
class BadScenesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void badTextIsRefused_data();
  void badTextIsRefused();
  void badHeadsAreRefused_data();
  void badHeadsAreRefused();
  void badBodiesAreRefused_data();
  void badBodiesAreRefused();
  void whatIsNoFileIsRefusedAtOnce();
  void everyTruncationOfAGoodSceneIsRefused();
  void everyFieldReplacedByAnotherTypeIsRefused();

 private:
  void verifyRefused(const std::string& path, const QByteArray& field, const QByteArray& problem);
  test::SceneFolder m_folder;
};

namespace {

const QByteArray kBox = R"("shape": {"type": "box", "size": [1, 1, 1]})";
const QByteArray kPlane = R"({"name": "p", "motion": "static", "shape": {"type": "plane"}})";

void row(const char* name, const QByteArray& text, const char* field, const char* problem) {
  QTest::newRow(name) << text << QByteArray(field) << QByteArray(problem);
}

void columns() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("field");
  QTest::addColumn<QByteArray>("problem");
}

}  // namespace

void BadScenesTest::verifyRefused(const std::string& path, const QByteArray& field,
                                  const QByteArray& problem) {
  try {
    loadScene(path);
  } catch (const SceneError& error) {
    const QByteArray what = error.what();
    const QByteArray start =
        QByteArray::fromStdString(path) + ":" + (field.isEmpty() ? QByteArray() : field + ":") + " ";
    QVERIFY2(what.startsWith(start), what);
    QVERIFY2(what.contains(problem), what);
    QVERIFY2(what.contains("; ") && !what.endsWith("; "), what);
    return;
  }
  QFAIL("was accepted");
}

void BadScenesTest::badTextIsRefused_data() {
  columns();
  const QByteArray head = R"({"touchstone": 1, "name": "a", "title": "A", "dt": 0.1, "methods": ["cpf"])";
  row("empty file", "", "", "line 1, column 1");
  row("truncated", "{\"touchstone\": 1,\n \"name\": \"a", "", "line 2, column 12");
  row("trailing comma", "{\"touchstone\": 1,\n}", "", "line 2, column 1");
  row("NaN", R"({"touchstone": 1, "name": "a", "dt": NaN, "bodies": []})", "", "line 1, column 38");
  row("Infinity", R"({"dt": Infinity})", "", "line 1, column 8");
  row("number beyond double", R"({"dt": 1e999})", "", "1e999, a number beyond the range");
  row("comment", "{ // no\n}", "", "line 1, column 3");
  row("bytes that are no text", QByteArray("{\"name\": \"\xff\xfe\"}", 14), "", "line 1, column 11");
  row("binary", QByteArray("\0\1\2\3", 4), "", "line 1, column 1");
  row("zero and escape in a name of a field", R"({"touchstone": 1, "a\u0000b\u001b[31m": 1})",
      "a\\u0000b\\u001b[31m", "is not a known field");
  row("text after a zero character", QByteArray("{\"touchstone\": 1}\n\0 and more", 27), "",
      "zero character at line 2");
  row("nested too deeply", QByteArray(100000, '['), "", "nested deeper");
  row("field twice", R"({"touchstone": 1, "touchstone": 1})", "touchstone", "twice");
  row("no object", "[1, 2]", "", "must be an object");
  row("version missing", R"({"name": "a"})", "touchstone", "is missing");
  row("version of the future", R"({"touchstone": 2})", "touchstone", "from 1 to 1");
  row("name missing", R"({"touchstone": 1, "bodies": []})", "name", "is missing");
  row("name with a path", R"({"touchstone": 1, "name": "../a", "bodies": []})", "name", "letters, digits");
  row("name of 101 letters", R"({"touchstone": 1, "name": ")" + QByteArray(101, 'a') + R"(", "bodies": []})",
      "name", "letters, digits");
  row("title missing", R"({"touchstone": 1, "name": "a"})", "title", "is missing");
  row("bodies missing", head + "}", "bodies", "is missing");
  row("no bodies", head + R"(, "bodies": []})", "bodies", "is empty");
  QByteArray many = head + R"(, "bodies": [0)";
  for (int body = 0; body < 10000; ++body) many += ",0";
  row("too many bodies", many + "]}", "bodies", "has 10001");
}

void BadScenesTest::badTextIsRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, field);
  QFETCH(QByteArray, problem);
  verifyRefused(m_folder.write("bad.json", text), field, problem);
}

void BadScenesTest::badHeadsAreRefused_data() {
  columns();
  row("pair that is none", R"("no_contact": [["p"]], )", "no_contact[0]", "no pair");
  row("pair of nothing", R"("no_contact": [["p", "q"]], )", "no_contact[0][1]", "not in bodies");
  row("pair of one", R"("no_contact": [["p", "p"]], )", "no_contact[0]", "twice");
  row("notes as a text", R"("notes": "x", )", "notes", "must be a list");
  row("unknown field", R"("gravty": [0, 0, 0], )", "gravty", "did you mean 'gravity'?");
  row("gravity as a number", R"("gravity": -9.81, )", "gravity", "must be a list");
  row("gravity of two numbers", R"("gravity": [0, 1], )", "gravity", "has 2");
  row("gravity with a text", R"("gravity": [0, "x", 0], )", "gravity[1]", "must be a number");
  row("zero step", R"("dt": 0, )", "dt", "must be positive");
  row("huge step", R"("dt": 10, )", "dt", "longer than 1 s");
  row("negative duration", R"("duration": -1, )", "duration", "must be positive");
  row("more frames than can be counted", R"("duration": 1e30, )", "duration", "more than 1000000000 frames");
  row("less than a frame", R"("duration": 0.001, )", "duration", "less than one frame");
  row("title as a number", R"("title": 3, )", "title", "must be a text");
  row("lesson as a number", R"("lesson": 3, )", "lesson", "must be a list");
  row("methods as a text", R"("methods": "cpf", )", "methods", "must be a list");
  row("seven methods", R"("methods": ["a","a","a","a","a","a","a"], )", "methods", "has 7");
  row("parameters of a method as a number", R"("parameters": {"cpf": 3}, )", "parameters.cpf",
      "must be an object");
  row("parameter as a list", R"("parameters": {"cpf": {"k": [1]}}, )", "parameters.cpf.k",
      "must be a number");
  row("parameter null", R"("parameters": {"cpf": {"k": null}}, )", "parameters.cpf.k", "must be a number");
  row("material without name", R"("materials": [{"density": 1}], )", "materials[0].name", "is missing");
  row("density zero", R"("materials": [{"name": "a", "density": 0}], )", "materials[0].density",
      "must be positive");
  row("two materials of one name", R"("materials": [{"name": "a"}, {"name": "a"}], )", "materials[1].name",
      "used twice");
  row("negative friction", R"("materials": [{"name": "a", "friction": -0.1}], )", "materials[0].friction",
      "must not be negative");
  row("dynamic above static friction",
      R"("materials": [{"name": "a", "static_friction": 0.2, "dynamic_friction": 0.3}], )",
      "materials[0].dynamic_friction", "above static_friction");
  row("friction twice",
      R"("materials": [{"name": "a", "friction": 0.1, "static_friction": 0.2, "dynamic_friction": 0.1}], )",
      "materials[0].friction", "beside");
  row("analytic curve without formula", R"("analytic": [{"quantity": "overlap", "coefficients": [1]}], )",
      "analytic[0].formula", "is missing");
  row("analytic curve without coefficients",
      R"("analytic": [{"quantity": "overlap", "formula": "0", "coefficients": []}], )",
      "analytic[0].coefficients", "is empty");
  row("view without target", R"("view": {"eye": [1, 1, 1]}, )", "view.target", "is missing");
  row("eye at the target", R"("view": {"eye": [1, 1, 1], "target": [1, 1, 1]}, )", "view.eye",
      "at the target");
}

void BadScenesTest::badHeadsAreRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, field);
  QFETCH(QByteArray, problem);
  verifyRefused(m_folder.write("bad.json", test::SceneFolder::withBodies(kPlane, text)), field, problem);
}

void BadScenesTest::badBodiesAreRefused_data() {
  columns();
  row("body as a number", "7", "bodies[0]", "must be an object");
  row("no name", "{" + kBox + "}", "bodies[0].name", "is missing");
  row("no shape", R"({"name": "b"})", "bodies[0].shape", "is missing");
  row("unknown field", R"({"name": "b", "colour": "red", )" + kBox + "}", "bodies[0].colour",
      "not a known field");
  row("misspelt field", R"({"name": "b", "velocty": [0, 0, 0], )" + kBox + "}", "bodies[0].velocty",
      "did you mean 'velocity'?");
  row("same name twice", kPlane + "," + kPlane, "bodies[1].name", "used twice");
  row("mass zero", R"({"name": "b", "mass": 0, )" + kBox + "}", "bodies[0].mass", "must be positive, is 0");
  row("mass negative", R"({"name": "b", "mass": -2, )" + kBox + "}", "bodies[0].mass",
      "must be positive, is -2");
  row("mass as a text", R"({"name": "b", "mass": "2 kg", )" + kBox + "}", "bodies[0].mass",
      "must be a number");
  row("mass and density", R"({"name": "b", "mass": 2, "density": 3, )" + kBox + "}", "bodies[0].density",
      "beside mass");
  row("inertia without mass", R"({"name": "b", "inertia": [1, 1, 1], )" + kBox + "}", "bodies[0].inertia",
      "needs mass");
  row("negative inertia", R"({"name": "b", "mass": 1, "inertia": [1, -1, 1], )" + kBox + "}",
      "bodies[0].inertia[1]", "must be positive");
  row("impossible inertia", R"({"name": "b", "mass": 1, "inertia": [1, 1, 3], )" + kBox + "}",
      "bodies[0].inertia", "no body has");
  row("inertia not symmetric",
      R"({"name": "b", "mass": 1, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], )" + kBox + "}",
      "bodies[0].inertia", "not symmetric");
  row("inertia indefinite",
      R"({"name": "b", "mass": 1, "inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]], )" + kBox + "}",
      "bodies[0].inertia", "positive definite");
  row("quaternion zero", R"({"name": "b", "orientation": [0, 0, 0, 0], )" + kBox + "}",
      "bodies[0].orientation", "no length");
  row("quaternion of three", R"({"name": "b", "orientation": [1, 0, 0], )" + kBox + "}",
      "bodies[0].orientation", "has 3");
  row("axis zero", R"({"name": "b", "orientation": {"axis": [0, 0, 0], "angle_deg": 3}, )" + kBox + "}",
      "bodies[0].orientation.axis", "no length");
  row("angle missing", R"({"name": "b", "orientation": {"axis": [0, 1, 0]}, )" + kBox + "}",
      "bodies[0].orientation.angle_deg", "is missing");
  row("position out of bounds", R"({"name": "b", "position": [0, 1e300, 0], )" + kBox + "}",
      "bodies[0].position[1]", "is beyond");
  row("material unknown", R"({"name": "b", "material": "defualt", )" + kBox + "}", "bodies[0].material",
      "did you mean 'default'?");
  row("motion unknown", R"({"name": "b", "motion": "moving", )" + kBox + "}", "bodies[0].motion", "unknown");
  row("release before the start", R"({"name": "b", "release_time": -1, )" + kBox + "}",
      "bodies[0].release_time", "must not be negative");
  row("visible as a number", R"({"name": "b", "visible": 1, )" + kBox + "}", "bodies[0].visible",
      "true or false");
  row("static with velocity", R"({"name": "b", "motion": "static", "velocity": [1, 0, 0], )" + kBox + "}",
      "bodies[0].velocity", "static body");
  row("static with mass", R"({"name": "b", "motion": "static", "mass": 1, )" + kBox + "}", "bodies[0].mass",
      "static body");
  row("dynamic plane", R"({"name": "b", "shape": {"type": "plane"}})", "bodies[0].shape", "is a plane");
  row("plane without direction",
      R"({"name": "b", "motion": "static", "shape": {"type": "plane", "normal": [0, 0, 0]}})",
      "bodies[0].shape.normal", "no length");
  row("shape as a text", R"({"name": "b", "shape": "box"})", "bodies[0].shape", "must be an object");
  row("shape without type", R"({"name": "b", "shape": {"size": [1, 1, 1]}})", "bodies[0].shape.type",
      "is missing");
  row("shape unknown", R"({"name": "b", "shape": {"type": "bx"}})", "bodies[0].shape.type", "no known shape");
  row("box with a negative side", R"({"name": "b", "shape": {"type": "box", "size": [1, -1, 1]}})",
      "bodies[0].shape.size", "three positive lengths");
  row("box with a radius", R"({"name": "b", "shape": {"type": "box", "size": [1, 1, 1], "radius": 1}})",
      "bodies[0].shape.radius", "not a known field");
  row("sphere too fine", R"({"name": "b", "shape": {"type": "sphere", "radius": 1, "subdivisions": 12}})",
      "bodies[0].shape.subdivisions", "from 0 to 4");
  row("sphere half divided",
      R"({"name": "b", "shape": {"type": "sphere", "radius": 1, "subdivisions": 1.5}})",
      "bodies[0].shape.subdivisions", "whole number");
  row("cylinder with two sides",
      R"({"name": "b", "shape": {"type": "cylinder", "radius": 1, "height": 1, "segments": 2}})",
      "bodies[0].shape.segments", "from 3 to 256");
  row("polyhedron unknown", R"({"name": "b", "shape": {"type": "polyhedron", "name": "cubus", "radius": 1}})",
      "bodies[0].shape.name", "no known polyhedron");
  row("hull of three points",
      R"({"name": "b", "shape": {"type": "hull", "points": [[0,0,0],[1,0,0],[0,1,0]]}})", "bodies[0].shape",
      "at least four points");
  row("hull in a plane",
      R"({"name": "b", "shape": {"type": "hull", "points": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}})",
      "bodies[0].shape", "one plane");
  row("hull of one point",
      R"({"name": "b", "shape": {"type": "hull", "points": [[1,1,1],[1,1,1],[1,1,1],[1,1,1]]}})",
      "bodies[0].shape", "no convex hull");
  row("no pieces", R"({"name": "b", "shape": {"type": "pieces", "pieces": []}})", "bodies[0].shape.pieces",
      "is empty");
  row("piece that is a plane", R"({"name": "b", "shape": {"type": "pieces", "pieces": [{"type": "plane"}]}})",
      "bodies[0].shape.pieces[0].type", "no known shape");
  row("piece with a bad place",
      R"({"name": "b", "shape": {"type": "pieces", "pieces": [{"type": "box", "size": [1,1,1], "position": [0]}]}})",
      "bodies[0].shape.pieces[0].position", "has 1");
  row("overlapping pieces without mass",
      R"({"name": "b", "shape": {"type": "pieces", "pieces": [ {"type": "box", "size": [1,1,1]}, {"type": "box", "size": [1,1,1], "position": [0.9, 0, 0]}]}})",
      "bodies[0].shape", "pieces that overlap");
  row("mesh by absolute path", R"({"name": "b", "shape": {"type": "mesh", "file": "/etc/passwd"}})",
      "bodies[0].shape.file", "leads outside");
  row("mesh outside", R"({"name": "b", "shape": {"type": "mesh", "file": "../../etc/x.obj"}})",
      "bodies[0].shape.file", "leads outside");
  row("mesh with a name too long for the system",
      R"({"name": "b", "shape": {"type": "mesh", "file": ")" + QByteArray(5000, 'x') + R"(.obj"}})",
      "bodies[0].shape.file", "leads outside");
  row("mesh with a zero in its name", R"({"name": "b", "shape": {"type": "mesh", "file": "a\u0000b.obj"}})",
      "bodies[0].shape.file", "zero character");
  row("too small for a mass",
      R"({"name": "b", "density": 1e-12, "shape": {"type": "box", "size": [1e-12, 1e-12, 1e-12]}})",
      "bodies[0]", "has no mass");
  row("no shape and no mass", R"({"name": "b", "shape": {"type": "none"}})", "bodies[0].shape", "no mass");
  row("centre of mass outside the shape", R"({"name": "b", "centre_of_mass": [0, 0.6, 0], )" + kBox + "}",
      "bodies[0].centre_of_mass", "outside the box");
  row("centre of mass with two coordinates", R"({"name": "b", "centre_of_mass": [0, 0], )" + kBox + "}",
      "bodies[0].centre_of_mass", "");
  row("centre of mass of a static body",
      R"({"name": "b", "motion": "static", "centre_of_mass": [0, 0, 0], )" + kBox + "}",
      "bodies[0].centre_of_mass", "static");
  row("centre of mass outside the plane",
      R"({"name": "b", "mass": 1, "inertia": [1, 1, 1], "centre_of_mass": [0, 0, 0.1],
          "shape": {"type": "polygon", "size": [1, 1]}})",
      "bodies[0].centre_of_mass", "plane of the polygons");
  row("capsule without length", R"({"name": "b", "shape": {"type": "capsule", "radius": 1}})",
      "bodies[0].shape.length", "is missing");
  row("hull of a mesh outside", R"({"name": "b", "shape": {"type": "hull", "file": "../../x.obj"}})",
      "bodies[0].shape.file", "outside");
  row("hull of a flattened mesh",
      R"({"name": "b", "shape": {"type": "hull", "file": "x.obj", "scale": [1, 0, 1]}})",
      "bodies[0].shape.scale", "flattens");
}

void BadScenesTest::badBodiesAreRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, field);
  QFETCH(QByteArray, problem);
  verifyRefused(m_folder.write("bad.json", test::SceneFolder::withBodies(text)), field, problem);
}

namespace {

const QByteArray kGoodScene =
    R"({"touchstone": 1, "name": "a", "title": "t", "lesson": ["x"], "gravity": [0, 1, 2], "dt": 0.1,
  "duration": 2, "methods": ["cpf"], "parameters": {"cpf": {"k": 1}}, "materials": [{"name": "m", "friction": 0.1, "density": 2}],
  "view": {"eye": [1, 1, 1], "target": [0, 0, 0]}, "bodies": [{"name": "b", "material": "m", "motion": "dynamic",
  "position": [0, 0, 0], "orientation": [1, 0, 0, 0], "velocity": [0, 0, 0], "angular_velocity": [0, 0, 0], "mass": 1,
  "inertia": [1, 1, 1], "release_time": 0, "visible": true, "shape": {"type": "pieces", "pieces": [
  {"type": "box", "size": [1, 1, 1], "position": [0, 0, 0], "orientation": {"axis": [0, 1, 0], "angle_deg": 3}}]}}]})";

}  // namespace

// A pipe would block forever, a device would never end.
void BadScenesTest::whatIsNoFileIsRefusedAtOnce() {
  const std::string pipe = m_folder.path("pipe.json");
  QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), m_folder.path("."),
                                  m_folder.path("nowhere.json"), std::string(300, 'x'), std::string()})
    verifyRefused(path, "", "no file that can be read");
}

void BadScenesTest::everyTruncationOfAGoodSceneIsRefused() {
  loadScene(m_folder.write("good.json", kGoodScene));
  for (int length = 0; length < kGoodScene.size(); ++length)
    QVERIFY_EXCEPTION_THROWN(loadScene(m_folder.write("cut.json", kGoodScene.left(length))), SceneError);
}

void BadScenesTest::everyFieldReplacedByAnotherTypeIsRefused() {
  // After each ": " of the valid scene the value is replaced by an object that is valid nowhere.
  int replaced = 0;
  for (int colon = kGoodScene.indexOf("\": "); colon >= 0; colon = kGoodScene.indexOf("\": ", colon + 1)) {
    const int start = colon + 3;
    int end = start, depth = 0;
    for (; end < kGoodScene.size(); ++end) {
      const char c = kGoodScene[end];
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
    }
    QByteArray text = kGoodScene;
    text.replace(start, end - start, R"({"a": {"b": [null]}})");
    QVERIFY_EXCEPTION_THROWN(loadScene(m_folder.write("bad.json", text)), SceneError);
    ++replaced;
  }
  QVERIFY(replaced > 25);
}

QTEST_APPLESS_MAIN(BadScenesTest)
#include "tst_bad_scenes.moc"
