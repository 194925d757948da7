#include "core/store/csv.h"
#include "core/files/text_forms.h"

#include <charconv>
#include <cmath>

namespace touchstone {

namespace {

constexpr char kFirstColumns[] = "time_s,frame,method,solver,pane";

std::string firstCells(const StepRecord& record, const std::string& pane) {
  return csvNumber(record.time) + ',' + std::to_string(record.frame) + ',' + record.method + ',' +
         csvText(record.solver) + ',' + csvText(pane);
}

const char* toString(ContactMode mode) {
  return mode == ContactMode::Open ? "open" : mode == ContactMode::Sticking ? "sticking" : "sliding";
}
const char* toString(ConstraintType type) {
  return type == ConstraintType::Penalty ? "penalty"
         : type == ConstraintType::U     ? "U"
         : type == ConstraintType::I     ? "I"
                                         : "X";
}
const char* toString(FeaturePairKind kind) {
  return kind == FeaturePairKind::VertexFace ? "vertex-face"
         : kind == FeaturePairKind::EdgeEdge ? "edge-edge"
                                             : "vertex-plane";
}

}  // namespace

std::string quantityHeader(bool planar, const std::vector<BodyQuantity>& ofBodies) {
  std::string header = std::string(kFirstColumns) + ",status";
  for (const QuantityInfo& info : quantityTable(planar)) header += ',' + info.column;
  for (const BodyQuantity& quantity : ofBodies) header += columnsOf(quantity);
  return header + '\n';
}

std::string quantityLines(const StepRecord& record, const std::string& pane,
                          const std::vector<BodyQuantity>& ofBodies) {
  std::string line = firstCells(record, pane) + ',' + touchstone::toString(record.status);
  for (double value : record.quantities.values) line += ',' + csvNumber(value);
  for (const BodyQuantity& quantity : ofBodies) line += cellsOf(quantity, record);
  return line + '\n';
}

std::string contactHeader() {
  return std::string(kFirstColumns) +
         ",substep,kind,body_a,body_b,type,set,primary,trap,mode,point_a_x_m,point_a_y_m,point_a_z_m,point_b_"
         "x_m,"
         "point_b_y_m,"
         "point_b_z_m,normal_x,normal_y,normal_z,gap_m,normal_impulse_Ns,friction_impulse_x_Ns,friction_"
         "impulse_y_Ns,"
         "friction_impulse_z_Ns\n";
}

namespace {

std::string contactLine(const Contact& contact, const Scene& scene) {
  return std::string(toString(contact.kind)) + ',' + csvText(scene.bodies[contact.bodyA].name) + ',' +
         csvText(scene.bodies[contact.bodyB].name) + ',' + toString(contact.type) + ',' +
         std::to_string(contact.set) + (contact.primary ? ",1" : ",0") + (contact.trap ? ",1," : ",0,") +
         toString(contact.mode) + csvVector(contact.pointA) + csvVector(contact.pointB) +
         csvVector(contact.normal) + ',' + csvNumber(contact.gap) + ',' + csvNumber(contact.normalImpulse) +
         csvVector(contact.frictionImpulse) + '\n';
}

}  // namespace

std::string contactLines(const StepRecord& record, const std::string& pane, const Scene& scene,
                         Substeps substeps) {
  const std::string first = firstCells(record, pane) + ',';
  std::string lines;
  int substep = 0;
  const auto add = [&](const std::vector<Contact>& contacts) {
    ++substep;
    for (const Contact& contact : contacts)
      lines += first + std::to_string(substep) + ',' + contactLine(contact, scene);
  };
  if (substeps == Substeps::All)
    for (const std::vector<Contact>& contacts : record.earlierContacts) add(contacts);
  substep = record.substeps - 1;
  add(record.contacts);
  return lines;
}

std::string convergenceHeader() {
  return std::string(kFirstColumns) +
         ",delivered_by,iteration,residual_m_per_s,merit,linear_iterations,linear_residual,step_m_per_s,"
         "normal_m,friction_m_per_s,joints,momentum_m_per_s,linear_residuals\n";
}

std::string convergenceLines(const StepRecord& record, const std::string& pane) {
  const std::string first = firstCells(record, pane) + ',' + csvText(record.deliveredBy) + ',';
  std::string lines;
  for (std::size_t index = 0; index < record.iterations.size(); ++index) {
    const SolverIteration& iteration = record.iterations[index];
    lines += first + std::to_string(index + 1) + ',' + csvNumber(iteration.residual) + ',' +
             csvNumber(iteration.merit) + ',' + std::to_string(iteration.linearIterations) + ',' +
             csvNumber(iteration.linearResidual);
    for (const double part :
         {iteration.stepSize, iteration.normal, iteration.friction, iteration.joints, iteration.momentum})
      lines += ',' + csvNumber(part);
    lines += ',';
    for (std::size_t k = 0; k < iteration.linear.size(); ++k)
      lines += (k > 0 ? " " : "") + csvNumber(static_cast<double>(iteration.linear[k]));
    lines += '\n';
  }
  return lines;
}

// Merges the histories, because each keeps frames at its own spacing.
void writeQuantities(std::ostream& out, const std::vector<std::string>& panes,
                     const std::vector<const History*>& histories) {
  struct Place {
    std::deque<RecordPtr>::const_iterator next, end;
  };
  std::vector<Place> places;
  bool planar = false;
  for (const History* history : histories) {
    places.push_back({history->frames().begin(), history->frames().end()});
    planar = planar || (!history->empty() && history->frames().front()->planar);
  }
  out << quantityHeader(planar);
  while (true) {
    std::size_t first = places.size();
    for (std::size_t pane = places.size(); pane-- > 0;)
      if (places[pane].next != places[pane].end &&
          (first == places.size() || (*places[pane].next)->frame <= (*places[first].next)->frame))
        first = pane;
    if (first == places.size()) return;
    out << quantityLines(**places[first].next++, panes[first]);
  }
}

}  // namespace touchstone
