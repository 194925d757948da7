#include "core/elasticity/tetrahedron.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/elasticity/element_rows.inl"
#include "core/elasticity/tetrahedron.inl"

namespace touchstone {

// With the diagonal compliances E_k of the linear law, K_e = Σ_k J_kᵀ J_k / E_k = AᵀA with the rows
// J_k / √E_k of A. Its eigenvalues other than 0 are those of the 6 × 6 matrix A Aᵀ.
double frequencyBound(const ElasticMaterial& material, const TetrahedronRest& rest, double density) {
  ElasticMaterial linear = material;
  linear.model = ElasticModel::Corotational;
  const double lambda[ElementRows::kMost] = {};
  const ElementRows rows = detail::corotationalRows(linear, rest, Mat3::Identity(), lambda);
  Eigen::Matrix<double, 6, 12> A;
  for (int k = 0; k < 6; ++k)
    for (int corner = 0; corner < 4; ++corner)
      A.block<1, 3>(k, 3 * corner) = rows.gradient[k][corner].transpose() / std::sqrt(rows.compliance[k]);
  const Eigen::Matrix<double, 6, 6> product = A * A.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> eigen(product, Eigen::EigenvaluesOnly);
  return eigen.eigenvalues()[5] / (density * rest.volume / 4);
}

double largestStrain(const Mat3& F) {
  Eigen::SelfAdjointEigenSolver<Mat3> solver;
  solver.computeDirect(Mat3(F.transpose() * F - Mat3::Identity()), Eigen::EigenvaluesOnly);
  const bool isInverted = F.determinant() < 0;
  double largest = 0;
  for (int k = 0; k < 3; ++k) {
    const double e = std::max(solver.eigenvalues()[k], -1.0), stretch = std::sqrt(1 + e);
    largest = std::max(largest, isInverted && k == 0 ? 1 + stretch : std::abs(e / (1 + stretch)));
  }
  return largest;
}

}  // namespace touchstone
