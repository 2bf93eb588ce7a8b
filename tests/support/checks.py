"""What the scripts check_*.py are written with; tests/check.py runs them.

A script has a function check(), which says with expect() what must hold, or cases of unittest. It may have add_arguments(parser),
whose values are in `given` when its checks run, and raise unittest.SkipTest where it lacks something.
"""

import argparse
import functools
import importlib.util
import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data"
MODELS = (".pte", ".ptd", ".bpte")

given = argparse.Namespace()
tally = argparse.Namespace(made=0, failed=0)


def expect(holds, *what):
    tally.made += 1
    if not holds:
        tally.failed += 1
        print(": ".join(map(str, what)), flush=True)


def expect_none(problems, *where):
    """One check, but each problem counts as a failure."""
    problems = list(problems)
    tally.made += 0 if problems else 1
    for problem in problems:
        expect(False, *where, problem)


def run(tool, *arguments, **options):
    """Runs a built tool, or another program that is given by its path; its outputs are in the answer."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run([str(given.tools / tool), *map(str, arguments)], **options)


def output_of(tool, *arguments, **options):
    """What a tool prints; where it fails there is nothing more to check."""
    done = run(tool, *arguments, **options)
    if done.returncode != 0:
        raise SystemExit(f"{done.args}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def model_files():
    return sorted(path for path in DATA.rglob("*") if path.suffix in MODELS)


def model_sets():
    """Of each entry of the manifest its name, and the paths of its program and of the data files that this needs."""
    entries = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))["entries"]
    return [(entry["name"], [DATA / name for name in (entry["pte"], *entry["data"])]) for entry in entries]


def can_validate():
    return importlib.util.find_spec("jsonschema") is not None


@functools.cache
def validator_of(schema):
    """Of docs/schemas/SCHEMA.schema.json."""
    if not can_validate():
        raise unittest.SkipTest(f"{sys.executable} has no module jsonschema")
    import jsonschema  # here, since checks of memory count what this process has

    contents = json.loads((ROOT / f"docs/schemas/{schema}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(contents)
    return jsonschema.Draft202012Validator(contents)


def schema_problems(schema, document):
    return [f"{error.json_path}: {error.message[:300]}" for error in validator_of(schema).iter_errors(document)]
