#include "app/cli/pane_options.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "core/run/backend_table.h"
#include "core/run/pane_name.h"

namespace touchstone::cli {

BackendKind backendOf(const std::string& key) {
  for (const BackendInfo& backend : backendTable())
    if (backend.key == key) {
      if (!backend.usable)
        throw std::runtime_error("backend " + key + ": " + backend.state + "; use --backend cpu");
      return backend.kind;
    }
  throw std::invalid_argument("backend '" + key + "' is unknown; choose cpu or cuda");
}

/// Tells of keys of earlier versions, which are read as today's.
void noteFormerKey(const std::string& key) {
  if (const std::string note = formerKeyNote(key); !note.empty()) std::cerr << "Note: " << note << '\n';
}

void applySet(const std::string& text, std::vector<PaneSettings>& panes) {
  const std::size_t equals = text.find('='), dot = text.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot > equals)
    throw std::invalid_argument("--set " + text +
                                ": is not of the form method.key=value; write for example cpf.stiffness=2e4");
  const std::string method = text.substr(0, dot), key = text.substr(dot + 1, equals - dot - 1);
  const ParameterValue value = valueOfWord(text.substr(equals + 1));
  bool used = false;
  for (PaneSettings& pane : panes) {
    if (pane.method != method) continue;
    used = true;
    try {
      applyKey(key, value, pane);
      noteFormerKey(key);
    } catch (const std::invalid_argument& problem) {
      throw std::invalid_argument("--set " + text + ": " + problem.what());
    }
  }
  if (!used)
    throw std::invalid_argument("--set " + text + ": no pane runs '" + method + "'; add it to --methods");
}

std::vector<PaneSettings> panesOf(const PaneOptions& options, const Scene& scene) {
  for (const std::string& words : options.methods)
    for (std::size_t begin = 0, end; begin < words.size(); begin = end + 1) {
      end = std::min(words.find_first_of(":,=", begin), words.size());
      noteFormerKey(words.substr(begin, end - begin));
    }
  std::vector<PaneSettings> panes = panesFor(options.methods, scene);
  if (panes.empty()) throw std::invalid_argument(scene.file + ": suggests no method; give --methods");
  for (PaneSettings& pane : panes) {
    if (options.substeps > 0) pane.substeps = options.substeps;
    pane.backend = backendOf(options.backend);
  }
  for (const std::string& text : options.sets) applySet(text, panes);
  requireRunnable(scene, panes);
  return panes;
}

std::vector<MapAxis> axesOf(const std::vector<std::string>& texts, const std::string& method) {
  std::vector<MapAxis> axes;
  for (const std::string& text : texts) try {
      axes.push_back(mapAxisOf(text, method));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string("--vary ") + error.what());
    }
  return axes;
}

}  // namespace touchstone::cli
