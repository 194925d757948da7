#pragma once

#include <QElapsedTimer>
#include <QtTest>
#include <random>
#include <vector>

#include "core/files/scene_error.h"
#include "core/store/database.h"
#include "tests/scene/scene_folder.h"

namespace touchstone::test {

/// Words that violate assumptions more often than random bytes.
inline const std::vector<QByteArray>& awkwardWords() {
  static const std::vector<QByteArray> kWords = {
      "-1",        "0",       "1e308",     "1e999",      "-0.0",         "NaN",
      "null",      "[]",      "{}",        "\"\"",       "true",         "1e-320",
      "[[",        "]",       ",",         "\xff\xfe",   "\n",           "2147483648",
      "\"box\"",   "-9e9",    "\"plane\"", "\"static\"", "\"type\"",     "f 1 2 3\n",
      "v 0 0 0\n", "0.5",     "1e30",      "\\u0000",    "f -1 -2 -3\n", "\"../x\"",
      "f 9 9 9\n", "\"cpf\"", "\"peg\"",   "1",          "{\"a\":1}",    "99999999999999999999"};
  return kWords;
}

/// Changes bytes in the way of faulty disks, lines and users.
class Changer {
 public:
  explicit Changer(unsigned seed) : m_random(seed) {}

  std::size_t below(std::size_t count) { return m_random() % std::max<std::size_t>(1, count); }

  /// Changes one to eight bits or whole bytes; the length stays.
  QByteArray flipped(QByteArray bytes) {
    if (bytes.isEmpty()) return bytes;
    for (std::size_t change = std::size_t(1) << below(4); change > 0; --change) {
      const int at = static_cast<int>(below(bytes.size()));
      bytes[at] = static_cast<char>(below(4) == 0 ? m_random() & 0xff : bytes[at] ^ (1 << below(8)));
    }
    return bytes;
  }

  /// Cuts out, doubles and moves parts, inserts parts of other files, and replaces numbers by words.
  QByteArray edited(QByteArray text, const std::vector<QByteArray>& others) {
    for (std::size_t change = 1 + below(4); change > 0; --change) {
      const int size = text.size(), at = static_cast<int>(below(size));
      const int length = static_cast<int>(below(24));
      switch (below(6)) {
        case 0:
          text.remove(at, length);
          break;
        case 1:
          text.insert(at, word());
          break;
        case 2:
          text.insert(at, text.mid(static_cast<int>(below(size)), length));
          break;
        case 3:
          text = flipped(text);
          break;
        case 4: {
          int digit = at;
          while (digit < size && !isdigit(static_cast<unsigned char>(text[digit]))) ++digit;
          int end = digit;
          while (end < size && (isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.')) ++end;
          text.replace(digit, end - digit, word());
          break;
        }
        default:
          if (below(8) == 0) {
            text.truncate(at);
          } else {
            const QByteArray& other = others[below(others.size())];
            text.replace(at, length, other.mid(static_cast<int>(below(other.size())), length));
          }
      }
    }
    return text;
  }

 private:
  const QByteArray& word() { return awkwardWords()[below(awkwardWords().size())]; }
  std::mt19937 m_random;
};

/// Text: edited and flipped. Binary: flipped, and sometimes truncated.
enum class Content { Text, Binary };

/// Randomly changed files must open, or be refused with file, problem and remedy. The number of changes is
/// fixed; with TOUCHSTONE_FUZZ_SECONDS=60 each kind runs for a minute with other seeds.
/// @param open  opens and uses the file at a path
template <class Open>
void fuzz(SceneFolder& folder, const QString& name, const std::vector<QByteArray>& seeds, Content content,
          int rounds, const Open& open) {
  const int seconds = qEnvironmentVariableIntValue("TOUCHSTONE_FUZZ_SECONDS");
  QElapsedTimer timer;
  timer.start();
  Changer changer(seconds > 0 ? std::random_device()() : 1u);
  int opened = 0, refused = 0;
  for (int round = 0; round < rounds || timer.elapsed() < 1000 * seconds; ++round) {
    const QByteArray& seed = seeds[changer.below(seeds.size())];
    const bool flip = content == Content::Binary || changer.below(4) == 0;
    QByteArray bytes = flip ? changer.flipped(seed) : changer.edited(seed, seeds);
    if (content == Content::Binary && changer.below(16) == 0)
      bytes.truncate(static_cast<int>(changer.below(bytes.size())));
    const std::string path = folder.write(name, bytes);
    QString problem;
    try {
      open(path);
      ++opened;
      continue;
    } catch (const SceneError& error) {
      problem = QString::fromStdString(error.what());
    } catch (const DatabaseError& error) {
      problem = error.fault() == DatabaseError::Fault::Input ? error.what() : "blames the machine";
    } catch (const std::exception& error) {
      problem = QStringLiteral("says no more than ") + error.what();
    }
    ++refused;
    if (problem.startsWith(QString::fromStdString(path)) && problem.contains("; ")) continue;
    QFile kept(QDir::temp().filePath("refused-" + name));
    if (kept.open(QIODevice::WriteOnly)) kept.write(bytes);
    QFAIL(qPrintable(problem + " (" + kept.fileName() + ")"));
  }
  qInfo("%d opened, %d refused", opened, refused);
  QVERIFY(refused > 0);
  QVERIFY(opened > 0);
}

}  // namespace touchstone::test
