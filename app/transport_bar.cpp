#include "app/transport_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>

#include "app/session.h"
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
  m_run->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("▶  Fork && run")) + 16);
  QToolButton* forward =
      addButton(QStringLiteral("▶"), tr("One frame on (→); computes only beyond the last frame"));
  QToolButton* last = addButton(QStringLiteral("▶|"), tr("Last frame (End)"));
  buildSpeeds();
  row->addWidget(m_speed);
  m_loop = addButton(tr("Loop"), tr("Play the recorded frames again and again; computes nothing"));
  m_loop->setCheckable(true);
  row->addWidget(m_timeline, 1);
  m_time->setSample(QStringLiteral("t = 000.000 s   frame 00000 / 00000"));
  row->addWidget(m_time);
  m_live = addButton(tr("● Live"), QString());
  m_live->setCheckable(true);

  connect(first, &QToolButton::clicked, this, [this] { m_session->seek(m_session->firstFrame()); });
  connect(back, &QToolButton::clicked, this, [this] { m_session->step(-1); });
  connect(m_run, &QToolButton::clicked, m_session, &Session::toggleRunning);
  connect(forward, &QToolButton::clicked, this, [this] { m_session->step(1); });
  connect(last, &QToolButton::clicked, m_session, &Session::goLive);
  connect(m_loop, &QToolButton::toggled, m_session, &Session::setLooping);
  connect(m_live, &QToolButton::clicked, this, [this] {
    m_session->goLive();
    refresh();
  });
  connect(m_timeline, &Timeline::frameRequested, m_session, &Session::seek);
  m_timeline->setTimeOf([this](long frame) { return m_session->timeAt(frame); });
  connect(m_session, &Session::framesAdded, this, [this] {
    if (!m_session->isRunning()) refreshRange();  // else with the views
  });
  connect(m_session, &Session::historyChanged, this, &TransportBar::refreshRange);
  connect(m_session, &Session::viewsShown, this, &TransportBar::refreshRange);
  connect(m_session, &Session::runningChanged, this, &TransportBar::refresh);
  refresh();
}

QToolButton* TransportBar::addButton(const QString& text, const QString& tip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip.isEmpty() ? text : tip);
  button->setMinimumHeight(28);
  button->setMinimumWidth(32);
  button->setFocusPolicy(Qt::NoFocus);  // Space belongs to run and pause, wherever the mouse was last
  layout()->addWidget(button);
  return button;
}

void TransportBar::buildSpeeds() {
  const std::vector<std::pair<QString, double>> speeds = {
      {QStringLiteral("¼×"), 0.25}, {QStringLiteral("½×"), 0.5}, {QStringLiteral("1×"), 1},
      {QStringLiteral("2×"), 2},    {QStringLiteral("4×"), 4},   {tr("max"), 0}};
  for (const auto& [text, speed] : speeds) m_speed->addItem(text, speed);
  m_speed->setCurrentIndex(2);
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

void TransportBar::changeSpeed(int by) {
  m_speed->setCurrentIndex(std::clamp(m_speed->currentIndex() + by, 0, m_speed->count() - 1));
}

void TransportBar::refreshRange() {
  std::vector<QColor> colours;
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    colours.push_back(methodColour(QString::fromStdString(m_session->pane(pane).settings.method)));
  m_timeline->setRange(m_session->firstFrame(), m_session->lastFrame());
  m_timeline->setEvents(m_session->events(), colours);
  refresh();
}

void TransportBar::refresh() {
  setEnabled(m_session->paneCount() > 0);
  const long cursor = m_session->cursor();
  const bool running = m_session->isRunning();
  const bool past = !m_session->isLive() && !m_session->isLooping();
  m_run->setText(running ? tr("❚❚  Pause") : past ? tr("▶  Fork && run") : tr("▶  Run"));
  m_run->setToolTip(running ? tr("Pause (Space)")
                    : past
                        ? tr("All panes go on from the selected pane's state at this frame; later frames are "
                             "forgotten (Space). End returns to the last frame.")
                        : tr("Run (Space)"));
  m_timeline->setCursor(cursor, m_session->isLive());
  m_time->setText(tr("t = %1 s   frame %2 / %3")
                      .arg(m_session->timeAt(cursor), 0, 'f', 3)
                      .arg(cursor)
                      .arg(m_session->lastFrame()));
  m_live->setChecked(m_session->isLive());
  m_live->setText(m_session->isLive() ? tr("● Live") : tr("○ Recorded"));
  m_live->setToolTip(m_session->isLive()
                         ? tr("The panes show the newest frame")
                         : tr("The panes show a recorded frame; click to see the newest (End)"));
  m_loop->setChecked(m_session->isLooping());
}

}  // namespace touchstone
