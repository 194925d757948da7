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

/// The action of a link; an empty verb if it is none.
LessonAction lessonAction(const QUrl& link);
/// What is wrong with an action whatever the panes are (unknown verb, method, parameter, value), or empty.
QString problemOf(const LessonAction& action);
/// Does it. @return what is wrong, or empty
QString perform(const LessonAction& action, MainWindow& window);

/// All links of a lesson in Markdown that are actions.
std::vector<LessonAction> actionsOf(const QString& lesson);

}  // namespace touchstone
