#include <QtTest>
#include <cmath>
#include <set>

#include "core/record/step_record.h"

using namespace touchstone;

class QuantitiesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theTableFollowsTheEnumeration();
  void keysAndColumnsAreUniqueAndFitForFiles();
  void aColumnIsTheKeyWithItsUnit();
  void everyQuantityIsExplained();
  void valuesStartAbsent();
  void statusesHaveNames();
};

void QuantitiesTest::theTableFollowsTheEnumeration() {
  QCOMPARE(quantityTable().size(), kQuantityCount);
  for (int index = 0; index < kQuantityCount; ++index) {
    const auto quantity = static_cast<Quantity>(index);
    QVERIFY(quantityTable()[index].quantity == quantity);
    QVERIFY(&quantityInfo(quantity) == &quantityTable()[index]);
  }
}

void QuantitiesTest::keysAndColumnsAreUniqueAndFitForFiles() {
  std::set<std::string> keys, columns;
  for (const QuantityInfo& info : quantityTable()) {
    keys.insert(info.key);
    columns.insert(info.column);
    QVERIFY2(info.column.find_first_not_of(
                 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos,
             info.column.c_str());
  }
  QCOMPARE(keys.size(), quantityTable().size());
  QCOMPARE(columns.size(), quantityTable().size());
}

void QuantitiesTest::aColumnIsTheKeyWithItsUnit() {
  for (const QuantityInfo& info : quantityTable()) {
    QVERIFY2(info.column.rfind(info.key, 0) == 0, info.column.c_str());
    QVERIFY2((info.column == info.key) == info.unit.empty(), info.column.c_str());
  }
}

void QuantitiesTest::everyQuantityIsExplained() {
  for (const QuantityInfo& info : quantityTable()) {
    QVERIFY2(!info.label.empty() && !info.symbol.empty(), info.key.c_str());
    QVERIFY2(info.help.size() > 20 && info.help.back() == '.', info.key.c_str());
  }
}

void QuantitiesTest::valuesStartAbsent() {
  const QuantityValues values;
  for (double value : values.values) QVERIFY(std::isnan(value));
}

void QuantitiesTest::statusesHaveNames() {
  QCOMPARE(std::string(toString(StepStatus::Ok)), std::string("ok"));
  QCOMPARE(std::string(toString(StepStatus::NotConverged)), std::string("not converged"));
  QCOMPARE(std::string(toString(StepStatus::NoSolution)), std::string("no solution"));
  QCOMPARE(std::string(toString(StepStatus::Diverged)), std::string("diverged"));
  QCOMPARE(std::string(toString(StepStatus::Stopped)), std::string("stopped"));
}

QTEST_APPLESS_MAIN(QuantitiesTest)
#include "tst_quantities.moc"
