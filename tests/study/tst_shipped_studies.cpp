#include <QtTest>

#include <algorithm>

#include "core/study/claims.h"
#include "core/study/study_results.h"

using namespace touchstone;

Q_DECLARE_METATYPE(touchstone::Disposition)

/// Some of the shipped studies in their quick form: what they say of published claims. All of them run by
/// `touchstone-cli study --all --quick`.
class ShippedStudiesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aClaimHasItsDisposition_data();
  void aClaimHasItsDisposition();
  void everyClaimHasAShippedResult();
  void everyVerdictNeedsAControlThatTurns();

 private:
  const StudyVerdict& verdictOfStudy(const std::string& name);
  std::map<std::string, StudyVerdict> m_verdicts;
};

const StudyVerdict& ShippedStudiesTest::verdictOfStudy(const std::string& name) {
  const auto known = m_verdicts.find(name);
  if (known != m_verdicts.end()) return known->second;
  const std::string datasets = TS_SOURCE_DIR "/datasets";
  StudyResults results;
  results.study = loadStudy(datasets + "/studies/" + name + ".json", true);
  results.tasks = tasksOf(results.study, {datasets, [&datasets](const std::string& scene) {
                                            return datasets + "/scenes/" + scene + ".json";
                                          }});
  for (const StudyTask& task : results.tasks) results.runs.push_back(runOne(results.study, task));
  return m_verdicts[name] = verdictOf(results);
}

void ShippedStudiesTest::aClaimHasItsDisposition_data() {
  QTest::addColumn<QString>("study");
  QTest::addColumn<QString>("claim");
  QTest::addColumn<Disposition>("disposition");
  const auto row = [](const char* study, const char* claim, Disposition disposition) {
    QTest::addRow("%s %s", study, claim) << QString(study) << QString(claim) << disposition;
  };
  row("cpf-limits", "limit-dpf", Disposition::Reproduced);
  row("cpf-limits", "limit-cpf", Disposition::Reproduced);
  row("cpf-limits", "modulus", Disposition::Reproduced);
  row("limit-map", "rule", Disposition::Reproduced);
  row("dpf-over-under", "cpf-exact", Disposition::Reproduced);
  row("dpf-over-under", "over-under", Disposition::HoldsForVariant);
  row("dpf-over-under", "twice", Disposition::Reproduced);
  row("cpf-normal", "small", Disposition::Reproduced);
  row("cpf-normal", "percent", Disposition::Reproduced);
  row("cpf-rest", "rest", Disposition::HoldsForVariant);
  row("cpf-rest", "rest-at-every-step", Disposition::Contradicted);
  row("nsn-6-9", "limit", Disposition::Reproduced);
  row("nsn-6-9", "one-step", Disposition::Reproduced);
  row("nsn-17", "h2-at-small-ratios", Disposition::HoldsForVariant);
  row("nsn-18", "sweeps-stagnate", Disposition::Reproduced);
  row("nsn-18", "pcg-fluctuates", Disposition::Reproduced);
  row("nsn-18", "beam-relaxation", Disposition::Reproduced);
  row("nsn-spread", "uneven", Disposition::Contradicted);
  row("peg-lnc", "dual-trap", Disposition::Reproduced);
  row("peg-lnc", "no-solution", Disposition::Reproduced);
  row("cpf-crossing", "crosses", Disposition::Reproduced);
  row("cpf-continuous", "continuous", Disposition::Reproduced);
}

void ShippedStudiesTest::aClaimHasItsDisposition() {
  QFETCH(QString, study);
  QFETCH(QString, claim);
  QFETCH(Disposition, disposition);
  for (const JudgedAcceptance& each : verdictOfStudy(study.toStdString()).acceptances) {
    if (each.id != claim.toStdString()) continue;
    QVERIFY2(each.disposition == disposition, (toString(each.disposition) + (": " + each.claim)).c_str());
    QVERIFY(!each.hasControl || each.controlTurned);
    return;
  }
  QFAIL("the study has no such acceptance");
}

void ShippedStudiesTest::everyClaimHasAShippedResult() {
  const std::string datasets = TS_SOURCE_DIR "/datasets";
  const PublishedValues published(datasets + "/published.json");
  const std::vector<PublishedClaim> claims = loadClaims(datasets + "/claims.json", published);
  QVERIFY(claims.size() >= 50);
  std::vector<ClaimResult> results = readClaimResults(datasets + "/claim-results.json");
  for (const std::string& fault : faultsOf(claims, results, datasets)) QFAIL(fault.c_str());
  // Results of another text of a study, and a claim without one, are found.
  const auto ofStudy = std::find_if(results.begin(), results.end(),
                                    [](const ClaimResult& each) { return !each.studyHash.empty(); });
  QVERIFY(ofStudy != results.end());
  ofStudy->studyHash = "0";
  QCOMPARE(faultsOf(claims, results, datasets).size(), std::size_t(1));
  results.erase(ofStudy);
  QCOMPARE(faultsOf(claims, results, datasets).size(), std::size_t(1));
}

void ShippedStudiesTest::everyVerdictNeedsAControlThatTurns() {
  std::vector<PublishedClaim> claims;
  std::vector<ClaimResult> results;
  const auto add = [&](const char* disposition, const char* control) {
    PublishedClaim claim;
    claim.id = "c" + std::to_string(claims.size());
    claims.push_back(claim);
    ClaimResult result;
    result.id = claim.id;
    result.disposition = disposition;
    result.control = control;
    results.push_back(result);
  };
  const auto faults = [&] { return faultsOf(claims, results, "").size(); };
  add("reproduced", "turned");
  add("contradicted", "turned");
  add("not testable", "none");
  for (std::size_t k = 0; k < kMostWithoutControl; ++k) add("not judged", "cannot be made");
  QCOMPARE(faults(), std::size_t(0));
  QCOMPARE(turnedOf(results).turned, std::size_t(2));
  QCOMPARE(turnedOf(results).count, std::size_t(2));
  add("not judged", "cannot be made");  // one too many
  QCOMPARE(faults(), std::size_t(1));
  add("holds for one", "not turned");
  QCOMPARE(faults(), std::size_t(2));
  add("contradicted", "none");
  QCOMPARE(faults(), std::size_t(3));
  add("not judged", "none");
  QCOMPARE(faults(), std::size_t(4));
  QCOMPARE(turnedOf(results).turned, std::size_t(2));
  QCOMPARE(turnedOf(results).count, std::size_t(4));
}

QTEST_APPLESS_MAIN(ShippedStudiesTest)
#include "tst_shipped_studies.moc"
