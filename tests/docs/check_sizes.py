"""Checks that README.md and the man pages are short enough to be read: at most 150 lines, of a man page three screens of 50.

Of a man page the lines count that `man` shows on a terminal of 80 columns, where several empty ones are one. That needs groff or man.
"""

import itertools
import os
import shutil
import subprocess
import unittest

from checks import ROOT, expect

MOST_LINES = 150
RENDERERS = [["groff", "-man", "-Tutf8"], ["man", "-l"]]


def lines_shown(renderer, page):
    environment = dict(os.environ, MANWIDTH="80", MANPAGER="cat", LC_ALL="C.UTF-8")
    done = subprocess.run(renderer + [page], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    lines = done.stdout.decode().strip("\n").splitlines()
    return sum(1 if empty else len(list(run)) for empty, run in itertools.groupby(lines, lambda line: not line.strip()))


def expect_short(name, lines):
    expect(lines <= MOST_LINES, f"{name}: {lines} lines, at most {MOST_LINES} allowed")


def check():
    expect_short("README.md", len((ROOT / "README.md").read_text().splitlines()))
    renderer = next((command for command in RENDERERS if shutil.which(command[0])), None)
    if renderer is None:
        raise unittest.SkipTest("there is neither groff nor man")
    pages = sorted(ROOT.glob("tools/*/*.1"))
    expect(pages, "there is no man page")
    for page in pages:
        expect_short(page.relative_to(ROOT), lines_shown(renderer, page))
