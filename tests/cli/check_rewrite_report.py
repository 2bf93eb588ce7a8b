"""Checks the JSON report of ptesplit or ptestrip on every program of tests/data: against
docs/schemas/rewrite.schema.json, that its sums add up, that a dry run says the same to the byte as the real one, and
that the outputs are as large as it says.

Without jsonschema only the schema is left unchecked.
"""

import pathlib
import tempfile

from checks import given, model_sets
from reports import check_reports

# Its data file is that of another model.
LACKS_KEYS = "delegates/native_lin"


def add_arguments(parser):
    parser.add_argument("tool", choices=["ptesplit", "ptestrip"])


def options_of(tool, data, folder):
    if tool == "ptestrip":
        return ["--all"]
    return ["-d", folder / "out.ptd", *(word for file in data for word in ("--data", file))]


def check():
    for entry, [program, *data] in model_sets():
        if entry == LACKS_KEYS:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            command = [given.tool, program, "-o", folder / "out.pte", *options_of(given.tool, data, folder)]
            check_reports(command, folder, True, entry)
