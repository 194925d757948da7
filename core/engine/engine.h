#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/contact/method_info.h"
#include "core/record/contact.h"
#include "core/record/step_record.h"
#include "core/scene/scene.h"

namespace touchstone {

/// Mover of the bodies of a pane in the place of a contact method: the engine of another program, or a
/// motion that was recorded. World frame, SI units; the pose of a body is that of its centre of mass with the
/// axes of its shape, as in BodyState. One object per pane, used by one thread at a time, by any thread. An
/// object holds all that its calls use: a call that a clock ends goes on by itself.
///
/// An engine is deterministic: the same calls on a new object give the same bits. EngineRun repeats them
/// where a run goes on from the middle.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Forgets all: no body takes part, and nothing is left of earlier steps.
  /// @param time  s   @throws std::runtime_error if the engine cannot begin
  virtual void begin(double time) = 0;
  /// A body of the scene takes part from now on. Static bodies are added like others.
  virtual void add(int body, const BodyState& state) = 0;
  /// A force [N] at a point [m], world frame, for the next step only.
  virtual void push(int /*body*/, const Vec3& /*force*/, const Vec3& /*point*/) {}
  /// One step from `time` [s] of length dt [s]. @throws std::runtime_error if it cannot be taken
  virtual void step(double time, double dt) = 0;
  /// The states of the dynamic bodies that take part; others stay as they are. @param states  [bodies]
  virtual void read(std::vector<BodyState>& states) const = 0;
  /// Adds the contacts of the last step, with impulses on B [N·s]; an engine that tells none adds none.
  virtual void addContacts(std::vector<Contact>& /*contacts*/) const {}
};

/// An engine as the program offers it: its line in the method table, and what makes it.
struct EngineInfo {
  MethodInfo method;  ///< key, name, parameters, refusal …
  /// @param values  in force   @throws std::runtime_error
  std::function<std::unique_ptr<Engine>(std::shared_ptr<const Scene> scene, const ParameterValues& values)>
      make;
  bool tellsContacts = false;  ///< addContacts() gives all that acted; else forces are not known
  /// Words of its theory of friction, impact and integration, see ColumnModel; none: not known.
  std::vector<std::string> model;
  std::string precision;  ///< of its numbers: "double", "single"; empty: not known
  /// The words where parameters choose the theory; null: `model` holds for all.
  std::function<std::vector<std::string>(const ParameterValues& values)> modelWith;
  /// It plays a motion that is given: its states depend on the time alone, whatever was before, and nothing
  /// pushes its bodies.
  bool isPlayed = false;
};

/// Adds an engine to the method table. Before any other thread asks. An info without a refusal gets
/// engineRefusal(). @throws std::logic_error if the key is taken
void addEngine(EngineInfo info);
/// The engine with this key, or null: it is a contact method, or unknown. Pointers stay valid.
const EngineInfo* findEngine(const std::string& key);

/// True while an engine goes on with a call that a clock has ended, see EngineRun: the program then ends
/// without the destructors of what is static, which that call may still use.
bool hasAbandonedCalls();

/// The methods of the table that are no engines, in its order.
std::vector<const MethodInfo*> contactMethods();

/// Why engines that need convex pieces cannot run this scene, or empty.
std::string engineRefusal(const Scene& scene);

}  // namespace touchstone
