#include <QtTest>
#include <cstdio>

#include "core/contact/cpf/batched_pairs.h"
#include "core/parallel/device/graph_captures.h"
#include "core/run/backend_table.h"
#include "core/run/pane_name.h"
#include "core/solver/linear/batched_krylov.h"
#include "core/verify/backend_check.h"
#include "gpu/cuda_device.h"
#include "tests/support/feature_pairs.h"
#include "tests/support/near.h"
#include "tests/support/scenes.h"

using namespace touchstone;

/// Compares CUDA with the CPU on a machine with a GPU. On others the program reports that it was skipped.
class CudaAgreesWithCpuTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyMethodTakesTheSameSteps_data();
  void everyMethodTakesTheSameSteps();
  void iterativeLinearSolversGiveTheSameBits_data();
  void iterativeLinearSolversGiveTheSameBits();
  void manyPairsGiveTheSame();
  void theDriverRecordsEverySequence();
};

void CudaAgreesWithCpuTest::everyMethodTakesTheSameSteps_data() {
  QTest::addColumn<QString>("scene");
  QTest::addColumn<QString>("pane");
  std::vector<std::string> panes{"lcp-pgs", "peg-pgs", "lcp-newton-fb-pcr", "peg-newton-fb-pcr",
                                 "peg-newton-fb-pcr exact"};
  for (const MethodInfo& method : methodTable()) panes.push_back(method.key);
  for (const char* scene : {"pour", "incline", "resting-box", "heavy-stack", "meshes"})
    for (const std::string& pane : panes) {
      const MethodInfo& method = *findMethod(paneWithStep(pane).method);
      if (!method.refusal || method.refusal(*test::shipped(scene)).empty())
        QTest::addRow("%s %s", scene, pane.c_str()) << scene << QString::fromStdString(pane);
    }
}

void CudaAgreesWithCpuTest::everyMethodTakesTheSameSteps() {
  QFETCH(QString, scene);
  QFETCH(QString, pane);
  const auto loaded = test::shipped(scene.toStdString());
  const BackendCheck check = checkBackend(loaded, paneWithStep(pane.toStdString()), BackendKind::Cuda, 60);
  QVERIFY2(check.ran, check.reason.c_str());
  QCOMPARE(check.otherCandidates, 0L);
  QCOMPARE(check.otherContacts, 0L);
  QVERIFY(check.impulse <= kImpulseTolerance);
  QVERIFY(check.position <= kPositionTolerance * loaded->size);
  QVERIFY(check.repeats);
}

void CudaAgreesWithCpuTest::iterativeLinearSolversGiveTheSameBits_data() {
  QTest::addColumn<int>("size");
  for (int size : {1, 31, 32, 33, 256, 1000}) QTest::addRow("%d rows", size) << size;
}

void CudaAgreesWithCpuTest::iterativeLinearSolversGiveTheSameBits() {
  QFETCH(int, size);
  Eigen::MatrixXd S = 3 * Eigen::MatrixXd::Identity(size, size);
  for (int row = 0; row + 1 < size; ++row) S(row, row + 1) = S(row + 1, row) = -1 - 0.3 * std::sin(row);
  const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(size, -1, 2);
  for (LinearSolver solver : {LinearSolver::Pcr, LinearSolver::Pcg, LinearSolver::Jacobi}) {
    const LinearResult host = solveLinear(solver, S, right, 1e-10, 300);
    const LinearResult device = solveLinear(solver, S, right, 1e-10, 300, BackendKind::Cuda);
    QCOMPARE(device.iterations, host.iterations);
    QVERIFY(device.x == host.x);
  }
}

void CudaAgreesWithCpuTest::manyPairsGiveTheSame() {
  const std::vector<PairPath> pairs = test::featurePairs(20000);
  std::vector<PairImpulse> results[2];
  for (BackendKind backend : {BackendKind::Cpu, BackendKind::Cuda}) {
    const auto engine = makeBatchedPairs(backend);
    engine->send(pairs);
    engine->evaluate();
    results[backend == BackendKind::Cuda] = engine->fetch();
  }
  long intervals = 0;
  for (std::size_t index = 0; index < pairs.size(); ++index) {
    const PairImpulse &own = results[0][index], &other = results[1][index];
    QCOMPARE(other.intervalCount, own.intervalCount);
    for (int k = 0; k < own.intervalCount; ++k, ++intervals) {
      QVERIFY_NEAR(other.intervals[k].start, own.intervals[k].start, 1e-12);
      QVERIFY_NEAR((other.intervals[k].impulseClosed - own.intervals[k].impulseClosed).norm(), 0,
                   1e-10 * own.intervals[k].impulseClosed.norm());
    }
  }
  QVERIFY(intervals > 1000);
}

/// Includes all steps before.
void CudaAgreesWithCpuTest::theDriverRecordsEverySequence() {
  QVERIFY(graphCaptures().taken > 0);
  QVERIFY2(graphCaptures().refused == 0, graphCaptures().reason.c_str());
}

int main(int argc, char** argv) {
  registerCuda();
  for (const BackendInfo& backend : backendTable())
    if (backend.kind == BackendKind::Cuda && !backend.usable) {
      std::printf("skipped: %s\n", backend.state.c_str());
      return 77;
    }
  CudaAgreesWithCpuTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_cuda_agrees_with_cpu.moc"
