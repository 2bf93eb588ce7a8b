#!/usr/bin/env python3
"""Checks that a tool's man page and its --help list the same options."""

import argparse
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")


def options_of_help(tool):
    text = subprocess.run([tool, "--help"], capture_output=True, check=True, text=True).stdout
    heads = re.findall(r"^  (-\S+)", text.split("Options:")[1], re.MULTILINE)
    return {option for head in heads for option in OPTION.findall(head)}


def options_of_man_page(path):
    text = re.sub(r"\\f[BIRP]", "", path.read_text(encoding="utf-8").replace("\\-", "-"))
    section = text.split(".SH OPTIONS")[1].split(".SH ")[0]
    heads = re.findall(r"^\.TP\n(.*)$", section, re.MULTILINE)
    return {option for head in heads for option in OPTION.findall(head)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--man-page", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    in_help, in_man_page = options_of_help(arguments.tool), options_of_man_page(arguments.man_page)
    for option in sorted(in_help ^ in_man_page):
        print("%s is only in the %s" % (option, "--help" if option in in_help else "man page"))
    return 0 if in_help == in_man_page and in_help else 1


if __name__ == "__main__":
    sys.exit(main())
