#include "core/store/provenance.h"

#include "core/parallel/parallel_for.h"
#include "core/run/backend_table.h"
#include "touchstone_version.h"

namespace touchstone {

nlohmann::ordered_json provenance() {
  nlohmann::ordered_json json;
  json["version"] = TS_VERSION;
  json["commit"] = TS_COMMIT;
  json["compiler"] = TS_COMPILER;
  json["build_type"] = TS_BUILD_TYPE;
  json["threads"] = threadCount();
  for (const BackendInfo& backend : backendTable()) json["backends"][backend.key] = backend.state;
  return json;
}

nlohmann::ordered_json provenanceOfRun(const Scene& scene, double dt, double time,
                                       const std::string& command) {
  nlohmann::ordered_json json = provenance();
  json["command"] = command;
  json["scene"] = scene.file;
  for (const auto& [file, source] : scene.sources) json["hashes"][file] = source.hash;
  json["dt_s"] = dt;
  json["time_s"] = time;
  return json;
}

std::string programVersion() { return TS_VERSION " (" TS_COMMIT ")"; }

std::string provenanceText() {
  std::string text = "touchstone " TS_VERSION " (" TS_COMMIT ", " TS_COMPILER ", " TS_BUILD_TYPE ")";
  for (const BackendInfo& backend : backendTable()) text += "\n" + backend.key + ": " + backend.state;
  return text;
}

}  // namespace touchstone
