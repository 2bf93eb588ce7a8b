#!/usr/bin/env python3
"""Asks the real runtime whether several forms of one program answer alike, bit for bit.

usage: agree.py --runner RUNNER --manifest MANIFEST --entry NAME NAME=PROGRAM[,DATA...] NAME=PROGRAM[,DATA...] ...

The first form is what the others are compared with. Each runs twice on the entry's calls with every loader and level of
verification. Exits with 1 where a form differs or is refused.
"""

import argparse
import itertools
import json
import pathlib
import sys
import tempfile

from model_checks import LOADERS, ROUNDS, VERIFICATIONS
from processes import CheckFailed, Setting, run_program


def parse_form(text):
    name, _, files = text.partition("=")
    program, *data = files.split(",")
    return name, program, data


def check(runner, calls, forms):
    """Compares all forms under all settings; returns how many outputs were compared for each form."""
    for loader, verification in itertools.product(LOADERS, VERIFICATIONS):
        expected = None
        for name, program, data in forms:
            setting = Setting(loader, verification)
            outcome = run_program(runner, program, data, setting, ["--calls", calls, "--repeat", ROUNDS])
            expected = expected or outcome
            if difference := outcome.describe_difference(expected):
                raise CheckFailed(f"{name} ({setting}): {difference}")
    return sum(len(digests) for digests in expected.methods.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True)
    parser.add_argument("--manifest", required=True, type=pathlib.Path)
    parser.add_argument("--entry", required=True)
    parser.add_argument("forms", nargs="+", type=parse_form)
    arguments = parser.parse_args()
    entries = {entry["name"]: entry for entry in json.loads(arguments.manifest.read_text())["entries"]}
    names = [name for name, _, _ in arguments.forms]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as calls:
        json.dump(entries[arguments.entry]["calls"], calls)
        calls.flush()
        try:
            outputs = check(arguments.runner, calls.name, arguments.forms)
        except CheckFailed as failure:
            sys.exit(f"agree.py: error: {arguments.entry}: {failure}")
    print(f"the runtime: {', '.join(names)} give the same {outputs} outputs, bit for bit (mmap and file loader)")


if __name__ == "__main__":
    main()
