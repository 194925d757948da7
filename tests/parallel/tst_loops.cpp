#include <QDeadlineTimer>
#include <QtTest>
#include <atomic>
#include <random>

#include "core/geometry/box_tree.inl"
#include "core/math/count.h"
#include "core/parallel/device/deferred_lists.h"
#include "core/parallel/group_sums.h"
#include "core/parallel/host_backend.h"
#include "core/parallel/parallel_for.h"
#include "core/parallel/sum.h"
#include "core/parallel/thread_group.h"
#include "tests/support/separate_backend.h"

using namespace touchstone;

/// The few basic operations of all code on a backend.
class LoopsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void forEachVisitsEveryIndexOnce_data();
  void forEachVisitsEveryIndexOnce();
  void twoLongItemsRunAtTheSameTime();
  void offsetsAreTheSumsBefore();
  void offsetsOfAnyNumberAreTheSameOnADevice();
  void aSelectionHoldsTheIndicesInOrder();
  void sortingKeepsTheOrderOfEqualElements();
  void reducingFindsTheLargest();
  void reducingWithNotANumberGivesNotANumber();
  void reducingAnyNumberOnADeviceFindsTheLargest();
  void sumsOfRowsAreTheSameBitsOnAnyBackend();
  void groupsOfAnySizeAreSummedInTheOrderOfTheirItems();
  void aGroupIsAsWideAsLetsAllRunAtOnce_data();
  void aGroupIsAsWideAsLetsAllRunAtOnce();
  void boxesOfDifferentGroupsNeverMeet();
  void boxesOfOneClusterAreNotLookedFor();
  void manyHitsOfOneQueryComeSorted();
  void treesOfAnySizeFindTheSameOnADevice();
  void aDeferredListThatOverflowsIsEmptyAndGrows();
  void deferredListsAreConcatenatedAndSortedWithinTheirLength();
  void aRepeatedSequenceSeesWhatItsListsHoldNow();
};

namespace {

const HostBackend kHost;
const test::SeparateBackend kDevice;
constexpr int kSizes[] = {0, 1, 2, 127, 128, 5000, 20000};  // both sides of every threshold
// Sizes around those of partial sums, and of the largest group of a device.
constexpr int kSizesOfGroups[] = {0, 1, 31, 32, 33, 1000, 1024, 1025, 2047, 2048, 2049, 65536, 65537, 70000};

struct AddOne {
  int* counts;
  void operator()(int index) const { ++counts[index]; }
};
struct IsThird {
  bool operator()(int index) const { return index % 3 == 1; }
};
struct Keyed {
  int key, place;
};
struct ByKey {
  bool operator()(const Keyed& a, const Keyed& b) const { return a.key < b.key; }
  static Keyed last() { return {1 << 30, -1}; }
};
struct GroupOfItem {
  const int* groups;
  int operator()(int item) const { return groups[item]; }
};
struct TermOfItem {
  using Sum = double;
  const GroupedItem* items;
  const double* terms;
  int unwanted;
  bool isWanted(int group) const { return group != unwanted; }
  double operator()(int, int place) const { return terms[items[place].item]; }
};
struct WriteSum {
  double* out;
  void operator()(int group, double sum) const { out[group] = sum; }
};
using Planned = DeferredLists<test::SeparateBackend>;
struct NoteTotal {
  const int* total;
  int* out;
  void operator()(int) const { *out = *total; }
};
struct IsBelow {
  const int* limit;
  bool operator()(int index) const { return index < *limit; }
};
struct WriteKey {
  const int* indices;
  Keyed* out;
  void operator()(int place) const { out[place] = {(indices[place] * 7) % 11, place}; }
};
struct Max {
  double operator()(double a, double b) const { return a > b ? a : b; }
};
struct Always {
  bool operator()(int, int) const { return true; }
};
struct GroupBy : NoOwner {
  int count;
  explicit GroupBy(int count) : count(count) {}
  bool isGrouped() const { return count > 1; }
  int group(int box) const { return box % count; }
};
/// Bodies of ten boxes each, all in one place or scattered.
struct BodyOf : NoOwner {
  const std::vector<Aabb>* boxes;
  explicit BodyOf(const std::vector<Aabb>& boxes) : boxes(&boxes) {}
  int cluster(int box) const { return box / 10; }
  Vec3 clusterCentre(int box) const { return (*boxes)[box / 10 * 10].low; }
};

Aabb unitBox(double x) {
  Aabb box;
  box.add(Vec3(x, 0, 0));
  box.add(Vec3(x + 1, 1, 1));
  return box;
}

}  // namespace

void LoopsTest::forEachVisitsEveryIndexOnce_data() {
  QTest::addColumn<int>("size");
  QTest::addColumn<bool>("heavy");
  for (int size : kSizes) {
    QTest::addRow("%d light", size) << size << false;
    QTest::addRow("%d heavy", size) << size << true;
  }
}

void LoopsTest::forEachVisitsEveryIndexOnce() {
  QFETCH(int, size);
  QFETCH(bool, heavy);
  std::vector<int> counts(size, 0);
  forEach(kHost, size, AddOne{counts.data()}, heavy ? Work::Heavy : Work::Light);
  QVERIFY(std::all_of(counts.begin(), counts.end(), [](int count) { return count == 1; }));
}

void LoopsTest::twoLongItemsRunAtTheSameTime() {
  if (threadCount() < 2) QSKIP("this machine has one processor");
  std::atomic<int> begun{0};
  std::atomic<bool> met{true};
  parallelFor(
      2,
      [&](int) {
        ++begun;
        const QDeadlineTimer patience(30000);  // only a sequential loop needs that long
        while (begun < 2 && met)
          if (patience.hasExpired()) met = false;
      },
      Work::Long);
  QVERIFY(met);
}

void LoopsTest::offsetsAreTheSumsBefore() {
  std::vector<int> counts = {3, 0, 0, 5, 1, 99};
  QCOMPARE(offsetsOf(kHost, 5, counts.data()), 9);
  QVERIFY((counts == std::vector<int>{0, 3, 3, 3, 8, 9}));
  std::vector<int> none = {7};
  QCOMPARE(offsetsOf(kHost, 0, none.data()), 0);
  QCOMPARE(none[0], 0);
}

void LoopsTest::offsetsOfAnyNumberAreTheSameOnADevice() {
  std::mt19937 random(11);
  for (const int size : kSizesOfGroups) {
    std::vector<int> counts(size + 1, 12345), expected;
    int total = 0;
    for (int index = 0; index < size; ++index) {
      expected.push_back(total);
      total += counts[index] = static_cast<int>(random() % 5);
    }
    expected.push_back(total);
    test::SeparateBackend::Array<int> there, noted;
    kDevice.upload(counts.data(), counts.size(), there);
    noted.resize(1);
    sumCounts(kDevice, size, there.data(), NoteTotal{there.data() + size, noted.data()});
    QVERIFY2(fetched(kDevice, there.data(), counts.size()) == expected, qPrintable(QString::number(size)));
    QCOMPARE(fetched(kDevice, noted.data(), 1).front(), total);
    QCOMPARE(offsetsOf(kHost, size, counts.data()), total);
    QVERIFY(counts == expected);
  }
}

void LoopsTest::aSelectionHoldsTheIndicesInOrder() {
  for (int size : kSizes) {
    Selection<HostBackend> selection;
    std::vector<int> expected;
    for (int index = 0; index < size; ++index)
      if (index % 3 == 1) expected.push_back(index);
    QVERIFY(selection.select(kHost, {size, nullptr}, IsThird(), Work::Heavy).download(kHost) == expected);
  }
}

void LoopsTest::sortingKeepsTheOrderOfEqualElements() {
  std::mt19937 random(5);
  for (int size : kSizes) {
    std::vector<Keyed> data(size);
    for (int place = 0; place < size; ++place) data[place] = {static_cast<int>(random() % 17), place};
    stableSort(kHost, data.data(), size, ByKey());
    for (int place = 1; place < size; ++place) {
      const Keyed &a = data[place - 1], &b = data[place];
      QVERIFY(a.key < b.key || (a.key == b.key && a.place < b.place));
    }
  }
}

void LoopsTest::reducingFindsTheLargest() {
  std::vector<double> values(5000);
  for (std::size_t index = 0; index < values.size(); ++index)
    values[index] = std::sin(static_cast<double>(index));
  values[3210] = 2;
  std::vector<double> capacity;
  QCOMPARE(reduced(kHost, values.data(), 5000, -1.0, Max(), capacity), 2.0);
  QCOMPARE(reduced(kHost, values.data(), 0, -1.0, Max(), capacity), -1.0);
}

void LoopsTest::reducingWithNotANumberGivesNotANumber() {
  const double none = std::nan(""), infinity = HUGE_VAL;
  for (const double a : {none, 1.0, -infinity, infinity})
    for (const double b : {none, 2.0}) {
      const bool isNone = std::isnan(a) || std::isnan(b);
      QCOMPARE(std::isnan(Larger()(a, b)), isNone);
      QCOMPARE(std::isnan(Smaller()(b, a)), isNone);
    }
}

void LoopsTest::reducingAnyNumberOnADeviceFindsTheLargest() {
  for (const int size : kSizesOfGroups) {
    for (const int largest : {0, size / 2, size - 1}) {
      if (size == 0) continue;
      std::vector<int> values(size);
      for (int index = 0; index < size; ++index) values[index] = index % 97;
      values[largest] = 1000;
      test::SeparateBackend::Array<int> there;
      kDevice.upload(values.data(), values.size(), there);
      test::SeparateBackend::Array<int> capacity;
      const int* const data = there.data();
      QCOMPARE(reduced(kDevice, data, size, -1, Larger(), capacity), 1000);
      QCOMPARE(reduced(kDevice, data, size, 2000, Larger(), capacity), 2000);
      QVERIFY(fetched(kDevice, data, values.size()) == values);
      const int* result = reducedOnDevice(kDevice, there.data(), size, Larger());
      QCOMPARE(fetched(kDevice, result, 1).front(), 1000);
    }
  }
}

void LoopsTest::sumsOfRowsAreTheSameBitsOnAnyBackend() {
  constexpr int kRows = 3;
  const auto rowSums = [](const auto& backend, int count, const std::vector<double>& terms) {
    using Backend = std::decay_t<decltype(backend)>;
    typename Backend::template Array<double> capacity, out;
    std::vector<double> filled = terms;
    filled.resize(kRows * scratchForSum(count));
    backend.upload(filled.data(), filled.size(), capacity);
    out.resize(kRows);
    sumOnDevice(backend, capacity.data(), kRows, count, out.data());
    std::vector<double> sums(kRows);
    backend.download(out.data(), kRows, sums.data());
    return sums;
  };
  for (const int count : {1, 31, 32, 33, 682, 683, 1024, 1025, 40000}) {
    std::vector<double> terms;
    double exact[kRows] = {};
    for (int term = 0; term < count; ++term)
      for (int row = 0; row < kRows; ++row) {
        terms.push_back(std::sin(term + 0.1 * row) * std::pow(10, term % 7));
        exact[row] += terms.back();
      }
    const std::vector<double> host = rowSums(kHost, count, terms),
                              device = rowSums(test::SeparateBackend(), count, terms);
    for (int row = 0; row < kRows; ++row) {
      QVERIFY(device[row] == host[row]);
      QVERIFY2(std::abs(host[row] - exact[row]) < 1e-10 * count * 1e6, qPrintable(QString::number(count)));
    }
  }
}

void LoopsTest::groupsOfAnySizeAreSummedInTheOrderOfTheirItems() {
  const std::vector<int> sizes = {0, 1, 31, 0, 32, 33, 64, 65, 5000, 0};
  const int groupCount = countOf(sizes), kUnwanted = 5;
  std::vector<int> groups(7, -1);  // items in no group
  for (int group = 0; group < groupCount; ++group) groups.insert(groups.end(), sizes[group], group);
  std::shuffle(groups.begin(), groups.end(), std::mt19937(3));
  std::vector<double> terms;
  for (std::size_t item = 0; item < groups.size(); ++item)
    terms.push_back(std::sin(static_cast<double>(item)) * std::pow(10, item % 7));
  const auto groupSums = [&](const auto& backend) {
    using Backend = std::decay_t<decltype(backend)>;
    typename Backend::template Array<int> groupsOnDevice;
    typename Backend::template Array<double> termsOnDevice, capacity, out;
    backend.upload(groups.data(), groups.size(), groupsOnDevice);
    backend.upload(terms.data(), terms.size(), termsOnDevice);
    out.resize(sizes.size());
    Grouping<Backend> grouping;
    GroupSums<Backend> sums;
    const int itemCount = countOf(groups);
    grouping.make(backend, itemCount, groupCount, GroupOfItem{groupsOnDevice.data()});
    sums.make(backend, grouping, itemCount, groupCount);
    sums.forEachSum(backend, TermOfItem{grouping.items(), termsOnDevice.data(), kUnwanted}, capacity,
                    WriteSum{out.data()});
    std::vector<double> result(sizes.size());
    backend.download(static_cast<const double*>(out.data()), result.size(), result.data());
    return result;
  };
  const std::vector<double> host = groupSums(kHost), device = groupSums(test::SeparateBackend());
  for (int group = 0; group < groupCount; ++group) {
    double sum = 0, part = 0;
    int inPart = 0;
    for (std::size_t item = 0; item < groups.size(); ++item) {
      if (groups[item] != group || group == kUnwanted) continue;
      part += terms[item];
      if (++inPart < kTermsPerSum) continue;
      sum += std::exchange(part, 0.0);
      inPart = 0;
    }
    sum += part;
    QVERIFY(host[group] == sum);
    QVERIFY(device[group] == sum);
  }
}

void LoopsTest::aGroupIsAsWideAsLetsAllRunAtOnce_data() {
  QTest::addColumn<int>("groups");
  QTest::addColumn<int>("width");
  QTest::addColumn<int>("threads");
  QTest::newRow("few, as wide as their loops") << 10 << 150 << 160;
  QTest::newRow("few with long loops") << 10 << 5000 << 256;
  QTest::newRow("few without items") << 10 << 0 << 32;
  QTest::newRow("as many as there are places") << 16 << 256 << 256;
  QTest::newRow("one more") << 17 << 256 << 128;
  QTest::newRow("more, of an odd number of warps") << 33 << 160 << 96;
  QTest::newRow("more than there are places for") << 1000 << 256 << 32;
}

void LoopsTest::aGroupIsAsWideAsLetsAllRunAtOnce() {
  QFETCH(int, groups);
  QFETCH(int, width);
  // Two processors with registers for 2048 threads each.
  const auto placesFor = [](int threads) { return 2 * (2048 / threads); };
  QTEST(threadsOfGroup(groups, width, 256, placesFor), "threads");
}

void LoopsTest::boxesOfDifferentGroupsNeverMeet() {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> place(0, 20);
  std::vector<Aabb> boxes;
  for (int box = 0; box < 600; ++box) boxes.push_back(unitBox(place(random)));
  boxes[17] = Aabb();
  const GroupBy groups(7);
  std::vector<IndexPair> expected;
  for (int a = 0; a < 600; ++a)
    for (int b = 0; b < 600; ++b)
      if (a % 7 == b % 7 && overlap(boxes[a], boxes[b])) expected.push_back({a, b});
  BoxTree<HostBackend> tree;
  List<HostBackend, IndexPair> found;
  tree.build(kHost, boxes.data(), 600, groups);
  tree.findOverlaps(kHost, boxes.data(), 600, Always(), found, groups);
  QVERIFY(found.download(kHost) == expected);
  const ThreadLimit one(1);
  tree.build(kHost, boxes.data(), 600, groups);
  tree.findOverlaps(kHost, boxes.data(), 600, Always(), found, groups);
  QVERIFY(found.download(kHost) == expected);
}

void LoopsTest::boxesOfOneClusterAreNotLookedFor() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0, 40);
  for (int count : {1, 9, 10, 11, 400, 637}) {
    std::vector<Aabb> boxes;
    for (int box = 0; box < count; ++box) boxes.push_back(unitBox(place(random)));
    const BodyOf bodies(boxes);
    std::vector<IndexPair> expected;
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        if (a / 10 != b / 10 && overlap(boxes[a], boxes[b])) expected.push_back({a, b});
    BoxTree<HostBackend> tree;
    List<HostBackend, IndexPair> found;
    tree.build(kHost, boxes.data(), count, bodies);
    tree.findOverlaps(kHost, boxes.data(), count, Always(), found, bodies);
    QVERIFY(found.download(kHost) == expected);
  }
}

void LoopsTest::manyHitsOfOneQueryComeSorted() {
  std::vector<Aabb> boxes;
  for (int box = 0; box < 333; ++box) boxes.push_back(unitBox(0.001 * ((box * 71) % 333)));
  const Aabb query = unitBox(0);
  BoxTree<HostBackend> tree;
  List<HostBackend, IndexPair> found;
  tree.build(kHost, boxes.data(), 333);
  tree.findOverlaps(kHost, &query, 1, Always(), found);
  QCOMPARE(found.size(), 333);
  for (int k = 0; k < 333; ++k) QVERIFY((found.data()[k] == IndexPair{0, k}));
}

void LoopsTest::treesOfAnySizeFindTheSameOnADevice() {
  std::mt19937 random(4);
  const auto pairsOn = [](const auto& backend, const std::vector<Aabb>& boxes) {
    using Backend = std::decay_t<decltype(backend)>;
    const int count = countOf(boxes);
    typename Backend::template Array<Aabb> there;
    backend.upload(boxes.data(), boxes.size(), there);
    BoxTree<Backend> tree;
    List<Backend, IndexPair> found;
    tree.build(backend, there.data(), count, GroupBy(3));
    tree.findPairs(backend, there.data(), Always(), found, GroupBy(3));
    return found.download(backend);
  };
  for (const int count : {1, 2, 3, 600, 2048, 2049, 9000}) {
    std::uniform_real_distribution<double> place(0, 0.5 * count);
    std::vector<Aabb> boxes;
    for (int box = 0; box < count; ++box) boxes.push_back(unitBox(place(random)));
    const std::vector<IndexPair> expected = pairsOn(kHost, boxes);
    QCOMPARE(expected.size() > static_cast<std::size_t>(count) / 4, count > 3);
    QVERIFY2(pairsOn(kDevice, boxes) == expected, qPrintable(QString::number(count)));
  }
}

void LoopsTest::aDeferredListThatOverflowsIsEmptyAndGrows() {
  const Planned backend;
  Selection<Planned> selection;
  std::vector<int> expected;
  for (int index = 1; index < 5000; index += 3) expected.push_back(index);
  backend.beginStep();
  QVERIFY(selection.select(backend, {5000, nullptr}, IsThird()).download(backend).empty());
  backend.startReading();
  QVERIFY(backend.growOverflowed());
  for (int step = 0; step < 2; ++step) {
    backend.beginStep();
    const List<Planned, int>& list = selection.select(backend, {5000, nullptr}, IsThird());
    QVERIFY(list.download(backend) == expected);
    QVERIFY(list.extent().capacity > countOf(expected));
    backend.startReading();
    QVERIFY(!backend.growOverflowed());
  }
}

void LoopsTest::deferredListsAreConcatenatedAndSortedWithinTheirLength() {
  const Planned backend;
  Selection<Planned> thirds, few;
  int limit = 40;
  const List<Planned, int>& a = thirds.select(backend, {300, nullptr}, IsThird());
  const List<Planned, int>& b = few.select(backend, {300, nullptr}, IsBelow{&limit});
  List<Planned, Keyed> both;
  both.make(backend, a.extent(), b.extent(), [&](Keyed* to) {
    return std::make_pair(WriteKey{a.data(), to}, WriteKey{b.data(), to + 100});
  });
  QCOMPARE(lengthOf(backend, both.extent()), 140);
  stableSort(backend, both.data(), both.extent(), ByKey());
  std::vector<Keyed> sorted = both.download(backend);
  QCOMPARE(sorted.size(), std::size_t(140));
  for (std::size_t k = 1; k < sorted.size(); ++k) QVERIFY(sorted[k - 1].key <= sorted[k].key);
  QVERIFY(sorted.back().key <= 10);
  std::vector<double> values = {3, 9, 4, -1};
  QCOMPARE(*reducedOnDevice(backend, values.data(), 4, Larger()), 9.0);
}

void LoopsTest::aRepeatedSequenceSeesWhatItsListsHoldNow() {
  const Planned backend;
  Planned::Repetition repetition;
  Selection<Planned> selection;
  const List<Planned, int>* chosen = nullptr;
  const long before = graphCaptures().taken;
  for (int limit = 0; limit < 20; ++limit) {
    static int there;  // "on the device"
    there = limit;
    backend.repeat(repetition, [&] { chosen = &selection.select(backend, {100, nullptr}, IsBelow{&there}); });
    QCOMPARE(lengthOf(backend, chosen->extent()), limit);
  }
  QCOMPARE(graphCaptures().taken, before + 1);
}

QTEST_APPLESS_MAIN(LoopsTest)
#include "tst_loops.moc"
