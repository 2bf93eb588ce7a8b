"""Checks that public headers include only the standard library and each other."""

import re

from checks import ROOT, expect

INCLUDE_DIR = ROOT / "libpteedit/include"
INCLUDE = re.compile(r"^\s*#\s*include\s*(\S+)", re.MULTILINE)
STANDARD = re.compile(r"<[a-z_]+>|<std[a-z]+\.h>")  # the second form for the C door
OURS = re.compile(r'"(pteedit/[a-z_0-9/]+\.h)"')


def is_allowed(target):
    ours = OURS.fullmatch(target)
    return STANDARD.fullmatch(target) or (ours and (INCLUDE_DIR / ours[1]).exists())


def check():
    for header in sorted(INCLUDE_DIR.rglob("*.h")):
        for target in INCLUDE.findall(header.read_text()):
            expect(is_allowed(target),
                   f"{header.name} includes {target}, only the standard library and public headers are allowed")
