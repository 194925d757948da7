#include "core/robot/export/mjcf_writer.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/files/scene_error.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/robot/export/exported_scene.h"
#include "core/robot/robot_tree.h"

namespace touchstone {

namespace {

/// The least friction that the engine has; it raises a smaller one to it.
constexpr double kLeastFriction = 1e-5;
/// A larger value writes files of more than 100 MB, which the engine takes minutes to compile; a smaller one
/// refuses heaps of a thousand bodies.
constexpr std::size_t kMostExcludedPairs = 1'000'000;

/// Writes one model.
class MjcfWriter {
 public:
  explicit MjcfWriter(const Scene& scene) : m_scene(scene) {
    requireExportable(scene);
    for (std::size_t index = 0; index < scene.bodies.size(); ++index)
      if (scene.bodies[index].name == "world")
        throw SceneError(scene.file, "bodies[" + std::to_string(index) + "].name",
                         "is 'world', which MJCF gives to the world itself", "rename the body");
  }

  std::string text() {
    for (const Body& body : m_scene.bodies) add(body);
    addPairs();
    return "<!-- Written by Touchstone. Y is up. Contacts have the stiffness that is the engine's default "
           "(solref, solimp). -->\n<mujoco model=\"" +
           xmlText(m_scene.name) +
           "\">\n"
           "  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <option timestep=\"" +
           csvNumber(m_scene.dt) + "\" gravity=\"" + spaced(m_scene.gravity) + "\" cone=\"elliptic\"/>\n" +
           section("asset", m_assets) + section("worldbody", m_bodies) + section("contact", m_pairs) +
           section("keyframe",
                   "    <key name=\"start\" qpos=\"" + m_positions + "\" qvel=\"" + m_velocities + "\"/>\n") +
           section("custom", m_isAnyLate
                                 ? "    <numeric name=\"release_time\" data=\"" + m_releases + "\"/>\n"
                                 : std::string()) +
           "</mujoco>\n";
  }

 private:
  static std::string section(const char* name, const std::string& content) {
    if (content.empty()) return {};
    return std::string("  <") + name + ">\n" + content + "  </" + name + ">\n";
  }

  void add(const Body& body) {
    m_bodies += "    <body name=\"" + xmlText(body.name) + "\" pos=\"" + spaced(body.position) +
                "\" quat=\"" + spaced(body.orientation) + "\">\n";
    if (body.motion == Motion::Dynamic) {
      m_bodies += "      <freejoint/>\n      <inertial pos=\"0 0 0\" mass=\"" + csvNumber(body.mass) + "\" " +
                  inertiaOf(body) + "/>\n";
      const std::string gap = m_positions.empty() ? "" : "  ";
      m_releases += (m_releases.empty() ? "" : " ") + csvNumber(body.releaseTime);
      m_isAnyLate = m_isAnyLate || body.releaseTime > 0;
      m_positions += gap + spaced(body.position) + " " + spaced(body.orientation);
      m_velocities += gap + spaced(body.linearVelocity) + " " +
                      spaced(Vec3(body.orientation.conjugate() * body.angularVelocity));
    }
    addGeoms(body);
    m_bodies += "    </body>\n";
  }

  /// The engine finds principal axes to 1e-6 rad only; where they are not those of the body, they are written
  /// instead of the matrix.
  static std::string inertiaOf(const Body& body) {
    const Mat3& I = body.inertia;
    Vec3 moments;
    const Quaternion axes = principalAxes(I, moments);
    if (axes.vec().isZero(0))
      return "fullinertia=\"" + spaced(moments) + " " + spaced(Vec3(I(0, 1), I(0, 2), I(1, 2))) + "\"";
    return "quat=\"" + spaced(axes) + "\" diaginertia=\"" + spaced(moments) + "\"";
  }

  void addGeoms(const Body& body) {
    const std::vector<ExportedSolid> solids = exportedSolids(body);
    m_geoms.push_back({m_geomCount, m_geomCount + countOf(solids)});
    const auto known = m_meshes.find(body.shape.get());
    int mesh = known == m_meshes.end() ? m_meshCount : known->second;
    if (known == m_meshes.end()) m_meshes[body.shape.get()] = mesh;
    for (const ExportedSolid& solid : solids) {
      m_bodies += "      <geom name=\"" + nameOf(m_geomCount++) + "\" ";
      switch (solid.kind) {
        case ExportedSolid::Kind::Plane:
          m_bodies += "type=\"plane\" size=\"0 0 1\" zaxis=\"" + spaced(solid.normal) + "\"";
          break;
        case ExportedSolid::Kind::Box:
          m_bodies +=
              "type=\"box\" pos=\"" + spaced(solid.centre) + "\" size=\"" + spaced(solid.halfSize) + "\"";
          break;
        case ExportedSolid::Kind::Round:
          m_bodies += roundOf(solid.round);
          break;
        case ExportedSolid::Kind::Mesh:
          m_bodies += "type=\"mesh\" mesh=\"mesh" + std::to_string(mesh) + "\"";
          if (mesh++ == m_meshCount) addMesh(*solid.piece);
          break;
      }
      m_bodies += " contype=\"0\" conaffinity=\"0\"/>\n";
    }
  }

  static std::string roundOf(const RoundPiece& round) {
    const std::string size = "size=\"" + csvNumber(round.radius) + "\"";
    if (round.kind == RoundPiece::Kind::Sphere)
      return "type=\"sphere\" pos=\"" + spaced(round.centre) + "\" " + size;
    const Vec3 half = 0.5 * round.length * round.axis;
    return std::string("type=\"") + (round.kind == RoundPiece::Kind::Capsule ? "capsule" : "cylinder") +
           "\" fromto=\"" + spaced(Vec3(round.centre - half)) + " " + spaced(Vec3(round.centre + half)) +
           "\" " + size;
  }

  /// Bodies with one shape share its meshes.
  void addMesh(const Polytope& piece) {
    m_assets += "    <mesh name=\"mesh" + std::to_string(m_meshCount++) + "\" vertex=\"";
    for (std::size_t vertex = 0; vertex < piece.vertices.size(); ++vertex)
      m_assets += (vertex ? "  " : "") + spaced(piece.vertices[vertex]);
    m_assets += "\"/>\n";
  }

  bool mayMeet(std::size_t a, std::size_t b) const {
    const Body &first = m_scene.bodies[a], &second = m_scene.bodies[b];
    return (first.motion == Motion::Dynamic || second.motion == Motion::Dynamic) &&
           first.replica == second.replica &&
           m_excluded.count({static_cast<int>(a), static_cast<int>(b)}) == 0;
  }

  void addPairs() {
    for (const auto& [a, b] : m_scene.noContact) m_excluded.insert(std::minmax(a, b));
    std::size_t count = 0;
    for (std::size_t a = 0; a < m_scene.bodies.size(); ++a)
      for (std::size_t b = a + 1; b < m_scene.bodies.size(); ++b) {
        if (!mayMeet(a, b)) continue;
        const std::string friction = csvNumber(
            std::max(kLeastFriction, exportedFriction(m_scene, m_scene.bodies[a], m_scene.bodies[b])));
        for (int first = m_geoms[a].first; first < m_geoms[a].end; ++first)
          for (int second = m_geoms[b].first; second < m_geoms[b].end; ++second) {
            if (++count > kMostExcludedPairs)
              throw SceneError(m_scene.file, "bodies",
                               "have more than a million pairs of solids, each of which MJCF must name",
                               "export fewer bodies, or give URDF");
            m_pairs += "    <pair geom1=\"" + nameOf(first) + "\" geom2=\"" + nameOf(second) +
                       "\" condim=\"3\" friction=\"" + friction + " " + friction + " 0 0 0\"/>\n";
          }
      }
  }

  static std::string nameOf(int geom) { return "solid" + std::to_string(geom); }

  struct Geoms {
    int first, end;
  };
  const Scene& m_scene;
  std::string m_assets, m_bodies, m_pairs, m_positions, m_velocities;
  std::string m_releases;  ///< of the bodies that move, in the order of `start`
  bool m_isAnyLate = false;
  std::vector<Geoms> m_geoms;            ///< [body]
  std::map<const Shape*, int> m_meshes;  ///< first mesh of a shape
  std::set<std::pair<int, int>> m_excluded;
  int m_geomCount = 0, m_meshCount = 0;
};

}  // namespace

std::string mjcfText(const Scene& scene) { return MjcfWriter(scene).text(); }

}  // namespace touchstone
