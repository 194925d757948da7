#include "core/elasticity/tetrahedron.h"

#include <Eigen/Eigenvalues>

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

}  // namespace touchstone
