#include "app/panels/step_inspector.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "core/contact/complementarity/problem_detail.h"
#include "core/math/count.h"
#include "core/math/not_a_number.h"
#include "core/record/contact_features.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_view.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

/// A larger value makes steps that are not visible; a smaller one makes the motion jerky.
constexpr int kSliderSteps = 200;

QString number(double value) { return QString::number(value, 'g', 5); }

QString row(const QString& name, const QString& value) {
  return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>").arg(name, value);
}

QString percent(double value, double reference) {
  if (!(std::abs(reference) > 0)) return QStringLiteral("–");
  return QStringLiteral("%1%2 %")
      .arg(value >= reference ? QStringLiteral("+") : QString())
      .arg(100 * (value / reference - 1), 0, 'f', 1);
}

/// Rows as a table: name, law, rate, impulse, residual. @param hasOwner  with what each belongs to
QString rowTable(const std::vector<ExplainedRow>& rows, bool hasOwner) {
  const auto cell = [](const QString& text, bool isNumber) {
    return QStringLiteral("<td%1>%2</td>").arg(isNumber ? QStringLiteral(" align='right'") : QString(), text);
  };
  QString html = QStringLiteral("<table cellspacing='0' cellpadding='2'><tr>");
  if (hasOwner) html += QStringLiteral("<th align='left'>%1</th>").arg(StepInspector::tr("of"));
  for (const QString& title : {StepInspector::tr("row"), StepInspector::tr("law")})
    html += QStringLiteral("<th align='left'>%1</th>").arg(title);
  for (const QString& title :
       {StepInspector::tr("rate w"), StepInspector::tr("impulse z"), StepInspector::tr("residual [m/s]")})
    html += QStringLiteral("<th>%1</th>").arg(title);
  html += QStringLiteral("</tr>");
  for (const ExplainedRow& row : rows) {
    html += QStringLiteral("<tr>");
    if (hasOwner) html += cell(qtText(row.owner).toHtmlEscaped(), false);
    html += cell(qtText(row.name).toHtmlEscaped(), false) + cell(qtText(row.law).toHtmlEscaped(), false) +
            cell(number(row.rate) + QLatin1Char(' ') + QString::fromUtf8(row.rateUnit), true) +
            cell(number(row.impulse) + QLatin1Char(' ') + QString::fromUtf8(row.impulseUnit), true) +
            cell(number(row.residual), true) + QStringLiteral("</tr>");
  }
  return html + QStringLiteral("</table>");
}

bool isSame(const BlockKey& a, const BlockKey& b) { return !(a < b) && !(b < a); }

/// True if damping has a visible part of the impulse.
bool isDamped(const ContactExplanation& explanation) {
  return !explanation.undampedForce.empty() && std::abs(explanation.damping) > 1e-6 * explanation.impulse;
}

}  // namespace

StepInspector::StepInspector(Session* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_title(new QLabel),
      m_place(new QLabel),
      m_plots(new QWidget),
      m_gap(new PlotView),
      m_second(new PlotView),
      m_slider(new QSlider(Qt::Horizontal)),
      m_text(new QTextBrowser) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 4, 6, 4);
  column->setSpacing(4);
  m_title->setWordWrap(true);
  column->addWidget(m_title);
  auto* plots = new QSplitter(Qt::Horizontal);
  plots->addWidget(m_gap);
  plots->addWidget(m_second);
  plots->setChildrenCollapsible(false);
  auto* topColumn = new QVBoxLayout(m_plots);
  topColumn->setContentsMargins(0, 0, 0, 0);
  topColumn->addWidget(plots, 1);
  auto* sliderRow = new QHBoxLayout;
  m_slider->setRange(0, kSliderSteps);
  m_slider->setValue(kSliderSteps);
  m_slider->setAccessibleName(tr("Place in the step"));
  m_slider->setToolTip(tr("Moves the features of the contact through the step, in all views"));
  m_place->setMinimumWidth(m_place->fontMetrics().horizontalAdvance(tr("t = 0.000 of the step")));
  sliderRow->addWidget(m_place);
  sliderRow->addWidget(m_slider, 1);
  topColumn->addLayout(sliderRow);
  auto* rows = new QSplitter(Qt::Vertical);
  rows->addWidget(m_plots);
  rows->addWidget(m_text);
  rows->setStretchFactor(0, 3);
  rows->setStretchFactor(1, 2);
  rows->setChildrenCollapsible(false);
  column->addWidget(rows, 1);
  m_text->setOpenLinks(false);
  m_text->setAccessibleName(tr("Numbers of the contact"));
  connect(m_slider, &QSlider::valueChanged, this, &StepInspector::moveSlider);
  connect(m_gap, &PlotView::timePicked, this,
          [this](double t) { m_slider->setValue(static_cast<int>(std::lround(kSliderSteps * t))); });
  connect(session, &Session::cursorMoved, this, &StepInspector::refresh);
  connect(session, &Session::sceneChanged, this, [this] { showContact(0, -1); });
  connect(session, &Session::explained, this, &StepInspector::onExplained);
  showContact(0, -1);
}

QString StepInspector::shownText() const { return m_text->toPlainText(); }

void StepInspector::setDark(bool dark) {
  m_gap->setDark(dark);
  m_second->setDark(dark);
}

void StepInspector::showContact(int pane, int contact) {
  const RecordPtr record = m_session->shown(pane);
  m_pane = record ? m_session->paneId(pane) : -1;
  m_contact.reset();
  m_block.reset();
  m_shownFrame = -1;
  for (PlotView* plot : {m_gap, m_second}) plot->resetZoom();  // the zoom belonged to another contact
  if (record && contact >= 0 && contact < countOf(record->contacts)) m_contact = record->contacts[contact];
  if (!m_contact)
    showNothing(tr("Click a contact in a view, or a row in the table of contacts: its step is opened here."));
  refresh();
}

void StepInspector::showBlock(int pane, const BlockKey& block) {
  showContact(pane, -1);
  if (!m_session->shown(pane)) return;
  m_block = block;
  m_title->setText(tr("The step is computed again…"));
  refresh();
}

int StepInspector::find(const StepRecord& record) const {
  int found = -1;
  for (std::size_t index = 0; index < record.contacts.size(); ++index)
    // Of equal features take the contact that carries the impulse.
    if (sameFeatures(record.contacts[index], *m_contact) &&
        (found < 0 || record.contacts[index].normalImpulse > record.contacts[found].normalImpulse))
      found = static_cast<int>(index);
  return found;
}

void StepInspector::refresh() {
  const int pane = m_session->indexOf(m_pane);
  if ((!m_contact && !m_block) || visibleRegion().isEmpty() || m_session->isRunning() || pane < 0) return;
  const RecordPtr record = m_session->shown(pane);
  if (!record || record->frame == m_shownFrame) return;
  if (m_contact && find(*record) < 0) {
    m_shownFrame = record->frame;
    showNothing(tr("In this step %1 has no contact of these features. Step back, or pick another contact.")
                    .arg(m_session->spanAt(pane, record->frame).label));
    return;
  }
  m_session->explain(pane);
}

void StepInspector::onExplained(const ExplainedPtr& explained) {
  if ((!m_contact && !m_block) || explained->pane != m_pane || explained->frame != m_session->cursor())
    return;
  const RecordPtr record = m_session->shown(m_session->indexOf(m_pane));
  if (!record) return;
  m_shownFrame = record->frame;
  const int contact = m_contact ? find(*record) : -1;
  if (!(explained->detail.dt > 0)) {
    showNothing(tr("No step led to this frame (it is a start or a fork): take one step."));
  } else if (m_block) {
    showRows(*explained);
  } else if (contact >= 0) {
    showExplanation(*explained, record->contacts[contact]);
  }
}

void StepInspector::showNothing(const QString& why) {
  m_title->setText(why);
  m_text->clear();
  clearPlots();
}

void StepInspector::clearPlots() {
  m_plots->show();
  m_gap->setTitles(QString(), tr("fraction of the step"), tr("gap [m]"));
  m_second->setTitles(QString(), tr("fraction of the step"), tr("F [N]"));
  for (PlotView* plot : {m_gap, m_second}) {
    plot->setCurves({});
    plot->setTimeCursor(kNaN);
  }
  m_slider->setEnabled(false);
  m_place->clear();
  Q_EMIT fractionChanged(std::nullopt);
}

void StepInspector::showExplanation(const Explained& explained, const Contact& contact) {
  // The method that computed the frame, not the one that the pane runs now.
  const PaneSpan& span = m_session->spanAt(m_session->indexOf(m_pane), explained.frame);
  const Scene& scene = *m_session->scene();
  const ContactExplanation explanation =
      explainer().explain(contact, explained.detail, span.settings.method, span.settings.solver);
  m_title->setText(titleOf(tr("<b>%1</b> on <b>%2</b>")
                               .arg(qtText(scene.bodies[contact.bodyA].name).toHtmlEscaped(),
                                    qtText(scene.bodies[contact.bodyB].name).toHtmlEscaped()),
                           explained));
  showPlots(explanation, span.method);
  m_text->setHtml(describe(explanation, contact) + describeCoupled(explained, contact));
  m_slider->setEnabled(true);
  moveSlider();
}

const ContactExplainer& StepInspector::explainer() {
  if (m_explainedScene != m_session->scene()) {
    m_explainedScene = m_session->scene();
    m_explainer = std::make_unique<ContactExplainer>(m_explainedScene);
  }
  return *m_explainer;
}

QString StepInspector::titleOf(const QString& what, const Explained& explained) const {
  return tr("%1 under %2, step of %3 s that ends at t = %4 s")
      .arg(what, m_session->spanAt(m_session->indexOf(m_pane), explained.frame).label)
      .arg(number(explained.detail.dt))
      .arg(explained.detail.time + explained.detail.dt, 0, 'f', 4);
}

void StepInspector::showRows(const Explained& explained) {
  std::vector<ExplainedRow> rows;
  for (ExplainedRow& row : explainer().rowsIn(explained.detail))
    if (isSame(row.block, *m_block)) rows.push_back(std::move(row));
  if (rows.empty())
    return showNothing(tr("In this step %1 has no such rows. Step back, or choose others.")
                           .arg(m_session->spanAt(m_session->indexOf(m_pane), explained.frame).label));
  clearPlots();
  m_plots->hide();
  m_title->setText(
      titleOf(QStringLiteral("<b>%1</b>").arg(qtText(rows.front().owner).toHtmlEscaped()), explained));
  m_text->setHtml(tr("<p>Rows with their answer: w = constant + J ν + C z, and z as the law allows.</p>") +
                  rowTable(rows, m_block->kind <= kPlaneBlock));
}

QString StepInspector::describeCoupled(const Explained& explained, const Contact& contact) {
  constexpr int kMost = 24;  // a longer list hides the numbers of the contact
  const BlockKey block = blockOf(contact);
  const std::vector<ExplainedRow> rows = explainer().rowsIn(explained.detail);
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&block](const ExplainedRow& row) { return isSame(row.block, block); });
  std::vector<ExplainedRow> coupled;
  int count = 0;
  for (const ExplainedRow& row : rows) {
    if (row.isOfContact || (found != rows.end() && row.island != found->island)) continue;
    if (++count <= kMost) coupled.push_back(row);
  }
  if (count == 0) return {};
  QString html = found == rows.end() ? tr("<p>Rows of joints, after the forces of contacts:</p>")
                                     : tr("<p>Rows of joints and elements that are solved with it:</p>");
  html += rowTable(coupled, true);
  if (count > kMost)
    html += tr("<p>%1 more: the table <i>Rows of the step</i> beside the contacts has all.</p>")
                .arg(count - kMost);
  return html;
}

void StepInspector::showPlots(const ContactExplanation& explanation, const QString& method) {
  const QColor colour = methodColour(method);
  Curve taken, predicted, zero;
  taken.label = tr("motion taken");
  taken.colour = colour;
  predicted.label = tr("predicted, without contact");
  predicted.colour = QColor(0x80, 0x80, 0x80);
  predicted.dash = Qt::DashLine;
  taken.x = predicted.x = explanation.fraction;
  taken.y = explanation.taken;
  predicted.y = explanation.predicted;
  for (Curve* curve : {&taken, &predicted}) curve->ownLegend = true;
  m_gap->setTitles(QString(), tr("fraction of the step"), tr("gap [m]"));
  m_gap->setReferenceLine(0, QString());
  m_gap->setCurves({predicted, taken});
  if (!explanation.solvedAgain) {
    Curve force, undamped;
    force.label = tr("force; its area is the impulse");
    force.colour = undamped.colour = colour;
    force.filled = force.ownLegend = undamped.ownLegend = true;
    undamped.label = tr("without damping");
    undamped.dash = Qt::DashLine;
    force.x = undamped.x = explanation.fraction;
    force.y = explanation.force;
    undamped.y = explanation.undampedForce;
    m_second->setLogY(false);
    m_second->setWholeX(false);
    m_second->setTitles(QString(), tr("fraction of the step"), tr("F [N]"));
    m_second->setCurves(isDamped(explanation) ? std::vector<Curve>{force, undamped}
                                              : std::vector<Curve>{force});
    return;
  }
  std::vector<Curve> curves;
  for (std::size_t index = 0; index < explanation.rows.size(); ++index) {
    Curve curve;
    curve.label = qtText(explanation.rows[index].name);
    curve.colour = QColor::fromHsv(static_cast<int>(40 * index) % 360, 190, 170);
    curve.dash = 1 + static_cast<int>(index % 5);
    curve.ownLegend = true;
    for (std::size_t k = 0; k < explanation.rows[index].residuals.size(); ++k) {
      curve.x.push_back(static_cast<double>(k + 1));
      curve.y.push_back(std::max(explanation.rows[index].residuals[k], 1e-17));
    }
    curves.push_back(std::move(curve));
  }
  m_second->setWholeX(true);
  m_second->setLogY(true);
  m_second->setTitles(QString(), tr("iteration"), tr("residual [m/s]"));
  m_second->setCurves(curves);
}

QString StepInspector::describe(const ContactExplanation& explanation, const Contact& contact) const {
  QString html = QStringLiteral("<table cellspacing='0'>");
  html += row(tr("Normal impulse applied"),
              tr("%1 N·s (mean force %2 N)")
                  .arg(number(explanation.impulse), number(explanation.impulse / explanation.dt)));
  if (isDamped(explanation))
    html += row(
        tr("of it by the spring, by damping (less what is allowed of the depth)"),
        tr("%1, %2 N·s").arg(number(explanation.impulse - explanation.damping), number(explanation.damping)));
  const QString mode = contact.mode == ContactMode::Sticking  ? tr("sticking")
                       : contact.mode == ContactMode::Sliding ? tr("sliding")
                                                              : tr("open");
  html += row(tr("Friction"), tr("%1, %2 N·s").arg(mode, number(contact.frictionImpulse.norm())));
  html += row(tr("Gap at start, end predicted, end taken"),
              tr("%1, %2, %3 m")
                  .arg(number(explanation.taken.empty() ? kNaN : explanation.taken.front()),
                       number(explanation.predicted.empty() ? kNaN : explanation.predicted.back()),
                       number(explanation.taken.empty() ? kNaN : explanation.taken.back())));
  if (explanation.hasPolynomial) {
    html += row(tr("Stiffness k, step h"),
                tr("%1 N/m, %2 s").arg(number(explanation.stiffness), number(explanation.dt)));
    for (const auto& interval : explanation.intervals)
      html += row(tr("Penetrates (CCD)"),
                  tr("from %1 to %2 of the step").arg(number(interval[0]), number(interval[1])));
    // All three without damping. They differ in the time at which the depth is taken.
    html += row(tr("Spring, depth at the end for the whole step: h k δ(1) (DPF)"),
                tr("%1 N·s").arg(number(explanation.atEnd)));
    html += row(tr("Spring, only the time inside: h k ∫ δ dt (CPF; Tang 2012, eq. 12)"),
                tr("%1 N·s").arg(number(explanation.overStep)));
    html += row(tr("DPF against CPF"), percent(explanation.atEnd, explanation.overStep));
    html += row(tr("Gap numerator G(t), gap = G / |m|"),
                QStringLiteral("%1 %2 t %3 t² %4 t³")
                    .arg(number(explanation.polynomial[0]), number(explanation.polynomial[1]),
                         number(explanation.polynomial[2]), number(explanation.polynomial[3])));
  }
  html += QStringLiteral("</table>");
  if (explanation.problemRows > 0 && explanation.rows.empty())
    html += tr("<p>This contact carries no impulse of its own: its set's primary does.</p>");
  if (explanation.leftOutRows > 0)
    html +=
        tr("<p>The problem of this contact has %1 rows: too many to be shown row by row (up to %2 are).</p>")
            .arg(explanation.leftOutRows)
            .arg(kShownRows);
  if (!explanation.rows.empty()) {
    html +=
        explanation.solvedAgain
            ? tr("<p>Rows of this contact's set in a problem of %1 rows, solved in %2 iterations (0 ≤ z ⊥ "
                 "w ≥ 0):</p>")
                  .arg(explanation.problemRows)
                  .arg(explanation.iterations)
            : tr("<p>Rows of this contact's set in a problem of %1 rows (0 ≤ z ⊥ w ≥ 0); residuals per "
                 "iteration are shown for problems of up to %2:</p>")
                  .arg(explanation.problemRows)
                  .arg(kSolvedAgainRows);
    html += QStringLiteral(
                "<table cellspacing='0' cellpadding='2'><tr><th align='left'>%1</th><th>%2</th><th>%3</th>"
                "<th>%4</th><th align='left'>%5</th></tr>")
                .arg(tr("row"), tr("multiplier z"), tr("slack w"), tr("residual"), tr("meaning"));
    for (const ExplanationRow& row : explanation.rows)
      html += QStringLiteral(
                  "<tr><td>%1</td><td align='right'>%2</td><td align='right'>%3</td><td align='right'>%4</td>"
                  "<td>%5</td></tr>")
                  .arg(qtText(row.name), number(row.multiplier), number(row.slack), number(row.residual),
                       qtText(row.meaning));
    html += QStringLiteral("</table>");
  }
  return html;
}

void StepInspector::moveSlider() {
  const double fraction = static_cast<double>(m_slider->value()) / kSliderSteps;
  m_place->setText(tr("t = %1 of the step").arg(fraction, 0, 'f', 3));
  m_gap->setTimeCursor(fraction);
  m_second->setTimeCursor(m_second->logY() ? kNaN : fraction);
  Q_EMIT fractionChanged(fraction);
}

}  // namespace touchstone
