#include <QtTest>

#include "core/contact/cpf/batched_pairs.inl"
#include "tests/support/feature_pairs.h"
#include "tests/support/separate_backend.h"

using namespace touchstone;

/// Many pairs at once, as in benchmarks and device checks.
class BatchedPairsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void givesWhatEachPairGivesAlone();
};

void BatchedPairsTest::givesWhatEachPairGivesAlone() {
  const std::vector<PairPath> pairs = test::featurePairs(3000);
  const auto host = makeBatchedPairs(BackendKind::Cpu);
  BatchedPairsOn<test::SeparateBackend> device;
  for (BatchedPairs* engine : {host.get(), static_cast<BatchedPairs*>(&device)}) {
    engine->send(pairs);
    engine->evaluate();
    const std::vector<PairImpulse> results = engine->fetch();
    QCOMPARE(results.size(), pairs.size());
    int active = 0;
    for (std::size_t index = 0; index < pairs.size(); ++index) {
      const PairImpulse alone = evaluatePair(pairs[index]);
      QCOMPARE(results[index].intervalCount, alone.intervalCount);
      QCOMPARE(results[index].activeAtEnd, alone.activeAtEnd);
      for (int k = 0; k < alone.intervalCount; ++k) {
        const PenetrationInterval &a = alone.intervals[k], &b = results[index].intervals[k];
        QVERIFY(a.start == b.start && a.end == b.end && a.impulseClosed == b.impulseClosed);
      }
      active += alone.intervalCount > 0;
    }
    QVERIFY(active > 300 && active < 2700);
  }
}

QTEST_APPLESS_MAIN(BatchedPairsTest)
#include "tst_batched_pairs.moc"
