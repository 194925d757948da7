#include "app/bench/bench_groups.h"

#include <algorithm>
#include <cctype>

#include "core/files/listed.h"
#include "core/referee/referee.h"
#include "core/solver/linear/linear.h"

namespace touchstone::cli {

namespace {

bool isNumber(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

const std::vector<BenchGroup>& benchGroupTable() {
  static const std::vector<BenchGroup> table = {
      {"pairs", "Pairs of features",
       "Continuous collision detection and the impulse of CPF for random pairs of features. The row *one "
       "core* "
       "takes one pair after the other. The other rows take 400 000 pairs at once (4 million on a device), "
       "as a "
       "step does after its broad phase."},
      {"pile", "Towers of boxes",
       "Boxes with friction in towers of ten, all in contact, in steps of 1 ms. The first 20 steps do not "
       "count. "
       "The speed is that of steps that return states only; *recorded and measured* adds contacts and the "
       "measurements of the Referee. The times of the phases belong to the former. Under pgs a step makes at "
       "most "
       "100 sweeps."},
      {"wall", "A wall of bricks",
       "The same boxes as the bricks of one wall of twenty courses, so that all of them are coupled: one "
       "island."},
      {"nsn", "Non-smooth Newton",
       "The scenes of Macklin 2019, table 2, on the host: all phases of a step but the Referee's, with "
       "the "
       "paper's counts of Newton and linear iterations, and with ours. *Residual* is the natural one at the "
       "end of "
       "the step. Bodies, contacts and step are ours where the paper is silent; its time is that of a GPU."},
      {"soft", "Bodies that deform under CPF",
       "The deforming scenes of Tang 2012, small and at full size, on the host: all phases of a frame but "
       "the "
       "Referee's, and the frames per second that the paper prints. Meshes, step and stiffness are ours; the "
       "paper's processor is from 2007."},
      {"stacks", "Stacks and a bin",
       "Boxes exactly on top of each other (*aligned*) and boxes that fall into a bin (*dropped*), under "
       "default "
       "settings. *Not solved* is the share of the frames without convergence or without a solution, "
       "*deepest* the "
       "deepest penetration of all frames."},
      {"piles", "Piles beside other engines",
       "Steps on one thread of the host that return states only: nothing is recorded, and the Referee is "
       "off. "
       "The value is the mean processor time of a step, or of one substep where the row says so; percentiles "
       "are of the same steps. *Overlap* is the volume of all overlaps, *deepest* the depth of the deepest "
       "one "
       "in the last fifth of the run, when bodies rest if all steps were taken; both are measured as the "
       "Referee does, between the timed steps. *Steps* were taken, of those *of the whole* run: a bound "
       "counts "
       "steps, never seconds. Bullet and ODE have rows where the program is "
       "built with them, at their defaults but for the iterations in the name. *Pour* has steps of 10 ms, "
       "*heavy-stack* its 10 ms, "
       "the others 1/120 s. The 100 and 1000 boxes are cubes of 0.2 m, 5 × 2 and 10 × 10 in a layer, that "
       "fall "
       "into a bin. *At tolerance* counts frames whose solves all reached their tolerance, *ended by budget* "
       "frames whose answer was used without it."},
      {"scale", "Scale",
       "*Memory of 1000 boxes in contact* is that of one pane, from 3200 boxes. *1 to 2 threads*: 1000 boxes "
       "in "
       "towers of ten, steps with one thread and with two in turn, medians of the wall time. *Four panes at "
       "once*: frames of all four at once and one after the other in turn, means of the wall time. The gain "
       "of threads and panes is that of processors which other programs leave free. *64 worlds "
       "of 20 bodies*: processor time of a step on one thread, beside 64 separate scenes and one scene with "
       "as "
       "many bodies."},
      {"worlds", "Many worlds at once",
       "Copies of a scene of 20 boxes, simulated as one scene: 64 copies on one core, 4096 on a device. Each "
       "copy "
       "has its own stiffness or masses. Rows *cuda over 100 cores* compare a device with 100 such cores."},
      {"sets", "Contacts of LCP and PEG",
       "Broad phase and narrow phase of LCP and PEG for 10 000 boxes in towers: contacts and constraint "
       "sets."},
      {"overlaps", "Overlaps", "The Referee finds and measures the overlaps of 10 000 boxes in towers."},
      {toString(LinearSolver::Pcr), "Conjugate residuals",
       "The linear solver pcr on a dense system. The memory limits its matrix products, so their speed is "
       "compared "
       "with the speed at which the same matrix is copied."},
      {"pour", "Scene `pour`",
       "Twenty stones fall into a box; 6 s are simulated, and a row gives the processor time of a frame on "
       "one "
       "thread, as states only. Rows *ratio* divide the medians of two methods."},
      {"pour-2d", "Scene `pour-2d`", "Twenty polygons fall into a planar box; 5 s are simulated."},
      {"heavy-stack", "Scene `heavy-stack`",
       "A stack with masses from 1 to 4096, the light boxes below; 1 s is simulated."},
      {"resting-box", "Scene `resting-box`", "One box falls on the ground and rests; 1 s is simulated."},
      {"meshes", "Scene `meshes`", "Closed triangle meshes fall on each other; 0.5 s are simulated."},
      {"window", "The window",
       "The workbench with four panes of `pour` at 1920 × 1080, in real time for 20 s. *Stall, 99 %* is "
       "the 99th percentile of the times without an answer to an event. *Processor per frame* is the time of "
       "the whole "
       "program, physics and drawing, per shown frame."},
      {"memory", "Memory",
       "*Per contact*: what 3200 boxes that touch need more than the same boxes apart, for each recorded "
       "contact. *Per surface triangle*: what spheres in free fall need for each triangle. Both come from "
       "the "
       "highest memory use of the process, which depends on what ran before: `bench memory` alone is "
       "fairest."}};
  return table;
}

std::string benchGroups() {
  return listed(benchGroupTable(), ", ", [](const BenchGroup& group) { return std::string(group.name); });
}

std::string benchGroupOf(const std::string& rowName) {
  // Rows of scenes begin with what they are.
  const std::size_t slash = rowName.find('/');
  const std::string group = rowName.substr(0, slash);
  if (group == "step" || group == "ratio") return benchGroupOf(rowName.substr(slash + 1));
  const std::size_t dash = group.rfind('-');
  return dash != std::string::npos && isNumber(group.substr(dash + 1)) ? group.substr(0, dash) : group;
}

}  // namespace touchstone::cli
