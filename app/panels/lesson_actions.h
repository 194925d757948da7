#pragma once

#include <QString>
#include <QStringList>
#include <QUrl>
#include <vector>

#include "core/scene/scene.h"

namespace touchstone {

class MainWindow;

/// What a link in a lesson does when it is clicked: `do:verb/argument/…`
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

/// All links of a lesson in Markdown that are actions.
std::vector<LessonAction> actionsOf(const QString& lesson);

}  // namespace touchstone
