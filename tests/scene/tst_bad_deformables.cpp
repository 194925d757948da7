#include <QtTest>

#include "core/files/scene_error.h"
#include "core/robot/scene_readers.h"
#include "tests/scene/msh_text.h"
#include "tests/scene/scene_folder.h"

using namespace touchstone;

/// Malformed bodies that deform are refused with file, field or element, problem and remedy.
class BadDeformablesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void bodiesAreRefused_data();
  void bodiesAreRefused();
  void scenesAreRefused_data();
  void scenesAreRefused();
  void mshFilesAreRefused_data();
  void mshFilesAreRefused();

 private:
  void requireRefused(const QByteArray& bodies, const QByteArray& more, const std::string& file,
                      const QByteArray& field, const QByteArray& says);
  test::SceneFolder m_folder;
};

namespace {

void columns() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("field");
  QTest::addColumn<QByteArray>("says");
}
void row(const char* name, const QByteArray& text, const char* field, const char* says) {
  QTest::newRow(name) << text << QByteArray(field) << QByteArray(says);
}

QByteArray body(const QByteArray& shape, const QByteArray& deformable, const QByteArray& more = {}) {
  return R"({"name": "b", "shape": )" + shape + R"(, "deformable": )" + deformable + more + "}";
}
const QByteArray kLattice = R"({"type": "lattice", "size": [1, 1, 1], "cells": [2, 2, 2]})";
const QByteArray kSheet = R"({"type": "cloth", "size": [1, 1], "cells": [2, 2]})";
const QByteArray kBall = R"({"type": "sphere", "radius": 1})";
const QByteArray kSoft = R"({"young": 1e5})";
const QByteArray kFabric = R"({"area_density": 0.2, "edge_stiffness": 100})";

QByteArray tets(const QByteArray& fields) { return body(kLattice, R"({"young": 1e5, )" + fields + "}"); }
QByteArray lattice(const QByteArray& fields) { return body(R"({"type": "lattice", )" + fields + "}", kSoft); }
QByteArray cloth(const QByteArray& fields) {
  return body(kSheet, R"({"area_density": 0.2, "edge_stiffness": 100, )" + fields + "}");
}
QByteArray sheet(const QByteArray& fields) { return body(R"({"type": "cloth", )" + fields + "}", kFabric); }
QByteArray around(const QByteArray& shape, const QByteArray& cell = "0.5") {
  return body(shape, R"({"young": 1e5, "cell": )" + cell + "}");
}

const QByteArray kHead = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
QByteArray nodes(const QByteArray& lines, int count) {
  return "$Nodes\n" + QByteArray::number(count) + "\n" + lines + "$EndNodes\n";
}
QByteArray elements(const QByteArray& lines, int count) {
  return "$Elements\n" + QByteArray::number(count) + "\n" + lines + "$EndElements\n";
}
const QByteArray kFour = nodes("1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", 4);
const QByteArray kOne = elements("7 4 0 1 2 3 4\n", 1);
QByteArray content(const std::vector<std::array<double, 3>>& points,
                   const std::vector<std::array<int, 4>>& tetrahedra) {
  return test::msh2({points, tetrahedra});
}

}  // namespace

void BadDeformablesTest::initTestCase() {
  m_folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  m_folder.write("cube.obj", test::cubeObj());
  m_folder.write("good.msh", kHead + kFour + kOne);
}

void BadDeformablesTest::requireRefused(const QByteArray& bodies, const QByteArray& more,
                                        const std::string& file, const QByteArray& field,
                                        const QByteArray& says) {
  const std::string path = m_folder.write("bad.json", test::SceneFolder::withBodies(bodies, more));
  try {
    loadScene(path);
  } catch (const SceneError& error) {
    const QByteArray what = error.what(), start = QByteArray::fromStdString(file.empty() ? path : file) +
                                                  ":" + (field.isEmpty() ? QByteArray() : field + ":") + " ";
    QVERIFY2(what.startsWith(start), what);
    QVERIFY2(what.contains(says), what);
    QVERIFY2(what.contains("; ") && !what.endsWith("; "), what);
    return;
  }
  QFAIL("was accepted");
}

void BadDeformablesTest::bodiesAreRefused_data() {
  columns();
  const char* d = "bodies[0].deformable";
  row("no object", body(kLattice, "3"), d, "must be an object");
  row("lattice of a rigid body", R"({"name": "b", "shape": )" + kLattice + "}", "bodies[0].shape",
      "add deformable");
  row("cloth of a rigid body", R"({"name": "b", "shape": )" + kSheet + "}", "bodies[0].shape",
      "belongs to a body that deforms");
  row("Gmsh file of a rigid body", R"({"name": "b", "shape": {"type": "mesh", "file": "good.msh"}})",
      "bodies[0].shape", "add deformable");
  row("unknown field", tets(R"("yung": 2)"), "bodies[0].deformable.yung", "did you mean 'young'?");
  row("cell of a lattice", tets(R"("cell": 0.1)"), "bodies[0].deformable.cell", "not a known field");
  row("static", body(kLattice, kSoft, R"(, "motion": "static")"), "bodies[0].motion", "use held");
  row("inertia", body(kLattice, kSoft, R"(, "mass": 1, "inertia": [1, 1, 1])"), "bodies[0].inertia",
      "deforms");
  row("centre of mass", body(kLattice, kSoft, R"(, "centre_of_mass": [0, 0, 0])"), "bodies[0].centre_of_mass",
      "remove it");
  row("spin", body(kLattice, kSoft, R"(, "angular_velocity": [0, 1, 0])"), "bodies[0].angular_velocity",
      "remove it");
  row("mass and density", body(kLattice, kSoft, R"(, "mass": 1, "density": 3)"), "bodies[0].density",
      "beside mass");
  row("no mass", body(kLattice, kSoft, R"(, "density": 1e-20)"), "bodies[0]", "larger density");
  // Lattices.
  row("no cells", lattice(R"("size": [1, 1, 1])"), "bodies[0].shape.cells", "is missing");
  row("two cell counts", lattice(R"("size": [1, 1, 1], "cells": [1, 2])"), "bodies[0].shape.cells",
      "[nx, ny, nz]");
  row("no cell along y", lattice(R"("size": [1, 1, 1], "cells": [1, 0, 2])"), "bodies[0].shape.cells[1]",
      "whole number from 1");
  row("half a cell", lattice(R"("size": [1, 1, 1], "cells": [1.5, 1, 2])"), "bodies[0].shape.cells[0]",
      "whole number");
  row("too many cells", lattice(R"("size": [1, 1, 1], "cells": [1000, 1000, 1])"), "bodies[0].shape.cells",
      "2 million");
  row("negative size", lattice(R"("size": [1, -1, 1], "cells": [1, 1, 1])"), "bodies[0].shape.size",
      "positive lengths");
  row("flat cells", lattice(R"("size": [1, 1e-13, 1], "cells": [1, 1, 1])"), "bodies[0].shape.size",
      "equal edges");
  // Elasticity.
  row("no stiffness", body(kLattice, "{}"), "bodies[0].deformable.young", "is missing");
  row("stiffness zero", body(kLattice, R"({"young": 0})"), "bodies[0].deformable.young", "must be positive");
  row("negative stiffness", body(kLattice, R"({"young": -1e5})"), "bodies[0].deformable.young",
      "must be positive");
  row("negative poisson", tets(R"("poisson": -0.1)"), "bodies[0].deformable.poisson", "must not be negative");
  row("incompressible", tets(R"("poisson": 0.5)"), "bodies[0].deformable.poisson", "give 0 to 0.49");
  row("unknown model", tets(R"("model": "neo-hooken")"), "bodies[0].deformable.model",
      "did you mean 'neo-hookean'?");
  row("negative damping", tets(R"("damping": -1)"), "bodies[0].deformable.damping", "must not be negative");
  row("negative mass damping", tets(R"("mass_damping": -1)"), "bodies[0].deformable.mass_damping",
      "must not be negative");
  const QByteArray layer = "bodies[0].deformable.layer";
  row("a layer without a box", tets(R"("layer": {"inextensible": true})"), layer + ".box", "is missing");
  row("a layer without stiffness", tets(R"("layer": {"box": [[-9, -9, -9], [9, 9, 9]]})"),
      layer + ".edge_stiffness", "is missing");
  row("a layer with two stiffnesses",
      tets(R"("layer": {"box": [[-9, -9, -9], [9, 9, 9]], "inextensible": true, "edge_stiffness": 5})"),
      layer + ".edge_stiffness", "one of the two");
  row("a layer that is nowhere", tets(R"("layer": {"box": [[5, 5, 5], [6, 6, 6]], "inextensible": true})"),
      layer + ".box", "where the particles lie");
  row("a layer of weak edges", tets(R"("layer": {"box": [[-9, -9, -9], [9, 9, 9]], "edge_stiffness": -1})"),
      layer + ".edge_stiffness", "");
  row("activation of the other law", tets(R"("activation": {"eigenstrain": 0.1})"),
      "bodies[0].deformable.activation", "corotational");
  row("activation beyond all", tets(R"("model": "corotational", "activation": {"eigenstrain": 5})"),
      "bodies[0].deformable.activation.eigenstrain", "from -1 to 1");
  const auto path = [](const QByteArray& points) {
    return tets(R"("model": "corotational", "activation": {"eigenstrain": )" + points + "}");
  };
  const QByteArray strain = "bodies[0].deformable.activation.eigenstrain";
  row("activation without points", path("[]"), strain, "[time in s, strain]");
  row("activation without times", path("[0, 0.1]"), strain + "[0]", "must be a list");
  row("activation without a strain", path("[[0, 0], [1]]"), strain + "[1]", "[time in s, strain]");
  row("activation at times that go back", path("[[0, 0], [2, 0.1], [1, 0]]"), strain + "[2]",
      "ascending times");
  row("activation beyond all at a time", path("[[0, 0], [1, -1.5]]"), strain + "[1][1]", "from -1 to 1");
  row("activation by a word", path(R"([[0, "full"]])"), strain + "[0][1]", "must be a number");
  row("activation at no time", path("[[null, 0.1]]"), strain + "[0][0]", "must be a number");
  row("activation of nothing",
      tets(R"("model": "corotational", "activation": {"eigenstrain": 0.1, "box": [[2, 2, 2], [3, 3, 3]]})"),
      "bodies[0].deformable.activation.box", "frame of the shape");
  // Surfaces.
  row("no cell", body(kBall, kSoft), d, "add cell");
  row("cell zero", around(kBall, "0"), "bodies[0].deformable.cell", "must be positive");
  row("cells too small", around(kBall, "0.001"), "bodies[0].deformable.cell", "give a larger one");
  row("plane", around(R"({"type": "plane"})"), "bodies[0].shape", "no surface");
  row("nothing", around(R"({"type": "none"})"), "bodies[0].shape", "no surface");
  row("polygon", around(R"({"type": "polygon", "size": [1, 1]})"), "bodies[0].shape", "polygon");
  row("open mesh", around(R"({"type": "mesh", "file": "open.obj"})"), "bodies[0].shape", "use cloth");
  row("union", around(R"({"type": "pieces", "pieces": [{"type": "box", "size": [1, 1, 1]},
      {"type": "box", "size": [1, 1, 1], "position": [1, 0, 0]}]})"),
      "bodies[0].shape", "mesh of the whole surface");
  row("mesh with pieces",
      around(R"({"type": "mesh", "file": "cube.obj", "pieces": [{"type": "box", "size": [1, 1, 1]}]})"),
      "bodies[0].shape.pieces", "remove them");
  row("unknown shape", around(R"({"type": "ball"})"), "bodies[0].shape.type", "no known shape");
  row("Gmsh file that is missing", body(R"({"type": "mesh", "file": "none.msh"})", kSoft), "", "");
  row("Gmsh file outside", body(R"({"type": "mesh", "file": "../x.msh"})", kSoft), "bodies[0].shape.file",
      "outside");
  // Held particles.
  row("one corner", tets(R"("held": [{"box": [[0, 0, 0]]}])"), "bodies[0].deformable.held[0].box",
      "two corners");
  row("corners in the other order", tets(R"("held": [{"box": [[1, 1, 1], [0, 0, 0]]}])"),
      "bodies[0].deformable.held[0].box", "lower corner first");
  row("no box", tets(R"("held": [{}])"), "bodies[0].deformable.held[0].box", "is missing");
  row("box without particles", tets(R"("held": [{"box": [[0.1, 0.1, 0.1], [0.2, 0.2, 0.2]]}])"),
      "bodies[0].deformable.held[0].box", "-0.5 -0.5 -0.5 to 0.5 0.5 0.5");
  row("held twice", tets(R"("held": [{"box": [[0, 0, 0], [1, 1, 1]]}, {"box": [[0, 0, 0], [0, 0, 0]]}])"),
      "bodies[0].deformable.held[1].box", "do not overlap");
  row("empty path", tets(R"("held": [{"box": [[0, 0, 0], [1, 1, 1]], "path": []}])"),
      "bodies[0].deformable.held[0].path", "is empty");
  row("times that go back",
      tets(R"("held": [{"box": [[0, 0, 0], [1, 1, 1]], "path": [[1, [0, 0, 0]], [1, [1, 0, 0]]]}])"),
      "bodies[0].deformable.held[0].path[1]", "ascending times");
  row("point without offset", tets(R"("held": [{"box": [[0, 0, 0], [1, 1, 1]], "path": [[1]]}])"),
      "bodies[0].deformable.held[0].path[0]", "[t, [dx, dy, dz]]");
  row("self as a number", tets(R"("self": 1)"), "bodies[0].deformable.self", "true or false");
  // Cloth.
  row("no area density", body(kSheet, R"({"edge_stiffness": 1})"), "bodies[0].deformable.area_density",
      "is missing");
  row("no stiffness of edges", body(kSheet, R"({"area_density": 1})"), "bodies[0].deformable.edge_stiffness",
      "is missing");
  row("stiff and inextensible", cloth(R"("inextensible": true)"), "bodies[0].deformable.edge_stiffness",
      "one of the two");
  row("negative bending", cloth(R"("bending": -1)"), "bodies[0].deformable.bending", "must not be negative");
  row("young of cloth", cloth(R"("young": 1e5)"), "bodies[0].deformable.young", "not a known field");
  row("density of cloth", body(kSheet, kFabric, R"(, "density": 3)"), "bodies[0].density", "area_density");
  row("mass of cloth", body(kSheet, kFabric, R"(, "mass": 3)"), "bodies[0].mass", "area_density");
  row("three lengths", sheet(R"("size": [1, 1, 1], "cells": [2, 2])"), "bodies[0].shape.size", "has 3");
  row("one length", sheet(R"("size": [1], "cells": [2, 2])"), "bodies[0].shape.size", "two lengths");
  row("one count", sheet(R"("size": [1, 1], "cells": [2])"), "bodies[0].shape.cells", "two counts");
  row("no row", sheet(R"("size": [1, 1], "cells": [2, 0])"), "bodies[0].shape.cells[1]", "whole number");
  row("too many triangles", sheet(R"("size": [1, 1], "cells": [2000, 2000])"), "bodies[0].shape.cells",
      "2 million");
  row("unknown grid", sheet(R"("size": [1, 1], "cells": [2, 2], "grid": "square")"), "bodies[0].shape.grid",
      "use one of right, alternating, equilateral");
  row("triangles without area", sheet(R"("size": [1, 1e-13], "cells": [1, 1])"), "bodies[0].shape.size",
      "equal edges");
  // Attachments.
  const QByteArray box = R"("box": [[0, 0, 0], [1, 1, 1]])";
  row("attached to nothing", tets(R"("attach": [{"body": "c", )" + box + "}]"),
      "bodies[0].deformable.attach[0].body", "not in bodies");
  row("attached to itself", tets(R"("attach": [{"body": "b", )" + box + "}]"),
      "bodies[0].deformable.attach[0].body", "attach to a rigid body");
  const QByteArray rigid = R"(, {"name": "c", "shape": {"type": "box", "size": [1, 1, 1]}})";
  row("attached without a box", tets(R"("attach": [{"body": "c"}])") + rigid,
      "bodies[0].deformable.attach[0].box", "is missing");
  row("attached without particles",
      tets(R"("attach": [{"body": "c", "box": [[2, 2, 2], [3, 3, 3]]}])") + rigid,
      "bodies[0].deformable.attach[0].box", "no particle");
  row("held and attached",
      tets(R"("held": [{)" + box + R"(}], "attach": [{"body": "c", )" + box + "}]") + rigid,
      "bodies[0].deformable.attach[0].box", "held or attached already");
  row("attached to a body that comes later",
      tets(R"("attach": [{"body": "c", )" + box + "}]") +
          QByteArray(rigid).replace("\"c\"", "\"c\", \"release_time\": 1"),
      "bodies[0].deformable.attach[0].body", "release both");
}

void BadDeformablesTest::bodiesAreRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, field);
  QFETCH(QByteArray, says);
  const bool isMissing = field.isEmpty();
  requireRefused(text, {}, isMissing ? m_folder.path("none.msh") : std::string(), field, says);
}

void BadDeformablesTest::scenesAreRefused_data() {
  columns();
  QTest::addColumn<QByteArray>("more");
  const auto scene = [](const char* name, const QByteArray& bodies, const QByteArray& more, const char* field,
                        const char* says) {
    QTest::newRow(name) << bodies << QByteArray(field) << QByteArray(says) << more;
  };
  const QByteArray soft = body(kLattice, kSoft);
  scene("among polygons", R"({"name": "p", "shape": {"type": "polygon", "size": [1, 1]}}, )" + soft, "",
        "bodies[1].deformable", "use solids only");
  scene("joint to the world", soft,
        R"("joints": [{"name": "pin", "type": "ball", "body_b": "b", "position": [0, 0, 0]}], )",
        "joints[0].body_b", "'pin'");
  scene(
      "joint to a rigid body", soft + R"(, {"name": "c", "shape": {"type": "box", "size": [1, 1, 1]}})",
      R"("joints": [{"name": "pin", "type": "ball", "body_a": "b", "body_b": "c", "position": [0, 0, 0]}], )",
      "joints[0].body_a", "attach in deformable");
  scene("thick cloth", body(kSheet, kFabric, R"(, "material": "felt")"),
        R"("materials": [{"name": "felt", "thickness": 0.26}], )", "bodies[0].material",
        "0.26 m, more than half of the shortest edge of the cloth, 0.5 m");
  scene("too many copies", body(kLattice, kSoft).replace("[2, 2, 2]", "[30, 30, 30]"),
        R"("copies": {"count": [5, 4], "spacing": [2, 2]}, )", "copies.count", "give fewer copies");
}

void BadDeformablesTest::scenesAreRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, field);
  QFETCH(QByteArray, says);
  QFETCH(QByteArray, more);
  requireRefused(text, more, {}, field, says);
}

void BadDeformablesTest::mshFilesAreRefused_data() {
  columns();
  row("empty", "", "", "no Gmsh file");
  row("another format", "solid cube\nendsolid\n", "", "no Gmsh file");
  row("no numbers in the head", "$MeshFormat\n\n$EndMeshFormat\n", "$MeshFormat", "version, kind");
  row("format 1", "$MeshFormat\n1 0 8\n$EndMeshFormat\n", "$MeshFormat", "version 1");
  row("format 4.0", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "$MeshFormat", "4.1 or 2.2");
  row("neither text nor binary", "$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", "$MeshFormat", "binary (1)");
  row("single precision", "$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", "$MeshFormat", "4 bytes");
  row("binary without its one", "$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n", "$MeshFormat",
      "order of its bytes");
  row("no nodes", kHead + elements("", 0), "$Elements", "before $Nodes");
  row("nothing", kHead, "$Nodes", "is missing");
  row("no elements", kHead + kFour, "$Elements", "is missing");
  row("elements before nodes", kHead + kOne + kFour, "$Elements", "stands before $Nodes");
  row("nodes twice", kHead + kFour + kFour + kOne, "$Nodes", "twice");
  row("elements twice", kHead + kFour + kOne + kOne, "$Elements", "twice");
  row("surface only", kHead + kFour + elements("1 2 0 1 2 3\n", 1), "$Elements", "no tetrahedra");
  row("text between sections", kHead + "hello\n" + kFour + kOne, "", "where a section begins");
  row("section without end", kHead + "$Comments\nhello\n" + kFour + kOne, "$Comments", "$EndComments");
  row("more nodes than bytes", kHead + nodes("1 0 0 0\n", 1000000), "$Nodes", "announces 1000000");
  row("negative count", kHead + nodes("", -1), "$Nodes", "announces -1");
  row("fewer nodes than said", kHead + nodes("1 0 0 0\n", 2) + kOne, "$Nodes", "too early");
  row("more nodes than said", kHead + nodes("1 0 0 0\n2 1 0 0\n", 1) + kOne, "$Nodes", "$EndNodes");
  row("word for a number", kHead + nodes("1 0 x 0\n", 1) + kOne, "$Nodes", "'x' for a number");
  row("node that is no number", kHead + nodes("12 0 nan 0\n", 1) + kOne, "node 12", "not finite");
  row("node at infinity", kHead + nodes("12 0 inf 0\n", 1) + kOne, "node 12", "not finite");
  row("node far away", kHead + nodes("12 0 1e10 0\n", 1) + kOne, "node 12", "beyond 1e9 m");
  row("tag twice", kHead + nodes("3 0 0 0\n3 1 0 0\n", 2) + kOne, "node 3", "twice");
  row("duplicate node",
      content({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{1, 2, 3, 4}, {1, 5, 3, 4}}),
      "node 5", "at the place of node 2");
  row("unused node", content({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{1, 2, 3, 4}}),
      "node 5", "belongs to no tetrahedron");
  row("missing node", kHead + kFour + elements("7 4 0 1 2 3 9\n", 1), "element 7", "node 9");
  row("node twice in an element", kHead + kFour + elements("7 4 0 1 2 3 3\n", 1), "element 7",
      "node 3 twice");
  row("hexahedron", kHead + kFour + elements("8 5 0 1 2 3 4 1 2 3 4\n", 1), "element 8", "type 5");
  row("second order", kHead + kFour + elements("8 11 0 1 2 3 4 1 2 3 4 1 2\n", 1), "element 8",
      "first order");
  row("unknown type", kHead + kFour + elements("8 77 0 1 2 3 4\n", 1), "element 8", "unknown type 77");
  row("flat element", content({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{1, 2, 3, 4}}), "element 3",
      "flat");
  row("nearly flat element", content({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-13}}, {{1, 2, 3, 4}}),
      "element 3", "mesh the volume again");
  row("mixed orientation",
      content({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{1, 2, 3, 4}, {3, 2, 4, 5}}),
      "element 4", "other order than element 3");
  row("element twice", content({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 2, 3, 4}, {1, 2, 3, 4}}),
      "element 4", "same side");
  row("three at a face",
      content({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0, 0, 2}},
              {{1, 2, 3, 4}, {1, 3, 2, 5}, {1, 2, 3, 6}}),
      "element 5", "two others");
  row("parts that meet at an edge",
      content({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, -1, 0}},
              {{1, 3, 4, 2}, {1, 5, 6, 2}}),
      "element 4", "by faces");
  row("block of a wrong entity",
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n7 1 0 1\n1\n0 0 0\n$EndNodes\n", "$Nodes",
      "of no entity");
  row("negative tag",
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 1 1 1\n3 1 0 1\n-1\n0 0 0\n$EndNodes\n", "$Nodes",
      "negative");
}

void BadDeformablesTest::mshFilesAreRefused() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, field);
  QFETCH(QByteArray, says);
  const std::string path = m_folder.write("bad.msh", text);
  requireRefused(body(R"({"type": "mesh", "file": "bad.msh"})", kSoft), {}, path, field, says);
}

QTEST_GUILESS_MAIN(BadDeformablesTest)
#include "tst_bad_deformables.moc"
