#include "app/panels/verdict_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QSaveFile>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/scene/scene.h"
#include "core/statistics/ensemble_tables.h"
#include "widgets/palette.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

// [ms] Between updates while frames arrive. A larger value lags behind the run; a smaller one takes time from
// the views.
constexpr int kVerdictDelay = 300;

QTableWidgetItem* cellOf(const QString& text, Qt::Alignment alignment) {
  auto* cell = new QTableWidgetItem(text);
  cell->setTextAlignment(static_cast<int>(alignment | Qt::AlignVCenter));
  cell->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  return cell;
}

void setUp(QTableWidget* table, const QString& name) {
  table->setAccessibleName(name);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setAlternatingRowColors(true);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 6);
  table->setWordWrap(false);
  table->setTabKeyNavigation(false);
}

QString stateText(SceneClaimResult::State state) {
  switch (state) {
    case SceneClaimResult::State::Passes:
      return VerdictPanel::tr("holds");
    case SceneClaimResult::State::Fails:
      return VerdictPanel::tr("fails");
    default:
      return VerdictPanel::tr("not run");
  }
}

std::string textWithClaims(const VerdictTable& verdict, const std::vector<SceneClaimResult>& claims) {
  return verdictText(verdict) + claimLines(claims);
}

}  // namespace

VerdictPanel::VerdictPanel(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_range(new QComboBox),
      m_form(new QComboBox),
      m_from(new QDoubleSpinBox),
      m_to(new QDoubleSpinBox),
      m_copy(new QToolButton),
      m_note(new QLabel),
      m_table(new QTableWidget),
      m_claims(new QTableWidget) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 2, 4, 2);
  column->setSpacing(2);
  // A larger value makes the window higher than a projector's screen; a smaller one shows no row.
  constexpr int kLeastTable = 20;
  for (QTableWidget* table : {m_table, m_claims}) table->setMinimumHeight(kLeastTable);
  buildControls();
  auto* controls = new QHBoxLayout;
  controls->setSpacing(4);
  for (QWidget* control : {static_cast<QWidget*>(m_range), static_cast<QWidget*>(m_from),
                           static_cast<QWidget*>(m_to), static_cast<QWidget*>(m_form)})
    controls->addWidget(control);
  controls->addStretch(1);
  controls->addWidget(m_copy);
  column->addLayout(controls);
  m_note->setWordWrap(true);
  m_note->setTextFormat(Qt::PlainText);
  column->addWidget(m_note);
  column->addWidget(m_table, 3);
  column->addWidget(m_claims, 1);
  setUp(m_table, tr("Verdict"));
  setUp(m_claims, tr("Claims of the scene"));
  m_claims->setColumnCount(3);
  m_claims->setHorizontalHeaderLabels({tr("claim"), tr("sentence"), tr("number")});
  m_claims->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  const auto choose = [this](int row) {
    if (row >= 0 && row < countOf(m_verdict.rows)) Q_EMIT quantityChosen(m_verdict.rows[row].quantity);
  };
  connect(m_table, &QTableWidget::currentCellChanged, this, choose);
  connect(m_table, &QTableWidget::cellClicked, this, choose);  // of the row that was chosen before, too
  m_refresh.setSingleShot(true);
  connect(&m_refresh, &QTimer::timeout, this, &VerdictPanel::refresh);
  connect(session, &Session::sceneChanged, this, &VerdictPanel::onSceneChanged);
  for (auto signal : {&Session::framesAdded, &Session::historyChanged, &Session::panesChanged,
                      &Session::referenceChanged, &Session::runningChanged})
    connect(session, signal, this, &VerdictPanel::schedule);
  connect(session, &Session::cursorMoved, this, [this] {
    if (m_range->currentIndex() == static_cast<int>(Range::Cursor)) schedule();
  });
  refresh();
}

/// A low dock has room for the table only; the note is then its tooltip, and the claims show in a higher
/// dock.
void VerdictPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int kRowsForNote = 12;
  const bool isTall = height() > kRowsForNote * m_table->verticalHeader()->defaultSectionSize();
  if (isTall == m_note->isVisibleTo(this)) return;
  m_note->setVisible(isTall);
  refresh();
}

void VerdictPanel::buildControls() {
  m_range->addItems({tr("Whole run"), tr("Span"), tr("At the cursor")});
  m_range->setAccessibleName(tr("Frames of the verdict"));
  m_range->setToolTip(tr("Frames that the numbers are of"));
  m_form->addItems({tr("Values"), tr("Difference"), tr("Ratio")});
  m_form->setAccessibleName(tr("Form of the numbers"));
  m_form->setToolTip(tr("Values, or their difference from and ratio to those of the reference pane"));
  for (QDoubleSpinBox* box : {m_from, m_to}) {
    box->setDecimals(3);
    box->setRange(0, 1e6);
    box->setSuffix(tr(" s"));
    box->setKeyboardTracking(false);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->hide();
    connect(box, QOverload<double>::of(&QDoubleSpinBox::valueChanged), this, &VerdictPanel::refresh);
  }
  m_from->setAccessibleName(tr("Begin of the span"));
  m_to->setAccessibleName(tr("End of the span"));
  m_copy->setText(tr("Copy"));
  m_copy->setToolTip(tr("Copy the table for a text"));
  m_copy->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(m_copy);
  menu->addAction(tr("As Markdown"), this, [this] { copy(&verdictMarkdown); });
  menu->addAction(tr("As LaTeX"), this, [this] { copy(&verdictLatex); });
  menu->addAction(tr("As CSV, with all digits"), this, [this] { copy(&verdictCsv); });
  m_copy->setMenu(menu);
  connect(m_range, QOverload<int>::of(&QComboBox::currentIndexChanged), this, [this](int range) {
    const bool isSpan = range == static_cast<int>(Range::Span);
    if (isSpan && m_to->value() <= m_from->value() && m_session->scene())
      setSpan(m_session->timeAt(m_session->firstFrame()), m_session->timeAt(m_session->lastFrame()));
    m_from->setVisible(isSpan);
    m_to->setVisible(isSpan);
    refresh();
  });
  connect(m_form, QOverload<int>::of(&QComboBox::currentIndexChanged), this, &VerdictPanel::refresh);
}

void VerdictPanel::setRange(Range range) { m_range->setCurrentIndex(static_cast<int>(range)); }

void VerdictPanel::setSpan(double start, double end) {
  for (QDoubleSpinBox* box : {m_from, m_to}) box->blockSignals(true);
  m_from->setValue(start);
  m_to->setValue(end);
  for (QDoubleSpinBox* box : {m_from, m_to}) box->blockSignals(false);
  setRange(Range::Span);
  refresh();
}

void VerdictPanel::setForm(VerdictForm form) { m_form->setCurrentIndex(static_cast<int>(form)); }

void VerdictPanel::setEnsemble(const ShownEnsemblePtr& ensemble) {
  m_ensemble = ensemble;
  refresh();
}

void VerdictPanel::copy(std::string (*textOf)(const VerdictTable&)) {
  QApplication::clipboard()->setText(QString::fromStdString(textOf(m_verdict)));
  m_session->note(tr("The verdict is on the clipboard"));
}

void VerdictPanel::onSceneChanged() {
  m_ensemble.reset();
  m_sceneClaims.clear();
  m_results.clear();
  try {
    if (m_session->scene()) m_sceneClaims = claimsOf(*m_session->scene());
  } catch (const std::exception& error) {
    m_session->note(QString::fromUtf8(error.what()));
  }
  setRange(Range::WholeRun);
  refresh();
}

void VerdictPanel::schedule() {
  if (!isVisible()) return;
  if (!m_session->isRunning())
    m_refresh.start(0);
  else if (!m_refresh.isActive())
    m_refresh.start(kVerdictDelay);
}

FrameRange VerdictPanel::framesOf(int pane) const {
  FrameRange range;
  if (m_range->currentIndex() == static_cast<int>(Range::Cursor))
    return {m_session->cursor(), m_session->cursor()};
  if (m_range->currentIndex() != static_cast<int>(Range::Span)) {
    // What a pane ran before under another method or other values is not its own.
    if (const auto& spans = m_session->spans(pane); spans.size() > 1) range.from = spans.back().first;
    return range;
  }
  // Half a step allows for the rounding of times to the digits of the fields.
  const double slack = 0.5 * m_session->dt();
  range = {0, -1};
  for (const CourseSample& sample : m_session->histories()[pane].course().samples()) {
    if (sample.time < m_from->value() - slack || sample.time > m_to->value() + slack) continue;
    if (range.to < 0) range.from = sample.first;
    range.to = sample.last;
  }
  return range;
}

VerdictTable VerdictPanel::measure(bool whole) const {
  const double mass = movingMass(*m_session->scene());
  std::vector<PaneSummary> summaries;
  for (int pane = 0; pane < m_session->paneCount(); ++pane) {
    const RunCourse& course = m_session->histories()[pane].course();
    summaries.push_back(summaryOf(course, mass, whole ? FrameRange() : framesOf(pane)));
    summaries.back().label = m_session->paneLabel(pane).toStdString();
  }
  return verdictOf(summaries);
}

// From the kept frames, each time: a low dock does without.
void VerdictPanel::measureClaims() {
  m_results.clear();
  if (m_verdict.panes.empty() || m_sceneClaims.empty()) return;
  std::vector<PaneSettings> panes;
  for (int pane = 0; pane < m_session->paneCount(); ++pane) panes.push_back(m_session->pane(pane).settings);
  const std::vector<std::string> labels = paneLabels(*m_session->scene(), panes);
  ClaimMeter meter(m_sceneClaims);
  const bool isWhole = m_range->currentIndex() == static_cast<int>(Range::WholeRun);
  VerdictTable whole = isWhole ? m_verdict : measure(true);
  whole.panes = labels;
  for (std::size_t pane = 0; pane < labels.size(); ++pane)
    for (const RecordPtr& record : m_session->histories()[pane].frames()) meter.add(labels[pane], *record);
  m_results = meter.results(whole);
}

/// Panes whose method or values have changed in the run, with the time from which they are measured.
QString VerdictPanel::changedPanes() const {
  QStringList changed;
  for (int pane = 0; pane < m_session->paneCount(); ++pane)
    if (const auto& spans = m_session->spans(pane); spans.size() > 1)
      changed << tr("%1 from %2 s on (%3)")
                     .arg(spans.back().label)
                     .arg(m_session->timeAt(spans.back().first), 0, 'g', 4)
                     .arg(spans.back().change);
  const bool isWhole = m_range->currentIndex() == static_cast<int>(Range::WholeRun);
  return changed.isEmpty() || !isWhole
             ? QString()
             : tr("Measured since its last change: %1. ").arg(changed.join(QStringLiteral("; ")));
}

void VerdictPanel::refresh() {
  m_refresh.stop();
  const bool isReady = m_session->scene() && m_session->paneCount() > 0 &&
                       countOf(m_session->histories()) == m_session->paneCount();
  m_verdict = isReady ? measure(false) : VerdictTable();
  if (m_note->isVisibleTo(this)) measureClaims();
  fillTable();
  fillClaims();
  if (!isReady || m_session->lastFrame() <= m_session->firstFrame())
    m_note->setText(tr("Run the scene: this table then says which method did better, and by how much."));
  else
    m_note->setText(changedPanes() +
                    tr("Bold: best, where the others are larger by more than 5 % and the quantity's floor. "
                       "A click on a row shows its course in the large plot."));
  m_table->setToolTip(plainToolTip(m_note->text()));
}

void VerdictPanel::fillTable() {
  const int panes = countOf(m_verdict.panes);
  const int chosen = m_table->currentRow();
  m_table->blockSignals(true);
  m_table->clearSpans();
  m_table->setColumnCount(panes + 1);
  QStringList heads{tr("quantity")};
  for (const std::string& pane : m_verdict.panes) heads << QString::fromStdString(pane);
  m_table->setHorizontalHeaderLabels(heads);
  m_table->setRowCount(countOf(m_verdict.rows));
  const auto form = static_cast<VerdictForm>(m_form->currentIndex());
  const std::size_t reference = std::min(m_session->referencePane(), std::max(0, panes - 1));
  for (int index = 0; index < m_table->rowCount(); ++index) {
    const VerdictRow& row = m_verdict.rows[index];
    const std::vector<unsigned char> best = bestOf(m_verdict, row);
    const QString label = QString::fromStdString(row.label);
    auto* title = cellOf(
        row.unit.empty() ? label : tr("%1 [%2]").arg(label, QString::fromStdString(row.unit)), Qt::AlignLeft);
    title->setToolTip(plainToolTip(QString::fromStdString(row.help)));
    m_table->setItem(index, 0, title);
    for (int pane = 0; pane < panes; ++pane) {
      const std::size_t place = pane;
      auto* cell = cellOf(QString::fromStdString(verdictCell(row, place, form, reference)), Qt::AlignRight);
      const bool isBest = best[place] != 0;
      QFont font = m_table->font();
      font.setBold(isBest);
      cell->setFont(font);
      // Screen readers and tests read which one is best.
      cell->setData(
          Qt::AccessibleTextRole,
          tr("%1, %2: %3%4").arg(label, heads[pane + 1], cell->text(), isBest ? tr(", best") : QString()));
      m_table->setItem(index, pane + 1, cell);
    }
  }
  fillEnsemble();
  m_table->resizeColumnsToContents();
  if (chosen >= 0 && chosen < m_table->rowCount()) m_table->setCurrentCell(chosen, 0);
  m_table->blockSignals(false);
}

// One row for each quantity and pair of panes that the copies compare.
void VerdictPanel::fillEnsemble() {
  if (!m_ensemble || m_verdict.panes.empty()) return;
  const Ensemble& ensemble = m_ensemble->ensemble;
  for (const EnsembleVerdict& verdict : m_ensemble->verdicts) {
    const EnsembleQuantity& quantity = ensemble.quantities[verdict.quantity];
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    const QString pair = tr("%1 against %2")
                             .arg(QString::fromStdString(ensemble.members[verdict.a].label),
                                  QString::fromStdString(ensemble.members[verdict.b].label));
    const QString decision =
        verdict.problem.empty()
            ? QString::fromStdString(textOf(verdict.verdict, verdict.ranks, verdict.margin) + "; " +
                                     scatterText(verdict, quantity.unit, ensemble.alpha))
            : QString::fromStdString(verdict.problem);
    m_table->setItem(row, 0,
                     cellOf(tr("Copies: %1").arg(QString::fromStdString(quantity.text)), Qt::AlignLeft));
    auto* text = cellOf(tr("%1: %2").arg(pair, decision), Qt::AlignLeft);
    text->setToolTip(plainToolTip(text->text()));
    m_table->setItem(row, 1, text);
    m_table->setSpan(row, 1, 1, countOf(m_verdict.panes));
  }
}

void VerdictPanel::fillClaims() {
  m_claims->setVisible(!m_results.empty() && m_note->isVisibleTo(this));
  m_claims->setRowCount(countOf(m_results));
  const ThemeColours colours = themeColours(isDark(palette()));
  const bool hasEnded = m_session->scene() && m_session->timeAt(m_session->lastFrame()) >
                                                  m_session->scene()->duration - 0.5 * m_session->dt();
  for (int row = 0; row < m_claims->rowCount(); ++row) {
    const SceneClaimResult& result = m_results[row];
    // A run that has not reached its end may still do what a sentence says.
    const bool isOpen = !hasEnded && result.claim.reduction != SceneClaim::Reduction::AtTime;
    auto* state = cellOf(isOpen ? tr("not yet") : stateText(result.state), Qt::AlignLeft);
    if (!isOpen && result.state == SceneClaimResult::State::Fails) state->setForeground(colours.alarm);
    const QString text = QString::fromStdString(result.claim.text);
    auto* sentence = cellOf(text, Qt::AlignLeft);
    sentence->setToolTip(plainToolTip(text));
    const QString number = tr("%1: %2").arg(QString::fromStdString(result.claim.pane),
                                            QString::fromStdString(claimNumber(result)));
    auto* measured = cellOf(number, Qt::AlignLeft);
    measured->setToolTip(plainToolTip(number));
    m_claims->setItem(row, 0, state);
    m_claims->setItem(row, 1, sentence);
    m_claims->setItem(row, 2, measured);
  }
  m_claims->resizeColumnToContents(0);
}

QString VerdictPanel::write(const QString& file) {
  setRange(Range::WholeRun);
  refresh();
  measureClaims();
  const QString ending = QFileInfo(file).suffix().toLower();
  const std::string text = ending == QLatin1String("md")    ? verdictMarkdown(m_verdict)
                           : ending == QLatin1String("tex") ? verdictLatex(m_verdict)
                           : ending == QLatin1String("csv") ? verdictCsv(m_verdict)
                                                            : textWithClaims(m_verdict, m_results);
  QSaveFile out(file);
  if (!out.open(QIODevice::WriteOnly) || out.write(QByteArray::fromStdString(text)) < 0 || !out.commit())
    return tr("%1: cannot be written: %2").arg(file, out.errorString());
  return {};
}

}  // namespace touchstone
