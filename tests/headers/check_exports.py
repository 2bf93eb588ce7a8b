#!/usr/bin/env python3
"""Checks that a shared library exports only what is ours: check_exports.py NM LIBRARY."""

import re
import subprocess
import sys

OURS = re.compile(r"((vtable|typeinfo|typeinfo name) for )?pteedit::|pteedit_[a-z_]+$")


def main():
    nm, library = sys.argv[1:]
    lines = subprocess.run(
        [nm, "-D", "-C", "--defined-only", "-P", library], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    # "NAME TYPE VALUE SIZE"; names have spaces.
    names = [re.fullmatch(r"(.*) ([A-Za-z])( [0-9a-f]+)*\s*", line)[1] for line in lines]
    foreign = [name for name in names if not OURS.match(name)]
    for name in foreign:
        print(f"exported but not of namespace pteedit: {name}")
    print(f"{len(names)} exported symbols, {len(foreign)} foreign")
    return 1 if foreign or not names else 0


if __name__ == "__main__":
    sys.exit(main())
