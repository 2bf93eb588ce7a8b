#!/usr/bin/env python3
"""How much of the library the corpus reaches: coverage.py BUILD [--least PERCENT] [--lines FOLDER].

BUILD is configured so, with gcc, and its replay_* are built:

  cmake -S . -B BUILD -G Ninja -D CMAKE_BUILD_TYPE=Debug -D PTEEDIT_TESTS=ON -D CMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic"

Replays the corpus and prints lines, those that ran, and their share for each folder of libpteedit/src. Exits with 1 where the share of all
is below PERCENT. With --lines prints each line of a folder that did not run.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "libpteedit/src"


def replay(build):
    for data in build.rglob("*.gcda"):
        data.unlink()
    for program in sorted((build / "fuzz").glob("replay_*")):
        corpus = ROOT / "fuzz/corpus" / program.name.removeprefix("replay_")
        subprocess.run([program, corpus], check=True, stdout=subprocess.DEVNULL)


def lines_of(build):
    """{file: {line: how often it ran}}, of the library alone."""
    lines = collections.defaultdict(collections.Counter)
    notes = [path for path in (build / "libpteedit").rglob("*.gcno")]
    if not notes:
        sys.exit(f"coverage.py: {build} was not built with --coverage")
    for note in notes:
        answer = subprocess.run(["gcov", "--json-format", "--stdout", note], check=True, capture_output=True, cwd=build)
        for document in answer.stdout.splitlines():
            for file in json.loads(document)["files"]:
                path = (build / file["file"]).resolve()
                if path.is_relative_to(SOURCES):
                    for line in file["lines"]:
                        lines[path][line["line_number"]] += line["count"]
    return lines


def print_table(lines):
    """Returns the share of all."""
    folders = collections.defaultdict(lambda: [0, 0])
    for path, counts in lines.items():
        for folder in (path.relative_to(SOURCES).parts[0], "all"):
            folders[folder][0] += len(counts)
            folders[folder][1] += sum(count > 0 for count in counts.values())
    print(f"{'folder':<12} {'lines':>7} {'ran':>7}")
    for folder, (there, ran) in sorted(folders.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"{folder:<12} {there:>7} {ran:>7} {100 * ran / there:5.1f} %")
    there, ran = folders["all"]
    return 100 * ran / there


def print_missed(lines, folder):
    for path, counts in sorted(lines.items()):
        if path.relative_to(SOURCES).parts[0] != folder:
            continue
        text = path.read_text().splitlines()
        for number in sorted(number for number, count in counts.items() if count == 0):
            print(f"{path.relative_to(ROOT)}:{number}: {text[number - 1].strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--lines", metavar="FOLDER")
    arguments = parser.parse_args()
    replay(arguments.build)
    lines = lines_of(arguments.build)
    share = print_table(lines)
    if arguments.lines:
        print_missed(lines, arguments.lines)
    sys.exit(share < arguments.least)


if __name__ == "__main__":
    main()
