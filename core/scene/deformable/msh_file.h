#pragma once

#include <string>
#include <vector>

#include "core/scene/deformable/tet_lattice.h"

namespace touchstone {

/// The tetrahedra of a Gmsh file.
struct MshFile {
  LatticeMesh mesh;                ///< det > 0; the particles of the surface come first
  TriangleMesh surface;            ///< the boundary, closed, whose vertex v is the particle v; with topology
  std::vector<long> elementTags;   ///< [tetrahedra] as the file numbers them
  std::vector<std::string> notes;  ///< what was changed or is doubtful, one line each
};

/// Reads a Gmsh file, format 2 (2.0 … 2.2) or 4.1, text or binary: nodes and the tetrahedra of four nodes.
/// Points, lines and faces among the elements are passed over.
/// @param path  in messages   @param scale  every coordinate is multiplied by it
/// @throws SceneError with the node or element, by the number that the file gives it
MshFile readMsh(const std::string& bytes, const std::string& path, double scale);

}  // namespace touchstone
