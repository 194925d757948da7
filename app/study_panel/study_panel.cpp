#include "app/study_panel/study_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/session/session.h"
#include "app/work/export_names.h"
#include "app/work/program_info.h"
#include "core/engine/engine.h"
#include "core/files/text_forms.h"
#include "core/math/count.h"
#include "core/record/quantity.h"
#include "core/run/pane_name.h"
#include "core/run/settings_json.h"
#include "widgets/palette.h"
#include "widgets/parameters/parameter_editor.h"
#include "widgets/plots/study_figure.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

FigureView::FigureView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setMinimumSize(160, 60);  // so that a small dock shows all of it
  setAccessibleName(tr("Figure of the study"));
}

void FigureView::setFigure(const Figure* figure) {
  m_isEmpty = !figure;
  m_figure = figure ? *figure : Figure();
  update();
}

QFont FigureView::figureFont() const {
  QFont font = this->font();
  font.setPixelSize(QFontInfo(this->font()).pixelSize());
  return font;
}

void FigureView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const bool dark = isDark(palette());
  painter.fillRect(rect(), themeColours(dark).background);
  if (m_isEmpty) {
    painter.setPen(themeColours(dark).axis);
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("Choose a study and run it; its figures grow here as runs finish."));
    return;
  }
  paintFigure(painter, m_figure, size(), figureFont(), dark);
}

void FigureView::mouseMoveEvent(QMouseEvent* event) {
  const bool isOn = !m_isEmpty && runAt(m_figure, size(), figureFont(), event->pos());
  setCursor(isOn ? Qt::PointingHandCursor : Qt::ArrowCursor);
  setToolTip(isOn ? tr("Click: open this run") : QString());
}

void FigureView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || m_isEmpty) return;
  if (const auto run = runAt(m_figure, size(), figureFont(), event->pos())) Q_EMIT runClicked(*run);
}

StudyPanel::StudyPanel(QWidget* parent)
    : QWidget(parent),
      m_studies(new QComboBox),
      m_figures(new QComboBox),
      m_quick(new QCheckBox(tr("Quick"))),
      m_start(new QPushButton(tr("Run"))),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_folder(new QPushButton(tr("Files"))),
      m_question(new QLabel),
      m_progress(new QProgressBar),
      m_verdict(new QTextBrowser),
      m_view(new FigureView) {
  m_studies->setAccessibleName(tr("Study"));
  m_studies->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_figures->setAccessibleName(tr("Figure"));
  m_figures->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_quick->setChecked(true);
  m_quick->setToolTip(
      tr("The small form that each study has; without it as the papers ask, which takes longer"));
  m_start->setToolTip(tr("Compute the runs that are missing"));
  m_cancel->setToolTip(tr("Stop; what is done stays, and Run goes on with it"));
  m_folder->setToolTip(tr("Open the folder with tables, figures and verdict"));
  m_question->setWordWrap(true);
  m_question->setTextFormat(Qt::PlainText);
  m_verdict->setAccessibleName(tr("What the study says"));
  m_verdict->setMinimumHeight(30);
  m_verdict->setMaximumHeight(110);
  m_progress->hide();
  m_cancel->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 4, 4, 4);
  column->setSizeConstraint(QLayout::SetNoConstraint);  // see minimumSizeHint()
  auto* top = new QHBoxLayout;
  top->addWidget(m_studies, 1);
  top->addWidget(m_quick);
  top->addWidget(m_start);
  top->addWidget(m_cancel);
  top->addWidget(m_folder);
  column->addLayout(top);
  column->addWidget(m_question);
  auto* second = new QHBoxLayout;
  second->addWidget(m_figures, 1);
  second->addWidget(m_progress, 1);
  column->addLayout(second);
  column->addWidget(m_view, 1);
  column->addWidget(m_verdict);
  connect(m_start, &QPushButton::clicked, this, &StudyPanel::run);
  connect(m_cancel, &QPushButton::clicked, this, &StudyPanel::cancel);
  connect(m_folder, &QPushButton::clicked, this, &StudyPanel::openFolder);
  connect(m_view, &FigureView::runClicked, this, &StudyPanel::openRun);
  connect(m_figures, QOverload<int>::of(&QComboBox::currentIndexChanged), this, &StudyPanel::showFigure);
  connect(m_quick, &QCheckBox::toggled, this, &StudyPanel::load);
  connect(m_studies, QOverload<int>::of(&QComboBox::activated), this, [this](int index) {
    if (index == m_studies->count() - 1)
      browse();
    else
      load();
  });
  fillStudies();
}

StudyPanel::~StudyPanel() = default;

/// Small: the largest of the docks that share a place would take it from the plots above.
QSize StudyPanel::minimumSizeHint() const { return {200, 120}; }

/// Lists titles only: reading every study whole would delay the window.
void StudyPanel::fillStudies() {
  for (const std::string& file : shippedStudies()) {
    const QString path = QString::fromStdString(file), name = QFileInfo(path).completeBaseName();
    QFile text(path);
    const bool isOpen = text.open(QIODevice::ReadOnly);
    const QString title =
        isOpen ? QJsonDocument::fromJson(text.readAll()).object().value("title").toString() : QString();
    m_studies->addItem(title.isEmpty() ? name : QStringLiteral("%1 – %2").arg(name, title), path);
  }
  m_studies->addItem(tr("Study file…"));
  m_studies->setCurrentIndex(-1);
}

void StudyPanel::choose(const QString& file) {
  int index = m_studies->findData(file);
  if (index < 0) {
    index = m_studies->count() - 1;
    m_studies->insertItem(index, QFileInfo(file).fileName(), file);
  }
  m_studies->setCurrentIndex(index);
  load();
}

void StudyPanel::chooseWhole(const QString& file) {
  if (m_isRunning) return;
  const QSignalBlocker quiet(m_quick);
  m_quick->setChecked(false);
  choose(file);
}

void StudyPanel::browse() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Open a study"), QString(), tr("Study files (*.json)"));
  m_studies->setCurrentIndex(-1);
  if (!file.isEmpty()) choose(file);
}

/// Results of a study are kept between programs, as recordings and preferences are.
QString StudyPanel::folder() const {
  const QString data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  const QString name = QFileInfo(m_studies->currentData().toString()).completeBaseName();
  return QStringLiteral("%1/studies/%2%3")
      .arg(data, QString::fromStdString(plainName(name.toStdString())),
           m_quick->isChecked() ? QStringLiteral("-quick") : QString());
}

void StudyPanel::load() {
  if (m_isRunning) return;
  m_job.reset();
  show(nullptr);
  const QString file = m_studies->currentData().toString();
  if (file.isEmpty()) return;
  try {
    QDir().mkpath(folder());
    m_job = std::make_unique<StudyJob>(file, m_quick->isChecked(), folder());
    connect(m_job.get(), &StudyJob::updated, this, &StudyPanel::show);
    connect(m_job.get(), &StudyJob::progressed, this, [this](const QString& text, int done, int count) {
      m_progress->setMaximum(count);
      m_progress->setValue(done);
      m_progress->setFormat(text);
      Q_EMIT progressed(done, count);
    });
    connect(m_job.get(), &StudyJob::finished, this, [this](const QString& text) {
      setRunning(false);
      if (!text.isEmpty()) Q_EMIT problem(text);
      if (m_isCancelled)
        Q_EMIT ended(false, tr("The study was cancelled; the runs that ended stay in %1.").arg(folder()));
      else
        Q_EMIT ended(text.isEmpty(), text.isEmpty() ? folder() : text);
    });
    show(m_job->shown());
  } catch (const std::exception& error) {
    m_job.reset();
    m_question->setText(QString::fromStdString(error.what()));
    Q_EMIT problem(QString::fromStdString(error.what()));
  }
}

void StudyPanel::setRunning(bool running) {
  m_isRunning = running;
  m_start->setVisible(!running);
  m_cancel->setVisible(running);
  m_cancel->setEnabled(running);
  m_progress->setVisible(running);
  m_studies->setEnabled(!running);
  m_quick->setEnabled(!running);
}

void StudyPanel::run() {
  if (m_isRunning) return;
  load();
  if (!m_job) return;
  m_progress->setMaximum(0);
  m_progress->setFormat(tr("starting"));
  m_isCancelled = false;
  setRunning(true);
  Q_EMIT started();
  m_job->start();
}

void StudyPanel::cancel() {
  if (!m_isRunning || !m_job) return;
  m_cancel->setEnabled(false);
  m_isCancelled = true;
  m_job->cancel();
}

void StudyPanel::show(const ShownStudyPtr& study) {
  m_shown = study;
  const QString chosen = m_figures->currentData().toString();
  const QSignalBlocker quiet(m_figures);
  m_figures->clear();
  m_verdict->clear();
  if (study) {
    for (const Figure& figure : study->figures)
      m_figures->addItem(QString::fromStdString(figure.title), QString::fromStdString(figure.id));
    m_figures->setCurrentIndex(std::max(0, m_figures->findData(chosen)));
    const Study& studyOfFigures = study->results.study;
    m_question->setText(QString::fromStdString(
        studyOfFigures.question + (studyOfFigures.source.empty() ? "" : " (" + studyOfFigures.source + ")")));
    m_verdict->setPlainText(study->sentences.isEmpty()
                                ? tr("%1 of %2 runs are done; the verdict comes with the last one.")
                                      .arg(study->results.doneCount())
                                      .arg(study->results.tasks.size())
                                : study->sentences);
  } else {
    m_question->clear();
  }
  showFigure();
}

void StudyPanel::showFigure() {
  const int index = m_figures->currentIndex();
  const bool isThere = m_shown && index >= 0 && index < countOf(m_shown->figures);
  m_view->setFigure(isThere && m_shown->results.doneCount() > 0 ? &m_shown->figures[index] : nullptr);
}

void StudyPanel::openRun(long run) {
  if (!m_shown || run < 0) return;
  const std::size_t index = run;
  const StudyTask& task = m_shown->results.tasks.at(index);
  const QString title = tr("%1, %2, step %3 s%4")
                            .arg(QString::fromStdString(m_shown->results.study.name),
                                 QString::fromStdString(m_shown->results.study.panes[task.pane].label))
                            .arg(task.dt)
                            .arg(task.seed == 0 ? QString() : tr(", seed %1").arg(task.seed));
  const QString file = m_starts.filePath(QStringLiteral("%1-run-%2-%3.touchstone")
                                             .arg(QString::fromStdString(m_shown->results.study.name))
                                             .arg(run)
                                             .arg(++m_opened));
  try {
    writeStartOf(m_shown->results, index, file);
    Q_EMIT openRequested(file, title);
  } catch (const std::exception& error) {
    Q_EMIT problem(QString::fromStdString(error.what()));
  }
}

void StudyPanel::openFolder() { QDesktopServices::openUrl(QUrl::fromLocalFile(folder())); }

std::string studyOf(const VaryChoice& choice) {
  using Json = nlohmann::ordered_json;
  const QuantityInfo& quantity = *findQuantity(choice.quantity);
  Json json = {{"touchstone_study", 1}, {"name", choice.name}};
  std::string titles;
  Json sweep = Json::array();
  for (const VariedParameter& axis : choice.axes) {
    const std::string& key = axis.spec.key;
    Json values = {{"from", axis.from}, {"to", axis.to}, {"count", axis.steps}};
    values["spacing"] = axis.byFactors ? "factors" : "even";
    if (axis.spec.kind == ParameterKind::Integer) {
      std::set<double> whole;
      for (int step = 0; step < axis.steps; ++step) {
        const double share = step / (axis.steps - 1.0);
        whole.insert(std::round(axis.byFactors ? axis.from * std::pow(axis.to / axis.from, share)
                                               : axis.from + share * (axis.to - axis.from)));
      }
      values = Json(whole);
    }
    // The name of an axis is a column beside those of quantities, one of which may have the same key.
    const std::string name = "of_" + key;
    const std::string target = key == "dt" || key == "substeps" ? key : "parameters/" + key;
    sweep.push_back({{"axis", name},
                     {"title", axis.spec.label},
                     {"unit", axis.spec.unit},
                     {"values", values},
                     {"set", {{target, "=" + name}}}});
    titles += (titles.empty() ? "" : " and ") + axis.spec.label;
  }
  json["title"] = quantity.label + " over " + titles;
  json["question"] = "How does the value change with " + titles + "?";
  json["scene"] = choice.scene;
  json["time"] = choice.time;
  json["dt"] = {choice.dt};
  for (const auto& [label, settings] : choice.panes) {
    Json pane = {{"label", label}, {"method", settings.method}, {"substeps", settings.substeps}};
    if (!settings.solver.empty()) pane["solver"] = settings.solver;
    for (const auto& [key, value] : settings.parameters) pane["parameters"][key] = toJson(value);
    pane["on_failure"] = "go-on";
    json["panes"].push_back(pane);
  }
  json["sweep"] = sweep;
  const std::string id = "value";
  json["quantities"] = {{{"id", id},
                         {"title", quantity.label + ", " + choice.reduce},
                         {"unit", quantity.unit},
                         {"value", choice.reduce + "(" + quantity.key + ")"}}};
  std::string log;
  const char* const letters = "xy";
  for (std::size_t axis = 0; axis < choice.axes.size(); ++axis)
    if (choice.axes[axis].byFactors) log += letters[axis];
  if (choice.axes.size() == 1) {
    Json plot = {{"id", "sweep"}, {"x", sweep[0]["axis"]}, {"y", id}};
    if (!log.empty()) plot["log"] = log;
    json["plots"].push_back(plot);
  } else {
    for (std::size_t pane = 0; pane < choice.panes.size(); ++pane) {
      std::string label = choice.panes[pane].first;
      for (std::size_t quote = 0; (quote = label.find('\'', quote)) != std::string::npos; quote += 2)
        label.insert(quote, 1, '\'');
      Json plot = {{"id", "map-" + std::to_string(pane + 1)},
                   {"kind", "map"},
                   {"x", sweep[0]["axis"]},
                   {"y", sweep[1]["axis"]},
                   {"value", id},
                   {"where", "pane = '" + label + "'"},
                   {"title", choice.panes[pane].first}};
      if (!log.empty()) plot["log"] = log;
      json["plots"].push_back(plot);
    }
  }
  return json.dump(2) + "\n";
}

VaryDialog::VaryDialog(const Session& session, int pane, const QString& key, QWidget* parent)
    : QDialog(parent),
      m_session(session),
      m_pane(pane),
      m_quantity(new QComboBox),
      m_reduce(new QComboBox),
      m_time(new QLineEdit(shownNumber(session.scene()->duration))),
      m_file(new QLineEdit),
      m_note(new QLabel),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setWindowTitle(tr("Vary a parameter"));
  ParameterSpec length;
  length.key = "dt";
  length.label = "Frame length";
  length.unit = "s";
  length.minimum = 1e-5;
  length.maximum = 0.1;
  length.logarithmic = true;
  m_specs.push_back(length);
  if (const MethodInfo* method = findMethod(session.pane(pane).settings.method))
    for (const ParameterSpec& spec : method->parameters)
      if (spec.kind == ParameterKind::Number || spec.kind == ParameterKind::Integer) m_specs.push_back(spec);
  auto* form = new QFormLayout;
  auto* column = new QVBoxLayout(this);
  column->addLayout(form);
  m_axes[0] = addAxis(tr("Parameter"));
  m_axes[1] = addAxis(tr("Second parameter"));
  m_axes[1].parameter->insertItem(0, tr("none: one curve a pane"), QString());
  m_axes[1].parameter->setCurrentIndex(0);
  for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
    const Axis& row = m_axes[axis];
    auto* range = new QHBoxLayout;
    range->addWidget(row.from, 1);
    range->addWidget(new QLabel(tr("to")));
    range->addWidget(row.to, 1);
    range->addWidget(row.steps);
    range->addWidget(row.spacing);
    form->addRow(axis == 0 ? tr("Parameter") : tr("Second parameter"), row.parameter);
    form->addRow(tr("Range"), range);
  }
  auto* panes = new QVBoxLayout;
  std::vector<PaneSettings> settings;
  for (int index = 0; index < session.paneCount(); ++index) settings.push_back(session.pane(index).settings);
  const std::vector<std::string> labels = paneLabels(*session.scene(), settings);
  for (int index = 0; index < session.paneCount(); ++index) {
    auto* box = new QCheckBox(qtText(labels[index]));
    const EngineInfo* engine = findEngine(settings[index].method);
    const bool isPlayed = engine && engine->isPlayed;
    box->setEnabled(!isPlayed);
    if (isPlayed) box->setToolTip(tr("The motion is that of a file; nothing changes it"));
    box->setChecked(!isPlayed);
    connect(box, &QCheckBox::toggled, this, &VaryDialog::check);
    panes->addWidget(box);
    m_panes.push_back(box);
  }
  form->addRow(tr("Panes"), panes);
  for (const QuantityInfo& info : quantityTable()) m_quantity->addItem(qtText(info.label), qtText(info.key));
  m_quantity->setCurrentIndex(m_quantity->findData(QStringLiteral("penetration_max")));
  m_quantity->setAccessibleName(tr("Quantity"));
  m_reduce->addItem(tr("largest"), QStringLiteral("max"));
  m_reduce->addItem(tr("median"), QStringLiteral("median"));
  m_reduce->addItem(tr("at the end"), QStringLiteral("last"));
  m_reduce->setAccessibleName(tr("Value of a run"));
  auto* asked = new QHBoxLayout;
  asked->addWidget(m_quantity, 1);
  asked->addWidget(m_reduce);
  form->addRow(tr("Quantity"), asked);
  m_time->setAccessibleName(tr("Time of a run"));
  form->addRow(tr("Time of a run, s"), m_time);
  m_file->setAccessibleName(tr("Study file"));
  auto* browse = new QPushButton(tr("Choose…"));
  auto* place = new QHBoxLayout;
  place->addWidget(m_file, 1);
  place->addWidget(browse);
  form->addRow(tr("Study file"), place);
  m_note->setWordWrap(true);
  column->addWidget(m_note);
  m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Keep and run"));
  column->addWidget(m_buttons);
  connect(browse, &QPushButton::clicked, this, [this] {
    const QString chosen =
        QFileDialog::getSaveFileName(this, tr("Study file"), m_file->text(), tr("Study files (*.json)"));
    if (!chosen.isEmpty()) m_file->setText(chosen);
  });
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  for (QLineEdit* field : {m_time, m_file}) connect(field, &QLineEdit::textChanged, this, &VaryDialog::check);
  // A scene of the user must lie in the folder of the study or below it.
  const QFileInfo scene(qtText(session.scene()->file));
  const QString data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  const std::vector<std::string> shipped = sceneFolders();
  const bool isShipped = std::any_of(shipped.begin(), shipped.end(), [&scene](const std::string& folder) {
    return QFileInfo(qtText(folder)).canonicalFilePath() == scene.dir().canonicalPath();
  });
  const QDir folder = isShipped ? QDir(data + QStringLiteral("/my-studies")) : scene.dir();
  const int first = std::max(0, m_axes[0].parameter->findData(key.isEmpty() ? QStringLiteral("-") : key));
  m_axes[0].parameter->setCurrentIndex(key.isEmpty() && m_specs.size() > 1 ? 1 : first);
  m_file->setText(freePath(folder.filePath(
      QStringLiteral("%1-%2.json")
          .arg(qtText(plainName(session.scene()->name)), m_axes[0].parameter->currentData().toString()))));
  for (const Axis& axis : m_axes) suggestRange(axis);
  check();
}

VaryDialog::Axis VaryDialog::addAxis(const QString& name) {
  Axis axis{new QComboBox, new QLineEdit, new QLineEdit, new QSpinBox, new QComboBox};
  for (const ParameterSpec& spec : m_specs)
    axis.parameter->addItem(spec.unit.empty()
                                ? qtText(spec.label)
                                : QStringLiteral("%1, %2").arg(qtText(spec.label), qtText(spec.unit)),
                            qtText(spec.key));
  axis.steps->setRange(2, 100);
  axis.steps->setValue(name == tr("Parameter") ? 9 : 5);
  axis.steps->setSuffix(tr(" steps"));
  axis.spacing->addItem(tr("even"), false);
  axis.spacing->addItem(tr("factors"), true);
  axis.parameter->setAccessibleName(name);
  axis.from->setAccessibleName(tr("%1: from").arg(name));
  axis.to->setAccessibleName(tr("%1: to").arg(name));
  axis.steps->setAccessibleName(tr("%1: steps").arg(name));
  axis.spacing->setAccessibleName(tr("%1: spacing").arg(name));
  connect(axis.parameter, QOverload<int>::of(&QComboBox::activated), this, [this, axis] {
    suggestRange(axis);
    check();
  });
  for (QLineEdit* field : {axis.from, axis.to})
    connect(field, &QLineEdit::textChanged, this, &VaryDialog::check);
  connect(axis.steps, QOverload<int>::of(&QSpinBox::valueChanged), this, &VaryDialog::check);
  connect(axis.spacing, QOverload<int>::of(&QComboBox::currentIndexChanged), this, &VaryDialog::check);
  return axis;
}

// About the present value: a tenth to ten times it where the parameter goes by factors, else half to twice.
void VaryDialog::suggestRange(const Axis& axis) {
  const std::string key = axis.parameter->currentData().toString().toStdString();
  const auto spec = std::find_if(m_specs.begin(), m_specs.end(),
                                 [&key](const ParameterSpec& known) { return known.key == key; });
  const bool isOn = spec != m_specs.end();
  for (QWidget* part : std::initializer_list<QWidget*>{axis.from, axis.to, axis.steps, axis.spacing})
    part->setEnabled(isOn);
  if (!isOn) return;
  double now = m_session.dt();
  if (key != "dt") {
    const ParameterValues& values = m_session.pane(m_pane).values;
    const auto value = values.find(key);
    const double* number = value == values.end() ? nullptr : std::get_if<double>(&value->second);
    now = number ? *number : 0;
  }
  double lowest = spec->minimum, highest = spec->maximum;
  if (now > 0) {
    const double factor = spec->logarithmic ? 10 : 2;
    lowest = std::max(lowest, now / factor);
    highest = std::min(highest, now * factor);
  }
  axis.spacing->setCurrentIndex(spec->logarithmic && lowest > 0 ? 1 : 0);
  axis.from->setText(shownNumber(lowest));
  axis.to->setText(shownNumber(highest));
}

std::optional<VariedParameter> VaryDialog::varied(const Axis& axis) const {
  const std::string key = axis.parameter->currentData().toString().toStdString();
  for (const ParameterSpec& spec : m_specs) {
    if (spec.key != key) continue;
    VariedParameter varied;
    varied.spec = spec;
    varied.from = axis.from->text().toDouble();
    varied.to = axis.to->text().toDouble();
    varied.steps = axis.steps->value();
    varied.byFactors = axis.spacing->currentData().toBool();
    return varied;
  }
  return {};
}

// The note says what will run, or what must be changed first.
void VaryDialog::check() {
  QString fault;
  int runs = 1;
  QStringList keys;
  for (const Axis& axis : m_axes) {
    const std::optional<VariedParameter> varied = this->varied(axis);
    if (!varied) continue;
    bool isFrom = false, isTo = false;
    axis.from->text().toDouble(&isFrom);
    axis.to->text().toDouble(&isTo);
    const QString name = qtText(varied->spec.label);
    if (!isFrom || !isTo)
      fault = tr("%1: the range has a text; give two numbers.").arg(name);
    else if (varied->from == varied->to)
      fault = tr("%1: both ends of the range are equal; give two numbers.").arg(name);
    else if (varied->byFactors && !(varied->from > 0 && varied->to > 0))
      fault = tr("%1: an end of the range is not positive; choose even steps.").arg(name);
    else
      for (const double end : {varied->from, varied->to})
        if (const std::string problem = refusal(varied->spec, end); !problem.empty())
          fault = tr("%1 %2.").arg(name, qtText(problem));
    if (keys.contains(qtText(varied->spec.key))) fault = tr("Both parameters are the same; choose another.");
    keys << qtText(varied->spec.key);
    runs *= varied->steps;
  }
  const auto panes =
      std::count_if(m_panes.begin(), m_panes.end(), [](QCheckBox* box) { return box->isChecked(); });
  if (panes == 0) fault = tr("No pane is chosen; choose one.");
  bool isTime = false;
  if (!(m_time->text().toDouble(&isTime) > 0) || !isTime) fault = tr("The time of a run must be above 0 s.");
  if (m_file->text().isEmpty()) fault = tr("The study file has no name; give one.");
  m_note->setText(
      fault.isEmpty()
          ? tr("%1 runs, in the background. The file can be edited, and run by touchstone-cli study.")
                .arg(runs * panes)
          : fault);
  m_buttons->button(QDialogButtonBox::Ok)->setEnabled(fault.isEmpty());
}

VaryChoice VaryDialog::choice() const {
  VaryChoice choice;
  choice.name = plainName(QFileInfo(file()).completeBaseName().toStdString());
  const QFileInfo scene(qtText(m_session.scene()->file));
  const QString beside =
      QFileInfo(file()).dir().relativeFilePath(QFileInfo(scene.canonicalFilePath()).filePath());
  choice.scene = (beside.startsWith(QLatin1String("..")) ? scene.completeBaseName() : beside).toStdString();
  choice.time = m_time->text().toDouble();
  choice.dt = m_session.dt();
  for (const Axis& axis : m_axes)
    if (const std::optional<VariedParameter> varied = this->varied(axis)) choice.axes.push_back(*varied);
  for (std::size_t pane = 0; pane < m_panes.size(); ++pane)
    if (m_panes[pane]->isChecked())
      choice.panes.emplace_back(m_panes[pane]->text().toStdString(),
                                m_session.pane(static_cast<int>(pane)).settings);
  choice.quantity = m_quantity->currentData().toString().toStdString();
  choice.reduce = m_reduce->currentData().toString().toStdString();
  return choice;
}

QString VaryDialog::file() const {
  const QString file = m_file->text();
  return file.endsWith(QLatin1String(".json")) ? file : file + QStringLiteral(".json");
}

}  // namespace touchstone
