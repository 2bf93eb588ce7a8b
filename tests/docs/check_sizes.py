"""Checks that what is read first is short: README.md and the pages of the first table of docs/README.md, of what somebody wants to do, have
at most 100 lines, a man page at most three screens of 50.

Of a man page the lines count that `man` shows on a terminal of 80 columns, where several empty ones are one. That needs groff or man.
"""

import itertools
import os
import re
import shutil
import subprocess
import unittest

from checks import ROOT, expect

MOST_LINES = 100
MOST_LINES_SHOWN = 150
RENDERERS = [["groff", "-man", "-Tutf8"], ["man", "-l"]]


def lines_shown(renderer, page):
    environment = dict(os.environ, MANWIDTH="80", MANPAGER="cat", LC_ALL="C.UTF-8")
    done = subprocess.run(renderer + [page], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    lines = done.stdout.decode().strip("\n").splitlines()
    return sum(1 if empty else len(list(run)) for empty, run in itertools.groupby(lines, lambda line: not line.strip()))


def expect_short(name, lines, most):
    expect(lines <= most, f"{name}: {lines} lines, at most {most} allowed")


def task_pages():
    [_, tasks, *_] = (ROOT / "docs/README.md").read_text().split("\n## ")
    return [f"docs/{name}" for name in re.findall(r"\]\(([a-z]+\.md)\)", tasks)]


def check():
    pages = task_pages()
    expect(pages, "docs/README.md names no page")
    for name in ["README.md", *pages]:
        expect_short(name, len((ROOT / name).read_text().splitlines()), MOST_LINES)
    renderer = next((command for command in RENDERERS if shutil.which(command[0])), None)
    if renderer is None:
        raise unittest.SkipTest("there is neither groff nor man")
    pages = sorted(ROOT.glob("tools/*/*.1"))
    expect(pages, "there is no man page")
    for page in pages:
        expect_short(page.relative_to(ROOT), lines_shown(renderer, page), MOST_LINES_SHOWN)
