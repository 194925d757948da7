#include "core/store/provenance.h"

#include <QtTest>

#include "core/run/backend_table.h"

using namespace touchstone;

/// Provenance in manifests, benchmarks and checks.
class ProvenanceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void namesProgramProcessorAndDevice();
};

void ProvenanceTest::namesProgramProcessorAndDevice() {
  setCudaState(true, "a device, 8 GiB, driver for CUDA 13.0");
  const nlohmann::ordered_json json = provenance();
  for (const char* key : {"version", "commit", "compiler", "build_type"})
    QVERIFY2(!json.at(key).get<std::string>().empty(), key);
  QVERIFY(json.at("threads").get<int>() >= 1);
  const std::string cpu = json.at("backends").at("cpu").get<std::string>();
  QVERIFY(cpu.find(std::to_string(json.at("threads").get<int>()) + " threads") != std::string::npos);
  QCOMPARE(json.at("backends").at("cuda").get<std::string>(),
           std::string("a device, 8 GiB, driver for CUDA 13.0"));
  const std::string text = provenanceText();
  for (const std::string& part :
       {json.at("commit").get<std::string>(), json.at("compiler").get<std::string>(), cpu,
        std::string("\ncuda: a device, 8 GiB")})
    QVERIFY2(text.find(part) != std::string::npos, part.c_str());
}

QTEST_APPLESS_MAIN(ProvenanceTest)
#include "tst_provenance.moc"
