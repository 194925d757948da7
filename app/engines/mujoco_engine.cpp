#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "app/engines/engines.h"
#include "core/engine/engine.h"
#include "core/engine/engine_bodies.h"
#include "core/files/scene_error.h"
#include "core/math/count.h"
#include "core/record/integrator.h"
#include "core/robot/export/exported_scene.h"
#include "core/robot/export/mjcf_writer.h"

namespace touchstone {

namespace {

/// Pairs closer than their margin touch: with this one none does.
constexpr mjtNum kNeverMeets = -1e10;

Vec3 vectorOf(const mjtNum* v) { return {v[0], v[1], v[2]}; }
Quaternion turnOf(const mjtNum* q) { return {q[0], q[1], q[2], q[3]}; }

/// The model that the exported scene is.   @throws std::runtime_error
std::shared_ptr<mjModel> mujocoModelOf(const Scene& scene) {
  Scene named = scene;  // names of MuJoCo are its own, and unique
  for (std::size_t body = 0; body < named.bodies.size(); ++body)
    named.bodies[body].name = "body " + std::to_string(body);
  std::string text = mjcfText(named);
  const auto isFree = [](const Body& body) { return body.motion == Motion::Dynamic; };
  const long bodies = std::count_if(scene.bodies.begin(), scene.bodies.end(), isFree);
  // Room for contacts and their rows; older versions have it for so many only as the model says. A larger
  // value takes memory, with its square; with a smaller one piles of boxes stop.
  const long contacts = std::max(100l, 8 * bodies), rows = std::max(500l, 4 * contacts);
  text.insert(text.find("  <compiler"), "  <size nconmax=\"" + std::to_string(contacts) + "\" njmax=\"" +
                                            std::to_string(rows) + "\"/>\n");
  constexpr char kName[] = "scene.xml";
  const auto files = std::make_unique<mjVFS>();  // too large for a stack
  mj_defaultVFS(files.get());
#if mjVERSION_HEADER < 300
  mj_makeEmptyFileVFS(files.get(), kName, countOf(text));
  std::memcpy(files->filedata[0], text.data(), text.size());
#else
  mj_addBufferVFS(files.get(), kName, text.data(), countOf(text));
#endif
  // The compiler of models is not made for several threads.
  static std::mutex mutex;
  const std::lock_guard<std::mutex> turn(mutex);
  char error[1000] = {};
  mjModel* model = mj_loadXML(kName, files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo refuses the scene: ") + error);
  return {model, mj_deleteModel};
}

/// The scene is one model for the whole run. A body that is not active yet is put back before each step, and
/// touches nothing. Bodies of the model come in the order of the scene, behind MuJoCo's own world.
class MujocoEngine : public Engine {
 public:
  MujocoEngine(std::shared_ptr<const Scene> scene, const ParameterValues& values)
      : m_scene(std::move(scene)), m_values(values) {}

  void begin(double time) override {
    if (!m_model) make();
    mj_resetData(m_model.get(), m_data.get());
    m_data->time = time;
    m_takesPart.assign(m_scene->bodies.size(), 0);
    for (int pair = 0; pair < m_model->npair; ++pair) m_model->pair_margin[pair] = kNeverMeets;
  }
  void add(int index, const BodyState& state) override {
    m_takesPart[index] = 1;
    for (int pair = 0; pair < m_model->npair; ++pair)
      if (takesPart(m_model->pair_geom1[pair]) && takesPart(m_model->pair_geom2[pair]))
        m_model->pair_margin[pair] = 0;
    place(index, state);
  }
  void push(int index, const Vec3& f, const Vec3& point) override {
    if (!isFree(index)) return;
    mjtNum* applied = m_data->xfrc_applied + 6 * (index + 1);
    const Vec3 torque = (point - vectorOf(m_data->qpos + placeOf(index))).cross(f);
    for (int axis = 0; axis < 3; ++axis) {
      applied[axis] += f[axis];
      applied[3 + axis] += torque[axis];
    }
  }
  void step(double time, double dt) override {
    m_model->opt.timestep = dt;
    m_data->time = time;
    for (std::size_t index = 0; index < m_takesPart.size(); ++index)
      if (!m_takesPart[index]) {
        const Body& body = m_scene->bodies[index];
        place(static_cast<int>(index),
              {body.position, body.orientation, body.linearVelocity, body.angularVelocity, false});
      }
    m_dt = dt;
    mj_step(m_model.get(), m_data.get());
    mju_zero(m_data->xfrc_applied, 6 * m_model->nbody);
    // It would go on from the start of the scene, or without some contacts.
    for (const auto& [warning, problem] :
         {std::pair{mjWARN_BADQPOS, "reached a position that is no number; use a smaller step"},
          std::pair{mjWARN_BADQVEL, "reached a velocity that is no number; use a smaller step"},
          std::pair{mjWARN_BADQACC, "reached an acceleration that is no number; use a smaller step"},
          std::pair{mjWARN_CONTACTFULL, "has no room for so many contacts; use fewer bodies"},
          std::pair{mjWARN_CNSTRFULL, "has no room for so many rows of contacts; use fewer bodies"}})
      if (m_data->warning[warning].number > 0) throw std::runtime_error(std::string("MuJoCo ") + problem);
  }
  void read(std::vector<BodyState>& states) const override {
    for (int index = 0; index < countOf(m_takesPart); ++index) {
      if (!m_takesPart[index] || !isFree(index)) continue;
      const mjtNum *x = m_data->qpos + placeOf(index), *v = m_data->qvel + rateOf(index);
      const Quaternion q = turnOf(x + 3).normalized();
      states[index] = {vectorOf(x), q, vectorOf(v), Vec3(q * vectorOf(v + 3)), true};
    }
  }
  /// Contacts are found where the step begins; their impulses act over it.
  void addContacts(std::vector<Contact>& contacts) const override {
    for (int index = 0; index < m_data->ncon; ++index) {
      const mjContact& found = m_data->contact[index];
      if (found.efc_address < 0) continue;
      mjtNum force[6];
      mj_contactForce(m_model.get(), m_data.get(), index, force);
      Mat3 axes;  // rows: normal from the first to the second, tangents
      for (int entry = 0; entry < 9; ++entry) axes(entry / 3, entry % 3) = found.frame[entry];
      const Vec3 onB = m_dt * (axes.transpose() * vectorOf(force));
      Contact contact;
      contact.bodyA = m_model->geom_bodyid[found.geom1] - 1;
      contact.bodyB = m_model->geom_bodyid[found.geom2] - 1;
      contact.normal = axes.row(0).transpose();
      contact.gap = found.dist;
      contact.pointA = vectorOf(found.pos) - 0.5 * found.dist * contact.normal;
      contact.pointB = vectorOf(found.pos) + 0.5 * found.dist * contact.normal;
      contact.normalImpulse = onB.dot(contact.normal);
      contact.frictionImpulse = onB - contact.normalImpulse * contact.normal;
      contacts.push_back(ascending(contact));
    }
  }

 private:
  double number(const char* key) const { return std::get<double>(m_values.at(key)); }
  const std::string& word(const char* key) const { return std::get<std::string>(m_values.at(key)); }

  void make() {
    m_model = mujocoModelOf(*m_scene);
    if (m_model->nbody != countOf(m_scene->bodies) + 1)
      throw std::runtime_error("MuJoCo has another number of bodies than the scene");
    mjOption& option = m_model->opt;
    option.cone = word("cone") == "elliptic" ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
    option.solver = word("algorithm") == "newton" ? mjSOL_NEWTON
                    : word("algorithm") == "cg"   ? mjSOL_CG
                                                  : mjSOL_PGS;
    option.iterations = static_cast<int>(number("iterations"));
    option.impratio = number("impratio");
    for (int pair = 0; pair < m_model->npair; ++pair) {
      m_model->pair_solref[mjNREF * pair] = number("time_constant");
      m_model->pair_solref[mjNREF * pair + 1] = number("damping_ratio");
    }
    m_data.reset(mj_makeData(m_model.get()), mj_deleteData);
    if (!m_data) throw std::runtime_error("there is too little memory for MuJoCo; use fewer bodies");
  }
  bool isFree(int index) const { return m_model->body_jntnum[index + 1] > 0; }
  int placeOf(int index) const { return m_model->jnt_qposadr[m_model->body_jntadr[index + 1]]; }
  int rateOf(int index) const { return m_model->jnt_dofadr[m_model->body_jntadr[index + 1]]; }
  bool takesPart(int geom) const { return m_takesPart[m_model->geom_bodyid[geom] - 1] != 0; }
  /// Rates of a free body: linear along the world's axes, angular along its own.
  void place(int index, const BodyState& state) {
    if (!isFree(index)) return;
    mjtNum *x = m_data->qpos + placeOf(index), *v = m_data->qvel + rateOf(index);
    const Quaternion& q = state.orientation;
    const Vec3 spin = q.conjugate() * state.angularVelocity;
    for (int axis = 0; axis < 3; ++axis) {
      x[axis] = state.position[axis];
      v[axis] = state.linearVelocity[axis];
      v[3 + axis] = spin[axis];
    }
    x[3] = q.w(), x[4] = q.x(), x[5] = q.y(), x[6] = q.z();
  }

  std::shared_ptr<const Scene> m_scene;
  ParameterValues m_values;
  std::shared_ptr<mjModel> m_model;
  std::shared_ptr<mjData> m_data;
  std::vector<char> m_takesPart;  ///< [bodies]
  double m_dt = 0;                ///< of the last step [s]
};

/// The refusal of engines with pieces, and of the model that the scene becomes.
std::string mujocoRefusal(const Scene& scene) {
  const std::string pieces = engineRefusal(scene);
  if (!pieces.empty()) return pieces;
  try {
    requireExportable(scene);
  } catch (const SceneError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

void registerMujoco() {
  // By default it ends the program at an error, and writes a file at a warning; step() asks for those.
  mju_user_error = [](const char* text) { throw std::runtime_error(std::string("MuJoCo: ") + text); };
  mju_user_warning = [](const char*) {};
  EngineInfo info;
  info.tellsContacts = true;
  info.precision = sizeof(mjtNum) == sizeof(double) ? "double" : "single";
  info.modelWith = [](const ParameterValues& values) {
    const bool isCone = std::get<std::string>(values.at("cone")) == "elliptic";
    return std::vector<std::string>{isCone ? "cone" : "pyramid4", "plastic", "soft", "discrete",
                                    kSemiImplicitEuler};
  };
  info.method.key = "mujoco";
  info.method.name = info.method.shortName = "MuJoCo";
  info.method.source = std::string("MuJoCo ") + mj_versionString() + " (soft contacts, E. Todorov)";
  info.method.colour = 0x8C1C4A;
  info.method.dash = LineDash::Dot;
  info.method.refusal = mujocoRefusal;
  info.method.parameters = {
      choiceSpec("cone", "Friction", "pyramidal: four edges. elliptic: Coulomb's cone.",
                 {"pyramidal", "elliptic"}),
      choiceSpec("algorithm", "Algorithm", "Of the contact forces.", {"newton", "cg", "pgs"}),
      {"iterations",
       "Iterations",
       "",
       "Of the algorithm, at most.",
       ParameterKind::Integer,
       100.0,
       1,
       10000,
       true,
       {}},
      numberSpec("impratio", "Stiffness of friction", "",
                 "Over that of the normal force (impratio): a larger one slips less.", 1.0, 1e-3, 1e6),
      numberSpec("time_constant", "Time constant of contacts", "s",
                 "In which depth goes (solref); at least two steps.", 0.02, 1e-6, 10),
      numberSpec("damping_ratio", "Damping ratio of contacts", "",
                 "Of solref. MuJoCo has no coefficient of restitution: below 1 contacts spring back.", 1.0,
                 1e-3, 100)};
  info.make = [](std::shared_ptr<const Scene> scene, const ParameterValues& values) {
    return std::make_unique<MujocoEngine>(std::move(scene), values);
  };
  addEngine(std::move(info));
}

}  // namespace touchstone
