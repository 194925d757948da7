#include "core/trajectory/contacts_file.h"

#include <algorithm>
#include <cmath>

#include "core/files/listed.h"
#include "core/files/nearest_names.h"
#include "core/files/text_forms.h"

namespace touchstone {

SceneError unknownBody(const CsvReader& file, const CsvReader::Cell& cell, const Scene& scene) {
  std::vector<std::string> names;
  for (const Body& body : scene.bodies) names.push_back(body.name);
  const std::string word(cell.text);
  return file.error(cell.column, "the scene has no body '" + word + "'",
                    "the nearest names are '" + listed(nearestNames(word, names, 3), "', '") +
                        "'; --names maps other names");
}

ContactsReader::ContactsReader(std::shared_ptr<const Scene> scene, const std::string& path,
                               const std::map<std::string, std::string>& names)
    : m_scene(std::move(scene)), m_file(path, "give a file of contacts (CSV)"), m_names(names) {
  m_header = readTrajectoryHeader(m_file, "touchstone_contacts");
  using U = ColumnUnit;
  findColumns(m_file, m_header,
              {{"time", U::Time, &m_time},
               {"body_a", U::Text, &m_bodyA},
               {"body_b", U::Text, &m_bodyB},
               {"px", U::Length, &m_p[0]},
               {"py", U::Length, &m_p[1]},
               {"pz", U::Length, &m_p[2]},
               {"nx", U::Plain, &m_n[0]},
               {"ny", U::Plain, &m_n[1]},
               {"nz", U::Plain, &m_n[2]},
               {"jn", U::Impulse, &m_jn},
               {"jx", U::Impulse, &m_j[0]},
               {"jy", U::Impulse, &m_j[1]},
               {"jz", U::Impulse, &m_j[2]},
               {"gap", U::Length, &m_gap}});
  const FileColumn* needed[] = {&m_time, &m_bodyA, &m_bodyB, &m_p[0], &m_p[1], &m_p[2], &m_n[0],
                                &m_n[1], &m_n[2],  &m_jn,    &m_j[0], &m_j[1], &m_j[2]};
  const char* names13[] = {"time", "body_a", "body_b", "px", "py", "pz", "nx",
                           "ny",   "nz",     "jn",     "jx", "jy", "jz"};
  for (std::size_t k = 0; k < 13; ++k)
    if (!needed[k]->isGiven())
      throw m_file.error(1, std::string("the column '") + names13[k] + "' is missing",
                         "write time,body_a,body_b,px,py,pz,nx,ny,nz,jn,jx,jy,jz and optionally gap");
  m_columns = m_file.cells().size();
  for (std::size_t body = 0; body < m_scene->bodies.size(); ++body)
    m_bodies.emplace(m_scene->bodies[body].name, static_cast<int>(body));
  m_rowTime = -HUGE_VAL;
  advance();
  m_timeBefore = -HUGE_VAL;
}

void ContactsReader::advance() {
  m_hasRow = m_file.next();
  if (!m_hasRow) return;
  if (m_file.isComment())
    throw m_file.error(1, "has a line that begins with # below the table", "move it to the top of the file");
  const std::vector<CsvReader::Cell>& cells = m_file.cells();
  if (cells.size() != m_columns)
    throw m_file.error(
        1,
        "has " + std::to_string(cells.size()) + " cells, there are " + std::to_string(m_columns) + " columns",
        "write one cell for each column; put names with commas into quotes");
  const CsvReader::Cell& cell = cells[m_time.place];
  const double time = m_file.number(cell);
  if (time < m_rowTime)
    throw m_file.error(cell.column, "the time goes backwards, from " + csvNumber(m_rowTime) + " s",
                       "sort the rows by time");
  if (time > m_rowTime) m_timeBefore = m_rowTime;
  m_rowTime = time;
  ++m_rows;
}

int ContactsReader::bodyOf(const CsvReader::Cell& cell) const {
  std::string name(cell.text);
  const auto mapped = m_names.find(name);
  if (mapped != m_names.end()) name = mapped->second;
  const auto found = m_bodies.find(name);
  if (found == m_bodies.end()) throw unknownBody(m_file, cell, *m_scene);
  return found->second;
}

Vec3 ContactsReader::vectorAt(const FileColumn (&columns)[3]) const {
  Vec3 v;
  for (int k = 0; k < 3; ++k) v[k] = columns[k].scale * m_file.number(m_file.cells()[columns[k].place]);
  return inWorld(m_header, v);
}

Contact ContactsReader::contactOfRow() const {
  // A larger value takes what is no unit vector; a smaller one refuses numbers of few digits.
  constexpr double kOffUnit = 1e-3;
  const auto cell = [&](const FileColumn& column) -> const CsvReader::Cell& {
    return m_file.cells()[column.place];
  };
  Contact contact;
  contact.bodyA = bodyOf(cell(m_bodyA));
  contact.bodyB = bodyOf(cell(m_bodyB));
  if (contact.bodyA == contact.bodyB)
    throw m_file.error(cell(m_bodyB).column, "a body touches itself", "name two bodies");
  contact.pointA = contact.pointB = vectorAt(m_p);
  contact.normal = vectorAt(m_n);
  const double length = contact.normal.norm();
  if (!(std::abs(length - 1) <= kOffUnit))
    throw m_file.error(cell(m_n[0]).column, "the normal has length " + fourDigits(length),
                       "give a unit vector that points from body_a into body_b");
  if (std::abs(length - 1) > 1e-12) contact.normal /= length;
  contact.normalImpulse = m_file.number(cell(m_jn));
  contact.frictionImpulse = vectorAt(m_j);
  contact.gap = m_gap.isGiven() ? m_gap.scale * m_file.number(cell(m_gap)) : NAN;
  contact.mode = contact.frictionImpulse.norm() > 0 ? ContactMode::Sticking : ContactMode::Open;
  if (contact.bodyA > contact.bodyB) {
    std::swap(contact.bodyA, contact.bodyB);
    contact.normal = -contact.normal;
    contact.frictionImpulse = -contact.frictionImpulse;
  }
  return contact;
}

void ContactsReader::take(double start, double end, std::vector<Contact>& contacts) {
  contacts.clear();
  // Share of an interval. A larger value moves contacts into the interval before; a smaller one lets
  // rounding of times move them into the next.
  constexpr double kRounding = 1e-6;
  const double last = end + kRounding * std::max(0.0, end - start);
  while (m_hasRow && m_rowTime <= last) {
    Contact contact = contactOfRow();
    if (m_header.isForce) {
      const double interval = std::max(0.0, m_rowTime - std::max(start, m_timeBefore));
      contact.normalImpulse *= interval;
      contact.frictionImpulse *= interval;
    }
    contacts.push_back(contact);
    advance();
  }
}

std::string ContactsReader::warning() const {
  if (!m_hasRow) return {};
  return m_file.path() + ":" + std::to_string(m_file.line()) + ": contacts from " + csvNumber(m_rowTime) +
         " s on lie behind the last pose and are left out";
}

}  // namespace touchstone
