#include "app/work/figure_files.h"

#include <stdexcept>

#ifdef TS_HAVE_FIGURES

#include <QGuiApplication>
#include <cstdlib>

#include "core/files/written_file.h"
#include "widgets/plots/study_figure.h"

namespace touchstone {

namespace {

/// Fonts need an application. It lives until the program ends.
void requireApplication() {
  if (QCoreApplication::instance()) return;
  setenv("QT_QPA_PLATFORM", "offscreen", 1);
  static int count = 1;
  static char name[] = "touchstone-cli";
  static char* arguments[] = {name, nullptr};
  // Qt warns of folders that only a desktop has.
  const QtMessageHandler before =
      qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
  static QGuiApplication application(count, arguments);
  qInstallMessageHandler(before);
}

}  // namespace

bool canDraw() { return true; }

void writeFigure(const Figure& figure, const std::string& pathWithoutExtension) {
  requireApplication();
  const FigureStyle style = styleOf(figure);
  for (const char* extension : kFigureExtensions) {
    const std::string kind = extension;
    writeBeside(pathWithoutExtension + extension, [&](const std::string& part) {
      const QString file = QString::fromStdString(part);
      return kind == ".png"   ? studyFigureImage(figure, style).save(file, "PNG")
             : kind == ".svg" ? writeStudySvg(figure, style, file)
                              : writeStudyPdf(figure, style, file);
    });
  }
}

}  // namespace touchstone

#else

namespace touchstone {

bool canDraw() { return false; }

void writeFigure(const Figure&, const std::string& pathWithoutExtension) {
  throw std::runtime_error(pathWithoutExtension + ": this program was built without Qt and draws no figures");
}

}  // namespace touchstone

#endif
