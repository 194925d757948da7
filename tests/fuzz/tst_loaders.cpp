#include <QtTest>

#include "core/conform/card_texts.h"
#include "core/contact/step_detail.h"
#include "core/files/file_bytes.h"
#include "core/robot/scene_readers.h"
#include "core/run/comparison.h"
#include "core/scene/deformable/msh_file.h"
#include "core/shape/mesh_file.h"
#include "core/store/friction_problem.h"
#include "core/store/manifest.h"
#include "core/store/recorder.h"
#include "core/store/recording.h"
#include "core/store/step_problem.h"
#include "core/study/claims.h"
#include "core/study/study.h"
#include "core/study/study_runs.h"
#include "core/trajectory/trajectory_file.h"
#include "tests/scene/msh_text.h"
#include "tests/support/fuzz.h"
#include "tests/support/gltf.h"

using namespace touchstone;

/// Every kind of file that the programs open, changed at random: it opens, or is refused with its name and a
/// remedy. A file that opens is used as in the programs. For sessions see tests/app/tst_session_fuzz.cpp.
class LoadersFuzz : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void scenes();
  void robots_data();
  void robots();
  void colladaCorners();
  void meshes_data();
  void meshes();
  void graphsOfNodes();
  void gmshFiles_data();
  void gmshFiles();
  void deformables();
  void recordings();
  void studies();
  void studiesOfLongTexts();
  void manifests();
  void problems();
  void frictionProblems_data();
  void frictionProblems();
  void trajectories();
  void contactsOfTrajectories();
  void namesOfBodies();
  void cards();
  void runsOfStudies();
  void claimResultsOfStudies();

 private:
  std::shared_ptr<const Scene> boxes();
  test::SceneFolder m_folder;
};

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
  return file.readAll();
}

PaneSettings pane(const char* method) {
  PaneSettings settings;
  settings.method = method;
  return settings;
}

template <class Number>
QByteArray bytesOf(const std::vector<Number>& numbers) {
  return QByteArray(reinterpret_cast<const char*>(numbers.data()),
                    static_cast<int>(numbers.size() * sizeof(Number)));
}

const std::vector<std::array<float, 3>> kCorners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<std::array<int, 3>> kTriangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

QByteArray binaryStl() {
  QByteArray bytes(80, ' ');
  bytes += bytesOf(std::vector<quint32>{4});
  for (const auto& triangle : kTriangles) {
    bytes.append(12, '\0');
    for (int corner : triangle) bytes += bytesOf(std::vector<std::array<float, 3>>{kCorners[corner]});
    bytes.append(2, '\0');
  }
  return bytes;
}

QByteArray binaryPly() {
  QByteArray bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty "
      "float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n" +
      bytesOf(kCorners);
  for (const auto& triangle : kTriangles) bytes += '\3' + bytesOf(std::vector<std::array<int, 3>>{triangle});
  return bytes;
}

QByteArray glb() {
  QByteArray document = test::tetrahedronGltf("").replace("\"uri\": \"\", ", "");
  while (document.size() % 4) document += ' ';
  const QByteArray buffer = test::tetrahedronBuffer();
  const auto words = [](std::vector<quint32> numbers) { return bytesOf(numbers); };
  const auto documentSize = static_cast<quint32>(document.size()),
             bufferSize = static_cast<quint32>(buffer.size());
  return "glTF" + words({2, 28 + documentSize + bufferSize, documentSize}) + "JSON" + document +
         words({bufferSize}) + QByteArray("BIN\0", 4) + buffer;
}

}  // namespace

std::shared_ptr<const Scene> LoadersFuzz::boxes() {
  return m_folder.load(
      R"({"name": "floor", "motion": "static", "shape": {"type": "plane"}},
         {"name": "table", "motion": "static", "position": [0, 0.5, 0], "shape": {"type": "box", "size": [1, 1, 1]}},
         {"name": "box", "position": [0.1, 1.51, 0], "shape": {"type": "box", "size": [1, 1, 1]}})");
}

void LoadersFuzz::scenes() {
  const QString folder = QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/");
  std::vector<QByteArray> seeds;
  for (const char* scene : {"resting-box", "corner-trap", "dual-trap", "thin-plate", "incline", "heavy-stack",
                            "pendulum", "drawer"})
    seeds.push_back(contentOf(folder + scene + ".json"));
  test::fuzz(m_folder, "fuzz.json", seeds, test::Content::Text, 1500, [](const std::string& path) {
    const auto scene = loadScene(path);
    // A loaded scene must also start, or report why it cannot.
    for (const PaneSettings& pane : suggestedPanes(*scene)) Simulation(scene, pane, scene->dt);
  });
}

void LoadersFuzz::robots_data() {
  QTest::addColumn<QByteArray>("seed");
  QTest::newRow("urdf") << QByteArray(
      "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n<link name=\"a\"><collision><geometry><cylinder "
      "radius=\"0.1\" "
      "length=\"0.2\"/></geometry></collision></link>\n<link name=\"b\"><inertial><origin xyz=\"0 0 0.1\" "
      "rpy=\"0 0.1 0\"/>"
      "<mass value=\"2\"/><inertia ixx=\"0.01\" ixy=\"0.001\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" "
      "izz=\"0.01\"/></inertial>"
      "<collision><origin xyz=\"0 0 0.1\"/><geometry><box size=\"0.1 0.1 "
      "0.1\"/></geometry></collision></link>\n<link "
      "name=\"c\"/><link name=\"d\"><collision><geometry><sphere "
      "radius=\"0.05\"/></geometry></collision></link>\n<joint "
      "name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"0 0 0.2\" rpy=\"0 0 "
      "1\"/><axis xyz=\"0 "
      "1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"3\" velocity=\"1\"/><dynamics damping=\"0.1\" "
      "friction=\"0.2\"/></joint>\n"
      "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint>\n<joint name=\"l\" "
      "type=\"prismatic\">"
      "<parent link=\"c\"/><child link=\"d\"/><limit lower=\"0.1\" upper=\"1\" effort=\"0\" "
      "velocity=\"0\"/><mimic joint=\"j\" "
      "multiplier=\"2\" offset=\"0.2\"/></joint>\n</robot>\n");
  QTest::newRow("mjcf") << QByteArray(
      "<mujoco model=\"m\">\n<compiler angle=\"degree\"/><option timestep=\"0.01\"/>\n<default><joint "
      "damping=\"1\"/><default "
      "class=\"leg\"><geom type=\"capsule\" size=\"0.05 0.2\"/></default></default>\n<worldbody><geom "
      "name=\"floor\" type=\"plane\" "
      "size=\"5 5 1\"/>\n<body name=\"a\" pos=\"0 0 1\"><freejoint name=\"f\"/><geom size=\"0.1\"/>\n<body "
      "name=\"b\" pos=\"0 0 -0.3\" "
      "childclass=\"leg\" euler=\"0 0 10\"><joint name=\"x\" axis=\"1 0 0\" range=\"-10 20\" "
      "armature=\"0.01\"/><joint name=\"y\" "
      "axis=\"0 1 0\" pos=\"0 0 0.1\" stiffness=\"3\"/><geom fromto=\"0 0 0 0 0 -0.3\"/></body>\n<body "
      "name=\"c\" pos=\"1 0 0\"><joint "
      "name=\"z\" type=\"slide\"/><geom type=\"box\" size=\"0.1 0.1 0.2\" "
      "friction=\"0.5\"/></body></body></worldbody>\n<contact>"
      "<exclude body1=\"b\" body2=\"c\"/></contact><equality><joint joint1=\"z\" joint2=\"x\" polycoef=\"0 2 "
      "0 0 0\"/></equality>\n"
      "<actuator><motor joint=\"x\" gear=\"10\"/><position joint=\"y\" kp=\"5\"/></actuator><keyframe><key "
      "name=\"k\" qpos=\"0 0 "
      "1 1 0 0 0 0 0 0\"/></keyframe></mujoco>\n");
}

/// A robot that opens is a scene that starts.
void LoadersFuzz::robots() {
  QFETCH(QByteArray, seed);
  test::fuzz(m_folder, "fuzz.xml", {seed}, test::Content::Text, 600, [](const std::string& path) {
    const auto scene = loadScene(path);
    for (const PaneSettings& pane : suggestedPanes(*scene)) Simulation(scene, pane, scene->dt);
  });
}

void LoadersFuzz::colladaCorners() {
  const QByteArray seed =
      "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
      "version=\"1.4.1\"><asset><unit "
      "meter=\"0.01\"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source "
      "id=\"p\"><float_array "
      "id=\"a\" count=\"12\">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor source=\"#a\" "
      "count=\"4\" "
      "stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" "
      "type=\"float\"/>"
      "</accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
      "source=\"#p\"/></vertices><triangles "
      "count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 1 2 3 2 0 "
      "3</p></triangles></mesh>"
      "</geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node "
      "id=\"n\"><instance_geometry url=\"#g\"/>"
      "</node></visual_scene></library_visual_scenes><scene><instance_visual_scene "
      "url=\"#s\"/></scene></COLLADA>\n";
  std::vector<std::string> files;
  const std::vector<Vec3> corners = loadMeshCorners(m_folder.write("seed.dae", seed), files);
  QCOMPARE(corners.size(), std::size_t(4));
  QVERIFY(std::abs(corners[1].norm() - 0.01) < 1e-8);  // the file is in centimetres
  test::fuzz(m_folder, "fuzz.dae", {seed}, test::Content::Text, 1500, [](const std::string& path) {
    std::vector<std::string> read;
    loadMeshCorners(path, read);
  });
}

void LoadersFuzz::meshes_data() {
  QTest::addColumn<QByteArray>("seed");
  QTest::addColumn<QString>("name");
  QTest::addColumn<bool>("binary");
  QTest::newRow("obj")
      << QByteArray("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1/1 3/2/1 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
      << "fuzz.obj" << false;
  QByteArray stl = "solid t\n";
  for (const auto& triangle : kTriangles) {
    stl += "facet normal 0 0 0\nouter loop\n";
    for (int corner : triangle) {
      stl += "vertex";
      for (float value : kCorners[corner]) stl += ' ' + QByteArray::number(static_cast<double>(value));
      stl += '\n';
    }
    stl += "endloop\nendfacet\n";
  }
  QTest::newRow("stl") << stl + "endsolid t\n"
                       << "fuzz.stl" << false;
  QTest::newRow("stl, binary") << binaryStl() << "fuzz.stl" << true;
  QTest::newRow("ply")
      << QByteArray(
             "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
             "element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 "
             "1\n"
             "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n")
      << "fuzz.ply" << false;
  QTest::newRow("ply, binary") << binaryPly() << "fuzz.ply" << true;
  QTest::newRow("gltf") << test::tetrahedronGltf("data:application/octet-stream;base64," +
                                                 test::tetrahedronBuffer().toBase64())
                        << "fuzz.gltf" << false;
  QTest::newRow("glb") << glb() << "fuzz.glb" << true;
}

void LoadersFuzz::meshes() {
  QFETCH(QByteArray, seed);
  QFETCH(QString, name);
  QFETCH(bool, binary);
  const auto content = binary ? test::Content::Binary : test::Content::Text;
  test::fuzz(m_folder, name, {seed}, content, 1500, [](const std::string& path) { loadMesh(path, 1); });
}

namespace {

/// Nodes by their children; counts by walking every way, which ends beyond the limits of the reader.
class Graph {
 public:
  explicit Graph(test::Changer& random) : m_children(2 + random.below(14)) {
    const bool mayTurn = random.below(5) == 0;
    for (std::size_t node = 0; node < m_children.size(); ++node)
      for (std::size_t child = random.below(4); child > 0; --child) {
        const std::size_t first = mayTurn ? 0 : node + 1;
        if (first < m_children.size())
          m_children[node].push_back(first + random.below(m_children.size() - first));
      }
  }
  /// True if the nodes below each one are no trees without end, and those below the first are few.
  bool isTree() {
    for (std::size_t node = m_children.size(); node-- > 0;) {
      m_count = 0;
      m_isEndless = false;
      walk(node, 0);
      if (m_isEndless) return false;
    }
    return m_count <= 100'000;
  }
  QByteArray document() const {
    QByteArrayList nodes;
    for (const std::vector<std::size_t>& children : m_children) {
      QByteArrayList list;
      for (const std::size_t child : children) list << QByteArray::number(static_cast<qulonglong>(child));
      nodes << (list.isEmpty() ? QByteArray(R"({"mesh": 0})") : R"({"children": [)" + list.join(',') + "]}");
    }
    return test::tetrahedronGltf("data:application/octet-stream;base64," +
                                 test::tetrahedronBuffer().toBase64())
        .replace(R"([{"mesh": 0, "translation": [0, 5, 0]}])", "[" + nodes.join(',') + "]");
  }

 private:
  void walk(std::size_t node, std::size_t level) {
    m_isEndless = m_isEndless || level > m_children.size();
    if (++m_count > 100'000 || m_isEndless) return;
    for (const std::size_t child : m_children[node]) walk(child, level + 1);
  }
  std::vector<std::vector<std::size_t>> m_children;
  long m_count = 0;
  bool m_isEndless = false;
};

}  // namespace

/// Nodes that share children and turn back: what is no tree of a bounded size is refused for it.
void LoadersFuzz::graphsOfNodes() {
  test::Changer random(1);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    Graph graph(random);
    const std::string path = m_folder.write("graph.gltf", graph.document());
    const bool isTree = graph.isTree();
    QByteArray problem;
    try {
      loadMesh(path, 1);
    } catch (const SceneError& error) {  // several tetrahedra in one place are no solid
      problem = error.what();
    }
    const bool isRefused = problem.contains("nodes: unfold to") || problem.contains("is its own child");
    QVERIFY2(isRefused != isTree, graph.document() + problem);
    refused += isRefused;
  }
  QVERIFY(refused > 10 && refused < 290);
}

void LoadersFuzz::gmshFiles_data() {
  QTest::addColumn<QByteArray>("seed");
  QTest::addColumn<bool>("binary");
  const test::MshContent mesh = test::twoTetrahedra();
  QTest::newRow("2.2 text") << test::msh2(mesh) << false;
  QTest::newRow("4.1 text") << test::msh4(mesh) << false;
  QTest::newRow("2.2 binary") << test::msh2Binary(mesh, false) << true;
  QTest::newRow("4.1 binary") << test::msh4Binary(mesh, true) << true;
}

void LoadersFuzz::gmshFiles() {
  QFETCH(QByteArray, seed);
  QFETCH(bool, binary);
  test::fuzz(m_folder, "fuzz.msh", {seed}, binary ? test::Content::Binary : test::Content::Text, 1500,
             [](const std::string& path) {
               const MshFile file = readMsh(readFile(path, "check the path"), path, 1);
               for (const Vec3& particle : file.mesh.particles)
                 if (!particle.allFinite()) qFatal("a particle is not finite");
             });
}

void LoadersFuzz::deformables() {
  const std::vector<QByteArray> seeds = {
      test::SceneFolder::withBodies(
          R"({"name": "bar", "shape": {"type": "lattice", "size": [0.4, 0.2, 0.2], "cells": [4, 2, 2]},
              "deformable": {"model": "corotational", "young": 1e5, "poisson": 0.3, "damping": 0.001,
              "activation": {"eigenstrain": 0.1, "box": [[-1, 0, -1], [1, 1, 1]]},
              "held": [{"box": [[-0.2, -1, -1], [-0.2, 1, 1]], "path": [[0, [0, 0, 0]], [1, [0.1, 0, 0]]]}],
              "attach": [{"body": "plate", "box": [[0.2, -1, -1], [0.2, 1, 1]]}]}},
             {"name": "plate", "position": [0.3, 0, 0], "shape": {"type": "box", "size": [0.2, 0.2, 0.2]}})"),
      test::SceneFolder::withBodies(
          R"({"name": "sheet", "shape": {"type": "cloth", "size": [0.5, 0.4], "cells": [5, 4],
              "grid": "equilateral"}, "deformable": {"area_density": 0.2, "edge_stiffness": 100,
              "bending": 1e-5, "self": true}},
             {"name": "block", "shape": {"type": "box", "size": [0.2, 0.3, 0.4]},
              "deformable": {"young": 2e4, "cell": 0.1}})")};
  test::fuzz(m_folder, "fuzz.json", seeds, test::Content::Text, 600, [](const std::string& path) {
    const auto scene = loadScene(path);
    for (const Body& body : scene->bodies)
      if (body.deformable && !std::all_of(body.deformable->mass.begin(), body.deformable->mass.end(),
                                          [](double mass) { return mass > 0 && std::isfinite(mass); }))
        qFatal("a particle has no mass");
  });
}

/// Opens a recording, reads it to its end, and resumes it as the window does.
void LoadersFuzz::recordings() {
  std::vector<QByteArray> seeds;
  for (const char* method : {"cpf", "peg"}) {
    Comparison comparison(boxes(), {pane(method)});
    const std::string path = m_folder.path("seed.touchstone");
    removeRecording(path);
    Recorder recorder(path, comparison, "fuzz");
    for (int frame = 0; frame < 3; ++frame) comparison.step(false);
    recorder.finish();
    seeds.push_back(contentOf(QString::fromStdString(path)));
  }
  test::fuzz(m_folder, "fuzz.touchstone", seeds, test::Content::Binary, 200, [](const std::string& path) {
    const auto recording = std::make_shared<Recording>(path);
    for (const RecordedRow& row : recording->rows()) recording->record(row.frame, row.pane);
    Recording::resume(recording)->step(false);
  });
}

void LoadersFuzz::studies() {
  std::vector<QByteArray> seeds;
  const QDir folder(QStringLiteral(TS_SOURCE_DIR "/datasets/studies"));
  for (const QString& name : folder.entryList({"*.json"})) seeds.push_back(contentOf(folder.filePath(name)));
  test::fuzz(m_folder, "fuzz-study.json", seeds, test::Content::Text, 1500,
             [](const std::string& path) { loadStudy(path); });
}

/// Searches in long texts, often.
void LoadersFuzz::studiesOfLongTexts() {
  const QByteArray a(900, 'a'), rows = "(select '1' v union all select '2' union all select '3')";
  std::vector<QByteArray> seeds;
  const std::vector<QByteArray> values = {
      "max(time_s)",
      "(select sum(instr('" + a + "'||x.v, 'aab'||y.v)) from " + rows + " x, " + rows + " y, " + rows + " z)",
      "(select max('" + a + "' like '%a%a%'||x.v) from " + rows + " x, " + rows + " y)",
      "(select length(group_concat('" + a.left(90) + "'||x.v)) from " + rows + " x)",
      "(select length(replace('" + a + "', 'aaa', x.v)) from " + rows + " x limit 1)",
      "length(hex('" + a + "')) + length(quote('" + a + "')) + length(zeroblob(9))",
      "(with t(v) as (select 1 union all select 2), u(v) as (select a.v from t a, t b) "
      "select count(*) from u a, u b)"};
  for (const QByteArray& value : values)
    seeds.push_back(
        R"j({"touchstone_study": 1, "name": "s", "title": "S", "scene": "a", "time": 0.1,
        "panes": [{"label": "P", "method": "cpf"}], "quantities": [{"id": "q", "value": "max(1)"},
        {"id": "r", "value": ")j" +
        value + R"j("}], "numbers": {"n": "max(q)"}, "accept": [{"id": "c", "claim": "", "if": "n > 0"}]})j");
  test::fuzz(m_folder, "fuzz-texts.json", seeds, test::Content::Text, 400,
             [](const std::string& path) { loadStudy(path); });
}

void LoadersFuzz::manifests() {
  const auto scene = boxes();
  const Comparison comparison(scene, {pane("cpf"), pane("peg")});
  const std::string manifest = manifestText(comparison, {"fuzz", 1});
  test::fuzz(m_folder, "fuzz-manifest.json", {QByteArray::fromStdString(manifest)}, test::Content::Text, 1500,
             [&](const std::string& path) {
               const Manifest read = readManifest(path);
               checkHashes(read, *scene, path);
             });
}

/// Solves the problems that were read, in few iterations.
void LoadersFuzz::problems() {
  const auto scene = boxes();
  Simulation simulation(scene, pane("lcp"), 0.01);
  StepDetail detail;
  for (int frame = 0; frame < 4; ++frame) simulation.step();
  simulation.step(detail);
  const std::string problem = problemText(detail, *scene, "lcp");
  test::fuzz(m_folder, "fuzz-problem.json", {QByteArray::fromStdString(problem)}, test::Content::Text, 1500,
             [](const std::string& path) {
               const StoredProblems problems = readProblems(path);
               SolverSettings settings = problems.settings;
               settings.maxIterations = std::min(settings.maxIterations, 5);
               for (const StoredProblem& island : problems.islands)
                 makeSolver("newton-fb")->solve(island.problem, island.start, settings);
             });
}

/// The text form, and a file of HDF5 that a program of the field wrote would look like this one.
void LoadersFuzz::frictionProblems_data() {
  QTest::addColumn<QByteArray>("seed");
  QTest::addColumn<QByteArray>("name");
  QTest::newRow("text") << QByteArray(
                               "3\n2\n0\n6\n6\n6 6\n2 0 0 0.5 0 0\n0 2 0 0 0.5 0\n0 0 2 0 0 0.5\n"
                               "0.5 0 0 2 0 0\n0 0.5 0 0 2 0\n0 0 0.5 0 0 2\n-1 0.3 0 -1 0 0.9\n0.5 0.25\n")
                        << QByteArray("fuzz.dat");
  QFile stored(QStringLiteral(TS_SOURCE_DIR "/tests/vectors/friction.hdf5"));
  if (stored.open(QIODevice::ReadOnly)) QTest::newRow("hdf5") << stored.readAll() << QByteArray("fuzz.hdf5");
}

void LoadersFuzz::frictionProblems() {
  QFETCH(QByteArray, seed);
  QFETCH(QByteArray, name);
  const auto content = name.endsWith(".dat") ? test::Content::Text : test::Content::Binary;
  test::fuzz(m_folder, name.constData(), {seed}, content, 1500,
             [](const std::string& path) { readFrictionProblem(path); });
}

/// What is read is finite and has a unit quaternion.
void LoadersFuzz::trajectories() {
  const auto scene = boxes();
  const std::vector<QByteArray> seeds = {
      "# touchstone_trajectory: 1\n# scene: test\n# engine: some 1.2 (three)\n# length: mm\n# up: z\n# "
      "frame: "
      "origin\n# omega: body\n# step: 0.01\ntime,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n"
      "0,box,100,0,1510,1,0,0,0,0,0,0,0,0,0\n0.01,\"box\",100,0,1509.5,0.8,0,-0.6,0,0,0,-98,1,2,3\n",
      "\xef\xbb\xbf# touchstone_trajectory: 1\ntime_s,active,body,x_m,y_m,z_m,qw,qx,qy,qz\r\n"
      "0,1,floor,0,0,0,1,0,0,0\r\n0,1,box,0.1,1.51,0,1,0,0,0\r\n0.5,0,box,0,1,0,1,0,0,0\r\n"};
  test::fuzz(m_folder, "fuzz.csv", seeds, test::Content::Text, 600, [&](const std::string& path) {
    std::vector<std::string> warnings;
    const Trajectory read = readTrajectory(scene, path, {}, &warnings);
    for (const auto& states : read.states)
      for (const BodyState& state : states)
        if (!state.position.allFinite() || std::abs(state.orientation.norm() - 1) > 1e-9)
          qFatal("a pose is not one");
  });
}

void LoadersFuzz::contactsOfTrajectories() {
  const auto scene = boxes();
  TrajectoryOptions options;
  const std::string poses =
      m_folder.write("poses.csv",
                     "# touchstone_trajectory: "
                     "1\ntime,body,x,y,z,qw,qx,qy,qz\n0,box,0.1,1.51,0,1,0,0,0\n1,box,0.1,1,0,1,0,0,0\n");
  const QByteArray seed =
      "# touchstone_contacts: 1\n# kind: force\n# complete: no\n# length: cm\n"
      "time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz,gap\n0.5,table,box,0,100,0,0,1,0,9.81,0.1,0,0,-0.1\n"
      "1,\"box\",table,0,100,0,0,-1,0,9.81,0.1,0,0,0\n";
  test::fuzz(m_folder, "fuzz-contacts.csv", {seed}, test::Content::Text, 600, [&](const std::string& path) {
    options.contacts = path;
    readTrajectory(scene, poses, options);
  });
}

void LoadersFuzz::namesOfBodies() {
  const auto scene = boxes();
  test::fuzz(m_folder, "fuzz-names.csv",
             {"theirs,ours\nlink0,box\n\"link,1\",table\n# the floor\nworld,floor\n"}, test::Content::Text,
             600, [&](const std::string& path) { readNames(*scene, path); });
}

/// An earlier card is compared with the card of the same numbers.
void LoadersFuzz::cards() {
  const QByteArray all = contentOf(QStringLiteral(TS_SOURCE_DIR "/datasets/battery/expected.csv"));
  int end = 0;
  for (int line = 0; line < 12; ++line) end = all.indexOf('\n', end) + 1;
  test::fuzz(m_folder, "fuzz-card.csv", {all.left(end)}, test::Content::Text, 1500,
             [](const std::string& path) {
               Card card;
               for (const EarlierNumber& number : readCard(path)) {
                 if (!(number.tolerance > 0) && !std::isnan(number.tolerance))
                   qFatal("a tolerance is not above 0");
                 CardNumber now;
                 now.phenomenon = number.phenomenon;
                 now.measure = number.measure;
                 now.run = number.run;
                 now.column = number.column;
                 now.value = number.value;
                 card.numbers.push_back(now);
               }
               comparedWith(readCard(path), card);
             });
}

/// Results of a study, of which one is there and one is open.
void LoadersFuzz::runsOfStudies() {
  std::vector<StudyTask> tasks(2);
  tasks[0].hash = "0123456789abcdef";
  tasks[1].hash = "fedcba9876543210";
  const std::string seed = m_folder.path("seed-runs.db");
  QFile::remove(QString::fromStdString(seed));
  {
    StudyRuns runs(seed, tasks);
    StudyRun run;
    run.frames = 12;
    run.failedAt = 0.25;
    run.reason = "too fast";
    run.values = {0.5, 2};
    run.series.resize(2);
    run.series[0].x = {0, 1, 2};
    run.series[0].y = {3, 4, 5};
    runs.store({*runs.next(std::nullopt), run});
  }
  test::fuzz(m_folder, "fuzz-runs.db", {contentOf(QString::fromStdString(seed))}, test::Content::Binary, 300,
             [&](const std::string& path) {
               StudyRuns runs(path, tasks);
               runs.progress();
               for (const std::optional<StudyRun>& run : runs.runs())
                 if (run && run->frames < 0) qFatal("a run has a negative number of frames");
               if (const std::optional<std::size_t> open = runs.next(std::nullopt)) runs.giveBack(*open);
             });
}

void LoadersFuzz::claimResultsOfStudies() {
  const QByteArray seed =
      R"({"touchstone_claim_results": 1, "results": [{"id": "a", "disposition": "reproduced", "ours": "o",
      "control": "turned", "perturbed": "p", "study": "s", "study_hash": "h", "scene": "s h", "command": "c",
      "program": "g", "quick": true}]})";
  test::fuzz(m_folder, "fuzz-claims.json", {seed}, test::Content::Text, 600,
             [](const std::string& path) { turnedOf(readClaimResults(path)); });
}

QTEST_GUILESS_MAIN(LoadersFuzz)
#include "tst_loaders.moc"
