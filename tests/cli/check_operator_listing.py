#!/usr/bin/env python3
"""Checks that pteinspect --requirements --yaml prints what the exporter's own tool writes, byte for byte.

Its listings are in tests/data/requirements, see tests/models/operator_listings.py; a program without one of its own has
the listing of another, but for the program's name in it.
"""

import argparse
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the built pteinspect")
    parser.add_argument("--data", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    tool = pathlib.Path(arguments.tool).resolve()
    listings = {}
    for path in (arguments.data / "requirements").glob("*.yaml"):
        listings[path.stem.replace("-", "/", 1)] = path.read_bytes()
    nameless = {listing.replace(program.encode(), b"") for program, listing in listings.items()}
    programs = sorted(path.relative_to(arguments.data).as_posix() for path in arguments.data.rglob("*pte"))
    wrong = 0
    for program in programs:
        done = subprocess.run([tool, "--requirements", "--yaml", program], cwd=arguments.data, capture_output=True)
        same = (done.stdout == listings[program] if program in listings
                else done.stdout.replace(program.encode(), b"") in nameless)
        if done.returncode != 0 or not same:
            print("%s: exit code %d, or another listing than expected" % (program, done.returncode))
            wrong += 1
    missing = set(listings) - set(programs)
    print("%d programs, %d listings, %d wrong" % (len(programs), len(listings), wrong))
    return 1 if wrong or missing or not listings else 0


if __name__ == "__main__":
    sys.exit(main())
