#pragma once

#include <string>
#include <vector>

#include "core/contact/drive_parameter.h"
#include "core/contact/manifold/row_rules.h"
#include "core/elasticity/tetrahedron.h"
#include "core/scene/scene.h"
#include "core/solver/linear/linear.h"
#include "core/solver/rows/rewriting.h"

namespace touchstone::nsn {

/// The parameters of a pane as the method uses them.
struct Values {
  /// Newton in body space with a proximal point; else the iteration of Macklin 2019 on impulses
  bool isProximal = true;
  RewritingSettings rewriting;
  LinearSolver linear = LinearSolver::Pcr;
  int iterations = 20, linearIterations = 40;
  double tolerance = 0;  ///< on the natural residual, below which the iteration ends [m/s]
  ElasticRows elastic = ElasticRows::Six;
  DriveIntegration drives = DriveIntegration::Implicit;
  bool normalsTurn = true;  ///< with GapContact::turnsWith; else held in the step, as published
  bool isWarm = false;      ///< starts from the forces of the last step
  double poor = 0;  ///< a residual above this times h, and above the tolerance, is not converged [m/s²]
  bool splitsPushOut = true;       ///< overlaps of rigid bodies are undone apart from velocities
  bool isPublishedCounts = false;  ///< iterations of Macklin 2019, table 2, with their drag
  std::string name;                ///< of the solver, for records
};

std::vector<ParameterSpec> parameters();
Values valuesOf(const ParameterValues& values, const Scene& scene);
/// Which contacts narrow phase finds: those of `lcp`, at any distance within reach.
RowRules rulesOf(const ParameterValues& values, const Scene& scene);
/// Why these values cannot go together, or empty.
std::string clash(const ParameterValues& values, const std::string& solver);

}  // namespace touchstone::nsn
