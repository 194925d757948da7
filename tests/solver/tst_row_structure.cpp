#include <QtTest>
#include <numeric>
#include <random>
#include <set>

#include "core/math/count.h"
#include "core/parallel/host_backend.h"
#include "core/solver/newton/newton_rows.inl"
#include "core/solver/table/island_loops.inl"
#include "tests/support/separate_backend.h"

using namespace touchstone;

namespace {

/// Blocks of rows by their carriers, ascending.
struct Touching {
  int bodies;
  std::vector<std::vector<int>> blocks;
  /// Bodies of a pair, −1 in the place of one that does not move.
  void add(int a, int b) {
    std::vector<int> carriers;
    for (const int body : {a, b})
      if (body >= 0) carriers.push_back(body);
    blocks.push_back(carriers);
  }
};

/// A plate under 100 boxes, which needs more colours than a word has bits; next to it a chain; all on the
/// ground.
Touching plateAndChain() {
  Touching touching{112, {{1}}};
  for (int k = 0; k < 100; ++k) touching.add(1, 2 + k);
  for (int k = 100; k + 1 < 110; ++k) touching.add(2 + k, 3 + k);
  for (int k = 100; k < 110; ++k) touching.add(-1, 2 + k);
  return touching;
}

/// A chain whose links touch in the worst order for colours and labels.
Touching chain(int links) {
  Touching touching{links, {}};
  for (int k = 0; k + 1 < links; ++k) touching.add(k, k + 1);
  return touching;
}

/// Blocks of up to 24 carriers, as contacts between surfaces that deform have.
Touching surfaces(int bodies, int blocks, unsigned seed) {
  Touching touching{bodies, {}};
  std::mt19937 random(seed);
  for (int block = 0; block < blocks; ++block) {
    std::set<int> carriers;
    const int count = 1 + static_cast<int>(random() % 24), first = static_cast<int>(random() % bodies);
    for (int k = 0; k < count; ++k)
      carriers.insert(std::min(bodies - 1, first + static_cast<int>(random() % 40)));
    touching.blocks.emplace_back(carriers.begin(), carriers.end());
  }
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
  for (const auto& [a, b] : pairs) touching.add(a, b);
  return touching;
}

/// Sequential reference: each block gets the lowest colour that is free at all its carriers.
std::vector<int> firstFit(const Touching& touching) {
  std::vector<std::set<int>> taken(touching.bodies);
  std::vector<int> colours;
  for (const std::vector<int>& carriers : touching.blocks) {
    const auto isTaken = [&](int colour) {
      return std::any_of(carriers.begin(), carriers.end(),
                         [&](int carrier) { return taken[carrier].count(colour) > 0; });
    };
    int colour = 0;
    while (isTaken(colour)) ++colour;
    for (const int carrier : carriers) taken[carrier].insert(colour);
    colours.push_back(colour);
  }
  return colours;
}

/// Island of each carrier, numbered in the order of the blocks; −1: none.
std::vector<int> flooded(const Touching& touching) {
  std::vector<std::vector<int>> neighbours(touching.bodies);
  for (const std::vector<int>& carriers : touching.blocks)
    for (const int carrier : carriers)
      neighbours[carrier].insert(neighbours[carrier].end(), carriers.begin(), carriers.end());
  std::vector<int> island(touching.bodies, -1);
  int count = 0;
  for (const std::vector<int>& carriers : touching.blocks) {
    std::vector<int> next{carriers[0]};
    if (island[next[0]] >= 0) continue;
    island[next[0]] = count;
    while (!next.empty()) {
      const int carrier = next.back();
      next.pop_back();
      for (int other : neighbours[carrier])
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

/// A structure on a backend, downloaded to the host.
template <class Backend>
struct Made {
  Backend backend;
  RowStructure<Backend> plan;
  typename Backend::template Array<RowBlock> blocks;
  typename Backend::template Array<int> carriers;

  void make(const Touching& touching) {
    std::vector<RowBlock> blocksHere;
    std::vector<int> carriersHere;
    for (const std::vector<int>& block : touching.blocks) {
      blocksHere.push_back(RowBlock{});
      blocksHere.back().firstCarrier = countOf(carriersHere);
      blocksHere.back().carrierCount = countOf(block);
      carriersHere.insert(carriersHere.end(), block.begin(), block.end());
      carriersHere.push_back(-1);  // a place that no block uses
    }
    backend.upload(blocksHere.data(), blocksHere.size(), blocks);
    backend.upload(carriersHere.data(), carriersHere.size(), carriers);
    plan.make(backend, touching.bodies, blocks.data(), countOf(blocksHere), carriers.data(),
              countOf(carriersHere));
  }
  template <class T>
  std::vector<T> fetched(const T* items, std::size_t count) const {
    return touchstone::fetched(backend, items, count);
  }
  std::vector<int> order() const {
    std::vector<int> order;
    for (const GroupedItem& item : fetched(plan.order(), plan.blockCount())) order.push_back(item.item);
    return order;
  }
  std::vector<int> island() const { return fetched(plan.island(), plan.blockCount()); }
  std::vector<Trace> joined(const std::vector<Trace>& figures) {
    typename Backend::template Array<Trace> sent, joins;
    backend.upload(figures.data(), figures.size(), sent);
    joins.resize(plan.tree().capacity());
    plan.tree().reduce(backend, static_cast<const Trace*>(sent.data()), joins.data());
    const Trace* ofIslands = plan.tree().ofIslands(static_cast<const Trace*>(joins.data()));
    return fetched(ofIslands, plan.islandCount());
  }
};

template <class Backend>
void isThePlanOf(const Touching& touching) {
  Made<Backend> made;
  made.make(touching);
  const std::size_t pairs = touching.blocks.size();
  QCOMPARE(made.plan.blockCount(), static_cast<int>(pairs));
  const std::vector<int> colours = firstFit(touching), islandOfCarrier = flooded(touching);

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

  QVERIFY(made.fetched(made.plan.islandOfCarrier(), islandOfCarrier.size()) == islandOfCarrier);
  QCOMPARE(
      made.plan.islandCount(),
      islandOfCarrier.empty() ? 0 : *std::max_element(islandOfCarrier.begin(), islandOfCarrier.end()) + 1);
  const std::vector<int> island = made.island();
  std::vector<Trace> figures, sums(made.plan.islandCount());
  for (std::size_t place = 0; place < pairs; ++place) {
    QCOMPARE(island[place], islandOfCarrier[touching.blocks[order[place]].front()]);
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

class RowStructureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void coloursAreThoseOfOneBlockAfterTheOther_data();
  void coloursAreThoseOfOneBlockAfterTheOther();
  void aStructureStaysWhileTheSameBodiesTouch();
  void whatAnIslandGetsDependsOnItAlone();
  void loopsOfAnIslandTakeWhatBelongsToIt_data();
  void loopsOfAnIslandTakeWhatBelongsToIt();
};

void RowStructureTest::coloursAreThoseOfOneBlockAfterTheOther_data() {
  QTest::addColumn<bool>("device");
  QTest::addColumn<int>("scene");
  for (const bool device : {false, true}) {
    const char* where = device ? "device" : "host";
    const char* names[] = {"nothing touches",     "one pair on the ground", "a plate and a chain",
                           "a long chain",        "many small heaps",       "one heap",
                           "a dense heap",        "islands of all sizes",   "blocks of many carriers",
                           "many islands of such"};
    for (int scene = 0; scene < 10; ++scene) QTest::addRow("%s, %s", names[scene], where) << device << scene;
  }
}

void RowStructureTest::coloursAreThoseOfOneBlockAfterTheOther() {
  QFETCH(bool, device);
  QFETCH(int, scene);
  Touching touching{3, {}};
  if (scene == 1) touching.blocks = {{2}};
  if (scene == 2) touching = plateAndChain();
  if (scene == 3) touching = chain(1500);
  if (scene == 4) touching = heaps(700, 9, 20, 1);
  if (scene == 5) touching = heaps(1, 3000, 20000, 2);
  if (scene == 6) touching = heaps(1, 40, 600, 3);
  if (scene == 7) {
    for (int size = 1, first = 0; size < 400; size = size * 3 / 2 + 1) {  // chains, one behind the other
      for (int k = 0; k < size; ++k) touching.add(first + k, first + k + 1);
      first += size + 1;
      touching.bodies = first + 1;
    }
  }
  if (scene == 8) touching = surfaces(300, 400, 7);
  if (scene == 9) touching = surfaces(20000, 900, 8);
  if (device)
    isThePlanOf<test::SeparateBackend>(touching);
  else
    isThePlanOf<HostBackend>(touching);
}

void RowStructureTest::aStructureStaysWhileTheSameBodiesTouch() {
  Made<test::SeparateBackend> made;
  Touching touching = heaps(3, 20, 60, 4);
  made.make(touching);
  const int number = made.plan.number();
  made.make(touching);
  QCOMPARE(made.plan.number(), number);
  touching.blocks.back().resize(1);  // a body has become static
  made.make(touching);
  QVERIFY(made.plan.number() != number);
  touching.blocks.pop_back();
  const int second = made.plan.number();
  made.make(touching);
  QVERIFY(made.plan.number() != second);
  QCOMPARE(made.plan.blockCount(), countOf(touching.blocks));
}

// The same heap alone, and among others.
void RowStructureTest::whatAnIslandGetsDependsOnItAlone() {
  const Touching alone = heaps(1, 30, 90, 5);
  Touching among{90, {}};
  for (int replica = 0; replica < 3; ++replica)
    for (std::vector<int> block : alone.blocks) {
      for (int& carrier : block) carrier += 30 * replica;
      among.blocks.push_back(block);
    }
  const std::vector<int> colours = firstFit(alone);
  Made<test::SeparateBackend> made;
  made.make(among);
  const std::vector<int> order = made.order();
  const std::vector<int>& first = made.plan.firstOfColour();
  for (int colour = 0; colour + 1 < countOf(first); ++colour)
    for (int place = first[colour]; place < first[colour + 1]; ++place)
      QCOMPARE(colour, colours[order[place] % alone.blocks.size()]);
}

void RowStructureTest::loopsOfAnIslandTakeWhatBelongsToIt_data() {
  QTest::addColumn<int>("pairsOfHeap");
  for (int pairs : {3, 32, 33, 100, kBlocksOfGroup}) QTest::addRow("%d pairs", pairs) << pairs;
}

// Loops over all islands, and over one island at a time: the same items, and the same bits of sums.
void RowStructureTest::loopsOfAnIslandTakeWhatBelongsToIt() {
  QFETCH(int, pairsOfHeap);
  Touching touching = heaps(6, 40, pairsOfHeap, 6);
  for (int size = 1; size < 400; size *= 7) {  // chains, some of them large
    const int first = touching.bodies;
    for (int k = 0; k < size; ++k) touching.add(first + k, first + k + 1);
    touching.bodies += size + 1;
  }
  Made<HostBackend> made;
  made.make(touching);
  const RowStructure<HostBackend>& plan = made.plan;
  const int pairs = plan.blockCount();
  QVERIFY(plan.largeCount() == 1 && plan.islandCount() > 8);

  std::vector<RowBlock> blocks(pairs, RowBlock{});
  std::vector<RowUnit> units;
  for (int place = 0; place < pairs; ++place) {
    blocks[place].firstUnit = countOf(units);
    blocks[place].unitCount = place % 5;
    blocks[place].island = plan.island()[place];
    for (int k = 0; k < place % 5; ++k) units.push_back({place, 0, 0, 0, 0});
  }
  RowsView table{};
  table.blocks = blocks.data();
  table.units = units.data();
  const int unitCount = countOf(units);
  const detail::FirstPlaces listed = plan.tree().firstPlaces();
  std::vector<int> firstUnit(pairs + 1), running(plan.islandCount(), 1);
  std::vector<RowPlace> places(unitCount);
  forEach(made.backend, pairs, detail::CountUnitsOfBlock{listed.places, blocks.data(), firstUnit.data()});
  sumCounts(made.backend, pairs, firstUnit.data());
  QCOMPARE(firstUnit.back(), unitCount);
  forEach(made.backend, pairs, detail::PlaceUnits{listed.places, table, firstUnit.data(), places.data()});

  using Sum = RowSums<1>;
  std::vector<Sum> figures(pairs), joins(plan.tree().capacity()), ofOne(plan.tree().capacity());
  for (int place = 0; place < pairs; ++place) figures[place].values[0] = 1 / (1.0 + place);
  plan.tree().reduce(made.backend, static_cast<const Sum*>(figures.data()), joins.data());
  const Sum* ofAll = plan.tree().ofIslands(joins.data());

  const Grouping<HostBackend>& carriers = plan.carriersOfIslands();
  const detail::IslandLists lists{listed.places,     listed.first,     carriers.items(),
                                  carriers.first(),  firstUnit.data(), plan.order(),
                                  plan.tree().one(), plan.isLarge(),   running.data()};
  std::vector<int> carrierSeen(touching.bodies), blockSeen(pairs), colourSeen(pairs), unitSeen(unitCount);
  for (int island = 0; island < plan.islandCount(); ++island) {
    const SerialGroup group;
    const IslandLoops<SerialGroup> loops(group, lists, island);
    QVERIFY(loops.isRunning());
    loops.eachCarrier(
        [&](int carrier) { carrierSeen[carrier] += plan.islandOfCarrier()[carrier] == island ? 1 : 100; });
    loops.eachBlock([&](int place) { blockSeen[place] += plan.island()[place] == island ? 1 : 100; });
    loops.eachUnit(
        [&](int place) { unitSeen[places[place].number] += places[place].island == island ? 1 : 100; });
    int last = -1;
    loops.eachColour([&](int place) {
      colourSeen[place] += plan.island()[place] == island && place > last ? 1 : 100;
      last = place;
    });
    loops.eachIsland([&](int each) { QCOMPARE(each, island); });
    if (!plan.isLarge()[island])
      QCOMPARE(loops.reduce(static_cast<const Sum*>(figures.data()), ofOne.data())[island].values[0],
               ofAll[island].values[0]);
  }
  const auto isOnce = [](int times) { return times == 1; };
  QVERIFY(std::all_of(blockSeen.begin(), blockSeen.end(), isOnce));
  QVERIFY(std::all_of(colourSeen.begin(), colourSeen.end(), isOnce));
  QVERIFY(std::all_of(unitSeen.begin(), unitSeen.end(), isOnce));
  for (int carrier = 0; carrier < touching.bodies; ++carrier)
    QCOMPARE(carrierSeen[carrier], plan.islandOfCarrier()[carrier] >= 0 ? 1 : 0);
}

QTEST_APPLESS_MAIN(RowStructureTest)
#include "tst_row_structure.moc"
