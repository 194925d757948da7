#include "widgets/views/held_window.h"

#include <vtkObjectFactory.h>

namespace touchstone {

vtkStandardNewMacro(HeldWindow);

void HeldWindow::release() {
  m_isHeld = false;
  if (!m_isDrawn) return;
  MakeCurrent();
  Frame();
}

void HeldWindow::Frame() {
  m_isDrawn = m_isHeld;
  if (!m_isHeld) vtkGenericOpenGLRenderWindow::Frame();
}

}  // namespace touchstone
