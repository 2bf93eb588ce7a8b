"""Checks the JSON report of ptemerge on the families of tests/data: against docs/schemas/rewrite.schema.json, that its
sums add up, that a dry run says the same to the byte as the real one, and that the outputs are as large as it says.

Without jsonschema only the schema is left unchecked.
"""

import pathlib
import tempfile

from checks import model_sets
from reports import check_reports

FAMILIES = ("f07", "f08", "f15_", "f15b")  # how the names of their members begin


def check():
    for family in FAMILIES:
        sets = [f"{name}=" + ",".join(map(str, files)) for name, files in model_sets() if name.startswith(family)]
        for where in ("pte", "ptd"):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                command = ["ptemerge", *sets, "-o", folder / "out", "--variant-data", where]
                check_reports(command, folder, False, family, where)
