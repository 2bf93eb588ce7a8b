"""What libpteedit_c.so shows, with versions, is the list in exports.txt, and what the header declares.

exports.txt grows; a line that changes or goes breaks programs that were linked before.
"""

import pathlib
import re
import subprocess

import door
from checks import expect, given

LIST = pathlib.Path(__file__).parent / "exports.txt"


def add_arguments(parser):
    parser.add_argument("nm")
    parser.add_argument("library")


def check():
    command = [given.nm, "-D", "--defined-only", "--with-symbol-versions", given.library]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    shown = sorted(line.split()[2] for line in lines if " A " not in line)
    listed = LIST.read_text(encoding="utf-8").splitlines()
    expect(shown == listed, f"exports.txt lacks {sorted(set(shown) - set(listed))}, has too much {sorted(set(listed) - set(shown))}")
    names = sorted(re.sub("@.*", "", name) for name in listed)
    expect(names == sorted(door.declarations()), "the header declares other functions than are shown",
           sorted(set(names) ^ set(door.declarations())))
