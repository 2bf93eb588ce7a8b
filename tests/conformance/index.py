#!/usr/bin/env python3
"""Writes cases.json, the list of the cases: index.py. With a folder, writes the files of all cases there: index.py FOLDER."""

import hashlib
import json
import pathlib
import sys

import assemble

HERE = pathlib.Path(__file__).resolve().parent
INDEX = HERE / "cases.json"
ENDINGS = {b"FT01": ".ptd", b"BP08": ".bpte"}
RUNS = ("minimal", "full", "run")


def case_of(path):
    facts = assemble.facts_of(path)
    content = assemble.assemble(path)
    tried = {words[0]: dict(zip(RUNS, words[1:])) for words in facts.get("tried", [])}
    return {
        "case": path.relative_to(HERE).with_suffix("").as_posix(),
        "title": facts["title"][0][0],
        "load": facts["load"][0][0],
        "errors": [word for words in facts.get("finding", []) for word in words],
        "warnings": [word for words in facts.get("warning", []) for word in words],
        "ending": ENDINGS.get(content[4:8], ".pte"),
        "data": [(path.parent / words[0]).resolve().relative_to(HERE).with_suffix("").as_posix() for words in facts.get("data", [])],
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "tried": tried,
    }


def all_cases():
    return [case_of(path) for folder in ("good", "damaged") for path in sorted((HERE / folder).glob("*.txt"))]


def text_of(cases):
    return json.dumps({"schema_version": 1, "cases": cases}, indent=1) + "\n"


def write_files(case, folder):
    """Writes the file of a case, and those of its data files; returns their paths."""
    paths = []
    for name in [case["case"], *case["data"]]:
        path = pathlib.Path(folder) / (name.replace("/", "_") + (".ptd" if paths else case["ending"]))
        path.write_bytes(assemble.assemble(HERE / (name + ".txt")))
        paths.append(path)
    return paths


def main():
    cases = all_cases()
    for folder in sys.argv[1:]:
        for case in cases:
            write_files(case, folder)
    if len(sys.argv) == 1:
        INDEX.write_text(text_of(cases), encoding="utf-8")


if __name__ == "__main__":
    main()
