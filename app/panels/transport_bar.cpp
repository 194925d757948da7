#include "app/panels/transport_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "app/session/session.h"
#include "widgets/palette.h"
#include "widgets/text/text_line.h"
#include "widgets/timeline/timeline.h"

namespace touchstone {

TransportBar::TransportBar(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_timeline(new Timeline),
      m_speed(new QComboBox),
      m_time(new TextLine(Qt::AlignRight | Qt::AlignVCenter)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 8, 2);
  row->setSpacing(4);
  QToolButton* first = addButton(QStringLiteral("|◀"), tr("First recorded frame (Home)"));
  QToolButton* back = addButton(QStringLiteral("◀"), tr("One frame back (←)"));
  m_run = addButton(tr("Run"), QString());
  m_run->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("❚❚  Pause")) + 16);
  QToolButton* forward =
      addButton(QStringLiteral("▶"), tr("One frame on (→); computes only beyond the last frame"));
  QToolButton* last = addButton(QStringLiteral("▶|"), tr("Last frame (End)"));
  buildSpeeds();
  row->addWidget(m_speed);
  m_loop = addButton(tr("⟳ Loop"),
                     tr("Plays the record again and again, from now until clicked again (L); computes "
                        "nothing"));
  m_loop->setCheckable(true);
  m_fork = addButton(tr("Fork"), QString());
  row->addWidget(m_timeline, 1);
  m_timeline->setMinimumWidth(120);
  m_time->setSample(QStringLiteral("t = 000.000 s   frame 00000 / 00000"));
  row->addWidget(m_time);
  m_branch = addButton(tr("Branch"), tr("Branches of time: each fork and each restart keeps the one before"));
  auto* branches = new QMenu(m_branch);
  m_branch->setMenu(branches);
  m_branch->setPopupMode(QToolButton::InstantPopup);
  m_live = addButton(tr("● Live"), QString());
  m_live->setCheckable(true);
  m_live->setMinimumWidth(fontMetrics().horizontalAdvance(tr("○ Recorded")) + 16);

  connect(first, &QToolButton::clicked, this, [this] { m_session->seek(m_session->firstFrame()); });
  connect(back, &QToolButton::clicked, this, [this] { m_session->step(-1); });
  connect(m_run, &QToolButton::clicked, m_session, &Session::toggleRunning);
  connect(forward, &QToolButton::clicked, this, [this] { m_session->step(1); });
  connect(last, &QToolButton::clicked, m_session, &Session::goLive);
  connect(m_loop, &QToolButton::clicked, m_session, &Session::setLooping);
  connect(m_fork, &QToolButton::clicked, this, [this] { m_session->fork(m_session->selectedPane()); });
  connect(branches, &QMenu::aboutToShow, this, [this, branches] { fillBranches(branches); });
  connect(m_live, &QToolButton::clicked, this, [this] {
    m_session->goLive();
    refresh();
  });
  connect(m_timeline, &Timeline::frameRequested, m_session, &Session::seek);
  m_timeline->setTimeOf([this](long frame) { return m_session->timeAt(frame); });
  connect(m_session, &Session::framesAdded, this, [this] {
    if (!m_session->isRunning()) refreshRange();  // else with the views
  });
  connect(m_session, &Session::sceneChanged, this, &TransportBar::suggestSpeed);
  connect(m_session, &Session::historyChanged, this, &TransportBar::refreshRange);
  connect(m_session, &Session::viewsShown, this, &TransportBar::refreshRange);
  connect(m_session, &Session::runningChanged, this, &TransportBar::refresh);
  connect(m_session, &Session::selectionChanged, this, &TransportBar::refresh);
  connect(m_session, &Session::panesChanged, this, &TransportBar::refreshMarks);
  connect(m_session, &Session::panesChanged, this, &TransportBar::refreshBranches);
  refresh();
  refreshBranches();
}

QToolButton* TransportBar::addButton(const QString& text, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip.isEmpty() ? text : tip);
  button->setMinimumHeight(28);
  button->setMinimumWidth(32);
  button->setFocusPolicy(Qt::NoFocus);  // Space belongs to run and pause, wherever the focus was
  layout()->addWidget(button);
  return button;
}

void TransportBar::buildSpeeds() {
  const std::vector<std::pair<QString, double>> speeds = {
      {QStringLiteral("1/50×"), 0.02}, {QStringLiteral("1/10×"), 0.1},
      {QStringLiteral("¼×"), 0.25},    {QStringLiteral("½×"), 0.5},
      {QStringLiteral("1×"), 1},       {QStringLiteral("2×"), 2},
      {QStringLiteral("4×"), 4},       {tr("max"), 0}};
  for (const auto& [text, speed] : speeds) m_speed->addItem(text, speed);
  setSpeed(1);
  m_speed->setFocusPolicy(Qt::NoFocus);
  m_speed->setToolTip(tr("Simulated time per time of the clock; max: as fast as it goes"));
  m_speed->setAccessibleName(tr("Speed"));
  connect(m_speed, QOverload<int>::of(&QComboBox::currentIndexChanged), this,
          [this] { m_session->setSpeed(m_speed->currentData().toDouble()); });
}

void TransportBar::setSpeed(double speed) {
  for (int index = 0; index < m_speed->count(); ++index)
    if (qFuzzyCompare(1 + m_speed->itemData(index).toDouble(), 1 + speed)) m_speed->setCurrentIndex(index);
}

/// The fastest speed, real time at most, at which the scene lasts long enough to be watched.
void TransportBar::suggestSpeed() {
  // [s] of the clock. A larger value bores; a smaller one hides short events.
  constexpr double kShortest = 2.5;
  const auto scene = m_session->scene();
  if (!scene) return;
  double suggested = m_speed->itemData(0).toDouble();
  for (int index = 0; index < m_speed->count(); ++index) {
    const double speed = m_speed->itemData(index).toDouble();
    if (speed > 0 && speed <= 1 && scene->duration / speed >= kShortest)
      suggested = std::max(suggested, speed);
  }
  setSpeed(suggested);
}

void TransportBar::changeSpeed(int by) {
  m_speed->setCurrentIndex(std::clamp(m_speed->currentIndex() + by, 0, m_speed->count() - 1));
}

void TransportBar::refreshRange() {
  m_timeline->setRange(m_session->firstFrame(), m_session->lastFrame());
  m_timeline->setEvents(m_session->events());
  refresh();
}

// Marks user actions in the shown branch: its fork, and changes of methods and settings.
void TransportBar::refreshMarks() {
  std::vector<TimelineMark> marks;
  for (long frame : m_session->forks()) {
    QString text = tr("fork");
    for (const BranchInfo& branch : m_session->branches())
      if (branch.id == m_session->branch() && branch.from == frame && !branch.source.empty())
        text = tr("branch ") + m_session->branchLabel(branch);
    marks.push_back({frame, QStringLiteral("⎇"), text, QColor()});
  }
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    for (const PaneSpan& span : m_session->spans(pane))
      if (!span.change.isEmpty())
        marks.push_back({span.first, span.isNamed ? QStringLiteral("⇄") : QStringLiteral("◇"),
                         span.isNamed ? span.change : span.label + QStringLiteral(": ") + span.change,
                         methodColour(span.method)});
  for (int marker = 0; marker < 2; ++marker)
    if (m_plotMarkers[marker] >= 0) {
      const QString name(QLatin1Char(static_cast<char>('A' + marker)));
      marks.push_back({m_plotMarkers[marker], name, tr("marker %1 of the plots").arg(name), QColor()});
    }
  m_timeline->setMarks(marks);
}

void TransportBar::setPlotMarkers(long a, long b) {
  m_plotMarkers[0] = a;
  m_plotMarkers[1] = b;
  refreshMarks();
}

void TransportBar::refreshBranches() {
  const std::vector<BranchInfo>& branches = m_session->branches();
  m_branch->setVisible(branches.size() > 1);
  m_branch->setText(tr("Branch %1").arg(m_session->branch() + 1));
  m_branch->setToolTip(tr("%1 branches of time are kept: each fork and each restart keeps the one before")
                           .arg(branches.size()));
}

void TransportBar::fillBranches(QMenu* menu) const {
  menu->clear();
  for (const BranchInfo& branch : m_session->branches()) {
    QAction* action = menu->addAction(m_session->branchLabel(branch), m_session,
                                      [this, id = branch.id] { m_session->showBranch(id); });
    action->setCheckable(true);
    action->setChecked(branch.id == m_session->branch());
  }
}

QString TransportBar::forkText() const {
  if (m_session->paneCount() == 0) return tr("Fork all panes");
  const int pane = m_session->selectedPane();
  return tr("Fork all panes from %1 at t = %2 s")
      .arg(m_session->spanAt(pane, m_session->cursor()).label)
      .arg(m_session->timeAt(m_session->cursor()), 0, 'f', 3);
}

void TransportBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  refreshFork();
}

// The name of the source and the number of the frame give way to the timeline; tooltips have them.
void TransportBar::refreshFork() {
  // Least width of the timeline beside whole texts, in widths of a letter. A larger value shortens texts in
  // usual windows; a smaller one makes frames hard to hit.
  constexpr int kTimeline = 40;
  const QString source =
      m_session->paneCount() > 0 ? m_session->paneLabel(m_session->selectedPane()) : QString();
  const QString whole = tr("Fork from %1").arg(source);
  int others = 0;
  for (int item = 0; item < layout()->count(); ++item) {
    const QWidget* part = layout()->itemAt(item)->widget();
    if (part->isHidden() || part == m_timeline || part == m_time || part == m_fork) continue;
    others += std::max(part->sizeHint().width(), part->minimumWidth()) + layout()->spacing();
  }
  const int letter = fontMetrics().averageCharWidth(), rest = width() - others - kTimeline * letter;
  const int fork = fontMetrics().horizontalAdvance(whole) + 4 * letter;
  const int time = fontMetrics().horizontalAdvance(QStringLiteral("t = 000.000 s   frame 00000 / 00000"));
  const bool isWhole = fork + time <= rest;
  m_time->setSample(isWhole ? QStringLiteral("t = 000.000 s   frame 00000 / 00000")
                            : QStringLiteral("t = 000.000 s"));
  m_time->setMinimumWidth(m_time->sizeHint().width());
  m_fork->setText(isWhole ? whole : tr("Fork"));
}

void TransportBar::refresh() {
  setEnabled(m_session->paneCount() > 0);
  const long cursor = m_session->cursor();
  const bool running = m_session->isRunning();
  const bool plays = !m_session->isLive() || m_session->isLooping();
  m_run->setText(running ? tr("❚❚  Pause") : plays ? tr("▶  Play") : tr("▶  Run"));
  m_run->setToolTip(running  ? tr("Pause (Space)")
                    : !plays ? tr("Run (Space)")
                    : m_session->isLooping()
                        ? tr("Play the record again and again (Space)")
                        : tr("Play what is recorded from here on; at its end the panes run on (Space)"));
  refreshFork();
  m_fork->setToolTip(
      tr("%1 (B): all go on from its state there, as a new branch. What is recorded stays as the branch "
         "before; Ctrl+Z returns to it.")
          .arg(forkText()));
  m_fork->setAccessibleName(forkText());
  m_timeline->setCursor(cursor, m_session->isLive());
  const QString time = tr("t = %1 s").arg(m_session->timeAt(cursor), 0, 'f', 3);
  const QString whole = tr("%1   frame %2 / %3").arg(time).arg(cursor).arg(m_session->lastFrame());
  m_time->setForms({whole, time});
  m_time->setToolTip(whole);
  m_live->setChecked(m_session->isLive());
  m_live->setText(m_session->isLive() ? tr("● Live") : tr("○ Recorded"));
  m_live->setToolTip(m_session->isLive()
                         ? tr("The panes show the newest frame")
                         : tr("The panes show a recorded frame; click to see the newest (End)"));
  m_loop->setChecked(m_session->isLooping());
}

}  // namespace touchstone
