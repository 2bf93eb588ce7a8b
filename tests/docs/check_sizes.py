#!/usr/bin/env python3
"""Checks that README.md and the man pages are short enough to be read: at most 150 lines, of a man page three screens of 50.

Of a man page the lines count that `man` shows on a terminal of 80 columns, where several empty ones are one. Without groff and man
the exit code is 77, unless README.md is too long.
"""

import argparse
import itertools
import os
import pathlib
import shutil
import subprocess
import sys

MOST_LINES = 150
RENDERERS = [["groff", "-man", "-Tutf8"], ["man", "-l"]]


def lines_shown(renderer, page):
    environment = dict(os.environ, MANWIDTH="80", MANPAGER="cat", LC_ALL="C.UTF-8")
    done = subprocess.run(renderer + [page], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    lines = done.stdout.decode().strip("\n").splitlines()
    return sum(1 if empty else len(list(run)) for empty, run in itertools.groupby(lines, lambda line: not line.strip()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", required=True, type=pathlib.Path, help="the project")
    root = parser.parse_args().root.resolve()
    lengths = {"README.md": len((root / "README.md").read_text().splitlines())}
    renderer = next((command for command in RENDERERS if shutil.which(command[0])), None)
    pages = sorted(root.glob("tools/*/*.1"))
    if renderer:
        lengths.update({page.relative_to(root): lines_shown(renderer, page) for page in pages})
    for name, lines in lengths.items():
        print(f"{name}: {lines} lines" + (f", at most {MOST_LINES} allowed" if lines > MOST_LINES else ""))
    if max(lengths.values()) > MOST_LINES or not pages:
        return 1
    return 0 if renderer else 77


if __name__ == "__main__":
    sys.exit(main())
