#include "core/contact/complementarity/set_memory.h"

#include <set>

#include "core/record/bytes.h"

namespace touchstone {

SetMemory::SetKey SetMemory::keyOf(const ContactSetStep& step, const ModelSet& set) {
  const ModelContact& primary = step.contacts[set.contacts.front()];
  return {primary.pieceA,
          primary.pieceB < 0 ? -1 - primary.bodyB : primary.pieceB,
          static_cast<int>(primary.geometry.kind),
          primary.geometry.featureA,
          primary.geometry.featureB,
          100 * static_cast<int>(set.type) + static_cast<int>(set.contacts.size())};
}

/// Of several rows with the same features (PEG's exact step has them for two edges and vertices near them)
/// the first is known, here and in keep(): that of the features themselves.
Eigen::VectorXd SetMemory::startOf(const ContactSetStep& step, const IslandProblem& island,
                                   const ModelSettings& settings) const {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(island.problem.b.size());
  if (m_unknowns.empty()) return start;
  std::set<SetKey> known;
  for (std::size_t k = 0; k < island.sets.size(); ++k) {
    const ModelSet& set = island.sets[k];
    const auto kept = m_unknowns.find(keyOf(step, set));
    const int rows = rowsOf(set, settings);
    if (kept != m_unknowns.end() && kept->second.size() == rows && known.insert(kept->first).second)
      start.segment(island.first[k], rows) = kept->second;
  }
  return start;
}

void SetMemory::keep(const World& world, const SolvedStep& solved, const ModelSettings& settings,
                     const ReplicaSet& bisected) {
  const auto isBisected = [&](int replica) { return !bisected.empty() && bisected[replica]; };
  for (auto kept = m_unknowns.begin(); kept != m_unknowns.end();) {
    const int body = world.pieces->body[kept->first.front()];
    const bool isOver = world.active[body] && !isBisected((*world.constants)[body].replica);
    kept = isOver ? m_unknowns.erase(kept) : std::next(kept);
  }
  for (const IslandAnswer& answer : solved.answers)
    for (std::size_t k = 0; k < answer.island.sets.size() && !isBisected(answer.island.replica); ++k) {
      const ModelSet& set = answer.island.sets[k];
      m_unknowns.emplace(keyOf(solved.step, set),
                         answer.result.z.segment(answer.island.first[k], rowsOf(set, settings)));
    }
}

std::string SetMemory::bytes() const {
  ByteWriter writer;
  for (const auto& [key, unknowns] : m_unknowns) {
    for (int part : key) writer.put(part);
    writer.put(static_cast<int>(unknowns.size()));
    for (double unknown : unknowns) writer.put(unknown);
  }
  return writer.take();
}

void SetMemory::restore(const std::string& bytes) {
  ByteReader reader(bytes);
  while (!reader.atEnd()) {
    SetKey key;
    for (int& part : key) reader.get(part);
    int size = 0;
    reader.get(size);
    Eigen::VectorXd& unknowns = m_unknowns[key];
    unknowns.resize(size);
    for (double& unknown : unknowns) reader.get(unknown);
  }
}

}  // namespace touchstone
