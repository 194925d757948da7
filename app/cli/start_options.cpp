#include "app/cli/start_options.h"

#include <cmath>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "app/work/program_info.h"
#include "core/files/scene_error.h"
#include "core/run/pane_name.h"
#include "core/study/study.h"

namespace touchstone::cli {

namespace fs = std::filesystem;

StartVariation variationOf(const std::string& text) {
  StartVariation variation;
  std::string seen = ",";
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals);
    double* value = key == "position"    ? &variation.position
                    : key == "angle_deg" ? &variation.angle
                    : key == "spin"      ? &variation.spin
                                         : nullptr;
    const ParameterValue number = valueOfWord(equals < part.size() ? part.substr(equals + 1) : "");
    const bool fits = value && std::holds_alternative<double>(number) && std::get<double>(number) >= 0 &&
                      std::isfinite(std::get<double>(number)) &&
                      seen.find("," + key + ",") == std::string::npos;
    if (!fits)
      throw std::invalid_argument("--variation " + text + ": '" + part +
                                  "' does not fit; write for example position=0.05,angle_deg=180,spin=2");
    *value = std::get<double>(number) * (key == "angle_deg" ? M_PI / 180 : 1);
    seen += key + ",";
  }
  return variation;
}

StartVariation usualVariation(const Scene& scene) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::path(datasetsFolder()) / "studies", ignored)) try {
      const Study study = loadStudy(entry.path().string());
      const StartVariation& variation = study.variation;
      if (study.scene == scene.name && variation.position + variation.angle + variation.spin > 0)
        return variation;
    } catch (const SceneError&) {
      // Not a valid study.
    }
  return {1e-3 * scene.size, M_PI / 180, 0};
}

}  // namespace touchstone::cli
