#include <QDir>
#include <QtTest>
#include <cmath>
#include <cstdint>
#include <random>

#include "core/geometry/ccd_query.h"

using namespace touchstone;

namespace {

/// Coordinates as integers over a power of two: every sum and product below is exact, as an integer and as a
/// double.
constexpr int kScale = 1 << 16;

using Point = std::array<std::int64_t, 3>;  ///< × 1/kScale

struct ExactQuery {
  FeaturePairKind kind = FeaturePairKind::VertexFace;
  Point start[4], end[4];
  bool touches = false;
};

Point operator+(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Point operator*(std::int64_t s, const Point& a) { return {s * a[0], s * a[1], s * a[2]}; }

/// a / 8, which divides evenly for the coarse lattice points used here.
Point eighth(const Point& a) { return {a[0] / 8, a[1] / 8, a[2] / 8}; }

Vec3 toDouble(const Point& p) {
  return Vec3(static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])) / kScale;
}

CcdQuery toQuery(const ExactQuery& exact) {
  CcdQuery query;
  query.kind = exact.kind;
  for (int row = 0; row < 4; ++row) {
    query.start[row] = toDouble(exact.start[row]);
    query.end[row] = toDouble(exact.end[row]);
  }
  return query;
}

class Lattice {
 public:
  explicit Lattice(unsigned seed, bool planar) : m_random(seed), m_planar(planar) {}
  std::int64_t upTo(int extent) { return static_cast<std::int64_t>(m_random() % (2 * extent + 1)) - extent; }
  int below(int count) { return static_cast<int>(m_random() % count); }
  /// Multiples of 1/64 in [−4, 4]³, so that eighths of eighths stay on the lattice.
  Point point() {
    const std::int64_t unit = kScale / 64;
    return {unit * upTo(256), unit * upTo(256), m_planar ? 0 : unit * upTo(256)};
  }

 private:
  std::mt19937 m_random;
  bool m_planar;
};

/// Features that touch at t = 1/2ⁿ (n = 0: t = 1) or t = 0, at weights that are multiples of 1/8, corners and
/// edges included.
ExactQuery touching(Lattice& lattice, FeaturePairKind kind, int power, bool atStart, bool atBorder,
                    bool moves) {
  ExactQuery query;
  query.kind = kind;
  query.touches = true;
  for (int row = 0; row < 4; ++row) {
    query.start[row] = lattice.point();
    query.end[row] = moves ? lattice.point() : query.start[row];
  }
  const std::int64_t parts = 1ll << power;  // t = 1 / parts
  const auto rowValue = [&](int row) {      // × parts
    return atStart ? parts * query.start[row] : (parts - 1) * query.start[row] + query.end[row];
  };
  std::int64_t u = lattice.below(9), v = lattice.below(9);
  Point target;  // of row 0, × 8 × parts
  if (kind == FeaturePairKind::VertexFace) {
    if (atBorder) v = lattice.below(2) ? 0 : 8 - u;
    if (u + v > 8) u = 8 - u, v = 8 - v;
    target = (8 - u - v) * rowValue(1) + u * rowValue(2) + v * rowValue(3);
  } else {
    // Row 1 of edge a moves: at weight 1/2^k of a it must hit the point v of edge b.
    if (atBorder) v = 8 * lattice.below(2);
    const Point onB = (8 - v) * rowValue(2) + v * rowValue(3);
    const std::int64_t inverse =
        atBorder ? 1 : 1ll << lattice.below(3);  // u = 1 / inverse of edge a, from row 0
    // a0 + (a1 − a0)/inverse = onB  →  a1 = inverse onB − (inverse − 1) a0, × 8 × parts
    const Point needed = inverse * onB - (inverse - 1) * (8 * rowValue(0));
    const Point row1 = eighth(needed);  // × parts
    if (atStart || !moves) {
      query.start[1] = {row1[0] / parts, row1[1] / parts, row1[2] / parts};
      if (!moves) query.end[1] = query.start[1];
    } else {
      query.end[1] = row1 - (parts - 1) * query.start[1];
    }
    return query;
  }
  const Point row0 = eighth(target);  // × parts
  if (atStart || !moves) {
    query.start[0] = {row0[0] / parts, row0[1] / parts, row0[2] / parts};
    if (!moves) query.end[0] = query.start[0];
  } else {
    query.end[0] = row0 - (parts - 1) * query.start[0];
  }
  return query;
}

/// The vertex stays above a triangle that moves in the plane z = 0; or two edges stay on opposite sides of
/// it.
ExactQuery apart(Lattice& lattice, FeaturePairKind kind) {
  ExactQuery query;
  query.kind = kind;
  const int above = kind == FeaturePairKind::VertexFace ? 1 : 2;
  for (int row = 0; row < 4; ++row) {
    query.start[row] = lattice.point();
    query.end[row] = lattice.point();
    for (Point* x : {&query.start[row], &query.end[row]})
      (*x)[2] = row < above ? 64 + std::abs((*x)[2]) / 16 : -std::abs((*x)[2]) / 16;  // at least 1e-3 m
  }
  return query;
}

struct Group {
  const char* name;
  int power;
  bool atStart, atBorder, moves, planar;
};

const Group kGroups[] = {
    {"generic", 1, false, false, true, false},          {"early", 3, false, false, true, false},
    {"at the end", 0, false, false, true, false},       {"at the start", 0, true, false, true, false},
    {"on the border", 1, false, true, true, false},     {"coplanar", 1, false, false, true, true},
    {"coplanar border", 1, false, true, true, true},    {"no motion", 0, true, false, false, false},
    {"no motion, coplanar", 0, true, true, false, true}};

}  // namespace

class CcdQueryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whatTouchesIsNeverMissed_data();
  void whatTouchesIsNeverMissed();
  void whatStaysApartIsRarelyReported_data();
  void whatStaysApartIsRarelyReported();
  void coplanarEdgesThatPartByOneRoundingAreApart();
  void swappingTheEdgesChangesNothing();
  void scaleAndPlaceDoNotMatter();

 private:
  void write(const QString& group, const std::vector<ExactQuery>& queries) const;
};

/// For the command line: if TOUCHSTONE_CCD_OUT is set, writes the sets there in the benchmark's format.
void CcdQueryTest::write(const QString& group, const std::vector<ExactQuery>& queries) const {
  const QString folder = qEnvironmentVariable("TOUCHSTONE_CCD_OUT");
  if (folder.isEmpty()) return;
  const bool edges = queries.front().kind == FeaturePairKind::EdgeEdge;
  const QString path =
      folder + "/" + QString(group).replace(' ', '-').remove(',') + (edges ? "/edge-edge" : "/vertex-face");
  QDir().mkpath(path);
  QFile file(path + "/queries.csv");
  if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(file.fileName()));
  for (const ExactQuery& query : queries)
    for (const Point* x : {query.start, query.end})
      for (int row = 0; row < 4; ++row) {
        for (std::int64_t c : x[row])
          file.write(QByteArray::number(static_cast<qlonglong>(c)) + ',' + QByteArray::number(kScale) + ',');
        file.write(query.touches ? "1\n" : "0\n");
      }
}

void CcdQueryTest::whatTouchesIsNeverMissed_data() {
  QTest::addColumn<int>("group");
  QTest::addColumn<bool>("edges");
  for (int group = 0; group < static_cast<int>(std::size(kGroups)); ++group)
    for (bool edges : {false, true})
      QTest::newRow((std::string(kGroups[group].name) + (edges ? ", edges" : ", vertex")).c_str())
          << group << edges;
}

void CcdQueryTest::whatTouchesIsNeverMissed() {
  QFETCH(int, group);
  QFETCH(bool, edges);
  const Group& g = kGroups[group];
  Lattice lattice(static_cast<unsigned>(7 + group), g.planar);
  std::vector<ExactQuery> queries;
  for (int number = 0; number < 5000; ++number) {
    queries.push_back(touching(lattice, edges ? FeaturePairKind::EdgeEdge : FeaturePairKind::VertexFace,
                               g.power, g.atStart, g.atBorder, g.moves));
    QVERIFY2(mayTouch(toQuery(queries.back())), qPrintable(QString::number(number)));
  }
  write(g.name, queries);
}

void CcdQueryTest::whatStaysApartIsRarelyReported_data() {
  QTest::addColumn<bool>("edges");
  QTest::newRow("vertex") << false;
  QTest::newRow("edges") << true;
}

void CcdQueryTest::whatStaysApartIsRarelyReported() {
  QFETCH(bool, edges);
  Lattice lattice(99, false);
  std::vector<ExactQuery> queries;
  int reported = 0;
  for (int number = 0; number < 20000; ++number) {
    queries.push_back(apart(lattice, edges ? FeaturePairKind::EdgeEdge : FeaturePairKind::VertexFace));
    reported += mayTouch(toQuery(queries.back()));
  }
  write("apart", queries);
  QVERIFY2(reported < 20, qPrintable(QString::number(reported)));
}

/// Edges of cubes in the plane x = 1: one falls past the end of the other.
void CcdQueryTest::coplanarEdgesThatPartByOneRoundingAreApart() {
  const double end = 0.75, beyond = std::nextafter(end, 1);
  for (const bool meets : {true, false}) {
    CcdQuery query;
    query.kind = FeaturePairKind::EdgeEdge;
    const Vec3 rows[4] = {{1, 0.57, 0}, {1, 0.57, end}, {1, 0.5, meets ? end : beyond}, {-0.25, -0.5, 1.25}};
    for (int row = 0; row < 4; ++row)
      query.end[row] = (query.start[row] = rows[row]) - (row < 2 ? Vec3(0, 0.3, 0) : Vec3::Zero());
    QCOMPARE(mayTouch(query), meets);
  }
}

void CcdQueryTest::swappingTheEdgesChangesNothing() {
  Lattice lattice(5, false);
  for (int number = 0; number < 3000; ++number) {
    CcdQuery query = toQuery(touching(lattice, FeaturePairKind::EdgeEdge, 1, false, number % 2, true));
    for (Vec3* x : {query.start, query.end}) {
      std::swap(x[0], x[2]);
      std::swap(x[1], x[3]);
    }
    QVERIFY(mayTouch(query));
  }
}

void CcdQueryTest::scaleAndPlaceDoNotMatter() {
  Lattice lattice(6, false);
  for (int number = 0; number < 3000; ++number) {
    CcdQuery query = toQuery(touching(lattice, FeaturePairKind::VertexFace, 1, false, number % 2, true));
    for (Vec3* x : {query.start, query.end})
      for (int row = 0; row < 4; ++row) x[row] = 1e-3 * (x[row] + Vec3(1024, -2048, 512));
    QVERIFY(mayTouch(query));
  }
}

QTEST_APPLESS_MAIN(CcdQueryTest)
#include "tst_ccd_query.moc"
