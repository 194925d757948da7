#pragma once

#include <optional>

#include "core/referee/mesh_overlaps.inl"
#include "core/referee/overlap_measurement.h"
#include "core/referee/solid_overlaps.inl"
#include "core/world/device_world.inl"

namespace touchstone {

template <class Backend>
class OverlapMeasurementOn : public OverlapMeasurement {
 public:
  OverlapMeasurementOn(const World& world, const std::shared_ptr<DeviceWorld>& deviceWorld)
      : m_deviceWorld(worldOn<Backend>(deviceWorld)),
        m_pairs(m_backend, world),
        m_solids(m_backend, world),
        m_pieces(firstOfEachBody(world.pieces->body, world.orientation.size())) {
    for (std::size_t body = 0; body < world.orientation.size(); ++body)
      if (!isPlane(world, static_cast<int>(body)) && !hasPieces(static_cast<int>(body)) && !m_meshes)
        m_meshes.emplace(m_backend, world);
  }

  void inspect(bool on) override { m_backend.launchOneByOne(on); }
  std::vector<Overlap> find(const World& world, bool& sampled) override {
    const WorldView view = m_deviceWorld->view(world);
    const std::vector<BodyPair> pairs = m_pairs.find(view);
    std::vector<Overlap> overlaps(pairs.size());
    std::vector<unsigned char> usesSamples(pairs.size(), 0);
    std::vector<Aabb> boxes;
    m_tasks.clear();
    if (m_meshes) m_meshes->clear();
    for (std::size_t index = 0; index < pairs.size(); ++index) {
      const BodyPair& pair = pairs[index];
      Overlap& overlap = overlaps[index];
      const int place = static_cast<int>(index);
      overlap.bodyA = pair.a;
      overlap.bodyB = pair.b;
      if (pair.plane >= 0) {
        overlap.depth = pair.depth;
        if (!(overlap.depth > 0)) continue;
        if (hasPieces(pair.body)) {
          for (int piece = m_pieces[pair.body]; piece < m_pieces[pair.body + 1]; ++piece)
            m_tasks.push_back({piece, -1, pair.plane, place});
        } else {
          m_meshes->addPlane(world, pair.body, pair.plane, place);
        }
      } else if (hasPieces(pair.a) && hasPieces(pair.b)) {
        for (int a = m_pieces[pair.a]; a < m_pieces[pair.a + 1]; ++a)
          for (int b = m_pieces[pair.b]; b < m_pieces[pair.b + 1]; ++b) m_tasks.push_back({a, b, -1, place});
      } else {
        if (boxes.empty()) {
          boxes.resize(world.orientation.size());
          m_backend.download(m_pairs.boxes(), boxes.size(), boxes.data());
        }
        m_meshes->addPair(boxes, m_pairs, pair.a, pair.b, place);
        usesSamples[index] = 1;
      }
    }
    m_solids.measure(m_backend, view, m_tasks, overlaps);
    if (m_meshes) m_meshes->measure(m_backend, world, view, m_pairs, overlaps);
    sampled = false;
    for (std::size_t index = 0; index < pairs.size(); ++index)
      sampled = sampled || (usesSamples[index] && overlaps[index].depth > 0);
    overlaps.erase(std::remove_if(overlaps.begin(), overlaps.end(),
                                  [](const Overlap& overlap) { return !(overlap.depth > 0); }),
                   overlaps.end());
    return overlaps;
  }

 private:
  static bool isPlane(const World& world, int body) {
    return world.scene->bodies[body].shape->kind == Shape::Kind::Plane;
  }
  bool hasPieces(int body) const { return m_pieces[body + 1] > m_pieces[body]; }

  std::shared_ptr<DeviceWorldOn<Backend>> m_deviceWorld;
  Backend m_backend;  ///< its own backend: the next step may already run
  OverlapPairs<Backend> m_pairs;
  SolidOverlaps<Backend> m_solids;
  std::optional<MeshOverlaps<Backend>> m_meshes;  ///< null if all bodies have convex pieces
  std::vector<int> m_pieces;                      ///< [bodyCount + 1] first piece
  std::vector<SolidTask> m_tasks;
};

}  // namespace touchstone
