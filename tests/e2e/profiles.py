#!/usr/bin/env python3
"""Judges what pteprof reads of profiles by the real runtime, which writes them here, and by the exporter's Inspector.

Every program of the manifest is run and logged: events, runs, backends, times and values must be those of the program.
Programs with records are rewritten in every way there is, and what the old record tells must stay, field for field.
With --inspector, a Python that can import executorch.devtools, the Inspector reads all these dumps too, and its tables
must be ours byte for byte. Prints failures, then `N passed, N failed`. Exit code 1 where a check failed.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from model_checks import Context
from new_dumps import DumpChecks
from processes import CheckFailed, run_tool
from surviving_joins import PAIRS, SurvivalChecks

# The entries that the Inspector reads beside each program, and which records without weights lack.
SAVED = ("_state_dict", "_constants", "_example_inputs")
SEVERAL_METHODS = ("two_methods",)  # records that the Inspector cannot open


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", type=pathlib.Path, required=True, help="the program pterun")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the tools")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with manifest.json")
    parser.add_argument("--inspector", help="a Python that can import executorch.devtools")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), help="check what this matches")
    return parser.parse_args()


class Profiles:
    """Counts checks, and keeps dumps to compare with the Inspector in the end."""

    def __init__(self, context, folder):
        self.passed = 0
        self.failures = []
        self._context = context
        self._folder = folder
        self._dumps = []  # names, dumps and records or None

    def check_new_dump(self, entry):
        place = self._place(entry["name"])
        checks = DumpChecks(self._context, entry, place)
        try:
            checks.run()
        except CheckFailed as failure:
            self.failures.append(f"{entry['name']}: {failure}")
            return
        self.passed += 1
        self._dumps.append((entry["name"], checks.dump, None))

    def check_survival(self, name):
        place = self._place(name)
        checks = SurvivalChecks(self._context, name, place)
        checks.run()
        self.passed += checks.passed
        self.failures += checks.failures
        record = place / "whole.etrecord"
        if checks.dump.exists() and name not in SEVERAL_METHODS:
            make_whole(checks.record, record)
            self._dumps.append((f"{name} with its record", checks.dump, record))

    def keep_slim_records(self):
        """Records with weights, slimmed: the Inspector has to open them still."""
        for dump in sorted(self._context.data.glob("inspector/*/etdump.etdp")):
            name, record = dump.parent.name, dump.with_name("etrecord.bin")
            if name in SEVERAL_METHODS or not record.exists():
                continue
            slim = self._place(f"slim {name}") / "slim.etrecord"
            run_tool(self._context.bin / "ptestrip", record, "-o", slim)
            self._dumps.append((f"{name} with its slim record", dump, slim))

    def compare_with_inspector(self, python):
        asked = [[str(dump), record and str(record)] for _, dump, record in self._dumps]
        script = pathlib.Path(__file__).with_name("ask_inspector.py")
        done = subprocess.run([python, script], input=json.dumps(asked), capture_output=True, text=True)
        if done.returncode != 0:
            self.failures.append(f"the Inspector: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
            return
        for (name, dump, record), answer in zip(self._dumps, json.loads(done.stdout)):
            difference = answer.get("error") or self._difference(answer, dump, record)
            self.passed += not difference
            self.failures += [f"{name}, the Inspector: {difference}"] if difference else []

    def _difference(self, answer, dump, record):
        words = [dump] + (["--etrecord", record] if record else [])
        for view, options in (("table", []), ("tsv", ["--tsv"])):
            ours = run_tool(self._context.bin / "pteprof", *words, *options)
            if ours.rstrip("\n") != answer[view].rstrip("\n"):
                return f"another {view}"
        return ""

    def _place(self, name):
        place = self._folder / name.replace("/", "_")
        place.mkdir()
        return place


def make_whole(record, whole):
    """Copies a record, with empty entries where it lacks what the Inspector wants."""
    with zipfile.ZipFile(record) as source, zipfile.ZipFile(whole, "w") as target:
        names = source.namelist()
        for name in names:
            target.writestr(name, source.read(name))
            is_program = "exported_program" in name and not name.endswith(SAVED)
            for end in SAVED if is_program else ():
                if name + end not in names:
                    target.writestr(name + end, b"")


def main():
    arguments = parse_arguments()
    context = Context(arguments.runner.absolute(), arguments.bin.absolute(), arguments.data.absolute())
    manifest = json.loads((arguments.data / "manifest.json").read_text())
    with tempfile.TemporaryDirectory(prefix="profiles-") as folder:
        profiles = Profiles(context, pathlib.Path(folder))
        for entry in manifest["entries"]:
            if entry["runnable"] and arguments.only.search(entry["name"]):
                profiles.check_new_dump(entry)
        print(f"new dumps: {profiles.passed} passed, {len(profiles.failures)} failed")
        for name in filter(arguments.only.search, PAIRS):
            profiles.check_survival(name)
        if arguments.inspector:
            profiles.keep_slim_records()
            profiles.compare_with_inspector(arguments.inspector)
        else:
            print("SKIP the exporter's Inspector: no --inspector was given")
    for failure in profiles.failures:
        print(f"FAIL {failure}")
    print(f"{profiles.passed} passed, {len(profiles.failures)} failed")
    sys.exit(1 if profiles.failures else 0)


if __name__ == "__main__":
    main()
