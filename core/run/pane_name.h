#pragma once

#include <string>
#include <vector>

#include "core/run/pane_settings.h"

namespace touchstone {

/// Method and solver of a pane as one word, as command line, recordings and lessons have it: "peg", with a
/// solver "lcp-pgs", and with another linear solver than the default inside "lcp-newton-fb-pcr".
std::string paneName(const PaneSettings& settings);
/// The same of a record. @param solver  as solverName() has it, or empty
std::string paneName(const std::string& method, const std::string& solver);
/// The reverse, with default parameters otherwise. An unknown name becomes the method or the solver, which
/// refusal() then names.
PaneSettings paneNamed(const std::string& name);

/// [paneCount] names that tell the panes of a scene apart, in tables and files: paneName(), where several
/// panes have that name with what differs in them as paneFor() has it ("peg-auto:step=exact"), and a number
/// where nothing does ("cpf#2").
std::vector<std::string> paneLabels(const Scene& scene, const std::vector<PaneSettings>& panes);
/// paneNamed() with what the scene suggests for the method: substeps, and the solver where the name has none.
/// Values may follow the name: "peg:step=exact,substeps=2", or with a colon before each.
/// @throws std::invalid_argument if what follows is no key=value
PaneSettings paneFor(const std::string& name, const Scene& scene);
/// Names of panes in a list that was split at its commas: `lcp:friction_facets=4,tolerance=1e-9,peg` has two,
/// since key=value without a colon goes on with the values of the name before it.
std::vector<std::string> paneWords(const std::vector<std::string>& parts);
/// The panes that a list of names asks for, split as for paneWords(); without names those of the scene.
/// @throws SceneError, std::invalid_argument
std::vector<PaneSettings> panesFor(const std::vector<std::string>& names, const Scene& scene);
/// @throws std::invalid_argument with the refusal() of the first pane that cannot run
void requireRunnable(const Scene& scene, const std::vector<PaneSettings>& panes);
/// The settings of a pane whose method is replaced, as the window and lessons do. Values that the user or the
/// scene has chosen stay where the parameter means the same under the new method; what the scene suggests for
/// the new method counts more than what it suggests for the old one. Substeps are those of paneFor(), unless
/// the user has set others, or both methods are springs.
PaneSettings withMethod(const PaneSettings& before, const std::string& name, const Scene& scene);
/// Chosen values that a change of settings does not keep, in words: "Margin 0.001", "substeps 4".
std::vector<std::string> lostWith(const PaneSettings& before, const PaneSettings& after, const Scene& scene);
/// The reverse of paneFor(): a name that gives these settings in every scene.
std::string wordsOf(const PaneSettings& settings);

/// A value as options and names have it: a number, or else a text.
ParameterValue valueOfWord(const std::string& word);
/// Gives the pane a value of its method's parameter, or of "substeps" or "solver".
/// @throws std::invalid_argument for substeps or a solver of the wrong kind
void applyKey(const std::string& key, const ParameterValue& value, PaneSettings& pane);

/// Name as of paneName(), and its inverse, with the kind of PEG's step where one is set: "peg-newton-fb-pcr
/// exact".
std::string nameWithStep(const PaneSettings& settings);
PaneSettings paneWithStep(const std::string& name);

/// A solver with the linear solver inside where that is not the default: "newton-fb-pcr".
/// @param values  of the pane: its own or all
std::string solverName(const std::string& solver, const ParameterValues& values);

}  // namespace touchstone
