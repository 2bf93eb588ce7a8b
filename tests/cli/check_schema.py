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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the built pteinspect")
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        import jsonschema
    except ImportError:
        print("skipped: %s has no module jsonschema" % sys.executable)
        return 77
    schema = json.loads(arguments.schema.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

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
    # Profiles, which are the only object.
    for dump in sorted((arguments.data / "inspector").glob("*/*.etdp")):
        record = dump.parent / "etrecord.bin"
        with_record = ["--etrecord", str(record)] if record.exists() and dump.parent.name != "two_methods" else []
        buffer = dump.parent / "debug_buffer.bin"
        all_options = [[], ["--dataframe"], ["--by-type"], ["--by-operator"],
                       ["--baseline", str(arguments.data / "inspector/mlp_portable/etdump.etdp")]]
        if with_record:
            all_options.append(["--module", "a", "--module-path", "b", "--by-type"])
        if dump.stem == "etdump_debug":
            all_options.append(["--debug-buffer", str(buffer)])
            all_options.append(["--debug-buffer", str(buffer), "--gap", "%s,%s" % (dump, buffer)])
        for options in all_options:
            done = subprocess.run([arguments.tool, "--json", "--etdump", str(dump)] + with_record + options,
                                  capture_output=True)
            if "--baseline" in options and done.returncode == 3:  # nothing to compare
                continue
            wrong += sum(1 for error in map(print, validator.iter_errors(json.loads(done.stdout))))
    for record in (arguments.data / "delegation").glob("*.etrecord"):
        done = subprocess.run([arguments.tool, "--json", "--exported-program", str(record)], capture_output=True)
        wrong += sum(1 for error in map(print, validator.iter_errors(json.loads(done.stdout))))
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
