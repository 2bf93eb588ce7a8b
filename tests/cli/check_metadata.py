#!/usr/bin/env python3
"""Checks of every test file that what pteinspect knows of blobs is what docs/schemas/delegate_metadata.schema.json
promises, and that a file of it changes no view. Without jsonschema only the latter."""

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


def output_of(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the built pteinspect")
    parser.add_argument("--schema", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    schema = json.loads(arguments.schema.read_text(encoding="utf-8"))
    validator = jsonschema and jsonschema.Draft202012Validator(schema)
    files = sorted(str(path) for path in arguments.data.rglob("*") if path.suffix in (".pte", ".ptd", ".bpte"))
    metadata = output_of(arguments.tool, "--emit-metadata-json", "-", *files)
    problems = [error.message[:300] for error in validator.iter_errors(json.loads(metadata))] if validator else []
    if len(json.loads(metadata)["delegates"]) < 40:
        problems.append("hardly any blobs were decoded")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "metadata.json"
        path.write_bytes(metadata)
        views = [arguments.tool, "--json", "--delegates"]
        if output_of(*views, *files) != output_of(*views, "--metadata-json", str(path), *files):
            problems.append("blobs are shown otherwise with what was written about them")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
