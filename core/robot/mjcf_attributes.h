#pragma once

#include "core/robot/robot_xml.h"

namespace touchstone {

/// Notes each attribute of an MJCF model that the importer does not read, with its element: nothing changes
/// the mechanics of a model in silence. Attributes that only name or colour are not noted.
/// @param root  the whole file, with its includes and default classes in place
void notePassedOver(const XmlView& root, RobotNotes& notes);

}  // namespace touchstone
