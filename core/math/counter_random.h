#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace touchstone {

/// Philox 4×32 with 10 rounds (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): random
/// bits as a function of a counter and a key, the same on every machine and in any order of calls.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0], product1 = kMultiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

/// A number from the standard normal distribution for this counter and key, by Box and Muller:
/// √(−2 ln u₁) cos(2π u₂) with u₁ in (0, 1], u₂ in [0, 1).
inline double normalOf(const std::array<std::uint32_t, 4>& counter, const std::array<std::uint32_t, 2>& key) {
  constexpr double kTwoPi = 6.283185307179586;
  const std::array<std::uint32_t, 4> bits = philox(counter, key);
  const auto unit = [](std::uint32_t high, std::uint32_t low) {
    return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
  };
  return std::sqrt(-2 * std::log(1 - unit(bits[0], bits[1]))) * std::cos(kTwoPi * unit(bits[2], bits[3]));
}

}  // namespace touchstone
