#include "core/files/sha256.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>

#include "core/files/scene_error.h"

namespace touchstone {

namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoots = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t rotated(std::uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

/// Section 6.2.2 of the standard. @param block  64 bytes
void mix(const unsigned char* block, std::array<std::uint32_t, 8>& hash) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t)
    w[t] = std::uint32_t(block[4 * t]) << 24 | std::uint32_t(block[4 * t + 1]) << 16 |
           std::uint32_t(block[4 * t + 2]) << 8 | block[4 * t + 3];
  for (std::size_t t = 16; t < 64; ++t)
    w[t] = (rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
           (rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t first =
        h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + kRoots[t] + w[t];
    const std::uint32_t second =
        (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t word = 0; word < 8; ++word) hash[word] += mixed[word];
}

constexpr std::array<std::uint32_t, 8> kFirstHash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// Mixes the whole blocks of some bytes.
void mixAll(const std::string& bytes, std::array<std::uint32_t, 8>& hash) {
  for (std::size_t block = 0; block + 64 <= bytes.size(); block += 64)
    mix(reinterpret_cast<const unsigned char*>(bytes.data()) + block, hash);
}

/// Ends a hash. @param rest  what no whole block was   @param count  of all bytes
std::string finished(const std::string& rest, std::uint64_t count, std::array<std::uint32_t, 8> hash) {
  std::string padded = rest + '\x80';
  padded.resize((padded.size() + 8 + 63) / 64 * 64, '\0');
  for (std::size_t byte = 0; byte < 8; ++byte)
    padded[padded.size() - 1 - byte] = static_cast<char>(count * 8 >> 8 * byte);
  mixAll(padded, hash);
  std::string text;
  for (std::uint32_t word : hash) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

}  // namespace

std::string sha256(const std::string& bytes) {
  std::array<std::uint32_t, 8> hash = kFirstHash;
  mixAll(bytes, hash);
  return finished(bytes.substr(bytes.size() / 64 * 64), bytes.size(), hash);
}

std::string sha256OfFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) throw SceneError(path, "", "cannot be read", "check the path");
  std::array<std::uint32_t, 8> hash = kFirstHash;
  std::uint64_t count = 0;
  std::string chunk;
  do {
    chunk.resize(std::size_t(1) << 16);  // whole blocks
    in.read(&chunk[0], static_cast<std::streamsize>(chunk.size()));
    chunk.resize(in.gcount());
    count += chunk.size();
    mixAll(chunk, hash);
  } while (in);
  if (in.bad()) throw SceneError(path, "", "cannot be read", "check the disk");
  return finished(chunk.substr(chunk.size() / 64 * 64), count, hash);
}

}  // namespace touchstone
