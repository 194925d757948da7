#pragma once

namespace touchstone {

/// Meaning of the colour of a body.
enum class BodyColour {
  Plain,
  Penetration,  ///< the depth of its overlaps, by place
  Difference,   ///< its distance from its place in the reference pane
};

/// Meaning of the colour of a body that deforms, along its surface.
enum class DeformationColour {
  Plain,     ///< as other bodies
  Volume,    ///< J − 1, the relative change of volume
  Strain,    ///< largest principal strain
  Pressure,  ///< of its contacts
};

/// The axis of the world across which the bodies in a view are cut.
enum class Section { Off, X, Y, Z };

/// Settings of all 3D views, shared by the panes.
struct ViewSettings {
  bool contacts = true;     ///< contact points, by mode and type
  bool forces = true;       ///< arrows on the second body of each pair
  bool normals = false;     ///< thin lines from A into B
  bool overlaps = true;     ///< overlap volumes, and their outlines through bodies
  bool joints = true;       ///< anchors, axes and limits of joints
  bool jointForces = true;  ///< arrows on the second body of each joint
  bool grid = true;         ///< lines on ground planes
  bool wireframe = false;
  bool scalarBar = true;  ///< the legend below all views
  BodyColour bodyColour = BodyColour::Penetration;
  DeformationColour deformation = DeformationColour::Plain;
  Section section = Section::Off;
  double sectionOffset = 0;    ///< of the plane from the middle of the scene, −1 and 1 at its ends
  bool ghost = false;          ///< outlines of the reference pane's bodies
  bool logArrows = true;       ///< arrow length grows with the logarithm of the force
  bool trails = false;         ///< paths of the centres of mass
  double metresPerNewton = 0;  ///< for linear arrows; 0 = chosen from the visible forces
  double scalarMaximum = 0;    ///< upper end of the depth scale [m]; 0 = shared automatic range
};

}  // namespace touchstone
