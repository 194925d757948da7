#include "app/exports/conformance_job.h"

#include "app/cli/commands.h"

namespace touchstone {

namespace {

/// Ends the card from within its progress.
struct Cancelled {};

}  // namespace

ConformanceJob::ConformanceJob(const QString& folder, const QStringList& names, QObject* parent)
    : LongJob(parent), m_folder(folder), m_names(names) {}

ConformanceJob::~ConformanceJob() {
  m_cancelled = true;
  if (m_thread) m_thread->wait();
}

void ConformanceJob::start() {
  m_thread.reset(QThread::create([this] { work(); }));
  m_thread->start();
}

// Runs on the thread; signals arrive queued.
void ConformanceJob::work() {
  cli::ConformOptionsOfCli options;
  for (const QString& name : m_names) options.names.push_back(name.toStdString());
  options.out = m_folder.toStdString();
  options.force = options.quiet = true;
  options.jobs = 1;  // the window goes on
  options.commandLine = "touchstone-cli conform --out " + options.out;
  options.progress = [this](double share) {
    if (m_cancelled) throw Cancelled();
    Q_EMIT progress(static_cast<int>(1000 * share), 1000);
  };
  try {
    cli::conform(options);
    Q_EMIT finished(true, m_folder + QStringLiteral("/card.html"));
  } catch (const Cancelled&) {
    Q_EMIT finished(false,
                    tr("The conformance card was cancelled; the runs that ended stay in %1.").arg(m_folder));
  } catch (const std::exception& error) {
    Q_EMIT finished(false, QString::fromStdString(error.what()));
  }
}

}  // namespace touchstone
