# The workbench: widgets from widgets/, composed here. ts_app is a library so that GUI tests can drive the main window.
file(GLOB app_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/*.h
  ${CMAKE_CURRENT_SOURCE_DIR}/*/*.qrc)
list(FILTER app_sources EXCLUDE REGEX "/app/(work|engines|bench|cli)/")
list(APPEND app_sources work/export_names.cpp work/long_job.h) # of the files of work, these need Qt
add_library(ts_app STATIC ${app_sources})
set_target_properties(ts_app PROPERTIES AUTOMOC ON AUTORCC ON)
# Nearly every file of the workbench reads the last of these, by way of its session.
target_precompile_headers(ts_app PRIVATE ${TS_PRECOMPILED} <QFile> <QLabel> <QPainter> <QTimer> <QToolButton> <QVBoxLayout>
  <QMainWindow> <vtkPolyData.h> <core/run/comparison.h>)
target_link_libraries(ts_app PUBLIC ts_widgets ts_cli PRIVATE nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
add_executable(touchstone main.cpp)
target_link_libraries(touchstone PRIVATE ts_app CLI11::CLI11)
