"""What the tests share: the test data and the tools of the package under test."""

import json
import os
import pathlib
import re
import subprocess

import pteedit
from pteedit.ptetools import SizeDistribution

PROJECT = pathlib.Path(__file__).resolve().parents[2]
DATA = PROJECT / "tests" / "data"


def run_tool(name, *arguments):
    """Runs what the package's console script of this name becomes."""
    tool = os.path.join(os.path.dirname(pteedit.__file__), "bin", name)
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, timeout=60)


def inspect(path, *options):
    """What `pteinspect --json` says of one file."""
    return json.loads(run_tool("pteinspect", "--json", *options, path).stdout)[0]


def as_json_shows(text):
    """JSON has U+FFFD for each control byte and each byte that is no UTF-8."""
    return re.sub("[\x80-\x9f]", "\ufffd\ufffd", re.sub("[\x00-\x1f\x7f\udc80-\udcff]", "\ufffd", text))


def from_json(node):
    """A size tree of `pteinspect --json` as a SizeDistribution."""
    return SizeDistribution(
        node["name"],
        node["size"],
        [from_json(component) for component in node["components"]],
        node.get("aliases", []),
        node.get("note", ""),
    )


def to_json_names(tree):
    """A copy of a SizeDistribution with the names that JSON would show."""
    return SizeDistribution(
        as_json_shows(tree.name),
        tree.size,
        [to_json_names(component) for component in tree.components],
        [as_json_shows(alias) for alias in tree.aliases],
        as_json_shows(tree.note),
    )
