#include <QFileDialog>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <cmath>
#include <utility>

#include "app/session/session.h"
#include "app/window/main_window.h"
#include "app/work/long_job.h"
#include "core/store/recording.h"

// Nothing that took long is lost without a question, and each question is asked once.

namespace touchstone {

namespace {

QString duration(double seconds) {
  constexpr double kMinute = 60;  // s
  return seconds < 2 * kMinute ? MainWindow::tr("%1 s").arg(std::ceil(seconds))
                               : MainWindow::tr("%1 minutes").arg(std::lround(seconds / kMinute));
}

/// True if branches that cannot be computed again ran long, and no recording holds them.
bool wouldLoseRuns(const Session& session) {
  const double seconds = session.irreplaceableSeconds();
  return seconds > 0 && seconds >= session.longRun();
}

}  // namespace

bool MainWindow::wouldLose() const { return m_job || wouldLoseRuns(*m_session); }

QString MainWindow::lossText() const {
  QStringList lost;
  if (m_job) lost << tr("%1 is not written to its end.").arg(m_jobName);
  int branches = 0;
  for (const BranchInfo& branch : m_session->branches())
    branches += m_session->unsavedSeconds(branch.id) > 0 && !m_session->isRepeatable(branch.id);
  const QString ran = duration(m_session->irreplaceableSeconds());
  if (wouldLoseRuns(*m_session))
    lost << (branches > 1
                 ? tr("The panes ran for %1 in %2 branches that no recording holds, after pulls, forks or "
                      "changed values.")
                       .arg(ran)
                       .arg(branches)
                 : tr("The panes ran for %1 that no recording holds, after pulls, forks or changed values.")
                       .arg(ran));
  return lost.join(QStringLiteral("\n"));
}

void MainWindow::unlessLost(const QString& question, const QString& verb, const std::function<void()>& goOn) {
  if (!wouldLose()) {
    goOn();
    return;
  }
  if (m_question) m_question->close();  // an earlier question; the last one counts
  m_question = new QMessageBox(QMessageBox::Warning, tr("Touchstone"), question, QMessageBox::Cancel, this);
  m_question->setAttribute(Qt::WA_DeleteOnClose);
  m_question->setInformativeText(lossText());
  const bool unsaved = wouldLoseRuns(*m_session);
  QPushButton* keep =
      m_question->addButton(unsaved ? tr("Save…") : tr("Finish it first"), QMessageBox::AcceptRole);
  QPushButton* lose = m_question->addButton(tr("%1, lose it").arg(verb), QMessageBox::DestructiveRole);
  keep->setObjectName(QStringLiteral("keep"));
  lose->setObjectName(QStringLiteral("lose"));
  m_question->setDefaultButton(QMessageBox::Cancel);  // Space and Enter must not open a dialog of files
  connect(keep, &QPushButton::clicked, this, [this, goOn] { keepThen(goOn); });
  connect(lose, &QPushButton::clicked, this, [this, goOn] {
    if (m_job) m_job->cancel();
    goOn();
  });
  m_question->open();
}

void MainWindow::keepThen(const std::function<void()>& goOn) {
  m_afterKeeping = goOn;
  if (wouldLoseRuns(*m_session)) {
    const QString file = chooseRecording(tr("Save what was computed to"));
    if (file.isEmpty()) {
      m_afterKeeping = nullptr;
      return;
    }
    m_session->pause();
    m_saving = true;
    m_session->saveBranches(file);
  }
  goOnWhenKept();
}

void MainWindow::goOnWhenKept() {
  if (!m_job && !m_saving && m_afterKeeping) std::exchange(m_afterKeeping, nullptr)();
}

void MainWindow::askToForget(int branch, const std::function<void()>& goOn) {
  QString label;
  for (const BranchInfo& info : m_session->branches())
    if (info.id == branch) label = m_session->branchLabel(info);
  auto* box = new QMessageBox(QMessageBox::Warning, tr("Touchstone"), tr("Forget a branch?"),
                              QMessageBox::Cancel, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(
      tr("As many branches are kept as there can be. The oldest would be forgotten:\n%1; it ran for %2, and "
         "no recording holds it. To keep it, show it (Simulation > Branches) and record (Ctrl+R).")
          .arg(label, duration(m_session->unsavedSeconds(branch))));
  QPushButton* forget = box->addButton(tr("Forget it"), QMessageBox::DestructiveRole);
  forget->setObjectName(QStringLiteral("lose"));
  connect(forget, &QPushButton::clicked, this, [goOn] { goOn(); });
  box->open();
}

}  // namespace touchstone
