#!/usr/bin/env python3
"""The folders of libpteedit/src are rooms: each includes only what lies in those before it, and of its own. A public header belongs
to the room of the .cc of its name, or to the one named here.

check_rooms.py LIBRARY [--graph]; with --graph prints which room includes which, for dot.
"""

import argparse
import pathlib
import re
import sys

ROOMS = "base io formats program edit delegates inspect verify split strip merge advise record profile".split()
SIBLINGS = {"split", "strip", "merge"}  # none of which knows another
PUBLIC = {
    "bytes": "base", "export": "base", "finding": "base", "result": "base", "try": "base", "version": "base",
    "delegate_metadata": "delegates", "delegates": "inspect", "rewrite_report": "edit",
    "tensor_values": "record",
}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
GENERATED = re.compile(r"_generated\.h$|^flatbuffers/")


def rooms_of_public_headers(library):
    """Each with its room; those without one are problems."""
    sources = {path.stem: path.parent.name for path in (library / "src").glob("*/*.cc")}
    rooms, problems = {}, []
    for path in sorted((library / "include/pteedit").rglob("*.h")):
        room = PUBLIC.get(path.stem, sources.get(path.stem))
        rooms[path.stem] = room
        if room is None:
            problems.append(f"{path.name} belongs to no room: name one in {pathlib.Path(__file__).name}")
        elif path.stem in PUBLIC and sources.get(path.stem) == room:
            problems.append(f"{path.name} need not be named, {room}/{path.stem}.cc tells")
    problems += [f"there is no {name}.h" for name in PUBLIC if name not in rooms]
    return rooms, problems


def includes(library, public):
    """(room, file, room of what it includes, what it includes), and problems."""
    found, problems = [], []
    for path in sorted((library / "src").rglob("*.*")):
        if path.suffix not in (".cc", ".h"):
            continue
        room = path.parent.name
        name = path.relative_to(library / "src")
        if len(name.parts) != 2 or room not in ROOMS:
            problems.append(f"{name} is in no room")
            continue
        for include in INCLUDE.findall(path.read_text()):
            if GENERATED.search(include):
                continue
            if include.startswith("pteedit/"):
                other = public.get(pathlib.PurePath(include).stem)
            else:
                other = include.split("/")[0] if "/" in include else None
            if other not in ROOMS:
                problems.append(f"{name} includes {include}, which is in no room")
            else:
                found.append((room, str(name), other, include))
    return found, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--graph", action="store_true")
    arguments = parser.parse_args()
    public, problems = rooms_of_public_headers(arguments.library)
    found, more = includes(arguments.library, public)
    problems += more
    for room, name, other, include in found:
        if ROOMS.index(other) > ROOMS.index(room):
            problems.append(f"{name} includes {include}: {room} comes before {other}")
        elif room != other and {room, other} <= SIBLINGS:
            problems.append(f"{name} includes {include}: {room} does not know {other}")
    if arguments.graph:
        edges = sorted({(room, other) for room, _, other, _ in found if room != other})
        print("digraph rooms {\n" + "".join(f"  {room} -> {other};\n" for room, other in edges) + "}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
