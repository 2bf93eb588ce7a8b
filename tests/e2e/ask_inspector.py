"""Asks the exporter's Inspector; run by a Python that has executorch and torch.

Reads JSON from standard input, a list of [dump, record or null], and writes JSON to standard output: for each its table
and its TSV, or else why there are none.
"""

import contextlib
import io
import json
import sys

from executorch.devtools import Inspector


def ask(dump, record):
    with contextlib.redirect_stdout(io.StringIO()):
        inspector = Inspector(etdump_path=dump, etrecord=record)
    table, tsv = io.StringIO(), io.StringIO()
    inspector.print_data_tabular(table)
    inspector.save_data_to_tsv(tsv)
    return {"table": table.getvalue(), "tsv": tsv.getvalue()}


def main():
    answers = []
    for dump, record in json.load(sys.stdin):
        try:
            answers.append(ask(dump, record))
        except Exception as error:  # whatever it raises is its answer
            answers.append({"error": f"{type(error).__name__}: {error}"})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
