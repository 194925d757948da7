#pragma once

#include <string>

#include "core/solver/dense/problem.h"

namespace touchstone {

/// A frictional contact problem as the field publishes it: u = W r + q, with rows n, t1, t2 of each contact
/// (n, t in the plane), 0 ≤ u_n ⊥ r_n ≥ 0 and Coulomb's friction |r_t| ≤ μ r_n. As a ComplementarityProblem:
/// A = W, b = q, a FrictionDisk for each contact with μ > 0.
///
/// Text (.dat): dimension, contacts, storage 0 (dense), rows, columns, "rows columns", the matrix column by
/// column, q, μ. HDF5 (.hdf5, .h5), in the layout of FCLIB: fclib_local with W {m, n, nz, p, i, x} (nz −2:
/// rows compressed, −1: columns compressed, else the number of triplets) and vectors/q, vectors/mu; or
/// fclib_global with M, H and vectors/f, vectors/w, vectors/mu, which becomes W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w.
/// @throws SceneError with file, field and remedy
ComplementarityProblem readFrictionProblem(const std::string& path);
/// True if the name ends as such a file's does.
bool isFrictionProblem(const std::string& path);
/// The text of a problem, with the rows of a contact together. @throws std::invalid_argument if the problem
/// is of another kind
std::string frictionProblemText(const ComplementarityProblem& problem);

}  // namespace touchstone
