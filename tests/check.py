#!/usr/bin/env python3
"""Runs one script of checks: tests/check.py SCRIPT [--tools FOLDER] [ARGUMENT...].

Exits with 1 where a check fails or none was made, and with 77, "skipped", where the script lacks what it needs.
"""

import argparse
import importlib
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))

import checks  # noqa: E402

SKIPPED = 77


def load(path):
    sys.path.insert(0, str(path.resolve().parent))
    return importlib.import_module(path.stem)


def parse_arguments(script, words):
    parser = argparse.ArgumentParser(prog=f"check.py {script.__name__}.py", description=script.__doc__.splitlines()[0])
    built = checks.ROOT / "build/release/tools"
    parser.add_argument("--tools", type=pathlib.Path, default=built, help="folder of the built tools (default: build/release/tools)")
    if hasattr(script, "add_arguments"):
        script.add_arguments(parser)
    parser.parse_args(words, namespace=checks.given)
    checks.given.tools = checks.given.tools.resolve()


def run_cases(script):
    cases = unittest.defaultTestLoader.loadTestsFromModule(script)
    result = unittest.TextTestRunner(verbosity=2).run(cases)
    checks.tally.made += result.testsRun
    checks.tally.failed += 0 if result.wasSuccessful() else 1


def run_script(path, words):
    script = load(path)
    parse_arguments(script, words)
    if hasattr(script, "check"):
        script.check()
    else:
        run_cases(script)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    skipped = False
    try:
        run_script(pathlib.Path(sys.argv[1]), sys.argv[2:])
    except unittest.SkipTest as lacking:
        print(f"skipped: {lacking}")
        skipped = True
    print(f"{checks.tally.made} checked, {checks.tally.failed} failed")
    if checks.tally.failed:
        return 1
    return SKIPPED if skipped else 0 if checks.tally.made else 1


if __name__ == "__main__":
    sys.exit(main())
