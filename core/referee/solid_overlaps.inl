#pragma once

#include <algorithm>

#include "core/geometry/polytope_overlap.h"
#include "core/math/count.h"
#include "core/parallel/device/deferred_lists.h"
#include "core/parallel/parallel_for.h"
#include "core/parallel/reduce.h"
#include "core/record/step_record.h"
#include "core/referee/overlap_pairs.inl"
#include "core/world/placed_pieces.inl"

namespace touchstone {

/// A convex piece against another one, or against a plane (pieceB −1); part of the overlap of two bodies.
struct SolidTask {
  int pieceA, pieceB, plane;
  int overlap;  ///< index of the overlap in this step
};

/// Intersection of two solids.
struct SolidResult {
  double depth = 0;   ///< by separating axes [m]; 0: apart, or a plane
  double volume = 0;  ///< m³; of polygons m²
  int pointCount = 0, polygonCount = 0;
};

namespace detail {

/// The scratch memories of many solids, in one array per kind.
struct SolidScratches {
  int capacity, numberCount;  // capacities of one scratch memory
  Vec3* points;               // [scratchCount × 3 capacity]: two lists of polygons, the section
  int* ends;                  // [scratchCount × 3 capacity]: of both lists, and the section's order
  double* angles;             // [scratchCount × capacity]
  int* numbers;               // [scratchCount × numberCount] for separation()
  TS_HD SolidScratch operator[](int scratch) const {
    SolidScratch solidScratch;
    const long long first = 3LL * scratch * capacity;
    solidScratch.polygons[0].points.items = points + first;
    solidScratch.polygons[1].points.items = points + first + capacity;
    solidScratch.section.items = points + first + 2 * capacity;
    solidScratch.polygons[0].ends.items = ends + first;
    solidScratch.polygons[1].ends.items = ends + first + capacity;
    solidScratch.order = ends + first + 2 * capacity;
    solidScratch.angles = angles + static_cast<long long>(scratch) * capacity;
    for (PolygonList& list : solidScratch.polygons) list.points.capacity = list.ends.capacity = capacity;
    solidScratch.section.capacity = capacity;
    return solidScratch;
  }
};

struct BoxPiece {
  PiecesView pieces;
  Aabb* boxes;
  TS_HD void operator()(int piece) const { boxes[piece] = boxOf(pieces[piece]); }
};

struct MeasureSolid {  // one task per index
  WorldView world;
  PiecesView pieces;
  const Aabb* boxes;  // [pieceCount]
  const SolidTask* tasks;
  SolidScratches scratches;
  SolidResult* results;
  int *pointCounts, *polygonCounts, *lists, *full;  // out; `lists`: which list of the scratch holds the solid
  TS_HD void operator()(int index) const {
    const SolidTask& task = tasks[index];
    const PolytopeView a = pieces[task.pieceA];
    SolidResult result;
    SolidScratch scratch = scratches[index];
    if (task.pieceB < 0) {
      const HalfSpace space = halfSpaceOf(world, task.plane);
      beginClipped(a, space.normal, space.offset, scratch);
    } else if (overlap(boxes[task.pieceA], boxes[task.pieceB])) {
      const PolytopeView b = pieces[task.pieceB];
      Vec3 axis(0, 0, 0);
      const double gap = separation(
          a, b, scratches.numbers + static_cast<long long>(index) * scratches.numberCount, &axis, nullptr);
      if (gap < 0) {
        result.depth = -gap;
        intersectSolids(a, b, axis, gap, scratch);
      }
    }
    result.volume = sizeOf(scratch.solid(), a.planar());
    result.pointCount = scratch.solid().points.count;
    result.polygonCount = scratch.solid().ends.count;
    results[index] = result;
    pointCounts[index] = result.pointCount;
    polygonCounts[index] = result.polygonCount;
    lists[index] = scratch.current;
    full[index] = scratch.isFull() ? 1 : 0;
  }
};

/// Totals of all solids of a batch.
struct SolidCounts {
  int points, polygons;
  int isFull;  // 1: a solid exceeds the capacity of its scratch
};

struct CountSolids {
  const int *points, *polygons, *isFull;
  SolidCounts* out;
  TS_HD void operator()(int) const { *out = {*points, *polygons, *isFull}; }
};

struct WriteSolid {  // one task per index: copies its polygons into the common lists, as far as these have
                     // capacity
  SolidScratches scratches;
  const int *pointOffsets, *polygonOffsets, *lists;
  int pointScratch, polygonScratch;
  Vec3* points;
  int* ends;
  TS_HD void operator()(int index) const {
    if (pointOffsets[index + 1] > pointScratch || polygonOffsets[index + 1] > polygonScratch) return;
    const SolidScratch scratch = scratches[index];
    const PolygonList& solid = scratch.polygons[lists[index]];
    const int firstPoint = pointOffsets[index], firstPolygon = polygonOffsets[index];
    for (int k = 0; k < pointOffsets[index + 1] - firstPoint; ++k)
      points[firstPoint + k] = solid.points.items[k];
    for (int k = 0; k < polygonOffsets[index + 1] - firstPolygon; ++k)
      ends[firstPolygon + k] = solid.ends.items[k];
  }
};

}  // namespace detail

/// Computes exact overlaps of convex pieces with each other and with planes. Keeps its arrays between calls.
template <class Backend>
class SolidOverlaps {
 public:
  SolidOverlaps(const Backend& backend, const World& world) : m_pieces(backend, world) {
    const PieceTable& table = *world.pieces;
    for (std::size_t piece = 0; piece < table.body.size(); ++piece)
      m_thickness.push_back(
          world.scene->bodies[table.body[piece]].shape->pieces[table.index[piece]].thickness);
    m_counts.resize(1);
  }

  /// Adds depth, volume and surface of the tasks to their overlaps, in the order of the tasks.
  /// @param tasks  tasks of one overlap must be consecutive
  void measure(const Backend& backend, const WorldView& world, const std::vector<SolidTask>& tasks,
               std::vector<Overlap>& overlaps) {
    if (tasks.empty()) return;
    const PiecesView& pieces = m_pieces.place(backend, world.position, world.orientation);
    m_boxes.resize(pieces.pieceCount);
    forEach(backend, pieces.pieceCount, detail::BoxPiece{pieces, m_boxes.data()});
    backend.upload(tasks.data(), tasks.size(), m_tasks);
    const int count = countOf(tasks);
    for (int first = 0; first < count;) {
      const int batch = prepareScratch(count - first);
      if (measureBatch(backend, world, pieces, first, batch)) {
        join(tasks.data() + first, batch, overlaps);
        first += batch;
      } else {
        m_capacity *= 2;
      }
    }
  }

 private:
  template <class T>
  using Array = typename Backend::template Array<T>;
  template <class T>
  using Download = typename Backend::template Download<T>;

  /// Prepares scratch memory for `wanted` tasks, or fewer if scratchFor() allows fewer. @return their number
  int prepareScratch(int wanted) {
    m_numberCount = separationScratch(m_pieces.largest(), m_pieces.largest());
    const std::size_t bytesOfScratch =
        m_capacity * (3 * (sizeof(Vec3) + sizeof(int)) + sizeof(double)) + m_numberCount * sizeof(int);
    const std::size_t count = scratchFor<Backend>(wanted, bytesOfScratch);
    const std::size_t items = count * m_capacity;
    m_scratchPoints.resize(3 * items);
    m_scratchEnds.resize(3 * items);
    m_scratchAngles.resize(items);
    m_scratchNumbers.resize(count * m_numberCount);
    m_results.resize(count);
    for (Array<int>* array : {&m_pointOffsets, &m_polygonOffsets, &m_lists, &m_full})
      array->resize(count + 1);
    return static_cast<int>(count);
  }

  /// @return false if a scratch memory was too small
  bool measureBatch(const Backend& backend, const WorldView& world, const PiecesView& pieces, int first,
                    int count) {
    const detail::SolidScratches scratches{
        m_capacity,           m_numberCount,          m_scratchPoints.data(),
        m_scratchEnds.data(), m_scratchAngles.data(), m_scratchNumbers.data()};
    forEach(backend, count,
            detail::MeasureSolid{world, pieces, m_boxes.data(), m_tasks.data() + first, scratches,
                                 m_results.data(), m_pointOffsets.data(), m_polygonOffsets.data(),
                                 m_lists.data(), m_full.data()},
            Work::Heavy);
    const int* isFull = reducedOnDevice(backend, m_full.data(), count, Larger{});
    for (Array<int>* counts : {&m_pointOffsets, &m_polygonOffsets}) sumCounts(backend, count, counts->data());
    forEach(backend, 1,
            detail::CountSolids{m_pointOffsets.data() + count, m_polygonOffsets.data() + count, isFull,
                                m_counts.data()});
    for (;;) {
      writeSolids(backend, scratches, count);
      const detail::SolidCounts& counts = *m_countsHere.wait();
      bool isShort = counts.isFull;
      if (!counts.isFull) {
        isShort |= growCapacity(counts.points, m_pointScratch);
        isShort |= growCapacity(counts.polygons, m_polygonScratch);
      }
      if (!isShort) return true;
      m_resultsHere.wait();  // the last download; the loops overwrite its source
      if (counts.isFull) return false;
    }
  }

  /// Writes the solids and starts to download the lists at full capacity, because the download of their
  /// lengths is still running.
  void writeSolids(const Backend& backend, const detail::SolidScratches& scratches, int count) {
    m_points.resize(m_pointScratch);
    m_ends.resize(m_polygonScratch);
    forEach(backend, count,
            detail::WriteSolid{scratches, m_pointOffsets.data(), m_polygonOffsets.data(), m_lists.data(),
                               m_pointScratch, m_polygonScratch, m_points.data(), m_ends.data()});
    m_countsHere.start(backend, static_cast<const detail::SolidCounts*>(m_counts.data()), 1);
    m_pointsHere.startBehindLast(backend, static_cast<const Vec3*>(m_points.data()), m_points.size());
    m_endsHere.startBehindLast(backend, static_cast<const int*>(m_ends.data()), m_ends.size());
    m_resultsHere.startBehindLast(backend, static_cast<const SolidResult*>(m_results.data()), count);
  }

  /// Adds the results of a batch to the overlaps, in parallel over overlaps.
  void join(const SolidTask* tasks, int count, std::vector<Overlap>& overlaps) {
    const SolidResult* results = m_resultsHere.wait();
    struct Place {
      int task, point, polygon;
    };
    std::vector<Place> firsts;  // begin of each overlap
    Place next{0, 0, 0};
    for (; next.task < count; ++next.task) {
      if (next.task == 0 || tasks[next.task].overlap != tasks[next.task - 1].overlap) firsts.push_back(next);
      next.point += results[next.task].pointCount;
      next.polygon += results[next.task].polygonCount;
    }
    firsts.push_back(next);
    // PolygonList has pointers to mutable items; the loops below only read.
    Vec3* points = const_cast<Vec3*>(m_pointsHere.wait());
    int* ends = const_cast<int*>(m_endsHere.wait());
    parallelFor(countOf(firsts) - 1, [&](int index) {
      Place place = firsts[index];
      Overlap& overlap = overlaps[tasks[place.task].overlap];
      for (; place.task < firsts[index + 1].task; ++place.task) {
        const SolidTask& task = tasks[place.task];
        const SolidResult& result = results[place.task];
        PolygonList solid;
        solid.points.items = points + place.point;
        solid.ends.items = ends + place.polygon;
        solid.points.count = result.pointCount;
        solid.ends.count = result.polygonCount;
        place.point += result.pointCount;
        place.polygon += result.polygonCount;
        if (task.pieceB >= 0 && !(result.depth > 0)) continue;
        overlap.depth = std::max(overlap.depth, result.depth);
        append(shownSolid(solid, result.volume, m_thickness[task.pieceA]), overlap);
      }
    });
  }

  static void append(Intersection part, Overlap& overlap) {
    overlap.volume += part.volume;
    if (overlap.vertices.empty()) {
      overlap.vertices = std::move(part.vertices);
      overlap.triangles = std::move(part.triangles);
      return;
    }
    const int first = countOf(overlap.vertices);
    overlap.vertices.insert(overlap.vertices.end(), part.vertices.begin(), part.vertices.end());
    for (const auto& t : part.triangles)
      overlap.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }

  PlacedPieces<Backend> m_pieces;
  std::vector<double> m_thickness;  ///< [pieceCount] m; 0: solids
  int m_capacity = 128;             ///< points and polygons of one scratch; doubled if a solid needs more
  int m_numberCount = 0;
  int m_pointScratch = 1024, m_polygonScratch = 256;  ///< capacity of a batch
  Array<Aabb> m_boxes;
  Array<SolidTask> m_tasks;
  Array<SolidResult> m_results;
  Array<Vec3> m_scratchPoints, m_points;
  Array<int> m_scratchEnds, m_ends, m_scratchNumbers;
  Array<double> m_scratchAngles;
  Array<int> m_pointOffsets, m_polygonOffsets, m_lists, m_full;
  Array<detail::SolidCounts> m_counts;  ///< [1]
  Download<detail::SolidCounts> m_countsHere;
  Download<SolidResult> m_resultsHere;
  Download<Vec3> m_pointsHere;
  Download<int> m_endsHere;
};

}  // namespace touchstone
