#include <Eigen/Dense>
#include <QtTest>
#include <random>

#include "core/elasticity/element_rows.inl"
#include "core/elasticity/tetrahedron.h"
#include "core/elasticity/tetrahedron.inl"
#include "tests/support/near.h"
#include "tests/support/vectors.h"

using namespace touchstone;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using nlohmann::json;
Q_DECLARE_METATYPE(const nlohmann::json*)
Q_DECLARE_METATYPE(touchstone::ElasticModel)
Q_DECLARE_METATYPE(touchstone::Mat3)

class TetrahedraTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { m_files = test::referenceFiles(QStringLiteral("bodies-vectors")); }
  void haveTheShapeOfTheReference_data() { eachTetrahedron(); }
  void haveTheShapeOfTheReference();
  void haveTheLinearLawOfTheReference_data() { eachTetrahedron(); }
  void haveTheLinearLawOfTheReference();
  void haveTheNeoHookeanLawOfTheReference_data() { eachTetrahedron(); }
  void haveTheNeoHookeanLawOfTheReference();
  void forcesAreTheSlopeOfTheEnergy_data() { eachTetrahedron(); }
  void forcesAreTheSlopeOfTheEnergy();
  void rowsCarryTheForces_data() { eachTetrahedron(); }
  void rowsCarryTheForces();
  void haveNoForceAndNoTorqueInAll_data() { eachTetrahedron(); }
  void haveNoForceAndNoTorqueInAll();
  void dampingIsTheRateOfTheForcesAtRest_data() { eachTetrahedron(); }
  void dampingIsTheRateOfTheForcesAtRest();
  void haveTheFrequencyOfTheReference();
  void stretchLikeTheReference();
  void doNotPullInsideAnAffineField_data();
  void doNotPullInsideAnAffineField();
  void areAtRestAfterARigidMotion();
  void swellByTheEigenstrain();
  void stretchesOfAnyMatrixAreSorted_data();
  void stretchesOfAnyMatrixAreSorted();
  void smallStretchesAreAsExactAsLargeOnes();

 private:
  void eachTetrahedron();
  std::vector<json> m_files;
};

static Vec3 vec(const json& v) { return {v[0].get<double>(), v[1].get<double>(), v[2].get<double>()}; }

static constexpr ElasticModel kModels[] = {ElasticModel::Corotational, ElasticModel::NeoHookean};
static constexpr double kNoLambda[ElementRows::kMost] = {};

/// A tetrahedron of the reference.
struct Reference {
  explicit Reference(const json& reference) : c(reference) {
    for (std::size_t k = 0; k < 4; ++k) {
      corners[k] = vec(c["rest"][k]);
      x[k] = vec(c["x"][k]);
    }
    rest = restOf(corners);
    F = deformationGradient(rest, x);
    // Relative to the largest entry: of small strains the reference itself lost digits.
    tolerance = c["mode"] == "small" ? 1e-6 : 1e-9;
  }
  ElasticMaterial material(ElasticModel model) const {
    ElasticMaterial result;
    result.model = model;
    result.young = c["young"];
    result.poisson = c["poisson"];
    return result;
  }
  /// Rows are ill-defined where two stretches are nearly equal, and only their forces are compared.
  bool hasRows() const { return c["stretch_gap"].get<double>() >= 1e-3; }

  const json& c;
  Vec3 corners[4], x[4];
  TetrahedronRest rest;
  Mat3 F;
  double tolerance;
};

/// Largest difference of two entries, relative to the largest that is expected.
static double differenceOf(const MatrixXd& actual, const MatrixXd& expected) {
  return (actual - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

static MatrixXd rowsOf(const Vec3* vectors, int count) {
  MatrixXd result(count, 3);
  for (int k = 0; k < count; ++k) result.row(k) = vectors[k].transpose();
  return result;
}

static MatrixXd forcesOf(const ElasticMaterial& material, const TetrahedronRest& rest, const Vec3* x,
                         const Vec3* velocity = nullptr) {
  Vec3 force[4];
  elasticForces(material, rest, x, velocity, force);
  return rowsOf(force, 4);
}

/// The rows first … first + count − 1 as a matrix [count × 12].
static MatrixXd gradientOf(const ElementRows& rows, int first, int count) {
  MatrixXd result(count, 12);
  for (int k = 0; k < count; ++k)
    for (int corner = 0; corner < 4; ++corner)
      result.block<1, 3>(k, 3 * corner) = rows.gradient[first + k][corner].transpose();
  return result;
}

static MatrixXd basisOf(const ElementRows& rows) {
  MatrixXd result(rows.kept, rows.kept);
  for (int m = 0; m < rows.kept; ++m)
    for (int k = 0; k < rows.kept; ++k) result(m, k) = rows.basis[m][k];
  return result;
}

static VectorXd complianceOf(const ElementRows& rows) {
  return Eigen::Map<const VectorXd>(rows.compliance, rows.count);
}
static VectorXd residualOf(const ElementRows& rows) {
  return Eigen::Map<const VectorXd>(rows.residual, rows.count);
}

void TetrahedraTest::eachTetrahedron() {
  QTest::addColumn<const json*>("reference");
  for (std::size_t file = 0; file < m_files.size(); ++file) {
    int index = 0;
    if (!m_files[file].contains("tets")) continue;
    for (const json& c : m_files[file]["tets"])
      QTest::newRow(qPrintable(
          QStringLiteral("%1 %2 %3").arg(file).arg(index++).arg(QString::fromStdString(c["mode"]))))
          << &c;
  }
}

void TetrahedraTest::haveTheShapeOfTheReference() {
  QFETCH(const json*, reference);
  const Reference tet(*reference);
  const json& c = tet.c;
  Vec3 gradients[4];
  for (int k = 0; k < 4; ++k) gradients[k] = shapeGradient(tet.rest, k);
  const SignedStretches stretches = signedStretches(tet.F);
  const double volume = c["volume"];
  QVERIFY_NEAR(tet.rest.volume, volume, 1e-9 * volume);
  QVERIFY_NEAR(differenceOf(rowsOf(gradients, 4), test::matrixOf(c["shape_gradients"])), 0, 1e-9);
  QVERIFY_NEAR(differenceOf(tet.F, test::matrixOf(c["F"])), 0, 1e-9);
  QVERIFY_NEAR(differenceOf(stretches.s, test::vectorOf(c["stretches"])), 0, 1e-9);
  QVERIFY_NEAR(tet.F.determinant(), c["volume_ratio"].get<double>(), 1e-9);
  QVERIFY_NEAR(differenceOf(stretches.rotation(), test::matrixOf(c["rotation"])), 0, tet.tolerance);
  QVERIFY_NEAR((stretches.u * stretches.s.asDiagonal() * stretches.v.transpose() - tet.F).norm(), 0, 1e-14);
}

void TetrahedraTest::haveTheLinearLawOfTheReference() {
  QFETCH(const json*, reference);
  const Reference tet(*reference);
  const json& c = tet.c["corotational"];
  const ElasticMaterial material = tet.material(ElasticModel::Corotational);
  const double energy = c["energy"];
  QVERIFY_NEAR(elasticEnergy(material, tet.rest, tet.F), energy, tet.tolerance * energy);
  QVERIFY_NEAR(differenceOf(firstPiola(material, tet.F), test::matrixOf(c["stress_P"])), 0, tet.tolerance);
  QVERIFY_NEAR(differenceOf(forcesOf(material, tet.rest, tet.x), test::matrixOf(c["vertex_forces"])), 0,
               tet.tolerance);

  const ElementRows rows = elementRows(material, tet.rest, ElasticRows::Six, tet.x, kNoLambda);
  QCOMPARE(rows.count, 6);
  QCOMPARE(rows.kept, 6);
  const MatrixXd Q = basisOf(rows);
  QVERIFY_NEAR((Q.transpose() * Q - MatrixXd::Identity(6, 6)).norm(), 0, 1e-15);
  QVERIFY_NEAR(differenceOf(Q * gradientOf(rows, 0, 6), test::matrixOf(c["rows"])), 0, tet.tolerance);
  QVERIFY_NEAR(
      differenceOf(Q * complianceOf(rows).asDiagonal() * Q.transpose(), test::matrixOf(c["compliance"])), 0,
      tet.tolerance);
  QVERIFY_NEAR(differenceOf(Q * residualOf(rows), test::vectorOf(c["strain"])), 0, tet.tolerance);
}

void TetrahedraTest::haveTheNeoHookeanLawOfTheReference() {
  QFETCH(const json*, reference);
  const Reference tet(*reference);
  const json& c = tet.c["neo_hookean"];
  const ElasticMaterial material = tet.material(ElasticModel::NeoHookean);
  const double energy = c["energy"];
  QVERIFY_NEAR(elasticEnergy(material, tet.rest, tet.F), energy, tet.tolerance * std::abs(energy));
  QVERIFY_NEAR(differenceOf(firstPiola(material, tet.F), test::matrixOf(c["stress_P"])), 0, tet.tolerance);
  QVERIFY_NEAR(differenceOf(forcesOf(material, tet.rest, tet.x), test::matrixOf(c["vertex_forces"])), 0,
               tet.tolerance);
  if (!tet.hasRows()) return;

  const ElementRows rows = elementRows(material, tet.rest, ElasticRows::Six, tet.x, kNoLambda);
  QCOMPARE(rows.count, 6);
  QCOMPARE(rows.kept, 3);
  const double volume = tet.rest.volume;
  const MatrixXd Q = basisOf(rows);
  const VectorXd compliance = complianceOf(rows);
  const VectorXd stiffness = compliance.cwiseInverse() / volume;
  QVERIFY_NEAR(
      differenceOf(Q * compliance.head(3).asDiagonal() * Q.transpose(), test::matrixOf(c["compliance"])), 0,
      tet.tolerance);
  QVERIFY_NEAR(
      differenceOf(Q * stiffness.head(3).asDiagonal() * Q.transpose(), test::matrixOf(c["hessian_clamped"])),
      0, tet.tolerance);
  const VectorXd slope = Q * residualOf(rows).head(3).cwiseQuotient(compliance.head(3)) / volume;
  QVERIFY_NEAR(differenceOf(slope, test::vectorOf(c["gradient_s"])), 0, tet.tolerance);

  // Rows of stretches and of flips have free signs of u, v: their products with the stiffness do not.
  const MatrixXd stretches = Q * gradientOf(rows, 0, 3), flips = gradientOf(rows, 3, 3);
  QVERIFY_NEAR(differenceOf(volume * stretches.transpose() * test::matrixOf(c["hessian_s"]) * stretches,
                            test::matrixOf(c["stretch_stiffness"])),
               0, tet.tolerance);
  const VectorXd flip = test::vectorOf(c["flip"]);
  QVERIFY_NEAR(differenceOf(volume * flips.transpose() * flip.asDiagonal() * flips,
                            test::matrixOf(c["shear_stiffness"])),
               0, tet.tolerance);
  QVERIFY_NEAR(differenceOf(stiffness.tail(3), flip.cwiseMax(1e-3 * c["C1"].get<double>())), 0,
               tet.tolerance);

  const ElementRows three = elementRows(material, tet.rest, ElasticRows::Three, tet.x, kNoLambda);
  QCOMPARE(three.count, 3);
  QVERIFY(gradientOf(three, 0, 3) == gradientOf(rows, 0, 3));
}

/// Laws of a tetrahedron of the reference, the linear one without and with eigenstrain.
static std::vector<ElasticMaterial> lawsOf(const Reference& tet) {
  std::vector<ElasticMaterial> laws;
  for (const ElasticModel model : kModels) laws.push_back(tet.material(model));
  laws.push_back(tet.material(ElasticModel::Corotational));
  laws.back().eigenstrain = 0.05;
  return laws;
}

// Central differences of fourth order. The step makes both errors, h⁴ and rounding / h, about 1e-10 of the
// forces of a strain of order 1.
void TetrahedraTest::forcesAreTheSlopeOfTheEnergy() {
  QFETCH(const json*, reference);
  const Reference tet(*reference);
  const double h = 2e-4 * std::cbrt(6 * tet.rest.volume);
  for (const ElasticMaterial& material : lawsOf(tet)) {
    const MatrixXd force = forcesOf(material, tet.rest, tet.x);
    const double scale = material.young * std::pow(tet.rest.volume, 2.0 / 3);
    for (int corner = 0; corner < 4; ++corner)
      for (int axis = 0; axis < 3; ++axis) {
        const auto energyAt = [&](double shift) {
          Vec3 moved[4] = {tet.x[0], tet.x[1], tet.x[2], tet.x[3]};
          moved[corner][axis] += shift;
          return elasticEnergy(material, tet.rest, deformationGradient(tet.rest, moved));
        };
        const double slope =
            (8 * (energyAt(h) - energyAt(-h)) - (energyAt(2 * h) - energyAt(-2 * h))) / (12 * h);
        QVERIFY_NEAR(force(corner, axis), -slope, 1e-8 * scale);
      }
  }
}

// Σ_k J_kᵀ Q_k · ∂U/∂s = −f, where ∂U/∂s = E⁻¹ r of multipliers 0; and with the multipliers −∂U/∂s nothing is
// left of r.
void TetrahedraTest::rowsCarryTheForces() {
  QFETCH(const json*, reference);
  const Reference tet(*reference);
  for (const ElasticMaterial& material : lawsOf(tet)) {
    const ElementRows rows = elementRows(material, tet.rest, ElasticRows::Six, tet.x, kNoLambda);
    const int kept = rows.kept;
    const VectorXd slope = residualOf(rows).head(kept).cwiseQuotient(complianceOf(rows).head(kept));
    const VectorXd carried = gradientOf(rows, 0, kept).transpose() * slope;
    const MatrixXd force = forcesOf(material, tet.rest, tet.x);
    // Rounding of stresses of up to a hundred times Y.
    const double scale = material.young * std::pow(tet.rest.volume, 2.0 / 3);
    for (int k = 0; k < 12; ++k) QVERIFY_NEAR(carried[k], -force(k / 3, k % 3), 1e-12 * scale);

    const VectorXd strains = -basisOf(rows) * slope;
    double lambda[ElementRows::kMost] = {};
    for (int m = 0; m < kept; ++m) lambda[m] = strains[m];
    const ElementRows solved = elementRows(material, tet.rest, ElasticRows::Six, tet.x, lambda);
    const double largest = residualOf(rows).cwiseAbs().maxCoeff();
    QVERIFY_NEAR(residualOf(solved).cwiseAbs().maxCoeff(), 0, 1e-13 * std::fmax(1, largest));
    for (int row = kept; row < solved.count; ++row) QCOMPARE(solved.residual[row], 0.0);
  }
}

void TetrahedraTest::haveNoForceAndNoTorqueInAll() {
  QFETCH(const json*, reference);
  const Reference tet(*reference);
  for (const ElasticMaterial& material : lawsOf(tet)) {
    Vec3 force[4], sum(0, 0, 0), torque(0, 0, 0);
    elasticForces(material, tet.rest, tet.x, nullptr, force);
    for (int k = 0; k < 4; ++k) {
      sum += force[k];
      torque += (tet.x[k] - tet.x[0]).cross(force[k]);
    }
    const double area = std::pow(tet.rest.volume, 2.0 / 3);
    QVERIFY_NEAR(sum.norm(), 0, 1e-13 * material.young * area);
    QVERIFY_NEAR(torque.norm(), 0, 1e-12 * material.young * tet.rest.volume);
  }
}

// A stress β K : ε̇ is β times the rate of K : ε: at rest, where both laws are K : ε, in any orientation.
void TetrahedraTest::dampingIsTheRateOfTheForcesAtRest() {
  QFETCH(const json*, reference);
  const Reference tet(*reference);
  const Mat3 rotation = signedStretches(tet.F).rotation();
  Vec3 x[4], velocity[4];
  for (int k = 0; k < 4; ++k) {
    x[k] = rotation * tet.corners[k];
    velocity[k] = tet.x[(k + 1) % 4];  // any
  }
  const double h = 1e-5, beta = 0.01;
  for (ElasticMaterial material : {tet.material(kModels[0]), tet.material(kModels[1])}) {
    const auto forcesAt = [&](double time) {
      Vec3 moved[4];
      for (int k = 0; k < 4; ++k) moved[k] = x[k] + time * velocity[k];
      return forcesOf(material, tet.rest, moved);
    };
    const MatrixXd rate =
        (8 * (forcesAt(h) - forcesAt(-h)) - (forcesAt(2 * h) - forcesAt(-2 * h))) / (12 * h);
    material.dampingTime = beta;
    const MatrixXd damping = forcesOf(material, tet.rest, x, velocity) - forcesOf(material, tet.rest, x);
    QVERIFY_NEAR(differenceOf(damping, beta * rate), 0, 1e-7);
    QVERIFY_NEAR(damping.colwise().sum().norm(), 0, 1e-13 * damping.norm());

    // Where it is deformed it takes energy.
    double power = 0;
    const MatrixXd forces =
        forcesOf(material, tet.rest, tet.x, velocity) - forcesOf(material, tet.rest, tet.x);
    for (int k = 0; k < 4; ++k) power += forces.row(k).dot(velocity[k].transpose());
    QVERIFY(power < 0);
  }
}

void TetrahedraTest::haveTheFrequencyOfTheReference() {
  int count = 0;
  for (const json& file : m_files) {
    if (!file.contains("element_bounds")) continue;
    for (const json& c : file["element_bounds"]) {
      Vec3 corners[4];
      for (std::size_t k = 0; k < 4; ++k) corners[k] = vec(c["rest"][k]);
      ElasticMaterial material;
      material.young = c["young"];
      material.poisson = c["poisson"];
      const double expected = c["omega_max"], limit = c["step_limit"];
      for (const ElasticModel model : kModels) {
        material.model = model;
        const double omega = std::sqrt(frequencyBound(material, restOf(corners), c["density"]));
        QVERIFY_NEAR(omega, expected, 1e-9 * expected);
        QVERIFY_NEAR(2 / omega, limit, 1e-9 * limit);
      }
      ++count;
    }
  }
  QVERIFY(count >= 6);
}

/// The lateral stretch at which the lateral stress of firstPiola() is 0, by Newton's method with the slope of
/// differences.
static double lateralStretchOf(const ElasticMaterial& material, double stretch) {
  const auto stressAt = [&](double lateral) {
    return firstPiola(material, Vec3(stretch, lateral, lateral).asDiagonal())(1, 1);
  };
  double lateral = 1;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double h = 1e-6, slope = (stressAt(lateral + h) - stressAt(lateral - h)) / (2 * h);
    lateral -= stressAt(lateral) / slope;
  }
  return lateral;
}

void TetrahedraTest::stretchLikeTheReference() {
  int count = 0;
  for (const json& file : m_files) {
    if (!file.contains("curves")) continue;
    for (const json& c : file["curves"]["uniaxial"]) {
      ElasticMaterial material;
      material.young = c["young"];
      material.poisson = c["poisson"];
      const double stretch = c["stretch"], lateral = lateralStretchOf(material, stretch);
      const auto stressOf = [&](double across) {
        return firstPiola(material, Vec3(stretch, across, across).asDiagonal())(0, 0);
      };
      QVERIFY_NEAR(lateral, c["lateral"].get<double>(), 1e-6);
      QVERIFY_NEAR(stretch * lateral * lateral, c["volume_ratio"].get<double>(), 1e-6);
      QVERIFY_NEAR(stressOf(lateral), c["nominal_stress"].get<double>(), 1e-6 * material.young);

      material.model = ElasticModel::Corotational;
      const double linear = lateralStretchOf(material, stretch);
      QVERIFY_NEAR(stretch * linear * linear, c["linear_volume_ratio"].get<double>(), 1e-6);
      QVERIFY_NEAR(stressOf(linear), c["linear_nominal_stress"].get<double>(), 1e-6 * material.young);
      ++count;
    }
  }
  QVERIFY(count > 0);
}

/// A block of 3 × 3 × 3 cubes, each cut in 5 tetrahedra in alternating directions, its vertices moved at
/// random.
struct IrregularBlock {
  static constexpr int kCells = 3, kVertices = (kCells + 1) * (kCells + 1) * (kCells + 1);
  Vec3 rest[kVertices];
  bool isInside[kVertices];
  std::vector<std::array<int, 4>> tetrahedra;

  IrregularBlock() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> shift(-0.15, 0.15);
    for (int v = 0; v < kVertices; ++v) {
      const int place[3] = {v % (kCells + 1), v / (kCells + 1) % (kCells + 1),
                            v / (kCells + 1) / (kCells + 1)};
      isInside[v] = true;
      for (int k = 0; k < 3; ++k) {
        rest[v][k] = 0.1 * (place[k] + shift(random));
        isInside[v] = isInside[v] && place[k] > 0 && place[k] < kCells;
      }
    }
    // Four corner tetrahedra around the one in the middle; bit k of a number: the far side along axis k.
    const int cut[2][5][4] = {{{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}},
                              {{1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 5, 6, 3}, {0, 3, 5, 6}}};
    for (int cell = 0; cell < kCells * kCells * kCells; ++cell) {
      const int i = cell % kCells, j = cell / kCells % kCells, k = cell / kCells / kCells;
      for (const auto& tet : cut[(i + j + k) % 2]) {
        std::array<int, 4> corners;
        for (std::size_t c = 0; c < 4; ++c) {
          const int bits = tet[c], x = i + (bits & 1), y = j + (bits >> 1 & 1), z = k + (bits >> 2);
          corners[c] = x + (kCells + 1) * (y + (kCells + 1) * z);
        }
        if (restOf(cornersOf(corners, rest).data()).volume < 0) std::swap(corners[2], corners[3]);
        tetrahedra.push_back(corners);
      }
    }
  }
  static std::array<Vec3, 4> cornersOf(const std::array<int, 4>& tet, const Vec3* positions) {
    std::array<Vec3, 4> corners;
    for (std::size_t c = 0; c < 4; ++c) corners[c] = positions[tet[c]];
    return corners;
  }
  /// Forces of all tetrahedra with the vertices at map(rest).
  template <class Map>
  std::vector<Vec3> forces(const ElasticMaterial& material, const Map& map) const {
    Vec3 x[kVertices];
    for (int v = 0; v < kVertices; ++v) x[v] = map(rest[v]);
    std::vector<Vec3> result(kVertices, Vec3(0, 0, 0));
    for (const auto& tet : tetrahedra) {
      Vec3 force[4];
      elasticForces(material, restOf(cornersOf(tet, rest).data()), cornersOf(tet, x).data(), nullptr, force);
      for (std::size_t c = 0; c < 4; ++c) result[tet[c]] += force[c];
    }
    return result;
  }
};

void TetrahedraTest::doNotPullInsideAnAffineField_data() {
  QTest::addColumn<ElasticModel>("model");
  QTest::addColumn<double>("poisson");
  for (const double poisson : {0.0, 0.3, 0.45}) {
    QTest::addRow("linear, %g", poisson) << ElasticModel::Corotational << poisson;
    QTest::addRow("Neo-Hookean, %g", poisson) << ElasticModel::NeoHookean << poisson;
  }
}

// The patch test: with the same F everywhere the stress is the same, and inner vertices are in balance.
void TetrahedraTest::doNotPullInsideAnAffineField() {
  QFETCH(ElasticModel, model);
  QFETCH(double, poisson);
  ElasticMaterial material;
  material.model = model;
  material.poisson = poisson;
  Mat3 F;
  F << 1.2, 0.3, -0.1, -0.2, 0.9, 0.25, 0.15, -0.1, 1.1;
  const auto map = [&F](const Vec3& X) { return Vec3(F * X + Vec3(0.5, -2, 1)); };
  const IrregularBlock block;
  const std::vector<Vec3> forces = block.forces(material, map);
  Vec3 sum(0, 0, 0), torque(0, 0, 0);
  double inside = 0, outside = 0;
  for (int v = 0; v < IrregularBlock::kVertices; ++v) {
    const Vec3& force = forces[v];
    double& largest = block.isInside[v] ? inside : outside;
    largest = std::fmax(largest, force.norm());
    sum += force;
    torque += map(block.rest[v]).cross(force);
  }
  QVERIFY(outside > 1);
  QVERIFY_NEAR(inside / outside, 0, 1e-13);
  QVERIFY_NEAR(sum.norm() / outside, 0, 1e-13);
  QVERIFY_NEAR(torque.norm() / outside, 0, 1e-13);  // arms of about 1 m
}

void TetrahedraTest::areAtRestAfterARigidMotion() {
  const Mat3 rotation = Eigen::AngleAxisd(2.1, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  for (const ElasticModel model : kModels) {
    ElasticMaterial material;
    material.model = model;
    material.poisson = 0.45;
    const IrregularBlock block;
    const auto forces =
        block.forces(material, [&rotation](const Vec3& X) { return Vec3(rotation * X + Vec3(1, 2, 3)); });
    // Rounding of the places of about 4 m is strain of 1e-14 in cells of 0.1 m, and stress of several Y.
    for (const Vec3& force : forces) QVERIFY_NEAR(force.norm(), 0, 1e-12 * material.young * 0.01);
    for (const Vec3& force : block.forces(material, [](const Vec3& X) { return X; }))
      QVERIFY_NEAR(force.norm(), 0, 1e-14 * material.young * 0.01);
    Vec3 x[4];
    for (int k = 0; k < 4; ++k) x[k] = block.rest[k == 0 ? 0 : k == 1 ? 1 : k == 2 ? 4 : 16];
    QVERIFY_NEAR(elasticEnergy(material, restOf(x), Mat3::Identity()), 0, 0);
    QVERIFY_NEAR(elasticEnergy(material, restOf(x), rotation), 0, 1e-15 * material.young * restOf(x).volume);
  }
}

// Free, it is as large as the eigenstrain says; held, it presses with a = Y ε* / (1 − 2ν).
void TetrahedraTest::swellByTheEigenstrain() {
  ElasticMaterial material;
  material.model = ElasticModel::Corotational;
  material.poisson = 0.47;
  material.eigenstrain = 0.2;
  const Mat3 rotation = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitY()).toRotationMatrix();
  QVERIFY_NEAR(firstPiola(material, 1.2 * rotation).norm(), 0, 1e-14 * material.young / 0.06);
  const double pressure = material.young * 0.2 / (1 - 2 * 0.47);
  QVERIFY_NEAR((firstPiola(material, rotation) + pressure * rotation).norm(), 0, 1e-14 * pressure);
  material.model = ElasticModel::NeoHookean;
  QVERIFY_NEAR(firstPiola(material, Mat3::Identity()).norm(), 0, 0);
}

void TetrahedraTest::stretchesOfAnyMatrixAreSorted_data() {
  QTest::addColumn<Mat3>("F");
  const Mat3 one = Mat3::Identity();
  const Vec3 a(1, -2, 0.5), b(0.3, 0.4, -1);
  QTest::newRow("rest") << one;
  QTest::newRow("zero") << Mat3(Mat3::Zero());
  QTest::newRow("turned inside out") << Mat3(-one);
  QTest::newRow("mirrored") << Mat3(Vec3(1, 1, -1).asDiagonal());
  QTest::newRow("mirrored, first") << Mat3(Vec3(-0.5, 2, 3).asDiagonal());
  QTest::newRow("of rank 1") << Mat3(a * b.transpose());
  QTest::newRow("of rank 1, exact") << Mat3(Vec3(1, 2, 4) * Vec3(1, 1, 1).transpose());
  QTest::newRow("of rank 1, an axis") << Mat3(Vec3(0, 0, -2).asDiagonal());
  QTest::newRow("of rank 2") << Mat3(a * b.transpose() + b * a.transpose());
  QTest::newRow("tiny") << Mat3(1e-140 * (a * b.transpose() + one));
  QTest::newRow("large") << Mat3(1e150 * (a * b.transpose() - one));
  QTest::newRow("two equal") << Mat3(Vec3(1, 3, 1).asDiagonal());
  QTest::newRow("s2 = -s3") << Mat3(Vec3(2, 0.5, -0.5).asDiagonal());
  QTest::newRow("a shear of 1e-9") << Mat3(one + 1e-9 * a * b.transpose());
  QTest::newRow("a shear of 1e8") << Mat3(one + 1e8 * Vec3(1, 0, 0) * Vec3(0, 1, 0).transpose());
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20; ++k)
    QTest::addRow("random %d", k) << Mat3(Mat3::NullaryExpr([&normal, &random] { return normal(random); }));
}

void TetrahedraTest::stretchesOfAnyMatrixAreSorted() {
  QFETCH(Mat3, F);
  const SignedStretches stretches = signedStretches(F);
  const Mat3 &U = stretches.u, &V = stretches.v;
  const Vec3& s = stretches.s;
  QVERIFY_NEAR((U.transpose() * U - Mat3::Identity()).norm(), 0, 5e-15);
  QVERIFY_NEAR((V.transpose() * V - Mat3::Identity()).norm(), 0, 5e-15);
  QVERIFY_NEAR(U.determinant(), 1, 5e-15);
  QVERIFY_NEAR(V.determinant(), 1, 5e-15);
  QVERIFY(s[0] >= s[1]);
  QVERIFY(s[1] >= std::abs(s[2]) * (1 - 1e-14));
  const double largest = F.cwiseAbs().maxCoeff();
  QVERIFY_NEAR((U * s.asDiagonal() * V.transpose() - F).cwiseAbs().maxCoeff(), 0, 1e-14 * largest);
  const double scale = largest > 0 ? largest : 1;
  QVERIFY_NEAR((s / scale).prod(), (F / scale).determinant(), 1e-14);
}

// F = U diag(1, 1e-8, 1e-16): nearly flat in two directions. Rounding of F changes each column, and so each
// stretch, by a share of itself only.
void TetrahedraTest::smallStretchesAreAsExactAsLargeOnes() {
  const Mat3 rotation = Eigen::AngleAxisd(1.1, Eigen::Vector3d(2, -1, 1).normalized()).toRotationMatrix();
  for (const double sign : {1.0, -1.0}) {
    const Vec3 expected(1, 1e-8, sign * 1e-16);
    const SignedStretches stretches = signedStretches(rotation * expected.asDiagonal());
    for (int k = 0; k < 3; ++k) QVERIFY_NEAR(stretches.s[k], expected[k], 1e-14 * std::abs(expected[k]));
    QVERIFY_NEAR((stretches.rotation() - rotation).norm(), 0, 1e-14);
  }
}

QTEST_APPLESS_MAIN(TetrahedraTest)
#include "tst_tetrahedra.moc"
