#pragma once

#include <vtkActor.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "core/record/step_record.h"
#include "core/scene/scene.h"
#include "widgets/views/depth_colours.h"
#include "widgets/views/view_settings.h"

namespace touchstone {

// Builders without a window: from scene and record to VTK data.

/// Surface of a shape in its body frame, with its feature edges (bent by more than 20°) as lines.
vtkSmartPointer<vtkPolyData> surfaceOf(const Shape& shape);
vtkSmartPointer<vtkPolyData> featureEdgesOf(const Shape& shape);

/// The surface of a shape with edges that are no longer than `longest` [m].
vtkSmartPointer<vtkPolyData> refinedSurfaceOf(const Shape& shape, double longest);

/// Overlap volumes of a record in the world frame, and their outlines: edges that are bent by more than 20°
/// or open. Cells have the colour and the opacity of their depth.
vtkSmartPointer<vtkPolyData> overlapSurface(const StepRecord& record, const DepthScale& scale);
vtkSmartPointer<vtkPolyData> overlapOutline(const StepRecord& record, const DepthScale& scale);

/// Contact points with the array "type" (0 penalty, 1 U, 2 I, 3 X, 4 trap), and arrows as lines with heads.
vtkSmartPointer<vtkPolyData> contactPoints(const StepRecord& record);

/// Force arrows of contacts and joints, on their second bodies: shafts from the contact point, or the joint's
/// anchor, one line each, with arrays "length" [m] as vectors for glyphs.
vtkSmartPointer<vtkPolyData> forceVectors(const Scene& scene, const StepRecord& record,
                                          const ViewSettings& settings, double sceneSize, double forceRange);

/// Normals as short lines from A into B.
vtkSmartPointer<vtkPolyData> normalLines(const StepRecord& record, double length);

/// A ring around the origin in the plane z = 0, as polygons between two radii.
vtkSmartPointer<vtkPolyData> ringOf(double inner, double outer);

/// One line.
vtkSmartPointer<vtkPolyData> segment(const Vec3& start, const Vec3& end);

/// Lines of joints where bodies are: a cross at the anchor, the axis of a revolute or prismatic joint with
/// its limits (an arc, a rail) and where it is between them, the connection of a distance or a rope.
/// @param poses  [bodyCount]   @param length  of an axis [m]
vtkSmartPointer<vtkPolyData> jointLines(const Scene& scene, const std::vector<BodyState>& poses,
                                        double length);

/// Features in the world frame: one point is a vertex, two an edge, more a polygon.
vtkSmartPointer<vtkPolyData> featureShapes(const std::vector<std::vector<Vec3>>& features);

/// Paths of the centres of mass of dynamic bodies through `past` (oldest first) to `now`, starting at their
/// release.
vtkSmartPointer<vtkPolyData> trailLines(const std::vector<RecordPtr>& past, const StepRecord* now,
                                        const Scene& scene);

/// Square grid of lines in the plane through the origin with normal y, out to `size` on every side.
vtkSmartPointer<vtkPolyData> gridLines(double size, double spacing);

}  // namespace touchstone
