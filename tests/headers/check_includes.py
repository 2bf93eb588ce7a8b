#!/usr/bin/env python3
"""Checks that public headers include only the standard library and each other: check_includes.py INCLUDE_DIR."""

import pathlib
import re
import sys

INCLUDE = re.compile(r"^\s*#\s*include\s*(\S+)", re.MULTILINE)
STANDARD = re.compile(r"<[a-z_]+>|<std[a-z]+\.h>")  # the second form for the C door
OURS = re.compile(r'"(pteedit/[a-z_0-9/]+\.h)"')


def main():
    include_dir = pathlib.Path(sys.argv[1])
    headers = sorted(include_dir.rglob("*.h"))
    wrong = 0
    for header in headers:
        for target in INCLUDE.findall(header.read_text()):
            ours = OURS.fullmatch(target)
            if STANDARD.fullmatch(target) or (ours and (include_dir / ours[1]).exists()):
                continue
            print(f"{header.name} includes {target}, only the standard library and public headers are allowed")
            wrong += 1
    print(f"{len(headers)} headers, {wrong} wrong includes")
    return 1 if wrong or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
