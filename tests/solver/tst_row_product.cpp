#include <Eigen/Eigenvalues>
#include <QtTest>

#include "core/solver/product/moving_carriers.inl"
#include "tests/support/near.h"
#include "tests/support/random_rows.h"
#include "tests/support/stored_problems.h"

using namespace touchstone;
using namespace touchstone::test;

/// Rounding of sums relative to their terms; the longest has 144 products. Larger: the weakest of 24 carriers
/// could be left out; smaller: the order of sums counts.
constexpr double kRounding = 1e-13;
constexpr int kMostCarriers = 24;  // of a block

/// Products with J, F and the inverse of H against dense matrices, and residuals of tables against those of
/// stored problems.
class RowProductTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void ratesAndPushesFollowTheDenseGradients_data() { blockRows(); }
  void ratesAndPushesFollowTheDenseGradients();
  void couplingsAndScalesFollowTheDenseProduct_data() { blockRows(); }
  void couplingsAndScalesFollowTheDenseProduct();
  void pushedCarriersFollowTheDenseResponse_data() { blockRows(); }
  void pushedCarriersFollowTheDenseResponse();
  void sumsOfRowsFollowTheDenseProduct();
  void pointsAndTheirTermsHaveEqualRates();
  void scalesOfRowsThatMoveNothingAreOne();
  void packedComplianceFollowsItsMatrix_data();
  void packedComplianceFollowsItsMatrix();
  void storedProblemsHaveTheirNaturalResidual_data();
  void storedProblemsHaveTheirNaturalResidual();

 private:
  static void blockRows();

  std::vector<StoredProblem> m_problems;
};

void RowProductTest::blockRows() {
  QTest::addColumn<bool>("isPoint");
  QTest::addColumn<bool>("twoGradients");
  QTest::newRow("Point") << true << false;
  QTest::newRow("Point, F differs from J") << true << true;
  QTest::newRow("General") << false << false;
  QTest::newRow("General, F differs from J") << false << true;
}

static RandomRows blocksOfAllSizes(unsigned seed, bool isPoint, bool twoGradients) {
  RandomRows random(seed);
  for (int carriers = 1; carriers <= kMostCarriers; ++carriers)
    random.addBlock(isPoint ? RowForm::Point : RowForm::General, carriers, twoGradients);
  return random;
}

/// J ν of the rows of a unit; NaN of rows that eachRate() leaves out.
template <class Velocities>
static Eigen::VectorXd ratesOf(const RowsView& rows, const RowUnit& unit, const Velocities& velocities) {
  Eigen::VectorXd rates = Eigen::VectorXd::Constant(unit.rowCount, NAN);
  eachRate(rows, unit, velocities, [&](int row, double rate) { rates[row] = rate; });
  return rates;
}

/// Fᵀ z of the rows of a unit.
static Eigen::VectorXd pushOf(const std::vector<Eigen::VectorXd>& F, const RowUnit& unit,
                              const Eigen::VectorXd& z) {
  Eigen::VectorXd push = Eigen::VectorXd::Zero(F[0].size());
  for (int row = unit.firstRow; row < unit.firstRow + unit.rowCount; ++row) push += z[row] * F[row];
  return push;
}

void RowProductTest::ratesAndPushesFollowTheDenseGradients() {
  QFETCH(bool, isPoint);
  QFETCH(bool, twoGradients);
  RelativeDifference rates, pushes;
  for (const unsigned seed : {1, 2, 3, 4, 5}) {
    RandomRows random = blocksOfAllSizes(seed, isPoint, twoGradients);
    const RowsView rows = random.model.table.view();
    const Eigen::VectorXd velocities = stacked(random.model.free), z = random.randomImpulses();
    for (const RowUnit& unit : random.model.table.units) {
      const Eigen::VectorXd unitRates = ratesOf(rows, unit, random.model.free.view());
      for (int row = 0; row < unit.rowCount; ++row) {
        const Eigen::VectorXd& gradient = random.J[unit.firstRow + row];
        rates.add(unitRates[row], gradient.dot(velocities), gradient.cwiseAbs().dot(velocities.cwiseAbs()));
      }
      const int* carriers = rows.carriersOf(rows.blocks[unit.block]);
      Motion push(random.model.carrierCount());
      eachPush(
          rows, unit, [&](int row) { return z[unit.firstRow + row]; },
          [&](int k, const Vec3& force, const Vec3& moment) {
            push.linear[carriers[k]] += force;
            push.angular[carriers[k]] += moment;
          });
      const Eigen::VectorXd expected = pushOf(random.F, unit, z);
      pushes.add(stacked(push), expected, expected.cwiseAbs());
    }
  }
  QVERIFY_NEAR(rates.largest, 0, kRounding);
  QVERIFY_NEAR(pushes.largest, 0, kRounding);
}

/// The scale of a row by its dense product A: A_ii, of both rows of a disk the largest eigenvalue of their
/// block. @param A  of the rows of a unit
static double scaleOf(const Row* rows, int count, int row, const Eigen::MatrixXd& A) {
  if (rows[row].law == RowLaw::Member) return scaleOf(rows, count, row - rows[row].leader, A);
  double scale = A(row, row);
  if (rows[row].law == RowLaw::Disk) {
    const int leader = row - rows[row].leader;
    std::vector<int> disk;
    for (int other = 0; other < count; ++other)
      if (rows[other].law == RowLaw::Disk && other - rows[other].leader == leader) disk.push_back(other);
    Eigen::MatrixXd block(disk.size(), disk.size());
    for (int i = 0; i < countOf(disk); ++i)
      for (int j = 0; j < countOf(disk); ++j) block(i, j) = A(disk[std::min(i, j)], disk[std::max(i, j)]);
    scale = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(block).eigenvalues().maxCoeff();
  }
  return scale > 0 ? scale : 1;
}

void RowProductTest::couplingsAndScalesFollowTheDenseProduct() {
  QFETCH(bool, isPoint);
  QFETCH(bool, twoGradients);
  RelativeDifference couplings, scales, inverses;
  for (const unsigned seed : {1, 2, 3, 4, 5}) {
    const RandomRows random = blocksOfAllSizes(seed, isPoint, twoGradients);
    const RowsView rows = random.model.table.view();
    const Eigen::MatrixXd inverse = random.inverseMetric();
    for (const RowUnit& unit : random.model.table.units) {
      const Row* asks = rows.rows + unit.firstRow;
      Eigen::MatrixXd A(unit.rowCount, unit.rowCount), terms = A;
      for (int i = 0; i < unit.rowCount; ++i)
        for (int j = 0; j < unit.rowCount; ++j) {
          const Eigen::VectorXd &rate = random.J[unit.firstRow + i], &force = random.F[unit.firstRow + j];
          A(i, j) = rate.dot(inverse * force);
          terms(i, j) = rate.cwiseAbs().dot(inverse.cwiseAbs() * force.cwiseAbs());
          couplings.add(coupling(rows, unit, random.model.metric(), i, j), A(i, j), terms(i, j));
        }
      for (int row = 0; row < unit.rowCount; ++row) A(row, row) += asks[row].compliance;
      Eigen::VectorXd scale(unit.rowCount), inverseScale(unit.rowCount);
      setScales(rows, unit, random.model.metric(), scale.data(), inverseScale.data());
      for (int row = 0; row < unit.rowCount; ++row) {
        const double expected = scaleOf(asks, unit.rowCount, row, A);
        scales.add(scale[row], expected, std::max(expected, terms.maxCoeff()));
        inverses.add(inverseScale[row] * scale[row], 1, 1);
      }
    }
  }
  QVERIFY_NEAR(couplings.largest, 0, kRounding);
  QVERIFY_NEAR(scales.largest, 0, kRounding);
  QVERIFY_NEAR(inverses.largest, 0, 1e-15);
}

void RowProductTest::pushedCarriersFollowTheDenseResponse() {
  QFETCH(bool, isPoint);
  QFETCH(bool, twoGradients);
  RelativeDifference velocities, rates;
  for (const unsigned seed : {1, 2, 3, 4, 5}) {
    RandomRows random = blocksOfAllSizes(seed, isPoint, twoGradients);
    const Model& model = random.model;
    const RowsView rows = model.table.view();
    const Eigen::MatrixXd inverse = random.inverseMetric();
    const Eigen::VectorXd z = random.randomImpulses();
    for (const RowUnit& unit : model.table.units) {
      const RowBlock& block = rows.blocks[unit.block];
      const Eigen::VectorXd expected = stacked(model.free) + inverse * pushOf(random.F, unit, z);
      const auto check = [&](const auto& moving) {
        const Eigen::VectorXd moved = ratesOf(rows, unit, moving);
        for (int row = 0; row < unit.rowCount; ++row) {
          const Eigen::VectorXd& gradient = random.J[unit.firstRow + row];
          rates.add(moved[row], gradient.dot(expected), gradient.cwiseAbs().dot(expected.cwiseAbs()));
        }
      };

      Motion motion = model.free;
      const CarriersInMemory inMemory{rows.carriersOf(block), model.metric(), motion.view()};
      pushUnit(rows, unit, z.data() + unit.firstRow, inMemory);
      velocities.add(stacked(motion), expected, expected.cwiseAbs());
      check(inMemory);
      if (block.carrierCount > HeldCarriers::kMost) continue;

      motion = model.free;
      HeldCarriers held(rows.carriersOf(block), block.carrierCount, model.metric(), motion.view());
      pushUnit(rows, unit, z.data() + unit.firstRow, held);
      QCOMPARE(stacked(motion), stacked(model.free));  // until they are stored
      check(held);
      held.store(motion.view());
      velocities.add(stacked(motion), expected, expected.cwiseAbs());
    }
  }
  QVERIFY_NEAR(velocities.largest, 0, kRounding);
  QVERIFY_NEAR(rates.largest, 0, kRounding);
}

/// Random sums of one or two rows of a unit, and empty ones.
static std::vector<RowSum> randomSums(RandomRows& random, int count) {
  const auto index = [&](int size) { return static_cast<int>(0.5 * (1 + random.number()) * size); };
  std::vector<RowSum> sums;
  for (int sum = 0; sum < count; ++sum) {
    RowSum next;
    next.unit = index(countOf(random.model.table.units) + 1) - 1;
    if (next.unit >= 0) {
      const int rows = random.model.table.units[next.unit].rowCount;
      next.rows[0] = index(rows);
      next.rows[1] = index(rows);
      next.weights[0] = random.number();
      next.weights[1] = sum % 3 == 0 ? 0 : random.number();
    }
    sums.push_back(next);
    if (sum % 4 == 0) sums.push_back(next);  // two sums of one unit in a row
  }
  return sums;
}

/// The gradients of sums, as columns.
static Eigen::MatrixXd gradientsOf(const RandomRows& random, const std::vector<Eigen::VectorXd>& gradients,
                                   const std::vector<RowSum>& sums) {
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(gradients[0].size(), countOf(sums));
  for (int sum = 0; sum < countOf(sums); ++sum) {
    if (sums[sum].unit < 0) continue;
    const int first = random.model.table.units[sums[sum].unit].firstRow;
    for (int part = 0; part < 2; ++part)
      columns.col(sum) += sums[sum].weights[part] * gradients[first + sums[sum].rows[part]];
  }
  return columns;
}

void RowProductTest::sumsOfRowsFollowTheDenseProduct() {
  RandomRows random(11);
  for (const int carriers : {1, 2, 3, 7, 24})
    for (const RowForm form : {RowForm::Point, RowForm::General}) {
      random.addBlock(form, carriers, carriers == 3);
      random.addBlock(form, carriers, carriers != 3);
    }
  const RowsView rows = random.model.table.view();
  const Eigen::MatrixXd inverse = random.inverseMetric();
  const std::vector<RowSum> rates = randomSums(random, 120), forces = randomSums(random, 90);
  const Eigen::MatrixXd R = gradientsOf(random, random.J, rates), F = gradientsOf(random, random.F, forces);

  const Eigen::MatrixXd expected = R.transpose() * inverse * F;
  const Eigen::MatrixXd terms = R.cwiseAbs().transpose() * inverse.cwiseAbs() * F.cwiseAbs();
  const Eigen::MatrixXd product = denseProduct(rows, random.model.metric(), rates, forces);
  QCOMPARE(product.rows(), expected.rows());
  QCOMPARE(product.cols(), expected.cols());
  RelativeDifference products;
  for (int i = 0; i < expected.rows(); ++i)
    for (int j = 0; j < expected.cols(); ++j) products.add(product(i, j), expected(i, j), terms(i, j));
  QVERIFY_NEAR(products.largest, 0, kRounding);

  const Eigen::VectorXd velocities = stacked(random.model.free);
  RelativeDifference changes;
  changes.add(denseRates(rows, rates, random.model.free.view()), R.transpose() * velocities,
              R.cwiseAbs().transpose() * velocities.cwiseAbs());
  const Eigen::VectorXd z = random.randomImpulses();
  Motion motion = random.model.free;
  std::vector<int> units;
  Eigen::VectorXd push = Eigen::VectorXd::Zero(velocities.size());
  for (int unit = 0; unit < countOf(random.model.table.units); unit += 2) {
    units.push_back(unit);
    push += pushOf(random.F, rows.units[unit], z);
  }
  addImpulses(rows, random.model.metric(), units, z.data(), motion.view());
  const Eigen::VectorXd pushed = velocities + inverse * push;
  changes.add(stacked(motion), pushed, pushed.cwiseAbs());
  QVERIFY_NEAR(changes.largest, 0, kRounding);
}

void RowProductTest::pointsAndTheirTermsHaveEqualRates() {
  RelativeDifference rates;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomRows random = blocksOfAllSizes(seed, true, false);
    const RowBuffer& points = random.model.table;
    RowBuffer terms;
    for (const RowBlock& block : points.blocks) {
      const int* carriers = points.view().carriersOf(block);
      terms.addBlock(block.key, RowForm::General, std::vector<int>(carriers, carriers + block.carrierCount));
      for (int place = block.firstUnit; place < block.firstUnit + block.unitCount; ++place)
        for (int row = 0; row < points.units[place].rowCount; ++row) {
          const int number = points.units[place].firstRow + row;
          RowTerm* rowTerms =
              row == 0 ? terms.addRow(points.rows[number]) : terms.addRowToUnit(points.rows[number]);
          for (int k = 0; k < block.carrierCount; ++k)
            rowTerms[k] = {random.J[number].segment<3>(6 * carriers[k]),
                           random.J[number].segment<3>(6 * carriers[k] + 3)};
        }
    }
    const Eigen::VectorXd velocities = stacked(random.model.free).cwiseAbs();
    for (int place = 0; place < countOf(points.units); ++place) {
      const RowUnit& unit = points.units[place];
      const Eigen::VectorXd ofPoints = ratesOf(points.view(), unit, random.model.free.view()),
                            ofTerms = ratesOf(terms.view(), terms.units[place], random.model.free.view());
      for (int row = 0; row < unit.rowCount; ++row)
        rates.add(ofPoints[row], ofTerms[row], random.J[unit.firstRow + row].cwiseAbs().dot(velocities));
    }
  }
  QVERIFY_NEAR(rates.largest, 0, 1e-15);
}

void RowProductTest::scalesOfRowsThatMoveNothingAreOne() {
  for (const RowForm form : {RowForm::Point, RowForm::General}) {
    RandomRows random(3);
    random.addBlock(form, 2, true);
    for (Vec3& inverse : random.model.inverseMass) inverse.setZero();
    for (Mat3& inverse : random.model.inverseInertia) inverse.setZero();
    for (Row& row : random.model.table.rows) row.compliance = 0;
    for (const RowUnit& unit : random.model.table.units) {
      std::vector<double> scales(unit.rowCount, NAN), inverses = scales;
      setScales(random.model.table.view(), unit, random.model.metric(), scales.data(), inverses.data());
      QCOMPARE(scales, std::vector<double>(unit.rowCount, 1.0));
      QCOMPARE(inverses, scales);
    }
  }
}

void RowProductTest::packedComplianceFollowsItsMatrix_data() {
  QTest::addColumn<bool>("isPoint");
  QTest::addColumn<int>("packed");
  QTest::addColumn<int>("others");  // rows of the same unit with a compliance of their own
  QTest::newRow("one row") << false << 1 << 0;
  QTest::newRow("stretches of a tetrahedron") << false << 3 << 0;
  QTest::newRow("stretches and flips of a tetrahedron") << false << 3 << 3;
  QTest::newRow("six rows") << false << 6 << 1;
  QTest::newRow("point") << true << 3 << 0;
  QTest::newRow("point with one row more") << true << 2 << 1;
}

void RowProductTest::packedComplianceFollowsItsMatrix() {
  QFETCH(bool, isPoint);
  QFETCH(int, packed);
  QFETCH(int, others);
  RandomRows random(17);
  RowBuffer& table = random.model.table;
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(0, 0);  // [rows of the table]
  for (int block = 0; block < 3; ++block) {
    const int first = countOf(table.rows);
    random.beginBlock(isPoint ? RowForm::Point : RowForm::General, 4);
    std::vector<Row> rows(packed, rowOf(RowLaw::Free, 0.1));
    rows.resize(packed + others, rowOf(RowLaw::Free, 0.2, 0.7));
    random.addUnit(rows);
    double* triangle = table.addPacked(packed);
    random.addUnit({rowOf(RowLaw::Unilateral, 0.3, 0.9)});
    random.finishBlock(block == 1);

    C.conservativeResizeLike(Eigen::MatrixXd::Zero(countOf(table.rows), countOf(table.rows)));
    Eigen::MatrixXd root(packed, packed);
    for (int i = 0; i < packed; ++i)
      for (int j = 0; j < packed; ++j) root(i, j) = random.number();
    C.block(first, first, packed, packed) = root * root.transpose();
    for (int i = 0; i < packed; ++i)
      for (int j = 0; j <= i; ++j) *triangle++ = C(first + i, first + j);
    for (int row = first + packed; row < countOf(table.rows); ++row) C(row, row) = table.rows[row].compliance;
  }

  const RowsView rows = table.view();
  const Eigen::MatrixXd inverse = random.inverseMetric();
  const Eigen::VectorXd z = random.randomImpulses(), velocities = stacked(random.model.free), Cz = C * z,
                        terms = C.cwiseAbs() * z.cwiseAbs();
  RelativeDifference compliances, scales, rates;
  for (const RowUnit& unit : table.units) {
    Eigen::VectorXd scale(unit.rowCount), inverseScale(unit.rowCount), w(unit.rowCount);
    setScales(rows, unit, random.model.metric(), scale.data(), inverseScale.data());
    setRates(rows, unit, random.model.free.view(), z.data() + unit.firstRow, w.data());
    for (int row = 0; row < unit.rowCount; ++row) {
      const int number = unit.firstRow + row;
      compliances.add(compliantRate(rows, unit, row, z.data() + unit.firstRow), Cz[number], terms[number]);
      const double mass = random.J[number].dot(inverse * random.F[number]);
      const double massTerms =
          random.J[number].cwiseAbs().dot(inverse.cwiseAbs() * random.F[number].cwiseAbs());
      const double expected = mass + C(number, number);
      scales.add(scale[row], expected > 0 ? expected : 1, massTerms + C(number, number));
      rates.add(w[row], rows.rows[number].constant + random.J[number].dot(velocities) + Cz[number],
                1 + random.J[number].cwiseAbs().dot(velocities.cwiseAbs()) + terms[number]);
      const RowBlock& block = rows.blocks[unit.block];
      for (int other = 0; other < block.rowCount; ++other)
        QCOMPARE(rows.complianceOf(block, number - block.firstRow, other), C(number, block.firstRow + other));
    }
  }
  QVERIFY_NEAR(compliances.largest, 0, kRounding);
  QVERIFY_NEAR(scales.largest, 0, kRounding);
  QVERIFY_NEAR(rates.largest, 0, kRounding);
}

void RowProductTest::initTestCase() {
  const std::vector<StoredProblem> problems = complementarityProblems(), mixed = mixedProblems(),
                                   withFriction = frictionProblems();
  QVERIFY(problems.size() >= 31 && mixed.size() >= 8 && withFriction.size() >= 21);
  for (const std::vector<StoredProblem>& part : {problems, mixed, withFriction})
    m_problems.insert(m_problems.end(), part.begin(), part.end());
}

void RowProductTest::storedProblemsHaveTheirNaturalResidual_data() {
  QTest::addColumn<int>("problem");
  QTest::addColumn<bool>("isFactored");
  for (int problem = 0; problem < countOf(m_problems); ++problem) {
    const QString& name = m_problems[problem].name;
    QTest::newRow(qPrintable(name)) << problem << false;
    if (m_problems[problem].problem.symmetric)
      QTest::newRow(qPrintable(name + QStringLiteral(", factored"))) << problem << true;
  }
}

void RowProductTest::storedProblemsHaveTheirNaturalResidual() {
  QFETCH(int, problem);
  QFETCH(bool, isFactored);
  const ComplementarityProblem& stored = m_problems[problem].problem;
  Model model = tableOf(stored, isFactored ? symmetricGradients(stored) : directGradients(stored));
  const RowsView rows = model.table.view();
  const int n = countOf(stored.b);
  QCOMPARE(countOf(model.table.rows), n);
  QCOMPARE(countOf(model.table.units), n - 2 * countOf(stored.disks));
  std::vector<double> scales(n), inverses(n);
  for (const RowUnit& unit : model.table.units)
    setScales(rows, unit, model.metric(), scales.data() + unit.firstRow, inverses.data() + unit.firstRow);

  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  const double rate = std::max(1e-3, stored.b.cwiseAbs().maxCoeff());
  RelativeDifference naturals, failures;
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::VectorXd z(n), w(n), failure(n);
    for (int row = 0; row < n; ++row) z[row] = number(random) * rate * inverses[row];
    Motion motion = model.free;
    addImpulses(rows, model.metric(), model.units(), z.data(), motion.view());
    double natural = 0;
    for (const RowUnit& unit : model.table.units) {
      const int first = unit.firstRow;
      setRates(rows, unit, motion.view(), z.data() + first, w.data() + first);
      eachFailure(rows.rows + first, unit.rowCount, z.data() + first, w.data() + first, scales.data() + first,
                  inverses.data() + first, [&](int row, double value) {
                    failure[first + row] = value;
                    if (!(value <= natural)) natural = value;
                  });
    }
    for (const FrictionDisk& disk : stored.disks)
      if (disk.count == 2) failure[disk.first + 1] = failure[disk.first];
    const double expected = naturalResidual(stored, z);
    QVERIFY(expected > 0);
    naturals.add(natural, expected, expected);
    failures.add(failure, rowResiduals(stored, z, stored.A * z + stored.b),
                 Eigen::VectorXd::Constant(1, expected));
  }
  QVERIFY_NEAR(naturals.largest, 0, kRounding);
  QVERIFY_NEAR(failures.largest, 0, kRounding);
}

QTEST_APPLESS_MAIN(RowProductTest)
#include "tst_row_product.moc"
