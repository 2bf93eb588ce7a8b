"""Checks that what docs/architecture.md calls by a name of the code is in the code: `Mover`, `Mover::PointOutside`, `kMaxRounds`, `mutator.cc`."""

import re

from checks import ROOT, expect

FOLDERS = "libpteedit tools c python web fuzz tests bench schema scripts".split()
SUFFIXES = {".h", ".cc", ".c", ".in", ".py", ".js", ".fbs", ".txt", ".sh", ".awk"}
QUOTED = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"(?:(\w+)::)?((?:k?[A-Z]+[a-z]+\w*|\w+_\w+))")
FILE = re.compile(r"[\w/]+\.(?:cc|h|py|js|fbs|sh|awk)")


def code():
    """Names of files, and their text."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]
    return {path.relative_to(ROOT).as_posix() for path in paths}, "\n".join(path.read_text(errors="replace") for path in paths)


def has_member(text, owner, member):
    if f"{owner}::{member}" in text:
        return True
    bodies = re.findall(rf"^(?:class|struct|namespace) (?:PTEEDIT_API )?{owner}\b[^;]*?\{{(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    return any(re.search(rf"(?<![.>:])\b{member}\b", body) for body in bodies)  # what is called on others is theirs


def check():
    files, text = code()
    words = set(re.findall(r"\w+", text))
    quoted = set(QUOTED.findall((ROOT / "docs/architecture.md").read_text()))
    names = [match for one in quoted if (match := NAME.fullmatch(one))]
    expect(len(names) > 100, f"found only {len(names)} names")
    for match in names:
        owner, name = match.groups()
        known = has_member(text, owner, name) if owner else name in words
        expect(known, f"docs/architecture.md: there is no {match[0]}")
    for one in quoted:
        if FILE.fullmatch(one) and "NAME" not in one:
            expect(any(f"/{path}".endswith(f"/{one}") for path in files), f"docs/architecture.md: there is no file {one}")
