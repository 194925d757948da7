#include "app/study_panel/study_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QStandardPaths>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include "core/files/text_forms.h"
#include "widgets/palette.h"
#include "widgets/plots/study_figure.h"

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

/// Of the docks that share a place, the largest would take it from the plots above.
QSize StudyPanel::minimumSizeHint() const { return {200, 120}; }

/// With their titles only: reading every study whole would delay the window.
void StudyPanel::fillStudies() {
  for (const std::string& file : cli::shippedStudies()) {
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
    });
    connect(m_job.get(), &StudyJob::finished, this, [this](const QString& text) {
      setRunning(false);
      if (!text.isEmpty()) Q_EMIT problem(text);
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
  setRunning(true);
  m_job->start();
}

void StudyPanel::cancel() {
  if (!m_isRunning || !m_job) return;
  m_cancel->setEnabled(false);
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
    const Study& of = study->results.study;
    m_question->setText(
        QString::fromStdString(of.question + (of.source.empty() ? "" : " (" + of.source + ")")));
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
  const bool isThere = m_shown && index >= 0 && index < static_cast<int>(m_shown->figures.size());
  m_view->setFigure(isThere && m_shown->results.doneCount() > 0
                        ? &m_shown->figures[static_cast<std::size_t>(index)]
                        : nullptr);
}

void StudyPanel::openRun(long run) {
  if (!m_shown || run < 0) return;
  const auto index = static_cast<std::size_t>(run);
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

}  // namespace touchstone
