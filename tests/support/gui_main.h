#pragma once

#include <QVTKOpenGLNativeWidget.h>

#include <QApplication>
#include <QSurfaceFormat>
#include <QtTest>

/// main() of a test that shows VTK widgets: sets the surface format that they need, without multisampling
/// (half the time under software OpenGL), before the application object.
#define TS_GUI_TEST_MAIN(TestClass)                                  \
  int main(int argc, char** argv) {                                  \
    QSurfaceFormat format = QVTKOpenGLNativeWidget::defaultFormat(); \
    format.setSamples(0);                                            \
    QSurfaceFormat::setDefaultFormat(format);                        \
    QApplication application(argc, argv);                            \
    TestClass test;                                                  \
    return QTest::qExec(&test, argc, argv);                          \
  }
