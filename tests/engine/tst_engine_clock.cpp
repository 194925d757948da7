#include <QtTest>
#include <condition_variable>
#include <mutex>

#include "core/engine/engine.h"
#include "core/run/comparison.h"
#include "core/run/pane_settings.h"
#include "tests/support/scenes.h"

using namespace touchstone;

namespace {

/// Holds engines in a call until the test lets go.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool isShut = false;
  int ended = 0;  ///< engines that are gone
  void set(bool shut) {
    const std::lock_guard<std::mutex> lock(mutex);
    isShut = shut;
    changed.notify_all();
  }
  void pass() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return !isShut; });
  }
};
Gate stepGate, beginGate;

/// Bodies go on as they are.
class Gated : public Engine {
 public:
  explicit Gated(std::shared_ptr<const Scene> scene) : m_scene(std::move(scene)) {}
  ~Gated() override {
    const std::lock_guard<std::mutex> lock(stepGate.mutex);
    ++stepGate.ended;
  }
  Gated(const Gated&) = delete;
  Gated& operator=(const Gated&) = delete;
  void begin(double) override {
    beginGate.pass();
    m_states.assign(m_scene->bodies.size(), {});
    for (BodyState& state : m_states) state.active = false;
  }
  void add(int body, const BodyState& state) override { m_states[body] = state; }
  void step(double, double dt) override {
    stepGate.pass();
    for (std::size_t body = 0; body < m_states.size(); ++body)
      if (m_scene->bodies[body].motion == Motion::Dynamic)
        m_states[body].position += dt * m_states[body].linearVelocity;
  }
  void read(std::vector<BodyState>& states) const override {
    for (std::size_t body = 0; body < states.size(); ++body)
      if (m_states[body].active && m_scene->bodies[body].motion == Motion::Dynamic)
        states[body] = m_states[body];
  }

 private:
  std::shared_ptr<const Scene> m_scene;
  std::vector<BodyState> m_states;
};

}  // namespace

/// An engine whose call does not return is left where it is.
class EngineClockTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aCallThatDoesNotReturnEndsItsPaneOnly_data();
  void aCallThatDoesNotReturnEndsItsPaneOnly();
  void withALimitItsMotionIsTheSame();
};

void EngineClockTest::initTestCase() {
  EngineInfo info;
  info.method.key = "gated";
  info.method.name = info.method.shortName = "Gated";
  info.make = [](std::shared_ptr<const Scene> scene, const ParameterValues&) {
    return std::make_unique<Gated>(std::move(scene));
  };
  addEngine(std::move(info));
}

static std::vector<PaneSettings> panes(const Scene& scene) {
  PaneSettings gated;
  gated.method = "gated";
  return {gated, suggestedPane(scene, "lcp")};
}

void EngineClockTest::aCallThatDoesNotReturnEndsItsPaneOnly_data() {
  QTest::addColumn<bool>("atItsBegin");
  QTest::newRow("begin") << true;
  QTest::newRow("step") << false;
}

void EngineClockTest::aCallThatDoesNotReturnEndsItsPaneOnly() {
  QFETCH(bool, atItsBegin);
  Gate& gate = atItsBegin ? beginGate : stepGate;
  const auto scene = test::tower();
  const int before = stepGate.ended;
  Comparison comparison(scene, panes(*scene)), alone(scene, {panes(*scene)[1]});
  comparison.setSecondsPerFrame(60);
  const int free = atItsBegin ? 0 : 3;
  for (int frame = 0; frame < free; ++frame) comparison.step(false), alone.step(false);
  gate.set(true);
  comparison.limitNextFrame(0, 0.05);
  comparison.step(false);
  alone.step(false);
  const RecordPtr ended = comparison.pane(0).current();
  QVERIFY2(ended->statusText.rfind(kEndedByClock, 0) == 0, ended->statusText.c_str());
  QCOMPARE(comparison.history(0).at(free)->bodies[1].position, ended->bodies[1].position);
  QVERIFY(hasAbandonedCalls());
  for (int frame = 0; frame < 5; ++frame) {
    comparison.step(false);
    alone.step(false);
    QCOMPARE(comparison.pane(1).current()->stateHash, alone.pane(0).current()->stateHash);
    QCOMPARE(comparison.pane(0).current()->stateHash, ended->stateHash);
  }
  gate.set(false);
  QTRY_VERIFY(!hasAbandonedCalls());
  const std::lock_guard<std::mutex> lock(stepGate.mutex);
  QCOMPARE(stepGate.ended, before + 1);  // the one that was abandoned; the pane has another
}

void EngineClockTest::withALimitItsMotionIsTheSame() {
  const auto scene = test::tower();
  Comparison limited(scene, panes(*scene)), endless(scene, panes(*scene));
  limited.setSecondsPerFrame(1000);
  for (int frame = 0; frame < 10; ++frame) {
    limited.step(false);
    endless.step(false);
    QCOMPARE(limited.pane(0).current()->stateHash, endless.pane(0).current()->stateHash);
  }
  QVERIFY(!hasAbandonedCalls());
}

QTEST_APPLESS_MAIN(EngineClockTest)
#include "tst_engine_clock.moc"
