"""Assembles each case and holds what `pteinspect --verify` finds against what the case says; every finding of docs/findings.md that a
program or data file can have is that of a case, and cases.json is what index.py makes."""

import json
import pathlib
import re
import tempfile

import assemble
import index
from checks import ROOT, expect, expect_none, run

# Findings that no text of a few lines has: over 2 GiB of tables, a million tables, programs that are bound to a data file, what only
# decoders of other backends say, and what a release lacks.
LEFT_OUT = {"tables-too-large", "too-many-tables", "base-missing", "base-stale", "blob-unknown-fields", "blob-unknown-operator",
            "xnnpack-dropped-operator", "runtime-lacks"}
OTHER_KINDS = re.compile(r"zip-damaged|record-json|(ptn|cache|adapter|release)-.*")


def findings_of(paths):
    data = [word for path in paths[1:] for word in ("--data", path)]
    answer = json.loads(run("pteinspect", "--verify", "--json", paths[0], *data).stdout)
    return {(one["severity"], one["id"]) for file in answer for one in file["findings"]}


def check_case(case, folder):
    found = findings_of(index.write_files(case, folder))
    wanted = {("error", name) for name in case["errors"]} | {("warning", name) for name in case["warnings"]}
    expect(found == wanted, case["case"], f"says {sorted(wanted)}, found {sorted(found)}")
    expect(case["load"] == ("refused" if case["errors"] else "ok"), case["case"], "a file with errors is to be refused, no other")


def check_coverage(cases):
    page = (ROOT / "docs/findings.md").read_text(encoding="utf-8")
    listed = {name for name in re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE) if not OTHER_KINDS.fullmatch(name)}
    shown = {name for case in cases for name in case["errors"] + case["warnings"]}
    expect_none(f"{name} has no case" for name in sorted(listed - shown - LEFT_OUT))
    expect_none(f"{name} has a case, and is said to have none" for name in sorted(shown & LEFT_OUT))


def check_mistakes(folder):
    """What the assembler says of wrong texts."""
    for text, said in [("table", "a label expected"), ("nonsense", "an unknown statement"), ("label a\nlabel a", "is there twice"),
                       ("bytes a\n  ref b", "there is no 'b'"), ("set a 1", "there is no 'root'"), ("bytes a\n  u8 256", "ubyte format requires"),
                       ("  u8 1", "a line that belongs to nothing"), ("label a\npatch a", "a place and a kind of bytes expected"),
                       ('bytes\n  file "none" 0 1', "No such file"), ("bytes\n  u8 1 + + 2", "expected before '2'"), ("string a b", "one text in quotes expected"),
                       ('"a"', "a statement expected"), ("from a", "quotes expected"), ('from "none.txt"', "No such file"),
                       ("set", "something is missing"), ("label a\nat b\nlabel c", "there is no 'b'"), ("string a \"b", "cannot read"),
                       ('from "wrong.txt"', "texts take each other up"), ("vector a u8 1\nset a.b 1", "has no field 'b'"),
                       ("vector a u8 1\nadd a b:0 u8 1", "is no table"), ("bytes\n  some 1", "is no kind of bytes"),
                       ("table a\n  b:0 u8 1\ntable c like a", "leave 'like' away"), ("zeros 4\npatch 2 u32 1", "ends behind the file")]:
        path = pathlib.Path(folder) / "wrong.txt"
        path.write_text(text, encoding="utf-8")
        try:
            assemble.assemble(path)
            expect(False, text, "was assembled")
        except assemble.Mistake as mistake:
            expect(said in str(mistake), text, mistake)


def check():
    cases = index.all_cases()
    expect(len(cases) >= 100, "hardly any case was found", len(cases))
    with tempfile.TemporaryDirectory(prefix="cases-") as folder:
        for case in cases:
            check_case(case, folder)
        check_mistakes(folder)
    check_coverage(cases)
    expect(index.text_of(cases) == index.INDEX.read_text(encoding="utf-8"), "cases.json is not what index.py makes")
