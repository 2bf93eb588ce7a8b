#!/usr/bin/env python3
"""Checks that pteinspect --compressed says of each component what the command zstd makes of its bytes.

Exits with 77, "skipped", where there is no command zstd.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

FILES = ["f01_add.pte", "f06/portable.pte", "f11_bundled_xnn.bpte", "f06/shared.ptd", "f16/break_inline.pte",
         "old/0.1_inline.pte"]
LEVELS = [1, 3, 19]  # the last one takes seconds a megabyte


def run(command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def zstd_size(path, level):
    return len(run(["zstd", "-q", "-c", "--single-thread", "-%d" % level, str(path)]))


def nodes_of(node, names=()):
    yield names, node
    for component in node["components"]:
        yield from nodes_of(component, names + (component["name"],))


def extracted(tool, path, named_node, piece):
    """A file with the component's bytes; None where it has none, or has them in several pieces."""
    names, node = named_node
    if not names:
        return path
    done = subprocess.run([tool, "-f", "--extract", "/".join(names), "-o", str(piece), str(path)], capture_output=True)
    is_whole = done.returncode == 0 and node["size"] != 0 and piece.stat().st_size == node["size"]
    return piece if is_whole else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True, help="the built pteinspect")
    parser.add_argument("--data", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    if shutil.which("zstd") is None:
        print("skipped: there is no command zstd")
        return 77
    compared, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        big = pathlib.Path(folder) / "big.pte"  # more than one block and one read
        big.write_bytes((arguments.data / "f06/mixed.pte").read_bytes() + b"".join(
            b"%d, " % (i * i) for i in range(400000)))
        for path in [arguments.data / name for name in FILES] + [big]:
            levels = LEVELS[:-1] if path == big else LEVELS
            trees = [json.loads(run([arguments.tool, "--json", "--compressed=%d" % level, str(path)]))[0]["sizes"]
                     for level in levels]
            for nodes in zip(*(nodes_of(tree) for tree in trees)):
                piece = extracted(arguments.tool, path, nodes[0], pathlib.Path(folder) / "piece")
                if piece is None:
                    continue
                for level, (names, node) in zip(levels, nodes):
                    expected = zstd_size(piece, level)
                    compared += 1
                    if node["compressed_bytes"] != expected:
                        print("%s: level %d: %s: %d bytes, zstd makes %d" %
                              (path, level, "/".join(names), node["compressed_bytes"], expected))
                        wrong += 1
    print("%d components compared, %d wrong" % (compared, wrong))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
