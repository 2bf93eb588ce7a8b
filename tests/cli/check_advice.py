#!/usr/bin/env python3
"""Runs every command that pteinspect --advise gives for the test files: each must save the bytes it promises, exactly.

Programs are looked at alone, with bytes behind their end, and together with data files: those that the manifest says
they need, and those that hold the same weights as they.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


SAME_WEIGHTS = [("f06/portable.pte", "f06/shared.ptd"), ("f06/xnn.pte", "f06/xnn_shared.ptd")]


def size_of(folder, names):
    return sum(os.path.getsize(os.path.join(folder, name)) for name in names)


def advice_for(tool, files):
    program, data = files[0], files[1:]
    command = [tool, "--json", "--advise", program] + [word for name in data for word in ("--data", name)]
    done = subprocess.run(command, capture_output=True)
    if done.returncode != 0:
        raise SystemExit("%s: exit code %d: %s" % (program, done.returncode, done.stderr.decode()))
    return json.loads(done.stdout)[0]["advise"]


def longer(path, folder):
    """A copy with bytes behind its end, which --padding removes."""
    copy = os.path.join(folder, path.replace(os.sep, "-"))
    pathlib.Path(copy).write_bytes(pathlib.Path(path).read_bytes() + bytes(1000))
    return copy


def what_is_wrong(tools, files, advice):
    tool, arguments = advice["command"][0], advice["command"][1:]
    with tempfile.TemporaryDirectory() as folder:
        arguments = [os.path.join(folder, word) if word.startswith("OUT.") else word for word in arguments]
        done = subprocess.run([os.path.join(tools, tool)] + arguments, capture_output=True)
        if done.returncode != 0:
            return "exit code %d: %s" % (done.returncode, done.stderr.decode())
        saved = os.path.getsize(files[0]) - size_of(folder, os.listdir(folder))
        return "" if saved == advice["saved_bytes"] else "saves %d bytes" % saved


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, help="folder of the built tools")
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*", help="other files than those of the data folder")
    arguments = parser.parse_args()
    pteinspect = os.path.join(arguments.tools, "pteinspect")
    sets = [[name] for name in arguments.files]
    scratch = tempfile.TemporaryDirectory()
    if not sets:
        sets = [[str(path)] for path in sorted(arguments.data.rglob("*"))
                if path.suffix in (".pte", ".ptd", ".bpte")]
        for entry in json.loads((arguments.data / "manifest.json").read_text(encoding="utf-8"))["entries"]:
            if entry["data"]:
                sets.append([str(arguments.data / name) for name in [entry["pte"]] + entry["data"]])
        sets += [[longer(path[0], scratch.name)] for path in sets if path[0].endswith(".pte") and len(path) == 1]
        for program, data in SAME_WEIGHTS:
            sets.append([str(arguments.data / program), str(arguments.data / data)])
    commands, wrong = 0, 0
    for files in sets:
        advices = advice_for(pteinspect, files)
        saved = [advice["saved_bytes"] or 0 for advice in advices]
        problems = [] if saved == sorted(saved, reverse=True) else ["not sorted"]
        for advice in advices:
            if advice["command"] is None:
                continue
            commands += 1
            problem = what_is_wrong(arguments.tools, files, advice)
            if problem:
                problems.append("%s promises %s bytes: %s" % (advice["id"], advice["saved_bytes"], problem))
        for problem in problems:
            print("%s: %s" % (files[0], problem))
        wrong += len(problems)
    print("%d sets of files, %d commands, %d wrong" % (len(sets), commands, wrong))
    return 1 if wrong or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
