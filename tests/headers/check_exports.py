"""Checks that a shared library exports only what is ours."""

import re
import subprocess

from checks import expect, expect_none, given

OURS = re.compile(r"((vtable|typeinfo|typeinfo name) for )?pteedit::|pteedit_[a-z_]+$")


def add_arguments(parser):
    parser.add_argument("nm")
    parser.add_argument("library")


def check():
    command = [given.nm, "-D", "-C", "--defined-only", "-P", given.library]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    # "NAME TYPE VALUE SIZE"; names have spaces.
    names = [re.fullmatch(r"(.*) ([A-Za-z])( [0-9a-f]+)*\s*", line)[1] for line in lines]
    expect(names, "nothing is exported")
    expect_none(f"exported but not of namespace pteedit: {name}" for name in names if not OURS.match(name))
