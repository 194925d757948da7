#include <QtTest>
#include <numeric>
#include <random>
#include <set>

#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/solver/newton/newton_rows.inl"
#include "core/solver/rows/island_loops.inl"
#include "tests/support/separate_backend.h"

using namespace touchstone;

namespace {

/// Pairs of touching bodies; −1 for a static body.
struct Touching {
  int bodies;
  std::vector<IndexPair> pairs;
};

/// A plate under 100 boxes, which needs more colours than a word has bits; next to it a chain; all on the
/// ground.
Touching plateAndChain() {
  Touching touching{112, {{-1, 1}}};
  for (int k = 0; k < 100; ++k) touching.pairs.push_back({1, 2 + k});
  for (int k = 100; k + 1 < 110; ++k) touching.pairs.push_back({2 + k, 3 + k});
  for (int k = 100; k < 110; ++k) touching.pairs.push_back({-1, 2 + k});
  return touching;
}

/// A chain whose links touch in the worst order for colours and labels.
Touching chain(int links) {
  Touching touching{links, {}};
  for (int k = 0; k + 1 < links; ++k) touching.pairs.push_back({k, k + 1});
  return touching;
}

/// Heaps of bodies with some pairs each, some of them with the ground.
Touching heaps(int heaps, int bodiesEach, int pairsEach, unsigned seed) {
  Touching touching{heaps * bodiesEach, {}};
  std::mt19937 random(seed);
  std::set<std::pair<int, int>> pairs;
  for (int heap = 0; heap < heaps; ++heap)
    for (int k = 0; k < pairsEach; ++k) {
      const auto pick = [&] { return heap * bodiesEach + static_cast<int>(random() % bodiesEach); };
      const int a = random() % 8 == 0 ? -1 : pick(), b = pick();
      if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
    }
  for (const auto& [a, b] : pairs) touching.pairs.push_back({a, b});
  return touching;
}

/// Sequential reference: each pair gets the lowest colour that is free at both bodies.
std::vector<int> firstFit(const Touching& touching) {
  std::vector<std::set<int>> taken(touching.bodies);
  std::vector<int> colours;
  for (const IndexPair& pair : touching.pairs) {
    const auto isTaken = [&](int colour) {
      return (pair.first >= 0 && taken[pair.first].count(colour)) ||
             (pair.second >= 0 && taken[pair.second].count(colour));
    };
    int colour = 0;
    while (isTaken(colour)) ++colour;
    for (int body : {pair.first, pair.second})
      if (body >= 0) taken[body].insert(colour);
    colours.push_back(colour);
  }
  return colours;
}

/// Island of each body, numbered in the order of the pairs; −1: none.
std::vector<int> flooded(const Touching& touching) {
  std::vector<std::vector<int>> neighbours(touching.bodies);
  for (const IndexPair& pair : touching.pairs)
    if (pair.first >= 0 && pair.second >= 0) {
      neighbours[pair.first].push_back(pair.second);
      neighbours[pair.second].push_back(pair.first);
    }
  std::vector<int> island(touching.bodies, -1);
  int count = 0;
  for (const IndexPair& pair : touching.pairs) {
    std::vector<int> next{pair.first >= 0 ? pair.first : pair.second};
    if (island[next[0]] >= 0) continue;
    island[next[0]] = count;
    while (!next.empty()) {
      const int body = next.back();
      next.pop_back();
      for (int other : neighbours[body])
        if (island[other] < 0) {
          island[other] = count;
          next.push_back(other);
        }
    }
    ++count;
  }
  return island;
}

/// Identifies the reduced items and, as far as a sum can, their order.
struct Trace {
  int count = 0;
  double sum = 0;
  void add(const Trace& o) {
    count += o.count;
    sum += o.sum;
  }
};

/// A plan on a backend, downloaded to the host.
template <class Backend>
struct Made {
  Backend backend;
  SweepPlan<Backend> plan;
  typename Backend::template Array<IndexPair> moving;

  void make(const Touching& touching) {
    backend.upload(touching.pairs.data(), touching.pairs.size(), moving);
    plan.make(backend, touching.bodies, moving.data(), countOf(touching.pairs));
  }
  template <class T>
  std::vector<T> fetched(const T* items, std::size_t count) const {
    return touchstone::fetched(backend, items, count);
  }
  std::vector<int> order() const {
    std::vector<int> order;
    for (const GroupedItem& item : fetched(plan.order(), plan.pairCount())) order.push_back(item.item);
    return order;
  }
  std::vector<int> island() const { return fetched(plan.island(), plan.pairCount()); }
  std::vector<Trace> joined(const std::vector<Trace>& figures) {
    typename Backend::template Array<Trace> own, joins;
    backend.upload(figures.data(), figures.size(), own);
    joins.resize(plan.tree().capacity());
    plan.tree().reduce(backend, static_cast<const Trace*>(own.data()), joins.data());
    const Trace* ofIslands = plan.tree().ofIslands(static_cast<const Trace*>(joins.data()));
    return fetched(ofIslands, plan.islandCount());
  }
};

template <class Backend>
void isThePlanOf(const Touching& touching) {
  Made<Backend> made;
  made.make(touching);
  const std::size_t pairs = touching.pairs.size();
  QCOMPARE(made.plan.pairCount(), static_cast<int>(pairs));
  const std::vector<int> colours = firstFit(touching), islandOfBody = flooded(touching);

  std::vector<int> expected(pairs);
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) { return colours[a] < colours[b]; });
  const std::vector<int> order = made.order();
  QVERIFY(order == expected);
  const std::vector<int>& first = made.plan.firstOfColour();
  QCOMPARE(first.size(), pairs == 0 ? 1 : std::size_t(*std::max_element(colours.begin(), colours.end()) + 2));
  for (int colour = 0; colour + 1 < countOf(first); ++colour)
    for (int place = first[colour]; place < first[colour + 1]; ++place)
      QCOMPARE(colours[order[place]], colour);

  QVERIFY(made.fetched(made.plan.islandOfBody(), islandOfBody.size()) == islandOfBody);
  QCOMPARE(made.plan.islandCount(),
           islandOfBody.empty() ? 0 : *std::max_element(islandOfBody.begin(), islandOfBody.end()) + 1);
  const std::vector<int> island = made.island();
  std::vector<Trace> figures, sums(made.plan.islandCount());
  for (std::size_t place = 0; place < pairs; ++place) {
    const IndexPair& pair = touching.pairs[order[place]];
    QCOMPARE(island[place], islandOfBody[std::max(pair.first, pair.second)]);
    figures.push_back({1, double(place * place)});
    sums[island[place]].add(figures.back());
  }
  const std::vector<Trace> joined = made.joined(figures);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    QCOMPARE(joined[k].count, sums[k].count);
    QCOMPARE(joined[k].sum, sums[k].sum);  // integers: exact in any order
  }
}

}  // namespace

class SweepPlanTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void coloursAreThoseOfOnePairAfterTheOther_data();
  void coloursAreThoseOfOnePairAfterTheOther();
  void aPlanStaysWhileTheSameBodiesTouch();
  void whatAnIslandGetsDependsOnItAlone();
  void loopsOfAnIslandTakeWhatBelongsToIt_data();
  void loopsOfAnIslandTakeWhatBelongsToIt();
};

void SweepPlanTest::coloursAreThoseOfOnePairAfterTheOther_data() {
  QTest::addColumn<bool>("device");
  QTest::addColumn<int>("scene");
  for (const bool device : {false, true}) {
    const char* where = device ? "device" : "host";
    const char* names[] = {"nothing touches", "one pair on the ground", "a plate and a chain",
                           "a long chain",    "many small heaps",       "one heap",
                           "a dense heap",    "islands of all sizes"};
    for (int scene = 0; scene < 8; ++scene) QTest::addRow("%s, %s", names[scene], where) << device << scene;
  }
}

void SweepPlanTest::coloursAreThoseOfOnePairAfterTheOther() {
  QFETCH(bool, device);
  QFETCH(int, scene);
  Touching touching{3, {}};
  if (scene == 1) touching.pairs = {{-1, 2}};
  if (scene == 2) touching = plateAndChain();
  if (scene == 3) touching = chain(1500);
  if (scene == 4) touching = heaps(700, 9, 20, 1);
  if (scene == 5) touching = heaps(1, 3000, 20000, 2);
  if (scene == 6) touching = heaps(1, 40, 600, 3);
  if (scene == 7) {
    for (int size = 1, first = 0; size < 400; size = size * 3 / 2 + 1) {  // chains, one behind the other
      for (int k = 0; k < size; ++k) touching.pairs.push_back({first + k, first + k + 1});
      first += size + 1;
      touching.bodies = first + 1;
    }
  }
  if (device)
    isThePlanOf<test::SeparateBackend>(touching);
  else
    isThePlanOf<HostBackend>(touching);
}

void SweepPlanTest::aPlanStaysWhileTheSameBodiesTouch() {
  Made<test::SeparateBackend> made;
  Touching touching = heaps(3, 20, 60, 4);
  made.make(touching);
  const int number = made.plan.number();
  made.make(touching);
  QCOMPARE(made.plan.number(), number);
  touching.pairs.back().first = -1;  // a body has become static
  made.make(touching);
  QVERIFY(made.plan.number() != number);
  touching.pairs.pop_back();
  const int second = made.plan.number();
  made.make(touching);
  QVERIFY(made.plan.number() != second);
  QCOMPARE(made.plan.pairCount(), countOf(touching.pairs));
}

// The same heap alone, and among others.
void SweepPlanTest::whatAnIslandGetsDependsOnItAlone() {
  const Touching alone = heaps(1, 30, 90, 5);
  Touching among{90, {}};
  for (int replica = 0; replica < 3; ++replica)
    for (IndexPair pair : alone.pairs) {
      if (pair.first >= 0) pair.first += 30 * replica;
      pair.second += 30 * replica;
      among.pairs.push_back(pair);
    }
  const std::vector<int> colours = firstFit(alone);
  Made<test::SeparateBackend> made;
  made.make(among);
  const std::vector<int> order = made.order();
  const std::vector<int>& first = made.plan.firstOfColour();
  for (int colour = 0; colour + 1 < countOf(first); ++colour)
    for (int place = first[colour]; place < first[colour + 1]; ++place)
      QCOMPARE(colour, colours[order[place] % alone.pairs.size()]);
}

void SweepPlanTest::loopsOfAnIslandTakeWhatBelongsToIt_data() {
  QTest::addColumn<int>("pairsOfHeap");
  for (int pairs : {3, 32, 33, 100, kPairsOfGroup}) QTest::addRow("%d pairs", pairs) << pairs;
}

// Loops over all islands, and over one island at a time: the same items, and the same bits of sums.
void SweepPlanTest::loopsOfAnIslandTakeWhatBelongsToIt() {
  QFETCH(int, pairsOfHeap);
  Touching touching = heaps(6, 40, pairsOfHeap, 6);
  for (int size = 1; size < 400; size *= 7) {  // chains, some of them large
    const int first = touching.bodies;
    for (int k = 0; k < size; ++k) touching.pairs.push_back({first + k, first + k + 1});
    touching.bodies += size + 1;
  }
  Made<HostBackend> made;
  made.make(touching);
  const SweepPlan<HostBackend>& plan = made.plan;
  const int pairs = plan.pairCount();
  QVERIFY(plan.largeCount() == 1 && plan.islandCount() > 8);

  std::vector<RowPair> rowPairs(pairs);
  int rows = 0;
  for (int place = 0; place < pairs; ++place) {
    const IndexPair& bodies = touching.pairs[plan.order()[place].item];
    rowPairs[place] = {bodies.first, bodies.second, rows, place % 5, 0, 0, plan.island()[place]};
    rows += rowPairs[place].count;
  }
  const detail::FirstPlaces listed = plan.tree().firstPlaces();
  std::vector<int> firstRow(pairs + 1), running(plan.islandCount(), 1);
  std::vector<RowPlace> places(rows);
  forEach(made.backend, pairs, detail::CountRowsOfPair{listed.places, rowPairs.data(), firstRow.data()});
  sumCounts(made.backend, pairs, firstRow.data());
  QCOMPARE(firstRow.back(), rows);
  forEach(made.backend, pairs,
          detail::PlaceRows{listed.places, rowPairs.data(), firstRow.data(), places.data()});

  using Sum = RowSums<1>;
  std::vector<Sum> figures(pairs), joins(plan.tree().capacity()), own(plan.tree().capacity());
  for (int place = 0; place < pairs; ++place) figures[place].values[0] = 1 / (1.0 + place);
  plan.tree().reduce(made.backend, static_cast<const Sum*>(figures.data()), joins.data());
  const Sum* ofAll = plan.tree().ofIslands(joins.data());

  const detail::IslandLists lists{listed.places,         listed.first,    plan.bodies().items(),
                                  plan.bodies().first(), firstRow.data(), plan.order(),
                                  plan.tree().one(),     plan.isLarge(),  running.data()};
  std::vector<int> bodySeen(touching.bodies), pairSeen(pairs), colourSeen(pairs), rowSeen(rows);
  for (int island = 0; island < plan.islandCount(); ++island) {
    const SerialGroup group;
    const IslandLoops<SerialGroup> loops(group, lists, island);
    QVERIFY(loops.isRunning());
    loops.eachBody([&](int body) { bodySeen[body] += plan.islandOfBody()[body] == island ? 1 : 100; });
    loops.eachPair([&](int place) { pairSeen[place] += plan.island()[place] == island ? 1 : 100; });
    loops.eachRow([&](int row) { rowSeen[places[row].row] += places[row].island == island ? 1 : 100; });
    int last = -1;
    loops.eachColour([&](int place) {
      colourSeen[place] += plan.island()[place] == island && place > last ? 1 : 100;
      last = place;
    });
    loops.eachIsland([&](int each) { QCOMPARE(each, island); });
    if (!plan.isLarge()[island])
      QCOMPARE(loops.reduce(static_cast<const Sum*>(figures.data()), own.data())[island].values[0],
               ofAll[island].values[0]);
  }
  const auto isOnce = [](int times) { return times == 1; };
  QVERIFY(std::all_of(pairSeen.begin(), pairSeen.end(), isOnce));
  QVERIFY(std::all_of(colourSeen.begin(), colourSeen.end(), isOnce));
  QVERIFY(std::all_of(rowSeen.begin(), rowSeen.end(), isOnce));
  for (int body = 0; body < touching.bodies; ++body)
    QCOMPARE(bodySeen[body], plan.islandOfBody()[body] >= 0 ? 1 : 0);
}

QTEST_APPLESS_MAIN(SweepPlanTest)
#include "tst_sweep_plan.moc"
