#!/usr/bin/env python3
"""Judges the tools by the real runtime: what was split, joined, merged or stripped must run exactly like the original.

Every program of the manifest is run, split in several ways, joined again and stripped in several ways, families are
merged, and programs are bound to data files; each result runs with every loader and verification level, and the SHA-256
of each output must be that of the original. One line for each failure and each group of interest, then `N passed, N failed`. Exit code 1 where a check
failed.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import sys
import tempfile

from binding import PROGRAMS, BindingChecks
from merging import FamilyChecks, families
from model_checks import Context, ModelChecks
from processes import CheckFailed
from separation import PAIRS, check_separation

GROUPS = {
    "nanoGPT forms": re.compile(r"^f07_gpt"),
    "LoRA families": re.compile(r"^f08"),
    "bundled programs": re.compile(r"^f11"),
}


class Tally:
    """Counts checks and collects what to print about them."""

    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []

    def add(self, checks):
        self.passed += checks.passed
        self.failures += checks.failures
        self.skips += checks.skips

    def __str__(self):
        skipped = f", {len(self.skips)} skipped" if self.skips else ""
        return f"{self.passed} passed, {len(self.failures)} failed{skipped}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", type=pathlib.Path, required=True, help="the program pterun")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the tools")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with manifest.json")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="check the entries this matches")
    parser.add_argument("--jobs", type=int, default=2, help="checks at a time (default 2)")
    return parser.parse_args()


def hash_files(folder, entries):
    files = sorted({file for entry in entries for file in [entry["pte"], *entry["data"]]})
    return {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in files}


def check_model(context, entry):
    with tempfile.TemporaryDirectory(prefix="e2e-") as folder:
        checks = ModelChecks(context, entry, pathlib.Path(folder))
        checks.run()
        return checks


def check_models(context, entries, jobs):
    """Returns the finished checks of all entries, in their order."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda entry: check_model(context, entry), entries))


def print_groups(models):
    for title, pattern in GROUPS.items():
        members = [checks for checks in models if pattern.search(checks.name)]
        if members:
            tally = Tally()
            for checks in members:
                tally.add(checks)
            print(f"{title}: {len(members)} models, {tally}")


def check_all_separations(context, entries, tally):
    by_name = {entry["name"]: entry for entry in entries}
    for ours, theirs in PAIRS:
        if ours not in by_name or theirs not in by_name:
            continue
        with tempfile.TemporaryDirectory(prefix="e2e-") as folder:
            try:
                figures = check_separation(context, by_name[ours], by_name[theirs], pathlib.Path(folder))
            except CheckFailed as failure:
                tally.failures.append(f"{ours}: separation: {failure}")
                continue
        tally.passed += 1
        print(f"separation of {ours}: {figures}")


def check_all_families(context, entries, tally):
    for name, members in families(entries):
        with tempfile.TemporaryDirectory(prefix="e2e-") as folder:
            checks = FamilyChecks(context, name, members, pathlib.Path(folder))
            try:
                checks.run()
            except CheckFailed as failure:
                tally.failures.append(f"merging {name}: {failure}")
                continue
        tally.passed += 1
        print(f"merging {name}: {len(members)} variants, {'; '.join(checks.figures)}")


def check_all_bindings(context, entries, tally):
    for entry in entries:
        if entry["name"] not in PROGRAMS:
            continue
        with tempfile.TemporaryDirectory(prefix="e2e-") as folder:
            try:
                BindingChecks(context, entry, pathlib.Path(folder)).run()
            except CheckFailed as failure:
                tally.failures.append(f"{entry['name']}: binding: {failure}")
                continue
        tally.passed += 1
        print(f"binding of {entry['name']}: right base equal, stale and other ones not found")


def check_inputs_unchanged(before, after, tally):
    changed = [file for file in before if before[file] != after[file]]
    tally.passed += not changed
    tally.failures += [f"{file}: input was changed" for file in changed]


def main():
    arguments = parse_arguments()
    manifest = json.loads((arguments.data / "manifest.json").read_text())
    entries = [entry for entry in manifest["entries"] if arguments.only.search(entry["name"])]
    if not entries:
        sys.exit("run_e2e.py: error: --only matches no entry of the manifest")
    context = Context(arguments.runner.absolute(), arguments.bin.absolute(), arguments.data.absolute())
    tally = Tally()
    before = hash_files(arguments.data, entries)
    models = check_models(context, entries, arguments.jobs)
    for checks in models:
        tally.add(checks)
    print_groups(models)
    check_all_separations(context, entries, tally)
    check_all_families(context, entries, tally)
    check_all_bindings(context, entries, tally)
    check_inputs_unchanged(before, hash_files(arguments.data, entries), tally)
    for skip in tally.skips:
        print(f"SKIP {skip}")
    for failure in tally.failures:
        print(f"FAIL {failure}")
    print(tally)
    sys.exit(1 if tally.failures else 0)


if __name__ == "__main__":
    main()
