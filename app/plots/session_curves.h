#pragma once

#include <QStringList>
#include <functional>
#include <vector>

#include "core/record/step_record.h"
#include "widgets/plots/curve.h"
#include "widgets/plots/plot_state.h"

namespace touchstone {

class Session;
struct PaneSpan;
struct ShownEnsemble;

using ValueOfRecord = std::function<double(const StepRecord&)>;

/// Label, colour, dash and marker of the method that computed a span of frames: they stay when the pane
/// changes.
void styleCurve(Curve& curve, const PaneSpan& span);

/// A quantity of all panes over time, then the scene's analytic curves, which belong to no pane.
/// @param panes  out: pane of each curve
std::vector<Curve> curvesOfQuantity(const Session& session, Quantity quantity, std::vector<int>& panes);
/// A number of the records of all panes over time.
std::vector<Curve> curvesOfValue(const Session& session, const ValueOfRecord& valueOf,
                                 std::vector<int>& panes);
/// The curves in relation to those of the reference pane, which are then left out.
/// @param panes  of the first curves; changed with them
std::vector<Curve> relatedToReference(const Session& session, std::vector<Curve> curves, CurveForm form,
                                      std::vector<int>& panes);
/// The curves of the branches that are laid over, from where they part from the shown branch, in relation to
/// its reference pane.
std::vector<Curve> overlaidCurves(const Session& session, const ValueOfRecord& valueOf, CurveForm form);
/// Entry of the legend for all curves of an overlaid branch: its name, and its dash in no method's colour.
Curve overlaidName(const Session& session, int branch);
/// Names of the curves of an overlaid branch.
QStringList overlaidLabels(const Session& session, int branch);
/// The values of all panes at the cursor.
std::vector<PlotReading> readingsAtCursor(const Session& session, const ValueOfRecord& valueOf,
                                          CurveForm form);
/// The recorded frame whose time is nearest.
long frameAt(const Session& session, double time);
/// Residuals over the iterations of the step at the cursor, and what else was asked for.
std::vector<Curve> convergenceCurves(const Session& session, const ConvergenceLevels& levels);
/// Tolerance of the first pane whose step at the cursor has iterations; else not a number [m/s].
double solverTolerance(const Session& session);

/// Label and style of the bands of a pane: a thin dotted median, so that the live curve stays visible over
/// it.
void styleBand(Curve& curve, const ShownEnsemble& shown, std::size_t pane);

/// Median and the range of 90 % of the copies over time, one curve per pane; none for a quantity that copies
/// do not have.
std::vector<Curve> curvesOfEnsemble(const ShownEnsemble& shown, Quantity quantity);

}  // namespace touchstone
