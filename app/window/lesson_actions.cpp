#include "app/window/lesson_actions.h"

#include <QHBoxLayout>
#include <QMap>
#include <QObject>
#include <QRegularExpression>
#include <QToolButton>
#include <cmath>

#include "app/panels/pane_grid.h"
#include "app/plots/plot_panel.h"
#include "app/session/session.h"
#include "app/window/main_window.h"
#include "core/math/count.h"
#include "core/run/pane_name.h"
#include "core/solver/solver_traits.h"
#include "widgets/parameters/parameter_editor.h"
#include "widgets/text/qt_text.h"
#include "widgets/text/text_line.h"

namespace touchstone {

namespace {

const QMap<QString, int>& argumentCounts() {
  static const QMap<QString, int> counts = {
      {"set", 3},  {"substeps", 2}, {"dt", 1},        {"method", 2},  {"add", 1}, {"plot", 2}, {"show", 1},
      {"hide", 1}, {"colour", 1},   {"reference", 1}, {"restart", 0}, {"run", 1}, {"seek", 1}, {"fork", 0}};
  return counts;
}

const QMap<QString, bool ViewSettings::*>& viewSwitches() {
  static const QMap<QString, bool ViewSettings::*> switches = {
      {"contacts", &ViewSettings::contacts}, {"forces", &ViewSettings::forces},
      {"normals", &ViewSettings::normals},   {"overlaps", &ViewSettings::overlaps},
      {"joints", &ViewSettings::joints},     {"joint-forces", &ViewSettings::jointForces},
      {"grid", &ViewSettings::grid},         {"wireframe", &ViewSettings::wireframe},
      {"ghost", &ViewSettings::ghost},       {"trails", &ViewSettings::trails}};
  return switches;
}

/// Colours of bodies that deform, beside colours(), which are those of all bodies.
const QMap<QString, DeformationColour>& deformationColours() {
  static const QMap<QString, DeformationColour> names = {{"volume", DeformationColour::Volume},
                                                         {"strain", DeformationColour::Strain},
                                                         {"pressure", DeformationColour::Pressure}};
  return names;
}

const QMap<QString, BodyColour>& colours() {
  static const QMap<QString, BodyColour> names = {{"plain", BodyColour::Plain},
                                                  {"penetration", BodyColour::Penetration},
                                                  {"difference", BodyColour::Difference}};
  return names;
}

ParameterValue valueOf(const QString& word) {
  bool isNumber = false;
  const double number = word.toDouble(&isNumber);
  if (isNumber) return number;
  if (word == QLatin1String("true") || word == QLatin1String("false"))
    return word == QLatin1String("true") ? 1.0 : 0.0;
  return word.toStdString();
}

QString problemOfParameter(const QString& method, const QString& key, const QString& value) {
  const MethodInfo* info = findMethod(method.toStdString());
  if (!info) return QObject::tr("method '%1' is unknown").arg(method);
  for (const ParameterSpec& spec : info->parameters) {
    if (spec.key != currentKey(key.toStdString())) continue;
    if (spec.kind == ParameterKind::File) return {};
    const bool text = std::holds_alternative<std::string>(valueOf(value));
    if (text != (spec.kind == ParameterKind::Choice))
      return QObject::tr("'%1' is no value of %2").arg(value, key);
    if (!text) return {};
    const bool known = std::count(spec.choices.begin(), spec.choices.end(), value.toStdString()) > 0;
    return known ? QString() : QObject::tr("'%1' is no choice of %2").arg(value, key);
  }
  return QObject::tr("%1 has no parameter '%2'").arg(method, key);
}

QString setParameter(const QStringList& arguments, Session& session) {
  bool any = false;
  for (int pane = 0; pane < session.paneCount(); ++pane)
    if (arguments[0]
            .split(QLatin1Char(','))
            .contains(QString::fromStdString(session.pane(pane).settings.method))) {
      session.editParameter(pane, currentKey(arguments[1].toStdString()), valueOf(arguments[2]));
      any = true;
    }
  return any ? QString()
             : QObject::tr("No pane runs %1; add one first (Simulation > Add pane).")
                   .arg(arguments[0].toUpper());
}

int paneOf(const QString& method, const Session& session) {
  for (int pane = 0; pane < session.paneCount(); ++pane)
    if (session.pane(pane).settings.method == method.toStdString()) return pane;
  return -1;
}

QString changePanes(const LessonAction& action, Session& session) {
  const QStringList& arguments = action.arguments;
  if (action.verb == QLatin1String("add")) {
    PaneSettings settings = paneFor(arguments[0].toStdString(), *session.scene());
    for (int k = 1; k + 1 < arguments.size(); k += 2)
      settings.parameters[currentKey(arguments[k].toStdString())] = valueOf(arguments[k + 1]);
    session.addPane(settings);
    return {};
  }
  const int pane = paneOf(arguments[0], session);
  if (pane < 0)
    return QObject::tr("No pane runs %1; add one first (Simulation > Add pane).").arg(arguments[0].toUpper());
  if (action.verb == QLatin1String("substeps")) {
    session.editSubsteps(pane, arguments[1].toInt());
    return {};
  }
  session.editPane(pane,
                   withMethod(session.pane(pane).settings, arguments[1].toStdString(), *session.scene()));
  return {};
}

void changeView(const LessonAction& action, MainWindow& window) {
  ViewSettings settings = window.grid()->viewSettings();
  if (action.verb == QLatin1String("colour")) {
    const QString& name = action.arguments[0];
    settings.deformation = deformationColours().value(name, DeformationColour::Plain);
    settings.bodyColour = colours().value(name, settings.bodyColour);
  } else {
    settings.*viewSwitches()[action.arguments[0]] = action.verb == QLatin1String("show");
  }
  window.grid()->setViewSettings(settings);
}

void moveInTime(const LessonAction& action, Session& session) {
  if (action.verb == QLatin1String("restart")) {
    session.restart();
  } else if (action.verb == QLatin1String("fork")) {
    session.fork(session.selectedPane());
    session.run();  // on from the fork, wherever the scene would end
  } else if (action.verb == QLatin1String("seek")) {
    session.seek(std::lround(action.arguments[0].toDouble() / session.dt()));
  } else {
    session.run(session.timeAt(session.cursor()) + action.arguments[0].toDouble());
  }
}

}  // namespace

LessonAction lessonAction(const QUrl& link) {
  if (link.scheme() != QLatin1String("do")) return {};
  QStringList parts = link.path(QUrl::FullyDecoded).split(QLatin1Char('/'));
  LessonAction action{parts.takeFirst(), parts};
  return action;
}

QString problemOf(const LessonAction& action) {
  const auto count = argumentCounts().find(action.verb);
  if (count == argumentCounts().end()) return QObject::tr("'%1' is no action of lessons").arg(action.verb);
  const QStringList& arguments = action.arguments;
  const bool pairs = action.verb == QLatin1String("add") && arguments.size() % 2 == 1;
  if (arguments.size() != *count && !pairs)
    return QObject::tr("'%1' needs %2 arguments").arg(action.verb).arg(*count);
  if (action.verb == QLatin1String("set")) {
    for (const QString& method : arguments[0].split(QLatin1Char(',')))
      if (const QString problem = problemOfParameter(method, arguments[1], arguments[2]); !problem.isEmpty())
        return problem;
  }
  if (action.verb == QLatin1String("add")) {
    const QString method = QString::fromStdString(paneNamed(arguments[0].toStdString()).method);
    for (int k = 1; k + 1 < arguments.size(); k += 2)
      if (const QString problem = problemOfParameter(method, arguments[k], arguments[k + 1]);
          !problem.isEmpty())
        return problem;
  }
  if (action.verb == QLatin1String("method") || action.verb == QLatin1String("add")) {
    const PaneSettings settings =
        paneNamed((arguments.last().isEmpty() || pairs ? arguments[0] : arguments.last()).toStdString());
    if (!findMethod(settings.method))
      return QObject::tr("method '%1' is unknown").arg(QString::fromStdString(settings.method));
    if (!settings.solver.empty() && traitsOf(settings.solver).key.empty())
      return QObject::tr("solver '%1' is unknown").arg(QString::fromStdString(settings.solver));
  }
  if (action.verb == QLatin1String("plot") && arguments[1] != QLatin1String("convergence") &&
      !findQuantity(arguments[1].toStdString()))
    return QObject::tr("quantity '%1' is unknown").arg(arguments[1]);
  if ((action.verb == QLatin1String("show") || action.verb == QLatin1String("hide")) &&
      !viewSwitches().contains(arguments[0]))
    return QObject::tr("'%1' is nothing that views show").arg(arguments[0]);
  if (action.verb == QLatin1String("colour") && !colours().contains(arguments[0]) &&
      !deformationColours().contains(arguments[0]))
    return QObject::tr("'%1' is no colour of bodies").arg(arguments[0]);
  if (action.verb == QLatin1String("dt") || action.verb == QLatin1String("run") ||
      action.verb == QLatin1String("seek")) {
    bool isNumber = false;
    if (!(arguments[0].toDouble(&isNumber) >= 0) || !isNumber)
      return QObject::tr("'%1' is no number").arg(arguments[0]);
  }
  return {};
}

QString perform(const LessonAction& action, MainWindow& window) {
  const QString problem = problemOf(action);
  Session& session = *window.session();
  if (!problem.isEmpty()) return problem;
  if (session.paneCount() == 0) return QObject::tr("Open the scene first: double-click it in the list.");
  const QStringList& arguments = action.arguments;
  if (action.verb == QLatin1String("set")) return setParameter(arguments, session);
  if (action.verb == QLatin1String("dt")) {
    session.editDt(arguments[0].toDouble());
  } else if (action.verb == QLatin1String("plot")) {
    QStringList keys = window.plots()->keys();
    const int tile = arguments[0].toInt() - 1;
    if (tile >= 0 && tile < keys.size()) keys[tile] = arguments[1];
    window.plots()->setKeys(keys);
    window.showPlot(tile);
  } else if (action.verb == QLatin1String("reference")) {
    const int pane = paneOf(arguments[0], session);
    if (pane < 0) return QObject::tr("No pane runs %1.").arg(arguments[0].toUpper());
    session.editReference(pane);
    changeView({QStringLiteral("show"), {QStringLiteral("ghost")}}, window);
  } else if (action.verb == QLatin1String("add") || action.verb == QLatin1String("method") ||
             action.verb == QLatin1String("substeps")) {
    return changePanes(action, session);
  } else if (action.verb == QLatin1String("show") || action.verb == QLatin1String("hide") ||
             action.verb == QLatin1String("colour")) {
    changeView(action, window);
  } else {
    moveInTime(action, session);
  }
  return {};
}

std::vector<LessonStep> stepsOf(const QString& lesson) {
  static const QRegularExpression link(QStringLiteral("\\[([^\\]]+)\\]\\((do:[^)\\s]+)\\)"));
  std::vector<LessonStep> steps;
  auto matches = link.globalMatch(lesson);
  while (matches.hasNext()) {
    const QRegularExpressionMatch match = matches.next();
    QString text = match.captured(1).remove(QLatin1Char('`')).remove(QLatin1Char('*'));
    text[0] = text[0].toUpper();
    steps.push_back({text, lessonAction(QUrl(match.captured(2)))});
  }
  return steps;
}

QString effectOf(const LessonAction& action, const Session& session) {
  const QStringList& arguments = action.arguments;
  if (!problemOf(action).isEmpty()) return {};
  if (action.verb == QLatin1String("set") || action.verb == QLatin1String("substeps")) {
    const QStringList methods = arguments[0].split(QLatin1Char(','));
    QStringList panes;
    for (int pane = 0; pane < session.paneCount(); ++pane)
      if (methods.contains(QString::fromStdString(session.pane(pane).settings.method)))
        panes << session.paneLabel(pane);
    if (action.verb == QLatin1String("substeps"))
      return QObject::tr("%1: %2 steps per frame").arg(panes.join(QStringLiteral(", ")), arguments[1]);
    const MethodInfo* method = findMethod(methods.front().toStdString());
    for (const ParameterSpec& spec : method->parameters)
      if (spec.key == currentKey(arguments[1].toStdString())) {
        bool isNumber = false;
        const double number = arguments[2].toDouble(&isNumber);
        return QObject::tr("%1: %2 %3 %4")
            .arg(panes.join(QStringLiteral(", ")), qtText(spec.label),
                 isNumber ? shownNumber(number) : arguments[2], qtText(spec.unit))
            .trimmed();
      }
  }
  if (action.verb == QLatin1String("dt"))
    return QObject::tr("all panes: frames of %1 s").arg(shownNumber(arguments[0].toDouble()));
  if (action.verb == QLatin1String("plot"))
    if (const QuantityInfo* quantity = findQuantity(arguments[1].toStdString()))
      return QObject::tr("plot %1: %2").arg(arguments[0], qtText(quantity->label));
  return {};
}

namespace {

/// Performs a step so that one undo takes it back, and no later edit is merged with it.
QString performAsOneEdit(const LessonStep& step, MainWindow& window) {
  static const QStringList edits = {"set", "substeps", "dt", "method", "add", "reference", "restart", "fork"};
  if (!edits.contains(step.action.verb)) return perform(step.action, window);
  QUndoStack& stack = *window.session()->undoStack();
  stack.beginMacro(step.text);
  const QString fault = perform(step.action, window);
  stack.endMacro();
  const QUndoCommand* macro = stack.command(stack.index() - 1);
  if (macro->childCount() == 0) {
    const_cast<QUndoCommand*>(macro)->setObsolete(true);
    stack.undo();  // takes an obsolete one away
  }
  return fault;
}

}  // namespace

LessonStrip::LessonStrip(MainWindow* window)
    : m_window(window), m_caption(new TextLine), m_back(new QToolButton), m_next(new QToolButton) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 2, 6, 2);
  m_back->setText(QStringLiteral("◀"));
  m_back->setAccessibleName(tr("Take back the step of the lesson"));
  m_next->setText(QStringLiteral("▶"));
  m_next->setAccessibleName(tr("Next step of the lesson"));
  for (QToolButton* button : {m_back, m_next}) button->setFocusPolicy(Qt::TabFocus);
  m_caption->setAccessibleName(tr("Step of the lesson"));
  row->addWidget(m_back);
  row->addWidget(m_caption, 1);
  row->addWidget(m_next);
  connect(m_back, &QToolButton::clicked, this, &LessonStrip::goBack);
  connect(m_next, &QToolButton::clicked, this, &LessonStrip::goOn);
}

void LessonStrip::setLesson(const QString& lesson) {
  m_steps = stepsOf(lesson);
  m_done.clear();
  refresh();
}

void LessonStrip::setCaptionSize(double points) {
  QFont font;
  if (points > 0) font.setPointSizeF(points);
  m_caption->setFont(points > 0 ? font : QFont());
  m_caption->setSample(QStringLiteral("–"));
  m_caption->setMinimumHeight(m_caption->sizeHint().height());
  refresh();
}

// The pane that a step changes becomes the selected one, whose parameters are shown.
void LessonStrip::goOn() {
  const std::size_t next = m_done.size();
  if (next >= m_steps.size()) return;
  const LessonAction& action = m_steps[next].action;
  Session& session = *m_window->session();
  Before before{session.undoStack()->index(),
                0,
                session.cursor(),
                session.branch(),
                session.selectedPane(),
                m_window->plots()->enlarged(),
                m_window->plots()->keys(),
                m_window->grid()->viewSettings()};
  const QString fault = performAsOneEdit(m_steps[next], *m_window);
  if (!fault.isEmpty()) {
    Q_EMIT problem(fault);
    return;
  }
  if (action.verb == QLatin1String("set") || action.verb == QLatin1String("substeps") ||
      action.verb == QLatin1String("method"))
    if (const int pane = paneOf(action.arguments[0].section(QLatin1Char(','), 0, 0), session); pane >= 0)
      session.selectPane(pane);
  before.undoIndexAfter = session.undoStack()->index();
  m_done.push_back(before);
  refresh();
}

// An edit is taken back only while it is the newest one: what was changed by hand after it stays.
void LessonStrip::goBack() {
  if (m_done.empty()) return;
  const Before before = m_done.back();
  const LessonAction& action = m_steps[m_done.size() - 1].action;
  m_done.pop_back();
  Session& session = *m_window->session();
  session.pause();
  if (session.undoStack()->index() == before.undoIndexAfter)
    for (int edits = before.undoIndexAfter - before.undoIndex; edits > 0; --edits) session.undo();
  if ((action.verb == QLatin1String("run") || action.verb == QLatin1String("seek")) &&
      session.branch() == before.branch)
    session.seek(before.frame);
  if (action.verb == QLatin1String("plot")) {
    m_window->plots()->setKeys(before.plots);
    m_window->showPlot(before.largePlot);
  }
  if (action.verb == QLatin1String("show") || action.verb == QLatin1String("hide") ||
      action.verb == QLatin1String("colour") || action.verb == QLatin1String("reference"))
    m_window->grid()->setViewSettings(before.view);
  if (before.pane < session.paneCount()) session.selectPane(before.pane);
  refresh();
}

void LessonStrip::refresh() {
  const int count = countOf(m_steps), done = current();
  m_back->setEnabled(done >= 0);
  m_next->setEnabled(done + 1 < count);
  m_back->setToolTip(done >= 0 ? tr("Take this step back (Page Up)") : tr("No step is done yet"));
  m_next->setToolTip(done + 1 < count ? plainToolTip(tr("%1 (Page Down)").arg(m_steps[done + 1].text))
                                      : tr("This was the last step"));
  if (count == 0) {
    m_caption->setText({});
    return;
  }
  if (done < 0) {
    const QString first = m_steps.front().text;
    m_caption->setForms({tr("%1 steps. Page Down does the first: %2").arg(count).arg(first),
                         tr("Page Down: %1").arg(first), first});
  } else {
    const LessonStep& step = m_steps[done];
    const QString effect = effectOf(step.action, *m_window->session());
    const QString whole = tr("Step %1 of %2.  %3").arg(done + 1).arg(count).arg(step.text);
    QStringList forms = {whole, tr("%1/%2  %3").arg(done + 1).arg(count).arg(step.text), step.text};
    if (!effect.isEmpty()) forms.prepend(tr("%1  (%2)").arg(whole, effect));
    m_caption->setForms(forms);
  }
  m_caption->setToolTip(plainToolTip(m_caption->text()));
}

}  // namespace touchstone
