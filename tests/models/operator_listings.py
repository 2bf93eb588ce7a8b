#!/usr/bin/env python3
"""Writes tests/data/requirements: the operator listings that the exporter's own tool makes of the test programs.

Needs executorch (1.5.1) and torch. Of programs whose listings differ only in the program's name, the first is kept.
"""

import argparse
import contextlib
import io
import multiprocessing
import os
import pathlib


def write_listing(program, listing):
    from executorch.codegen.tools.gen_oplist import gen_oplist

    with contextlib.redirect_stdout(io.StringIO()):
        gen_oplist(listing, model_file_path=program)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "data")
    arguments = parser.parse_args()
    os.chdir(arguments.data)  # the listings name the programs by their paths
    folder = pathlib.Path("requirements")
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.yaml"):
        old.unlink()
    seen = set()
    for program in sorted(str(path) for path in pathlib.Path(".").rglob("*pte")):
        listing = folder / (program.replace("/", "-") + ".yaml")
        # In a process of its own: the tool's parser trusts its input.
        child = multiprocessing.Process(target=write_listing, args=(program, listing))
        child.start()
        child.join()
        if child.exitcode != 0:
            raise SystemExit("%s: the tool failed" % program)
        content = listing.read_text(encoding="utf-8").replace(program, "")
        if content in seen:
            listing.unlink()
        seen.add(content)
    print("%d listings of %d programs" % (len(list(folder.iterdir())), len(list(pathlib.Path(".").rglob("*pte")))))


if __name__ == "__main__":
    main()
