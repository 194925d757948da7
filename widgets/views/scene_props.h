#pragma once

#include <vtkActor.h>
#include <vtkGlyph3DMapper.h>
#include <vtkLookupTable.h>
#include <vtkMatrix4x4.h>
#include <vtkPolyData.h>
#include <vtkRenderer.h>
#include <vtkScalarBarActor.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>

#include <memory>
#include <vector>

#include "core/scene/scene.h"
#include "widgets/views/held_window.h"
#include "widgets/views/view_frame.h"
#include "widgets/views/view_settings.h"

namespace touchstone {

/// The actors of a view for a scene and a record. SceneView adds camera, mouse and window.
class SceneProps {
 public:
  explicit SceneProps(std::shared_ptr<const Scene> scene);

  // Data to show; update() draws it.
  ViewFrame frame;
  ViewSettings settings;
  double scalarRange = 0, forceRange = 0;  ///< m, N, shared by all panes; 0 = range of this record
  double differenceRange = 0;              ///< m
  bool dark = false;
  double textScale = 1;

  void update();
  void applyTheme();

  const Scene& scene() const { return *m_scene; }
  HeldWindow* window() { return m_window; }
  vtkRenderer* renderer() { return m_renderer; }
  /// The body whose surface an actor is, or −1.
  int bodyOf(vtkProp* actor) const;

 private:
  struct BodyActors {
    vtkSmartPointer<vtkActor> surface, edges, ghost;
    vtkSmartPointer<vtkMatrix4x4> pose, ghostPose;
  };
  void addBody(const Body& body);
  void addGlyphs();
  void addScalarBar();
  double glyphSize() const;
  double forceScale() const;
  BodyState stateOf(std::size_t body, const StepRecord* shown) const;
  void updateBodies(double range);
  void updateGhost(std::size_t body);
  void updateOverlay();
  void updateBar(double range);
  void updateLegend(bool arrows);
  void updatePicked(const StepRecord& shown);
  void updateSpring(const StepRecord& shown);
  void updateTrails();
  void updateJoints();

  std::shared_ptr<const Scene> m_scene;
  vtkNew<HeldWindow> m_window;
  vtkNew<vtkRenderer> m_renderer;  ///< bodies
  vtkNew<vtkRenderer> m_overlay;   ///< contacts, arrows, overlaps: drawn over the bodies with the same camera
  vtkNew<vtkScalarBarActor> m_bar;
  vtkNew<vtkLookupTable> m_table;
  vtkNew<vtkTextActor> m_legend, m_springText;
  std::vector<BodyActors> m_bodies;
  vtkSmartPointer<vtkActor> m_overlaps, m_contacts, m_normals, m_pickedMark, m_features, m_spring, m_trails,
      m_joints;
  vtkNew<vtkGlyph3DMapper> m_contactMapper, m_arrowMapper;
  /// Input of the glyph mappers. The objects stay the same, because VTK 9.1 keeps its results for every data
  /// set that it ever got.
  vtkNew<vtkPolyData> m_contactData, m_arrowData;
  vtkNew<vtkActor> m_arrows;
};

}  // namespace touchstone
