#pragma once

#include <QFrame>
#include <QString>
#include <QStringList>
#include <QUrl>
#include <vector>

#include "core/math/count.h"
#include "core/scene/scene.h"
#include "widgets/views/view_settings.h"

class QToolButton;

namespace touchstone {

class MainWindow;
class Session;
class TextLine;

/// The action of a link in a lesson: `do:verb/argument/…`
///
///     do:set/cpf,dpf/stiffness/1e5   do:substeps/cpf/4   do:dt/0.01
///     do:method/lcp/lcp-pgs          do:add/peg/step/exact
///     do:plot/1/jitter               do:show/ghost  do:hide/contacts  do:colour/difference  do:reference/peg
///     do:restart   do:run/2   do:seek/0.5   do:fork
struct LessonAction {
  QString verb;
  QStringList arguments;
};

/// The action of a link; an empty verb if it is not an action.
LessonAction lessonAction(const QUrl& link);
/// The fault of an action that is invalid for any panes (unknown verb, method, parameter, value), or empty.
QString problemOf(const LessonAction& action);
/// Performs an action. @return the fault, or empty
QString perform(const LessonAction& action, MainWindow& window);

/// A link of a lesson that is an action, with its text.
struct LessonStep {
  QString text;  ///< first letter in upper case
  LessonAction action;
};
/// All of them in a lesson in Markdown.
std::vector<LessonStep> stepsOf(const QString& lesson);
/// Panes and values that an action changes, in a few words: "DPF, CPF: Stiffness 2e5 N/m".
QString effectOf(const LessonAction& action, const Session& session);

/// A line over panes and plots: the step of the lesson that was done last, and buttons that do the next one
/// and take this one back.
class LessonStrip : public QFrame {
  Q_OBJECT
 public:
  explicit LessonStrip(MainWindow* window);
  /// Begins with a lesson, before its first step.
  void setLesson(const QString& lesson);
  bool hasSteps() const { return !m_steps.empty(); }
  const std::vector<LessonStep>& steps() const { return m_steps; }
  /// Index of the step that was done last; −1: none.
  int current() const { return countOf(m_done) - 1; }
  /// Does the next step.
  void goOn();
  /// Takes back the step that was done last.
  void goBack();
  /// Sets the size of the caption [pt]; 0: that of the window.
  void setCaptionSize(double points);
  const TextLine* caption() const { return m_caption; }

 Q_SIGNALS:
  /// A step cannot be done.
  void problem(const QString& text);

 private:
  /// State before a step, and the place in the undo stack after it.
  struct Before {
    int undoIndex, undoIndexAfter;
    long frame;
    int branch, pane, largePlot;
    QStringList plots;
    ViewSettings view;
  };
  void refresh();

  MainWindow* m_window;
  std::vector<LessonStep> m_steps;
  std::vector<Before> m_done;
  TextLine* m_caption;
  QToolButton *m_back, *m_next;
};

}  // namespace touchstone
