#pragma once

#include <vtkGenericOpenGLRenderWindow.h>

namespace touchstone {

/// A render window that can delay its output: what is drawn after hold() appears at release(). Disabling the
/// updates of its widget has the same effect, but Qt then leaves the widget blank if its surroundings are
/// painted, for example during a resize.
class HeldWindow : public vtkGenericOpenGLRenderWindow {
 public:
  static HeldWindow* New();
  vtkTypeMacro(HeldWindow, vtkGenericOpenGLRenderWindow);

  void hold() { m_isHeld = true; }
  void release();
  void Frame() override;

 private:
  bool m_isHeld = false, m_isDrawn = false;
};

}  // namespace touchstone
