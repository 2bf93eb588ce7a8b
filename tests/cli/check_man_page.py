"""Checks that a tool's man page and its --help list the same options."""

import re

from checks import ROOT, expect, expect_none, given, output_of

OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")


def add_arguments(parser):
    parser.add_argument("tool")


def options_of_help(*command):
    """Those of a tool, or of one of its commands."""
    heads = re.findall(r"^  (-\S+)", output_of(*command, "--help", text=True).split("Options:")[1], re.MULTILINE)
    return {option for head in heads for option in OPTION.findall(head)}


def commands_of(tool):
    text = output_of(tool, "--help", text=True).partition("\nCommands:\n")[2]
    return re.findall(r"^  (\w+) ", text, re.MULTILINE)


def options_of_man_page(path):
    text = re.sub(r"\\f[BIRP]", "", path.read_text(encoding="utf-8").replace("\\-", "-"))
    section = text.split(".SH OPTIONS")[1].split(".SH ")[0]
    heads = re.findall(r"^\.TP\n(.*)$", section, re.MULTILINE)
    return {option for head in heads for option in OPTION.findall(head)}


def check():
    in_help = options_of_help(given.tool).union(*(options_of_help(given.tool, name) for name in commands_of(given.tool)))
    in_man_page = options_of_man_page(ROOT / f"tools/{given.tool}/{given.tool}.1")
    expect(in_help, "--help lists no option")
    expect_none(f"{option} is only in the {'--help' if option in in_help else 'man page'}"
                for option in sorted(in_help ^ in_man_page))
