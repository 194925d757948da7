#pragma once

#include <vtkActor.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkSmartPointer.h>

#include <QColor>
#include <array>

namespace touchstone {

/// An actor of a data set in one colour.
inline vtkSmartPointer<vtkActor> actorOf(vtkPolyData* data) {
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(data);
  mapper->ScalarVisibilityOff();
  vtkSmartPointer<vtkActor> actor = vtkSmartPointer<vtkActor>::New();
  actor->SetMapper(mapper);
  return actor;
}

inline void setData(vtkActor* actor, vtkPolyData* data) {
  vtkPolyDataMapper::SafeDownCast(actor->GetMapper())->SetInputData(data);
}

inline void show(vtkActor* actor, vtkPolyData* data, bool visible = true) {
  setData(actor, data);
  actor->SetVisibility(visible && data->GetNumberOfPoints() > 0);
}

/// The components that an array of colours takes.
inline std::array<unsigned char, 3> componentsOf(const QColor& colour) {
  return {static_cast<unsigned char>(colour.red()), static_cast<unsigned char>(colour.green()),
          static_cast<unsigned char>(colour.blue())};
}

inline void paint(vtkActor* actor, const QColor& colour) {
  actor->GetProperty()->SetColor(colour.redF(), colour.greenF(), colour.blueF());
}

}  // namespace touchstone
