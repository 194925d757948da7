#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/world/world.h"

namespace touchstone {

/// An engine at the work of a world: gives it the bodies that are released, pushes what the mouse pulls,
/// brings states back, and begins again where the world was changed from outside.
///
/// Engines keep what cannot be saved (impulses that warm-start their solvers, contact points of earlier
/// steps, the order of their lists). What continues a run is therefore the journal: the states that the
/// engine began with, and every call since. A run that goes on from it repeats the calls, which takes as long
/// as the run did, and gives the same bits. Where a state comes without a journal (fork, another pane's
/// state, another value of a parameter) the engine begins with it: what it kept is lost.
///
/// Nothing can end a call of another program from outside. Where the frame has a clock with an end, its calls
/// run on a thread of their own; at the end of the clock that thread is abandoned with the engine that it
/// works on, and the run gets a new engine.
class EngineRun {
 public:
  EngineRun(const EngineInfo& info, std::shared_ptr<const Scene> scene, const ParameterValues& values);

  /// The states that the engine has at the time of the world, if they depend on nothing else.
  void place(World& world);
  /// One step of length dt [s], from the world's time: positions, orientations and velocities of the world
  /// are those at its end, also of its springAction. world.time stays.
  /// @throws std::runtime_error if the engine cannot take it
  void step(World& world, double dt);
  /// Contacts of the last step. Engines report points; the features are the corner of one body that is
  /// nearest to its point, and of the other the triangle that looks most against the normal.
  void addContacts(const World& world, std::vector<Contact>& contacts) const;
  const EngineInfo& info() const { return m_info; }

  /// The next step begins with the world's states.
  void forget() { m_isBegun = false; }
  /// New values: the next step begins with the world's states.
  void setParameters(const ParameterValues& values);
  /// The journal as bytes; empty for an engine without one.
  std::string journal() const;
  /// Takes a journal and repeats it. One that does not lead to the states of the world, or is none, is
  /// ignored: the next step then begins with the world's states.
  void repeat(const World& world, const std::string& journal);

 private:
  void follow(const World& world);  ///< gives the engine what is new in the world
  void begin(const World& world);
  void add(int body, const BodyState& state);
  /// @throws FrameEnded  if the clock of the frame ends before the call
  void call(const std::function<void(Engine& engine)>& what);
  void write(const void* bytes, std::size_t count);
  void readInto(World& world);

  const EngineInfo& m_info;
  std::shared_ptr<const Scene> m_scene;
  ParameterValues m_values;
  std::shared_ptr<Engine> m_engine;  ///< an abandoned call has it too
  bool m_isBegun = false;
  std::vector<BodyState> m_states;  ///< [bodies] of the world, as the engine has them
  std::string m_journal;
  std::size_t m_repeatedStep = 0;  ///< offset of the last entry of the journal if it counts steps, else 0
};

}  // namespace touchstone
