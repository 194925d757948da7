#pragma once

#include <vtkActor.h>
#include <vtkActor2D.h>
#include <vtkGlyph3DMapper.h>
#include <vtkLookupTable.h>
#include <vtkMatrix4x4.h>
#include <vtkPlane.h>
#include <vtkPolyData.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkUnsignedCharArray.h>

#include <array>
#include <memory>
#include <vector>

#include "core/record/contact_pressure.h"
#include "core/scene/scene.h"
#include "widgets/views/deforming_surface.h"
#include "widgets/views/depth_colours.h"
#include "widgets/views/held_window.h"
#include "widgets/views/scalar_scaling.h"
#include "widgets/views/section.h"
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
  SharedRanges ranges;  ///< shared by all panes; 0 = range of this record
  bool dark = false;
  double textScale = 1;
  double pixelRatio = 1;  ///< pixels of the picture for a logical one

  void update();
  void applyTheme();

  const Scene& scene() const { return *m_scene; }
  HeldWindow* window() { return m_window; }
  vtkRenderer* renderer() { return m_renderer; }
  /// The body whose surface an actor is, or −1.
  int bodyOf(vtkProp* actor) const;

 private:
  static const QColor kPickedColour;
  static constexpr double kAmbient = 0.25, kDiffuse = 0.8;  ///< of bodies
  /// Smallest distance of a ghost from its body, relative to the size of the scene.
  static constexpr double kGhostApart = 1e-4;
  struct BodyActors {
    vtkSmartPointer<vtkActor> surface, edges, ghost;
    vtkSmartPointer<vtkActor> cut;                              ///< of one with tetrahedra, else null
    vtkSmartPointer<vtkMatrix4x4> pose, ghostPose;              ///< of one that deforms: the world's frame
    std::unique_ptr<DeformingSurface> deforming, ghostSurface;  ///< null: rigid
    std::vector<Vec3> vertices;  ///< of the drawn surface of one that is rigid and moves [m, body frame]
    vtkSmartPointer<vtkPolyData> refined, simple;   ///< that surface; the one of the shape, for wireframes
    vtkSmartPointer<vtkUnsignedCharArray> colours;  ///< [vertices]
    double reach = 0;                               ///< see depthsAt() [m]
  };
  void addBody(const Body& body);
  void addOverlaps();
  void addGlyphs();
  void addRing();
  double glyphSize() const;
  double forceScale() const;
  BodyState stateOf(std::size_t body, const StepRecord* shown) const;
  double deformationRange() const;
  void updateDepths();
  void updateBodies(double range);
  void addDrawnSurface(const Body& body, BodyActors& actors) const;
  bool paintDepths(int body, const BodyState& state);
  void updatePressures();
  void updateDeforming(int body, bool isPainted);
  struct Colours {
    std::vector<double> ofVertices, ofTetrahedra;  ///< in the unit of the bar; none: as other bodies
  };
  Colours coloursOf(int body, const StepRecord& shown);
  static void light(vtkActor* actor, bool isColoured);
  void updateSection();
  void updateGhost(std::size_t body);
  void updateDeformingGhost(int body);
  void updateOverlay();
  void updateDeformationTable();
  void updateNote();
  void updatePicked(const StepRecord& shown);
  void updateSpring(const StepRecord& shown);
  void updateTrails();
  void updateJoints();

  std::shared_ptr<const Scene> m_scene;
  vtkNew<HeldWindow> m_window;
  vtkNew<vtkRenderer> m_renderer;  ///< bodies
  vtkNew<vtkRenderer> m_overlay;   ///< contacts, arrows, overlaps: drawn over the bodies with the same camera
  vtkNew<vtkLookupTable> m_deformationTable;  ///< in SI units
  vtkNew<vtkTextActor> m_note, m_springText;
  std::vector<BodyActors> m_bodies;
  vtkNew<vtkPlane> m_section;
  SectionPlane m_sectionPlane;         ///< the same
  Section m_cutAcross = Section::Off;  ///< the setting that the plane is of; with its offset
  double m_cutOffset = 0;
  bool m_isCut = false;                                ///< mappers have the plane
  std::unique_ptr<ContactFeatures> m_contactFeatures;  ///< made where pressures are coloured
  std::vector<std::vector<double>> m_pressures;  ///< see contactPressures(); of the shown frame, likewise
  int m_inverted = 0;                ///< elements of the shown frame; counted where deformations are coloured
  DepthScale m_depthScale;           ///< of the shown frame
  std::vector<BodyPlaces> m_places;  ///< [bodyCount] likewise; empty where depths are not coloured
  vtkSmartPointer<vtkActor> m_overlaps, m_overlapOutlines, m_normals, m_pickedMark, m_features, m_spring,
      m_trails, m_joints;
  /// Input of the glyph mappers. The objects stay the same, because VTK 9.1 keeps its results for every data
  /// set that it ever got.
  vtkNew<vtkPolyData> m_contactData, m_arrowData;
  std::array<vtkNew<vtkActor>, 2> m_contacts, m_arrows;  ///< in front of bodies; through them
  std::array<vtkNew<vtkActor2D>, 2> m_ring;              ///< of the picked contact
  std::array<vtkNew<vtkPolyData>, 2> m_ringData;
};

}  // namespace touchstone
