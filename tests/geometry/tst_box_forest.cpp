#include <QtTest>
#include <random>

#include "core/geometry/box_forest.inl"
#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"

using namespace touchstone;

static const HostBackend kHost;

/// Owners with a number of items each, some of which are left out.
struct Items {
  std::vector<int> first;
  std::vector<TreeLayout> trees;
  std::vector<Aabb> boxes;
  std::vector<char> takesPart;
  ForestLayout layout;

  explicit Items(const std::vector<int>& counts) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> place(-1, 1);
    for (int count : counts) {
      first.push_back(countOf(takesPart));
      std::vector<Vec3> centres;
      std::vector<int> items;
      for (int item = 0; item < count; ++item) {
        centres.emplace_back(place(random), place(random), place(random));
        takesPart.push_back(random() % 4 > 0 ? 1 : 0);
        if (takesPart.back()) items.push_back(item);
      }
      trees.push_back(layOutTree(centres, items));
    }
    std::vector<PlantedTree> planted;
    for (std::size_t owner = 0; owner < trees.size(); ++owner)
      planted.push_back({&trees[owner], first[owner]});
    first.push_back(countOf(takesPart));
    layout = layOutForest(planted);
  }

  void move(unsigned seed, double extent) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(-1, 1), size(0, extent);
    boxes.assign(takesPart.size(), Aabb());
    for (Aabb& box : boxes) {
      box.low = Vec3(place(random), place(random), place(random));
      box.high = box.low + Vec3(size(random), size(random), size(random));
    }
  }
};

struct BoxOfItem {
  const Aabb* boxes;
  Aabb operator()(int item) const { return boxes[item]; }
};

class BoxForestTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyItemHasOneLeafInTheTreeOfItsOwner();
  void findsWhatBruteForceFindsAfterEachMove();
  void emptyBoxesAreNeverFound();
  void doesNotDependOnTheNumberOfThreads();
  void aForestWithoutTreesIsEmpty();

 private:
  const std::vector<int> m_counts{1, 0, 7, 2, 300, 16, 17, 3, 64, 5};
};

void BoxForestTest::everyItemHasOneLeafInTheTreeOfItsOwner() {
  const Items items(m_counts);
  std::vector<int> leaves(items.takesPart.size(), 0);
  for (std::size_t owner = 0; owner < m_counts.size(); ++owner) {
    const int height = items.layout.treeHeight[owner], first = items.layout.firstLeaf[owner];
    if (height < 0) continue;
    QCOMPARE(first % (1 << height), 0);
    for (int leaf = first; leaf < first + (1 << height); ++leaf) {
      const int item = items.layout.leafItem[leaf];
      if (item < 0) continue;
      QVERIFY(item >= items.first[owner] && item < items.first[owner + 1]);
      ++leaves[item];
    }
  }
  for (std::size_t item = 0; item < leaves.size(); ++item) QCOMPARE(leaves[item], int(items.takesPart[item]));
}

void BoxForestTest::findsWhatBruteForceFindsAfterEachMove() {
  Items items(m_counts);
  BoxForest<HostBackend> forest;
  std::size_t hits = 0;
  for (unsigned move = 1; move < 6; ++move) {
    items.move(move, 0.2 * move);
    forest.place(kHost, items.layout.view(), BoxOfItem{items.boxes.data()});
    for (int owner = 0; owner < int(m_counts.size()); ++owner)
      for (int query : {0, 100, 401}) {
        std::vector<int> found, expected;
        const Aabb& box = items.boxes[query];
        forest.view().forEachOverlap(owner, box, [&](int item) { found.push_back(item); });
        for (int item = items.first[owner]; item < items.first[owner + 1]; ++item)
          if (items.takesPart[item] && overlap(box, items.boxes[item])) expected.push_back(item);
        std::sort(found.begin(), found.end());
        QVERIFY(found == expected);
        hits += found.size();
      }
  }
  QVERIFY(hits > 100);
}

void BoxForestTest::emptyBoxesAreNeverFound() {
  Items items({40});
  items.move(1, 1);
  for (int item = 0; item < 40; item += 2) items.boxes[item] = Aabb();
  BoxForest<HostBackend> forest;
  forest.place(kHost, items.layout.view(), BoxOfItem{items.boxes.data()});
  Aabb bound;
  bound.low = Vec3::Constant(-10);
  bound.high = Vec3::Constant(10);
  int found = 0;
  forest.view().forEachOverlap(0, bound, [&](int item) { found += item % 2 == 1 ? 1 : 1000; });
  QVERIFY(found > 5 && found <= 20);
  forest.view().forEachOverlap(0, Aabb(), [&](int) { QFAIL("an empty box met something"); });
}

void BoxForestTest::doesNotDependOnTheNumberOfThreads() {
  Items items({9000, 20, 4000});
  items.move(3, 0.1);
  const auto found = [&items] {
    BoxForest<HostBackend> forest;
    forest.place(kHost, items.layout.view(), BoxOfItem{items.boxes.data()});
    std::vector<int> order;
    for (int owner = 0; owner < 3; ++owner)
      forest.view().forEachOverlap(owner, items.boxes[77], [&](int item) { order.push_back(item); });
    return order;
  };
  const std::vector<int> many = found();
  QVERIFY(!many.empty());
  const ThreadLimit one(1);
  QVERIFY(found() == many);
}

void BoxForestTest::aForestWithoutTreesIsEmpty() {
  const ForestLayout layout = layOutForest({});
  QCOMPARE(layout.height, 0);
  BoxForest<HostBackend> forest;
  forest.place(kHost, layout.view(), BoxOfItem{nullptr});
  const TreeLayout bare;
  const ForestLayout withoutItems = layOutForest({{&bare, 0}});
  forest.place(kHost, withoutItems.view(), BoxOfItem{nullptr});
  forest.view().forEachOverlap(0, Aabb(), [](int) { QFAIL("there is nothing to find"); });
}

QTEST_APPLESS_MAIN(BoxForestTest)
#include "tst_box_forest.moc"
