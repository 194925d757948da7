#include <QtTest>

#include "app/session/session.h"
#include "app/session/view_ranges.h"
#include "widgets/views/scalar_scaling.h"

using namespace touchstone;

/// The scales that all views share.
class ViewRangesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void aScaleCoversWhatIsShown();
  void anImpactLeavesTheScaleLargerForAWhile();
  void aBlowHidesArrowsForAShortTimeOnly();
  void aMomentHasTheSameScaleHoweverItWasReached();
  void distancesAreFromTheReferencePane();

 private:
  static constexpr long kFrames = 400;
  SharedRanges at(long frame, int reference = 0) {
    m_session.seek(frame);
    return m_ranges.atCursor(reference);
  }
  double deepest(long frame) const {
    double depth = 0;
    for (const History& history : m_session.histories())
      depth = std::max(depth, deepestOverlap(*history.at(frame)));
    return depth;
  }
  long frameOfDeepest() const {
    long found = 0;
    for (long frame = 0; frame <= kFrames; ++frame)
      if (deepest(frame) > deepest(found)) found = frame;
    return found;
  }

  Session m_session;
  ViewRanges m_ranges{m_session};
};

void ViewRangesTest::initTestCase() {
  constexpr int kPatience = 60000;  // ms; a limit for a hanging program, not a waiting time
  m_session.open(QStringLiteral(TS_SOURCE_DIR "/datasets/scenes/resting-box.json"), {"dpf", "lcp"});
  QTRY_VERIFY_WITH_TIMEOUT(m_session.scene() != nullptr, kPatience);
  m_session.setSpeed(0);
  m_session.run(kFrames * m_session.dt());
  QTRY_COMPARE_WITH_TIMEOUT(m_session.lastFrame(), kFrames, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(!m_session.isRunning(), kPatience);
}

void ViewRangesTest::aScaleCoversWhatIsShown() {
  const long impact = frameOfDeepest();
  QVERIFY(deepest(impact) > 1e-3);
  QCOMPARE(at(impact).depth, deepest(impact));
  QVERIFY(at(impact).force > 0);
}

void ViewRangesTest::anImpactLeavesTheScaleLargerForAWhile() {
  const long impact = frameOfDeepest();
  const double after = at(impact + 10).depth;
  QVERIFY(after > deepest(impact + 10) && after < deepest(impact));
  QCOMPARE(at(0).depth, 0.0);
}

void ViewRangesTest::aBlowHidesArrowsForAShortTimeOnly() {
  constexpr long kTenthOfASecond = 50;  // frames
  long blow = 0;
  for (long frame = 0; frame <= kFrames - kTenthOfASecond; ++frame)
    if (at(frame).force > at(blow).force) blow = frame;
  QVERIFY(at(blow).force > 0);
  double since = 0;  // largest force of the frames between
  for (long frame = blow + 1; frame <= blow + kTenthOfASecond; ++frame)
    for (const History& history : m_session.histories())
      since = std::max(since, largestForce(*history.at(frame)));
  QVERIFY(at(blow + kTenthOfASecond).force <= std::max(since, 0.1 * at(blow).force));
}

void ViewRangesTest::aMomentHasTheSameScaleHoweverItWasReached() {
  const long moment = frameOfDeepest() + 20;
  const SharedRanges first = at(moment);
  for (long elsewhere : {0L, kFrames, moment - 1, moment, moment}) {
    at(elsewhere);
    const SharedRanges again = at(moment);
    QCOMPARE(again.depth, first.depth);
    QCOMPARE(again.force, first.force);
    QCOMPARE(again.distance, first.distance);
  }
  QCOMPARE(ViewRanges(m_session).atCursor(0).depth, first.depth);
}

void ViewRangesTest::distancesAreFromTheReferencePane() {
  const double apart = at(kFrames).distance;
  QVERIFY(apart > 0);
  QCOMPARE(at(kFrames, 1).distance, apart);  // either of two panes may be the reference
  QCOMPARE(at(0).distance, 0.0);
}

QTEST_MAIN(ViewRangesTest)
#include "tst_view_ranges.moc"
