"""The folders of libpteedit/src are rooms: each includes only what lies in those before it, and of its own. A public header belongs
to the room of the .cc of its name, or to the one named here. Few files of io call the system. No two headers define a type of one name in one namespace, which no linker
tells. Of the tools, what all share (tools/*) knows nothing of what only those that
print tables do (tools/text): a linker takes their archives in that order.

With --graph prints which room includes which, for dot.
"""

import pathlib
import re

from checks import ROOT, expect, expect_none, given

LIBRARY = ROOT / "libpteedit"
ROOMS = "base io formats program edit delegates needs inspect diff assembly verify split strip merge copy advise record profile package".split()
SIBLINGS = {"split", "strip", "merge"}  # none of which knows another
PUBLIC = {
    "binding": "program", "bytes": "base", "export": "base", "extents": "base", "finding": "base", "packed_numbers": "base", "result": "base", "rare": "base", "shared_text": "base",
    "try": "base", "version": "base",
    "delegate_metadata": "delegates", "delegates": "delegates", "operator_work": "delegates", "rewrite_report": "edit",
    "match": "diff", "tensor_values": "record",
}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
CALLS_SYSTEM = re.compile(r'^#include (?:<(?:unistd|fcntl|io|windows|(?:sys|linux)/[a-z]+)\.h>|"io/system_calls\.h")', re.MULTILINE)
MAY_CALL_SYSTEM = re.compile(r"io/(posix_\w+|temporary_\w+|new_folder|windows_calls)\.cc|io/(system|windows)_calls\.h")
DEFINED = re.compile(r"^(?:namespace ([a-z_:]+) \{|(?:struct|class|enum class) (?:PTEEDIT_API )?(\w+)\b(?!::)[^;]*$)", re.MULTILINE)
GENERATED = re.compile(r"_generated\.h$|^flatbuffers/")


def add_arguments(parser):
    parser.add_argument("--graph", action="store_true")


def rooms_of_public_headers():
    """Each with its room; those without one are problems."""
    sources = {path.stem: path.parent.name for path in (LIBRARY / "src").glob("*/*.cc")}
    rooms, problems = {}, []
    for path in sorted((LIBRARY / "include/pteedit").rglob("*.h")):
        room = PUBLIC.get(path.stem, sources.get(path.stem))
        rooms[path.stem] = room
        if room is None:
            problems.append(f"{path.name} belongs to no room: name one in {pathlib.Path(__file__).name}")
        elif path.stem in PUBLIC and sources.get(path.stem) == room:
            problems.append(f"{path.name} need not be named, {room}/{path.stem}.cc tells")
    problems += [f"there is no {name}.h" for name in PUBLIC if name not in rooms]
    return rooms, problems


def includes(public):
    """(room, file, room of what it includes, what it includes), and problems."""
    found, problems = [], []
    for path in sorted((LIBRARY / "src").rglob("*.*")):
        if path.suffix not in (".cc", ".h"):
            continue
        room = path.parent.name
        name = path.relative_to(LIBRARY / "src")
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


def check_system_calls():
    calling = [path.relative_to(LIBRARY / "src").as_posix() for path in sorted((LIBRARY / "src").rglob("*.*"))
               if path.suffix in (".cc", ".h") and CALLS_SYSTEM.search(path.read_text())]
    expect(calling, "nothing calls the system")
    expect_none([f"{name} calls the system" for name in calling if not MAY_CALL_SYSTEM.fullmatch(name)])


def check_types():
    homes = {}
    for path in sorted(LIBRARY.rglob("*.h")):
        inside = []
        for namespace, name in DEFINED.findall(path.read_text()):
            if namespace:
                inside.append(namespace)
                continue
            one = "::".join([*inside, name])
            expect(one not in homes, f"{path.name} and {homes.get(one)} both define {one}")
            homes[one] = path.name
    expect(len(homes) > 100, f"found only {len(homes)} types")


def check_tools():
    shared = [path for path in (ROOT / "tools").glob("*.*") if path.suffix in (".cc", ".h")]
    expect(shared, "no file is shared by the tools")
    for path in shared:
        up = [include for include in INCLUDE.findall(path.read_text()) if include.startswith("text/")]
        expect(not up, f"tools/{path.name} includes {', '.join(up)}: text/ comes after what all tools share")


def print_graph(found):
    edges = sorted({(room, other) for room, _, other, _ in found if room != other})
    print("digraph rooms {\n" + "".join(f"  {room} -> {other};\n" for room, other in edges) + "}")


def check():
    public, problems = rooms_of_public_headers()
    found, more = includes(public)
    expect_none(problems + more)
    for room, name, other, include in found:
        expect(ROOMS.index(other) <= ROOMS.index(room), f"{name} includes {include}: {room} comes before {other}")
        is_sibling = room != other and {room, other} <= SIBLINGS
        expect(not is_sibling, f"{name} includes {include}: {room} does not know {other}")
    expect(found, "no file includes another")
    check_system_calls()
    check_types()
    check_tools()
    if given.graph:
        print_graph(found)
