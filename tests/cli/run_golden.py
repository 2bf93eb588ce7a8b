#!/usr/bin/env python3
"""Runs the commands of golden files and compares what they print with what the files say.

A golden file is a shell session: after each line "$ COMMAND" follow the lines that the command writes to standard
output, those that it writes to standard error with "2> " before them, and "[exit N]" where N is not 0. Commands run in
an empty folder in which `data` is tests/data, with the built tools on the PATH.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run_command(command, folder, tools):
    environment = dict(os.environ, PATH=tools + os.pathsep + os.environ["PATH"], LC_ALL="C")
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=60)
    lines = ["$ " + command]
    lines += done.stdout.decode(errors="backslashreplace").splitlines()
    lines += ["2> " + line for line in done.stderr.decode(errors="backslashreplace").splitlines()]
    if done.returncode != 0:
        lines.append("[exit %d]" % done.returncode)
    # The version changes with every release, the rest should not.
    return [re.sub(r"\(pteedit\) \d+\.\d+\.\d+", "(pteedit) VERSION", line) for line in lines]


def run_session(golden, data, tools):
    commands = [line[2:] for line in golden.splitlines() if line.startswith("$ ")]
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(data, os.path.join(folder, "data"))
        return "".join(line + "\n" for command in commands for line in run_command(command, folder, tools))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, help="folder of the built tools")
    parser.add_argument("--data", required=True, help="tests/data")
    parser.add_argument("--update", action="store_true", help="write what the commands print into the golden files")
    parser.add_argument("golden", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    is_same = True
    for path in arguments.golden:
        expected = path.read_text(encoding="utf-8")
        found = run_session(expected, os.path.abspath(arguments.data), os.path.abspath(arguments.tools))
        if found == expected:
            continue
        if arguments.update:
            path.write_text(found, encoding="utf-8")
            continue
        is_same = False
        sys.stdout.writelines(
            difflib.unified_diff(expected.splitlines(True), found.splitlines(True), str(path), "found"))
    if not is_same:
        print("If this is what it should be, run again with --update.")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
