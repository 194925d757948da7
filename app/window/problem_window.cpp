#include "app/window/problem_window.h"

#include <QCheckBox>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>
#include <ostream>

#include "app/work/problem_solvers.h"
#include "core/files/written_file.h"
#include "core/math/count.h"
#include "core/solver/solver_traits.h"
#include "core/store/friction_problem.h"
#include "widgets/palette.h"
#include "widgets/plots/plot_view.h"
#include "widgets/text/qt_text.h"

namespace touchstone {

namespace {

constexpr double kFloor = 1e-18;  // m/s: residuals of 0 are drawn here

/// Colour and dash of a solver, the same in both plots.
void styleOf(Curve& curve, std::size_t solver) {
  static const QColor colours[] = {QColor("#0072B2"), QColor("#D55E00"), QColor("#009E73"), QColor("#CC79A7"),
                                   QColor("#E69F00"), QColor("#56B4E9"), QColor("#808080")};
  static const Qt::PenStyle dashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  curve.colour = colours[solver % 7];
  curve.dash = dashes[solver % 4];
}

QString shortText(double value) {
  return std::isfinite(value) ? QString::number(value, 'e', 2) : QStringLiteral("–");
}

}  // namespace

ProblemWindow::ProblemWindow(QWidget* parent)
    : QDialog(parent),
      m_note(new QLabel),
      m_table(new QTableWidget),
      m_convergence(new PlotView),
      m_profilePlot(new PlotView),
      m_progress(new QProgressBar),
      m_solve(new QPushButton(tr("Solve"))),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_saveProblem(new QPushButton(tr("Save problem as…"))),
      m_save(new QPushButton(tr("Save table or figure…"))) {
  setWindowTitle(tr("Problems"));
  setWindowFlag(Qt::WindowMaximizeButtonHint);
  auto* column = new QVBoxLayout(this);
  m_note->setWordWrap(true);
  column->addWidget(m_note);
  auto* solvers = new QHBoxLayout;
  solvers->addWidget(new QLabel(tr("Solvers:")));
  std::vector<std::string> keys = solversFor("problem.dat");
  for (const std::string& key : keys) {
    auto* choice = new QCheckBox(QString::fromStdString(key));
    choice->setChecked(traitsOf(key).cone);  // others refuse disks of friction
    m_choices.push_back(choice);
    solvers->addWidget(choice);
  }
  solvers->addStretch(1);
  column->addLayout(solvers);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setAlternatingRowColors(true);
  m_table->setAccessibleName(tr("Problems and how solvers did on them"));
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  m_table->setColumnCount(7);
  m_table->setHorizontalHeaderLabels({tr("problem"), tr("rows"), tr("solver"), tr("status"), tr("iterations"),
                                      tr("residual [m/s]"), tr("time [ms]")});
  m_table->setColumnWidth(0, 210);
  auto* plots = new QTabWidget;
  m_convergence->setTitles(QString(), tr("iteration"), tr("residual [m/s]"));
  m_convergence->setLogY(true);
  m_convergence->setWholeX(true);
  m_convergence->setEmptyNote(tr("solve, and choose a row"));
  m_profilePlot->setTitles(QString(), tr("log₁₀ of the factor to the fastest"), tr("share of the problems"));
  m_profilePlot->setEmptyNote(tr("solve first"));
  plots->addTab(m_convergence, tr("Convergence"));
  plots->addTab(m_profilePlot, tr("Performance profile"));
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->addWidget(m_table);
  splitter->addWidget(plots);
  splitter->setChildrenCollapsible(false);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  column->addWidget(splitter, 1);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_saveProblem);
  buttons->addWidget(m_save);
  buttons->addWidget(m_progress, 1);
  buttons->addWidget(m_cancel);
  buttons->addWidget(m_solve);
  column->addLayout(buttons);
  m_solve->setDefault(true);
  m_progress->hide();
  m_cancel->hide();
  connect(m_solve, &QPushButton::clicked, this, &ProblemWindow::solve);
  connect(m_cancel, &QPushButton::clicked, this, &ProblemWindow::cancel);
  connect(m_saveProblem, &QPushButton::clicked, this, &ProblemWindow::saveProblem);
  connect(m_save, &QPushButton::clicked, this, &ProblemWindow::save);
  connect(m_table, &QTableWidget::itemSelectionChanged, this, &ProblemWindow::showProblem);
  updateTheme();
  refill();
  resize(1240, 680);
}

ProblemWindow::~ProblemWindow() {
  m_isCancelled = true;
  if (m_thread) m_thread->wait();
}

void ProblemWindow::open(const QStringList& files) {
  if (isSolving()) return;
  std::vector<Problem> problems;
  QStringList faults;
  for (const QString& file : files) {
    try {
      StoredProblems stored = problemsOf(file.toStdString());
      for (std::size_t island = 0; island < stored.islands.size(); ++island) {
        QString name = QFileInfo(file).fileName();
        if (stored.islands.size() > 1) name += tr(", island %1").arg(island + 1);
        problems.push_back({name, std::move(stored.islands[island]), stored.settings});
      }
    } catch (const std::exception& error) {
      faults << QString::fromStdString(error.what());
    }
  }
  if (!faults.isEmpty()) Q_EMIT failed(faults.join(QLatin1Char('\n')));
  if (problems.empty()) return;
  m_problems = std::move(problems);
  m_outcomes.clear();
  refill();
}

void ProblemWindow::solve() {
  if (isSolving() || m_problems.empty()) return;
  m_solvers.clear();
  for (const QCheckBox* choice : m_choices)
    if (choice->isChecked()) m_solvers.push_back(choice->text().toStdString());
  if (m_solvers.empty()) {
    m_note->setText(tr("Choose at least one solver."));
    return;
  }
  m_outcomes.clear();
  m_isCancelled = false;
  m_progress->setRange(0, countOf(m_problems));
  m_progress->setValue(0);
  m_thread.reset(QThread::create([this, solvers = m_solvers] { work(solvers); }));
  connect(m_thread.get(), &QThread::finished, this, &ProblemWindow::finish, Qt::QueuedConnection);
  m_thread->start();
  refill();
}

// Runs on the thread, which reads the problems; they do not change meanwhile.
void ProblemWindow::work(std::vector<std::string> solvers) {
  std::vector<std::unique_ptr<ComplementaritySolver>> engines;
  for (const std::string& key : solvers) engines.push_back(problemSolver(key));
  for (std::size_t problem = 0; problem < m_problems.size(); ++problem) {
    std::vector<ProblemOutcome> outcomes;
    for (const auto& engine : engines) {
      if (m_isCancelled) return;
      outcomes.push_back(outcomeOf(*engine, m_problems[problem].stored, m_problems[problem].settings));
    }
    QMetaObject::invokeMethod(
        this, [this, problem, outcomes] { take(static_cast<int>(problem), outcomes); }, Qt::QueuedConnection);
  }
}

void ProblemWindow::take(int problem, std::vector<ProblemOutcome> outcomes) {
  m_outcomes.push_back(std::move(outcomes));
  m_progress->setValue(problem + 1);
}

void ProblemWindow::finish() {
  m_thread->wait();
  m_thread.reset();
  refill();
  if (m_table->rowCount() > 0) m_table->selectRow(0);
  Q_EMIT solved();
}

void ProblemWindow::refill() {
  const bool hasOutcomes = !m_outcomes.empty();
  m_progress->setVisible(isSolving());
  m_cancel->setVisible(isSolving());
  m_solve->setEnabled(!isSolving() && !m_problems.empty());
  m_save->setEnabled(!isSolving() && hasOutcomes);
  m_saveProblem->setEnabled(!isSolving() && !m_problems.empty());
  if (m_problems.empty())
    m_note->setText(tr("No problem is open."));
  else if (isSolving())
    m_note->setText(tr("Solving…"));
  else if (m_outcomes.size() < m_problems.size() && hasOutcomes)
    m_note->setText(
        tr("Cancelled: %1 of %2 problems were solved.").arg(m_outcomes.size()).arg(m_problems.size()));
  else
    m_note->setText(
        tr("%1 problems. Each is solved from its own start to its own tolerance; judge by the residual, "
           "which all solvers are measured by alike.")
            .arg(m_problems.size()));
  m_table->setRowCount(0);
  for (std::size_t problem = 0; problem < m_problems.size(); ++problem) {
    const bool isDone = problem < m_outcomes.size();
    const std::size_t rows = isDone ? m_outcomes[problem].size() : 1;
    for (std::size_t solver = 0; solver < rows; ++solver) {
      const int row = m_table->rowCount();
      m_table->insertRow(row);
      QStringList cells{m_problems[problem].name,
                        QString::number(m_problems[problem].stored.problem.b.size())};
      QString tip;
      if (isDone) {
        const ProblemOutcome& outcome = m_outcomes[problem][solver];
        tip = QString::fromStdString(outcome.result.message);
        cells << QString::fromStdString(m_solvers[solver])
              << QString::fromLatin1(toString(outcome.result.status))
              << QString::number(outcome.result.iterations.size()) << shortText(outcome.residual)
              << (std::isfinite(outcome.time) ? QString::number(1000 * outcome.time, 'g', 3)
                                              : QStringLiteral("–"));
      }
      for (int column = 0; column < cells.size(); ++column) {
        auto* item = new QTableWidgetItem(cells[column]);
        item->setToolTip(tip.isEmpty() ? cells[column] : tip);
        if (column != 0 && column != 2 && column != 3)
          item->setTextAlignment(static_cast<int>(Qt::AlignRight | Qt::AlignVCenter));
        item->setData(Qt::UserRole, static_cast<int>(problem));
        m_table->setItem(row, column, item);
      }
    }
  }
  showProblem();
  showProfile();
}

void ProblemWindow::showProblem() {
  const auto chosen = m_table->selectedItems();
  std::vector<Curve> curves;
  if (!chosen.isEmpty()) {
    const std::size_t problem = chosen.front()->data(Qt::UserRole).toInt();
    for (std::size_t solver = 0; problem < m_outcomes.size() && solver < m_outcomes[problem].size();
         ++solver) {
      StepRecord record;
      record.iterations = m_outcomes[problem][solver].result.iterations;
      curves.push_back(convergenceCurve(record, kFloor));
      curves.back().label = QString::fromStdString(m_solvers[solver]);
      curves.back().ownLegend = true;
      styleOf(curves.back(), solver);
    }
    if (problem < m_problems.size())
      m_convergence->setReferenceLine(
          naturalTolerance(m_problems[problem].stored.problem, m_problems[problem].settings.tolerance),
          tr("tolerance"));
  }
  m_convergence->setCurves(curves);
}

void ProblemWindow::showProfile() {
  std::vector<Curve> curves;
  if (!m_outcomes.empty()) {
    PerformanceProfile profile(m_solvers);
    for (std::size_t problem = 0; problem < m_outcomes.size(); ++problem)
      profile.add(m_problems[problem].name.toStdString(), m_outcomes[problem]);
    double farthest = 1;
    for (std::size_t solver = 0; solver < m_solvers.size(); ++solver)
      farthest = std::max(
          farthest, std::log10(profile.stairs(solver, PerformanceProfile::Measure::Time).back().factor));
    for (std::size_t solver = 0; solver < m_solvers.size(); ++solver) {
      Curve curve;
      curve.label = QString::fromStdString(m_solvers[solver]);
      curve.ownLegend = true;
      styleOf(curve, solver);
      double share = 0;
      for (const auto& stair : profile.stairs(solver, PerformanceProfile::Measure::Time)) {
        for (const double height : {share, stair.share}) {
          curve.x.push_back(std::log10(stair.factor));
          curve.y.push_back(height);
        }
        share = stair.share;
      }
      curve.x.push_back(farthest);
      curve.y.push_back(share);
      curves.push_back(std::move(curve));
    }
  }
  m_profilePlot->setCurves(curves);
}

void ProblemWindow::saveProblem() {
  const auto chosen = m_table->selectedItems();
  const std::size_t problem = chosen.isEmpty() ? 0 : chosen.front()->data(Qt::UserRole).toInt();
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Save problem"), QString(), tr("Friction problems (*.dat)"));
  if (file.isEmpty()) return;
  try {
    const std::string text = frictionProblemText(m_problems[problem].stored.problem);
    writeWhole(file.toStdString(), [&text](std::ostream& out) { out << text; });
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromStdString(error.what()));
  }
}

void ProblemWindow::save() {
  const QString file = QFileDialog::getSaveFileName(this, tr("Save table or figure"), QString(),
                                                    tr("Table (*.csv);;Figure of the profiles (*.svg)"));
  if (!file.isEmpty()) writeTo(file);
}

bool ProblemWindow::writeTo(const QString& file) {
  PerformanceProfile profile(m_solvers);
  for (std::size_t problem = 0; problem < m_outcomes.size(); ++problem)
    profile.add(m_problems[problem].name.toStdString(), m_outcomes[problem]);
  try {
    const std::string text = file.endsWith(QLatin1String(".svg")) ? profile.svg() : profile.csv();
    writeWhole(file.toStdString(), [&text](std::ostream& out) { out << text; });
    return true;
  } catch (const std::exception& error) {
    Q_EMIT failed(QString::fromStdString(error.what()));
    return false;
  }
}

void ProblemWindow::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) updateTheme();
}

void ProblemWindow::updateTheme() {
  for (PlotView* plot : {m_convergence, m_profilePlot}) plot->setDark(isDark(palette()));
}

}  // namespace touchstone
