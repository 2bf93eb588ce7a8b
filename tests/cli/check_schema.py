#!/usr/bin/env python3
"""Checks that the JSON of pteinspect for every test file is what docs/schemas/pteinspect.schema.json promises.

Exits with 77, "skipped", where the interpreter has no jsonschema.
"""

import argparse
import json
import pathlib
import subprocess
import sys

VIEWS = ["-h", "--methods", "--tensors", "--segments", "--named-data", "--delegates", "--operators", "--instructions",
         "--memory", "--metadata", "--requirements", "--delegation", "--graph", "--advise",
         "--at", "12", "--hash", "--max-size", "1K"]


def parse_arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tool", required=True, help="the built tool")
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    return parser.parse_args()


def validator_for(path):
    """None, and a line that says so, where the interpreter has no jsonschema."""
    try:
        import jsonschema
    except ImportError:
        print("skipped: %s has no module jsonschema" % sys.executable)
        return None
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main():
    arguments = parse_arguments(__doc__)
    validator = validator_for(arguments.schema)
    if validator is None:
        return 77

    files = sorted(str(path) for path in arguments.data.rglob("*") if path.suffix in (".pte", ".ptd", ".bpte"))
    profiles = sorted(str(path) for path in (arguments.data / "profile").iterdir())
    bad_files = [str(arguments.schema), str(arguments.data / "no such file.pte")]
    wrong = 0
    for options in ([], VIEWS, ["--verify"], ["--compressed=1"]):
        all_files = files + (profiles if options != VIEWS else []) + bad_files
        done = subprocess.run([arguments.tool, "--json"] + options + all_files, capture_output=True)
        output = json.loads(done.stdout)
        if done.returncode != 4 or [entry["file"] for entry in output] != all_files:
            print("exit code %d, 4 expected, or a file is missing" % done.returncode)
            wrong += 1
        for error in validator.iter_errors(output):
            print("%s: %s" % (error.json_path, error.message[:300]))
            wrong += 1
    # Views across the files, which are only there where all files can be read.
    programs = sorted(str(path) for path in (arguments.data / "f08").glob("a_*.pte"))
    across = [["--duplicates"] + programs, ["--same", programs[0], programs[0]], ["--same", programs[0], programs[1]],
              ["--same", bad_files[0], programs[0]], ["--diff", programs[0], programs[1]]]
    for options, exit_code in zip(across, [0, 0, 1, 3, 1]):
        done = subprocess.run([arguments.tool, "--json"] + options, capture_output=True)
        output = json.loads(done.stdout)
        if done.returncode != exit_code or output[-1]["file"] is not None:
            print("exit code %d, %d expected, or the last object is for a file" % (done.returncode, exit_code))
            wrong += 1
        for error in validator.iter_errors(output):
            print("%s: %s" % (error.json_path, error.message[:300]))
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
