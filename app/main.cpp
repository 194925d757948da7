#include <QVTKOpenGLNativeWidget.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QIcon>
#include <QSize>
#include <QStyleFactory>
#include <QSurfaceFormat>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/cli/checks.h"
#include "app/cli/pane_options.h"
#include "app/engines/engines.h"
#include "app/session/session.h"
#include "app/window/batch_export.h"
#include "app/window/display.h"
#include "app/window/live_measurement.h"
#include "app/window/main_window.h"
#include "app/window/session_file.h"
#include "app/work/exit_codes.h"
#include "app/work/program_info.h"
#include "core/engine/engine.h"
#include "core/files/listed.h"
#include "core/files/scene_error.h"
#include "core/math/count.h"
#include "core/store/friction_problem.h"
#include "core/store/provenance.h"
#include "core/store/recording.h"
#include "gpu/cuda_device.h"

// Resources of a static library must be initialised by name, outside any namespace.
static void initialiseIcons() { Q_INIT_RESOURCE(icons); }

using touchstone::kBadInput;
using touchstone::kEnvironment;
using touchstone::cli::positiveNumber;

namespace {

void setSurfaceFormat() {
  QSurfaceFormat format = QVTKOpenGLNativeWidget::defaultFormat();
  format.setSamples(0);  // multisampling doubles the time of a frame under software OpenGL
  QSurfaceFormat::setDefaultFormat(format);
}

struct Arguments {
  std::string backend = "cpu";
  std::string scene = "pour", movie, screenshot, view, section, plots, csv, verdict, demo;
  std::vector<std::string> methods;
  double time = 0, measure = 0;
  std::string size = "1920x1080";
};

/// Empty unless the text has the form 1280x720.
QSize sizeOf(const std::string& text) {
  int width = 0, height = 0, read = 0;
  const bool whole =
      std::sscanf(text.c_str(), "%dx%d%n", &width, &height, &read) == 2 && read == touchstone::countOf(text);
  return whole && width >= 320 && height >= 240 && width <= 16384 && height <= 16384 ? QSize(width, height)
                                                                                     : QSize();
}

/// Reads z or z:-0.25. @return false unless the text has that form
bool readSection(const std::string& text, touchstone::Section& section, double& offset) {
  static const std::string kAxes = "xyz";
  const std::size_t axis = text.empty() ? std::string::npos : kAxes.find(text.front());
  if (axis == std::string::npos) return false;
  section =
      static_cast<touchstone::Section>(static_cast<int>(touchstone::Section::X) + static_cast<int>(axis));
  offset = 0;
  int read = 0;
  return text.size() == 1 || (std::sscanf(text.c_str() + 1, ":%lf%n", &offset, &read) == 1 &&
                              read == touchstone::countOf(text) - 1 && offset >= -1 && offset <= 1);
}

/// Checks the ending of an output file.
CLI::Validator endingIn(const std::vector<std::string>& endings) {
  const auto problemOf = [endings](std::string& file) {
    const bool fits = std::any_of(endings.begin(), endings.end(), [&file](const std::string& ending) {
      return QString::fromStdString(file).endsWith(QString::fromStdString(ending), Qt::CaseInsensitive);
    });
    return fits ? std::string() : file + ": must end in " + touchstone::listed(endings, " or ");
  };
  return CLI::Validator(problemOf, "FILE");
}

void declare(CLI::App& parser, Arguments& arguments) {
  parser.set_version_flag("--version", touchstone::provenanceText);
  parser.footer(
      "Exit codes: 0 all that was asked was done, 1 a simulation failed, 2 usage or bad input, 3 the "
      "environment.\n"
      "A kill at any moment leaves whole files or none. A scene, session or recording of another author is "
      "checked "
      "before it is used; nothing in it is executed.");
  parser.add_option("SCENE", arguments.scene, "Scene, session or recording, or name of a shipped scene")
      ->capture_default_str();
  parser.add_option("--methods", arguments.methods, "Panes: method or method-solver, separated by commas")
      ->delimiter(',');
  parser
      .add_option("--time", arguments.time,
                  "Simulated time to run before exporting [s]; default: the scene's")
      ->check(positiveNumber());
  parser.add_option("--backend", arguments.backend, "Where the panes run: cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  parser.add_option("--screenshot", arguments.screenshot, "Run, write the window as PNG, end")
      ->check(endingIn({".png"}));
  parser
      .add_option("--view", arguments.view, "Run, write the view of the first pane as PNG (1600 x 1200), end")
      ->check(endingIn({".png"}));
  parser
      .add_option(
          "--section", arguments.section,
          "Cut the bodies in the exported views across an axis: x, y or z, and where: z:0.5 is half way "
          "from the middle of the scene to its end")
      ->check([](const std::string& text) {
        touchstone::Section section = touchstone::Section::Off;
        double offset = 0;
        return readSection(text, section, offset)
                   ? std::string()
                   : text + ": is not of the form z or z:0.5, with a number from -1 to 1";
      });
  parser.add_option("--export-movie", arguments.movie, "Run, write a movie (.mp4 or .webm), end")
      ->check(endingIn({".mp4", ".webm"}));
  parser.add_option("--plots", arguments.plots,
                    "Run, write all plots as PNG, SVG, PDF and CSV into this folder, end");
  parser.add_option("--csv", arguments.csv, "Run, write all quantities as CSV into this folder, end");
  parser
      .add_option("--verdict", arguments.verdict,
                  "Run, write the verdict on the panes and the scene's claims (.txt, .md, .tex or .csv), end")
      ->check(endingIn({".txt", ".md", ".tex", ".csv"}));
  parser
      .add_option("--size", arguments.size,
                  "Size of the window while exporting or measuring, for example 1280x720")
      ->check([](const std::string& text) {
        return sizeOf(text).isEmpty() ? "is not of the form 1280x720" : std::string();
      });
  parser
      .add_option("--measure", arguments.measure,
                  "Run for so long [s of the clock], print frames shown a second, stalls and memory, end")
      ->check(positiveNumber());
  parser.add_option("--offscreen-demo", arguments.demo,
                    "Run, write screenshot, movie, plots and data into this folder, end");
}

/// Refuses options that would be ignored.   @throws std::invalid_argument
void refuseIdleOptions(const CLI::App& parser) {
  const std::vector<const char*> pictures = {"--screenshot", "--view", "--export-movie", "--offscreen-demo"},
                                 measured = {"--measure"};
  std::vector<const char*> exports = pictures,
                           windows = {"--screenshot", "--export-movie", "--offscreen-demo"};
  exports.insert(exports.end(), {"--plots", "--csv", "--verdict"});
  windows.push_back("--measure");
  std::vector<touchstone::cli::OptionUse> uses = {
      {"--time", exports}, {"--section", pictures}, {"--size", windows}};
  for (const char* option : exports) uses.push_back({option, {}, measured});
  touchstone::cli::refuseIdle(parser, uses);
}

/// Refuses options on panes with a file that has panes of its own.   @throws std::invalid_argument
void refuseIdleOptions(const CLI::App& parser, const QString& file) {
  const bool hasPanes = touchstone::isSessionFile(file) || touchstone::isRecording(file.toStdString());
  for (const char* option : {"--methods", "--backend"})
    if (hasPanes && parser.count(option) > 0)
      throw std::invalid_argument(file.toStdString() + ": has panes of its own, so that " + option +
                                  " has no effect; open the scene, or leave the option out");
}

touchstone::BatchOptions batchOptions(const Arguments& arguments) {
  touchstone::BatchOptions options;
  const auto text = [](const std::string& s) { return QString::fromStdString(s); };
  options.scene = text(touchstone::resolveScene(arguments.scene));
  for (const std::string& method : arguments.methods) options.methods << text(method);
  options.screenshot = text(arguments.screenshot);
  options.view = text(arguments.view);
  if (!arguments.section.empty()) readSection(arguments.section, options.section, options.sectionOffset);
  options.movie = text(arguments.movie);
  options.plots = text(arguments.plots);
  options.csv = text(arguments.csv);
  options.verdict = text(arguments.verdict);
  options.demo = text(arguments.demo);
  options.time = arguments.time;
  return options;
}

constexpr char kDisplayRemedy[] =
    "run it under\n"
    "  xvfb-run -a -s \"-screen 0 1920x1080x24\" touchstone …\n"
    "or use touchstone-cli, which needs none\n";

/// Qt aborts if it cannot connect, which is a fault of the environment and not of the program.
void endInsteadOfAbort(QtMsgType type, const QMessageLogContext&, const QString& text) {
  std::fprintf(stderr, "%s\n", qPrintable(text));
  if (type != QtFatalMsg) return;
  std::fprintf(stderr, "touchstone: the display cannot be used; %s", kDisplayRemedy);
  std::_Exit(kEnvironment);
}

bool g_hasWindow = false;
QtMessageHandler g_usualMessages = nullptr;

/// Leaves out what Qt says when the connection to the display breaks: tellLostDisplay() says it with a
/// remedy.
void showMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (!text.startsWith(QLatin1String("The X11 connection broke"))) g_usualMessages(type, context, text);
}

/// Qt and Xlib call exit() when the connection to the display breaks.
void tellLostDisplay() {
  if (!g_hasWindow) return;
  std::fprintf(stderr,
               "touchstone: the display is gone, and the window with it; recordings hold their last whole "
               "frame. Start the program again where there is a display\n");
  std::fflush(nullptr);
  _exit(kEnvironment);
}

int run(int argc, char** argv, touchstone::DisplayConnection& display,
        const touchstone::BatchOptions& options, const Arguments& arguments) {
  const QSize size = sizeOf(arguments.size);
  const double measure = arguments.measure;
  setSurfaceFormat();
  initialiseIcons();
  g_usualMessages = qInstallMessageHandler(endInsteadOfAbort);
  QApplication application(argc, argv);
  if (!g_usualMessages) g_usualMessages = qInstallMessageHandler(nullptr);
  qInstallMessageHandler(showMessage);
  display.close();
  std::atexit(tellLostDisplay);
  touchstone::onLostDisplay(tellLostDisplay);
  g_hasWindow = true;
  QApplication::setApplicationName(QStringLiteral("Touchstone"));
  QApplication::setOrganizationName(QStringLiteral("Touchstone"));
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));

  QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/touchstone.svg")));
  QApplication::setDesktopFileName(QStringLiteral("touchstone"));

  const bool batch = options.any() || measure > 0;
  touchstone::MainWindow window(batch ? touchstone::WindowMemory::Forget
                                      : touchstone::WindowMemory::Remember);
  touchstone::BatchExport exporter(&window, options);
  touchstone::LiveMeasurement measurement(&window, measure);
  if (batch) window.resize(size);
  if (arguments.backend == "cuda") window.session()->setDefaultBackend(touchstone::BackendKind::Cuda);
  window.show();
  QTimer::singleShot(0, &window, [&] {
    if (measure > 0) {
      measurement.start(options.scene, options.methods);
    } else if (batch) {
      exporter.start();
    } else {
      window.open(options.scene, options.methods);
    }
  });
  const int code = QApplication::exec();
  g_hasWindow = false;
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond the limit of file size is a write error
  touchstone::registerCuda();
  touchstone::registerEngines();
  CLI::App parser("Touchstone: one scene under several contact methods, side by side");
  Arguments arguments;
  declare(parser, arguments);
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = parser.exit(error);
    return code == 0 ? 0 : kBadInput;
  }
  touchstone::BatchOptions options;
  try {
    refuseIdleOptions(parser);
    options = batchOptions(arguments);
    refuseIdleOptions(parser, options.scene);
    const std::string file = options.scene.toStdString();
    if ((options.any() || arguments.measure > 0) &&
        (touchstone::isFrictionProblem(file) ||
         options.scene.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)))
      throw touchstone::SceneError(file, "", "is no scene, session or recording, which alone have pictures",
                                   "open it in the window, or solve a problem with touchstone-cli solve");
    // In a batch run no user would read that the panes run elsewhere, so that this is an error.
    if (options.any() || arguments.measure > 0) touchstone::cli::backendOf(arguments.backend);
  } catch (const touchstone::SceneError& error) {
    std::fprintf(stderr, "touchstone: %s\n", touchstone::printable(error.what()).c_str());
    return kBadInput;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "touchstone: %s\n", touchstone::printable(error.what()).c_str());
    return kBadInput;
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "touchstone: %s\n", touchstone::printable(error.what()).c_str());
    return kEnvironment;
  }
  touchstone::DisplayConnection display;
  if (!display.hasAnswer()) {
    std::fprintf(stderr,
                 "touchstone: there is no display (DISPLAY and WAYLAND_DISPLAY name none that answers); %s",
                 kDisplayRemedy);
    return kEnvironment;
  }
  const int code = run(argc, argv, display, options, arguments);
  if (touchstone::hasAbandonedCalls()) {
    std::fflush(nullptr);
    _exit(code);
  }
  return code;
}
