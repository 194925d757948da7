#include "core/run/csv.h"

#include <charconv>
#include <cmath>

namespace touchstone {

namespace {

// Calls write(pane's history, record) frame by frame, panes in order, over all frames that any pane keeps.
template <class Write>
void forEachFrame(const std::vector<const History*>& panes, const Write& write) {
  long first = 0, last = -1;
  for (const History* pane : panes) {
    if (pane->empty()) continue;
    first = last < 0 ? pane->firstFrame() : std::min(first, pane->firstFrame());
    last = std::max(last, pane->lastFrame());
  }
  for (long frame = first; frame <= last; ++frame)
    for (const History* pane : panes)
      if (const RecordPtr record = pane->at(frame)) write(*record);
}

void writeVector(std::ostream& out, const Vec3& v) {
  for (int axis = 0; axis < 3; ++axis) out << ',' << csvNumber(v[axis]);
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

// Quotes a cell only where RFC 4180 asks for it.
std::string csvText(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string csvNumber(double value) {
  if (std::isnan(value)) return {};
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

void writeQuantities(std::ostream& out, const std::vector<const History*>& panes) {
  out << "time_s,frame,method,solver,status";
  bool planar = false;
  forEachFrame(panes, [&planar](const StepRecord& record) { planar = record.planar; });
  for (const QuantityInfo& info : quantityTable(planar)) out << ',' << info.column;
  out << '\n';
  forEachFrame(panes, [&](const StepRecord& record) {
    out << csvNumber(record.time) << ',' << record.frame << ',' << record.method << ',' << record.solver
        << ',' << touchstone::toString(record.status);
    for (double value : record.quantities.values) out << ',' << csvNumber(value);
    out << '\n';
  });
}

void writeContacts(std::ostream& out, const std::vector<const History*>& panes, const Scene& scene) {
  out << "time_s,frame,method,kind,body_a,body_b,type,set,primary,trap,mode,point_a_x_m,point_a_y_m,point_a_"
         "z_m,"
         "point_b_x_m,point_b_y_m,point_b_z_m,normal_x,normal_y,normal_z,gap_m,normal_impulse_Ns,"
         "friction_impulse_x_Ns,friction_impulse_y_Ns,friction_impulse_z_Ns\n";
  forEachFrame(panes, [&](const StepRecord& record) {
    for (const Contact& contact : record.contacts) {
      out << csvNumber(record.time) << ',' << record.frame << ',' << record.method << ','
          << toString(contact.kind) << ',' << csvText(scene.bodies[contact.bodyA].name) << ','
          << csvText(scene.bodies[contact.bodyB].name) << ',' << toString(contact.type) << ',' << contact.set
          << ',' << contact.primary << ',' << contact.trap << ',' << toString(contact.mode);
      writeVector(out, contact.pointA);
      writeVector(out, contact.pointB);
      writeVector(out, contact.normal);
      out << ',' << csvNumber(contact.gap) << ',' << csvNumber(contact.normalImpulse);
      writeVector(out, contact.frictionImpulse);
      out << '\n';
    }
  });
}

void writeConvergence(std::ostream& out, const std::vector<const History*>& panes) {
  out << "time_s,frame,method,solver,delivered_by,iteration,residual_m_per_s,merit,linear_iterations,linear_"
         "residual\n";
  forEachFrame(panes, [&](const StepRecord& record) {
    for (std::size_t iteration = 0; iteration < record.iterations.size(); ++iteration)
      out << csvNumber(record.time) << ',' << record.frame << ',' << record.method << ',' << record.solver
          << ',' << record.deliveredBy << ',' << iteration + 1 << ','
          << csvNumber(record.iterations[iteration].residual) << ','
          << csvNumber(record.iterations[iteration].merit) << ','
          << record.iterations[iteration].linearIterations << ','
          << csvNumber(record.iterations[iteration].linearResidual) << '\n';
  });
}

}  // namespace touchstone
