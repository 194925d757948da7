#pragma once

namespace touchstone {

/// k of n copies in which something happened.
struct EventCount {
  int happened = 0, of = 0;
};

/// The interval that holds the true share at 95 % (Wilson), each end in [0, 1]:
///     (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n),   p = k/n,   z = Φ⁻¹(0.975)
/// Not a number for n = 0.
struct ShareInterval {
  double low, high;
};
ShareInterval wilsonInterval(const EventCount& count);

/// Two-sided p of Fisher's exact test that both counts have one share: the sum of the probabilities of all
/// tables with these margins that are not more likely than the one seen. 1 if a side has no copies.
double fisherExact(const EventCount& a, const EventCount& b);

}  // namespace touchstone
