#!/usr/bin/env python3
"""Checks the JSON report of ptesplit or ptestrip on every program of tests/data: against
docs/schemas/rewrite.schema.json, that its sums add up, that a dry run says the same to the byte as the real one, and
that the outputs are as large as it says.

Without jsonschema only the schema is left unchecked.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None


# Its data file is that of another model.
LACKS_KEYS = "delegates/native_lin"


def report_of(tool, program, data, folder, *options):
    arguments = [tool, program, "-o", folder / "out.pte", "-f", "--json", "--sha256", *options]
    if pathlib.Path(tool).name == "ptesplit":
        arguments += ["-d", folder / "out.ptd"]
        for file in data:
            arguments += ["--data", file]
    else:
        arguments += ["--all"]
    done = subprocess.run(arguments, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{program}: exit code {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def differences(dry, real):
    """Yields in what the reports of a dry and a real run differ, but for what a dry run cannot know."""
    for report in (dry, real):
        report.pop("dry_run")
        for output in report["outputs"]:
            output.pop("sha256")
    if dry != real:
        yield "the dry run reports something else"


def wrong_sums(report):
    before = sum(file["bytes"] for file in report["inputs"])
    kept = sum(file["bytes"] for file in report["inputs"][1:])
    after = kept + sum(file["bytes"] for file in report["outputs"])
    if (before, after, before - after) != (report["bytes_before"], report["bytes_after"], report["saved_bytes"]):
        yield f"sums are {before}, {after}, {before - after}"


def wrong_sizes(report):
    for output in report["outputs"]:
        size = pathlib.Path(output["file"]).stat().st_size
        if size != output["bytes"]:
            yield f"{output['file']} has {size} bytes, {output['bytes']} reported"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="the built ptesplit or ptestrip")
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    validator = jsonschema and jsonschema.Draft202012Validator(json.loads(arguments.schema.read_text()))
    wrong = 0
    entries = json.loads((arguments.data / "manifest.json").read_text())["entries"]
    for entry in [entry for entry in entries if entry["name"] != LACKS_KEYS]:
        with tempfile.TemporaryDirectory() as folder:
            paths = [arguments.data / file for file in (entry["pte"], *entry["data"])]
            place = pathlib.Path(folder)
            dry = report_of(arguments.tool, paths[0], paths[1:], place, "--dry-run")
            if any(place.iterdir()):
                raise SystemExit(f"{entry['name']}: a dry run wrote something")
            real = report_of(arguments.tool, paths[0], paths[1:], place)
            checked = (dry, real) if validator else ()
            problems = [error.message for report in checked for error in validator.iter_errors(report)]
            problems += [*wrong_sums(real), *wrong_sizes(real), *differences(dry, real)]
            for problem in problems:
                print(f"{entry['name']}: {problem}")
            wrong += len(problems)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
