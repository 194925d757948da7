#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/scene/scene.h"
#include "core/statistics/summary.h"
#include "core/store/body_quantity.h"

namespace touchstone {

/// A sentence of a scene's lesson that a run decides: a quantity of a pane, reduced to one number, compared
/// with a value. The scene file has them as `claims`; datasets/README.md describes the format.
struct SceneClaim {
  enum class Reduction { Verdict, Max, Median, End, AtTime };
  enum class Comparison { Less, Greater, Within };
  std::string text;      ///< the sentence
  std::string pane;      ///< label of the pane, see paneLabels()
  std::string quantity;  ///< key, as the file gives it
  Reduction reduction = Reduction::Max;
  double time = std::numeric_limits<double>::quiet_NaN();  ///< s, AtTime
  Comparison comparison = Comparison::Less;
  double value = 0, upper = 0;  ///< Within: both limits; else `value` alone
  std::string unit;             ///< of the quantity; empty for counts
  // What the key names: a row of the verdict, a quantity of the records, or a quantity of bodies.
  Quantity ofRecord = Quantity::Count;
  BodyQuantity ofBodies;
  int component = -1;  ///< of a quantity of bodies: 0 to 2; −1: its length
};

/// The claims of a scene, read from the source of its file. @throws SceneError with file, field and remedy
std::vector<SceneClaim> claimsOf(const Scene& scene);

/// Result of a claim.
struct SceneClaimResult {
  enum class State { NotRun, Passes, Fails };
  SceneClaim claim;
  State state = State::NotRun;  ///< NotRun: no such pane, no such time, or the pane has no value
  double value = std::numeric_limits<double>::quiet_NaN();
};

/// Follows the quantities of claims through the records of a run.
class ClaimMeter {
 public:
  ClaimMeter() = default;
  explicit ClaimMeter(std::vector<SceneClaim> claims);
  bool isEmpty() const { return m_claims.empty(); }
  /// True if records must have the contacts of all substeps.
  bool needsContacts() const;
  /// Takes the next record of a pane. @param pane  label
  void add(const std::string& pane, const StepRecord& record);
  /// @param verdict  of the same run
  std::vector<SceneClaimResult> results(const VerdictTable& verdict) const;

 private:
  struct Followed {
    double largest, end, atTime;
    std::vector<double> values;  ///< Median
  };
  std::vector<SceneClaim> m_claims;
  std::vector<Followed> m_followed;  ///< [claims]
};

/// One line for each result: "holds: … (cpf: energy_made is 155 J, > 100 J)"; empty without claims.
std::string claimLines(const std::vector<SceneClaimResult>& results);
/// Result of a claim as text: "energy_made is 155 J, > 100 J".
std::string claimNumber(const SceneClaimResult& result);

}  // namespace touchstone
