#pragma once

#include <vector>

#include "core/record/step_record.h"
#include "widgets/plots/curve.h"

namespace touchstone {

class Session;
struct PaneSpan;

/// Label, colour and dash of the method that computed a span of frames: they stay when the pane changes.
void styleCurve(Curve& curve, const PaneSpan& span);

/// A quantity of all panes over time, then the scene's analytic curves, which belong to no pane.
/// @param panes  out: pane of each curve
std::vector<Curve> curvesOfQuantity(const Session& session, Quantity quantity, std::vector<int>& panes);
/// The same of the chosen joint; not a number in records without it.
std::vector<Curve> curvesOfJoint(const Session& session, double (*valueOf)(const JointState&),
                                 std::vector<int>& panes);
/// Residuals over the iterations of the step at the cursor, and what else was asked for.
std::vector<Curve> convergenceCurves(const Session& session, const ConvergenceLevels& levels);
/// Of the first pane whose step at the cursor has iterations; else not a number [m/s].
double solverTolerance(const Session& session);

}  // namespace touchstone
