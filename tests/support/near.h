#pragma once

#include <QtTest>
#include <cmath>

/// |actual − expected| ≤ tolerance; prints 17 digits; fails on NaN. QCOMPARE on doubles is a fuzzy 1e-12 and
/// treats NaN as equal to NaN.
#define QVERIFY_NEAR(actual, expected, tolerance)                                               \
  do {                                                                                          \
    const double nearActual = (actual), nearExpected = (expected), nearTolerance = (tolerance); \
    QVERIFY2(std::abs(nearActual - nearExpected) <= nearTolerance,                              \
             qPrintable(QStringLiteral(#actual " = %1, expected %2 within %3")                  \
                            .arg(nearActual, 0, 'g', 17)                                        \
                            .arg(nearExpected, 0, 'g', 17)                                      \
                            .arg(nearTolerance, 0, 'g', 3)));                                   \
  } while (false)
