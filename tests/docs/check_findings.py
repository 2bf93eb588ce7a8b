"""Checks that docs/findings.md describes every finding that the library and pteinspect can make, once, and no other.

A finding is described by a table row that begins with its id: | `key-missing` | ... In the source an id is the first argument of a
function that makes a finding or an error with one, the beginning of a braced Finding, or what a field `finding` or `id` is set to.
"""

import re

from checks import ROOT, expect, expect_none

ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
LITERAL = r'"[a-z0-9]+(?:-[a-z0-9]+)*"'
MAKERS = r"problems_\.Add|AddError|AddWarning|CheckIndex|Damaged|NotUnderstood|Problem|Wrong|wrong"
# Either of two may be chosen: Damaged(same ? "key-in-both" : "key-shadowed", ...
MADE = re.compile(rf"\b(?:{MAKERS})\(\s*(?:[^\"(),]+\?\s*({LITERAL})\s*:\s*)?({LITERAL})\s*,")
BRACED = re.compile(rf"\{{\s*({LITERAL})\s*,\s*Severity::")
SET = re.compile(rf"\b(?:finding|id)\s*=\s*({LITERAL})")


def ids_in(source):
    found = [name for match in MADE.finditer(source) for name in match.groups() if name]
    found += BRACED.findall(source) + SET.findall(source)
    return {name.strip('"') for name in found}


def check():
    rows = ROW.findall((ROOT / "docs/findings.md").read_text())
    folders = (ROOT / "libpteedit/src", ROOT / "tools/pteinspect")
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in (".cc", ".h")]
    used = {}
    for path in files:
        for name in ids_in(path.read_text()):
            used.setdefault(name, path.relative_to(ROOT))
    expect(used, "no finding is made")
    for name in sorted(used.keys() - set(rows)):
        expect(False, f"{used[name]} makes finding '{name}', which docs/findings.md does not describe")
    expect_none(f"docs/findings.md describes finding '{name}', which nothing makes" for name in sorted(set(rows) - used.keys()))
    for name in sorted(set(rows)):
        expect(rows.count(name) == 1, f"docs/findings.md describes finding '{name}' {rows.count(name)} times")
