#pragma once

#include <vtkGenericOpenGLRenderWindow.h>

namespace touchstone {

/// A render window that can keep its pictures from the screen: what is drawn while it is held appears at
/// release(). Switching the updates of its widget off would do so too, but Qt leaves a widget blank whose
/// surroundings are painted meanwhile, as when the window is resized.
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
