#!/usr/bin/env python3
"""Checks the JSON report of ptemerge on the families of tests/data: against docs/schemas/rewrite.schema.json, that its
sums add up, that a dry run says the same to the byte as the real one, and that the outputs are as large as it says.

Without jsonschema only the schema is left unchecked.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from check_rewrite_report import differences, jsonschema, wrong_sizes

FAMILIES = ("f07", "f08", "f15_", "f15b")  # how the names of their members begin


def report_of(tool, sets, folder, *options):
    done = subprocess.run([tool, *sets, "-o", folder / "out", "--json", "--sha256", *options], capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{sets}: exit code {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def wrong_sums(report):
    before = sum(file["bytes"] for file in report["inputs"])
    after = sum(file["bytes"] for file in report["outputs"])
    if (before, after, before - after) != (report["bytes_before"], report["bytes_after"], report["saved_bytes"]):
        yield f"sums are {before}, {after}, {before - after}"


def check(tool, sets, where, validator):
    """Yields what is wrong with a merge of these sets."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dry = report_of(tool, sets, folder, "--variant-data", where, "--dry-run")
        if any(folder.iterdir()):
            yield "a dry run wrote something"
        real = report_of(tool, sets, folder, "--variant-data", where)
        for report in (dry, real):
            yield from (error.message for error in validator.iter_errors(report)) if validator else ()
        yield from wrong_sums(real)
        yield from wrong_sizes(real)
        yield from differences(dry, real)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="the built ptemerge")
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    validator = jsonschema and jsonschema.Draft202012Validator(json.loads(arguments.schema.read_text()))
    entries = json.loads((arguments.data / "manifest.json").read_text())["entries"]
    wrong = 0
    for family in FAMILIES:
        members = [entry for entry in entries if entry["name"].startswith(family)]
        sets = [f"{entry['name']}=" + ",".join(str(arguments.data / file) for file in (entry["pte"], *entry["data"]))
                for entry in members]
        for where in ("pte", "ptd"):
            for problem in check(arguments.tool, sets, where, validator):
                print(f"{family}, {where}: {problem}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
