"""Runs all tests of this folder. The last line is "N passed, N failed", with ", N skipped" behind it where some were."""

import os
import sys
import unittest


class CountingResult(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def failed(self):
        """Tests with failed parts count once, and so do classes that could not be set up."""
        return len({getattr(test, "test_case", test).id() for test, _ in self.failures + self.errors})


def main():
    tests = unittest.defaultTestLoader.discover(os.path.dirname(os.path.abspath(__file__)))
    result = unittest.TextTestRunner(stream=sys.stdout, resultclass=CountingResult).run(tests)
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    skipped = len(result.skipped)
    print(f"{result.passed} passed, {result.failed()} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
