#include <QtTest>
#include <random>
#include <set>

#include "core/geometry/box_tree.inl"
#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"

using namespace touchstone;

class BoxTreeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void findsThePairsThatBruteForceFinds_data();
  void findsThePairsThatBruteForceFinds();
  void whatMeetsAllComesUponNoSmallBox();
  void doesNotDependOnTheNumberOfThreads();
  void survivesEmptyAndNonFiniteBoxes();
};

static std::vector<Aabb> randomBoxes(int count, double extent, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-1, 1), size(0, extent);
  std::vector<Aabb> boxes(count);
  for (Aabb& box : boxes) {
    box.low = Vec3(place(random), place(random), place(random));
    box.high = box.low + Vec3(size(random), size(random), size(random));
  }
  return boxes;
}

static std::vector<std::pair<int, int>> found(const std::vector<Aabb>& boxes) {
  const HostBackend backend;
  const int count = countOf(boxes);
  BoxTree<HostBackend> tree;
  tree.build(backend, boxes.data(), count);
  List<HostBackend, IndexPair> overlaps;
  tree.findPairs(
      backend, boxes.data(), [](int, int) { return true; }, overlaps);
  std::vector<std::pair<int, int>> pairs;
  for (const IndexPair& pair : overlaps.download(backend)) pairs.emplace_back(pair.first, pair.second);
  return pairs;
}

static std::vector<std::pair<int, int>> allPairs(const std::vector<Aabb>& boxes) {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < countOf(boxes); ++a)
    for (int b = a + 1; b < countOf(boxes); ++b)
      if (overlap(boxes[a], boxes[b])) pairs.emplace_back(a, b);
  return pairs;
}

void BoxTreeTest::findsThePairsThatBruteForceFinds_data() {
  QTest::addColumn<int>("count");
  QTest::addColumn<double>("extent");
  QTest::addColumn<bool>("hasLarge");
  QTest::newRow("none") << 0 << 0.1 << false;
  QTest::newRow("one") << 1 << 0.1 << false;
  QTest::newRow("two") << 2 << 2.0 << false;
  QTest::newRow("sparse") << 300 << 0.02 << false;
  QTest::newRow("dense") << 257 << 0.7 << false;
  QTest::newRow("points") << 100 << 0.0 << false;
  QTest::newRow("large among small") << 3000 << 0.02 << true;
}

void BoxTreeTest::findsThePairsThatBruteForceFinds() {
  QFETCH(int, count);
  QFETCH(double, extent);
  std::vector<Aabb> boxes = randomBoxes(count, extent, 7);
  QFETCH(bool, hasLarge);
  if (hasLarge)
    for (int large : {0, 1500, count - 1}) boxes[large] = {Vec3::Constant(-2), Vec3::Constant(2)};
  QVERIFY(found(boxes) == allPairs(boxes));
}

/// Otherwise one thread would be busy long after all others.
void BoxTreeTest::whatMeetsAllComesUponNoSmallBox() {
  std::vector<Aabb> boxes = randomBoxes(500, 0.1, 5);
  boxes[0] = boxes[99] = {Vec3::Constant(-2), Vec3::Constant(2)};
  BoxTree<HostBackend> tree;
  tree.build(HostBackend(), boxes.data(), 500);
  std::set<int> visited;
  const auto visit = [&](int box) { return visited.insert(box).second; };
  tree.view().forEachOverlap(boxes[0], 0, -1, visit);
  QCOMPARE(visited.size(), std::size_t(500));
  visited.clear();
  tree.view().forEachOverlap(boxes[0], 0, -1, visit, lengthOf(boxes[0]));
  QVERIFY((visited == std::set<int>{0, 99}));
}

void BoxTreeTest::doesNotDependOnTheNumberOfThreads() {
  const std::vector<Aabb> boxes = randomBoxes(2000, 0.1, 3);
  const auto many = found(boxes);
  const ThreadLimit one(1);
  QVERIFY(found(boxes) == many);
  QVERIFY(!many.empty());
}

void BoxTreeTest::survivesEmptyAndNonFiniteBoxes() {
  std::vector<Aabb> boxes = randomBoxes(50, 0.5, 11);
  boxes[3] = Aabb();
  for (int box = 9; box < 45; box += 5)
    boxes[box].high = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  const auto pairs = found(boxes);
  QVERIFY(!pairs.empty());
  QVERIFY(pairs == allPairs(boxes));
  for (const auto& pair : pairs) {
    QVERIFY(pair.first != 3 && pair.second != 3);
    QVERIFY(pair.first != 9 && pair.second != 9);
  }
}

QTEST_APPLESS_MAIN(BoxTreeTest)
#include "tst_box_tree.moc"
