"""Checks that pteinspect --compressed says of each component what the command zstd makes of its bytes."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from checks import DATA, expect, output_of, run

FILES = ["f01_add.pte", "f06/portable.pte", "f11_bundled_xnn.bpte", "f06/shared.ptd", "f16/break_inline.pte",
         "old/0.1_inline.pte"]
LEVELS = [1, 3, 19]  # the last one takes seconds a megabyte


def zstd_size(path, level):
    command = ["zstd", "-q", "-c", "--single-thread", f"-{level}", path]
    return len(subprocess.run(command, capture_output=True, check=True).stdout)


def nodes_of(node, names=()):
    yield names, node
    for component in node["components"]:
        yield from nodes_of(component, names + (component["name"],))


def extracted(path, named_node, piece):
    """A file with the component's bytes; None where it has none, or has them in several pieces."""
    names, node = named_node
    if not names:
        return path
    done = run("pteinspect", "-f", "--extract", "/".join(names), "-o", piece, path)
    is_whole = done.returncode == 0 and node["size"] != 0 and piece.stat().st_size == node["size"]
    return piece if is_whole else None


def check_file(path, levels, folder):
    trees = [json.loads(output_of("pteinspect", "--json", f"--compressed={level}", path))[0]["sizes"] for level in levels]
    for nodes in zip(*(nodes_of(tree) for tree in trees)):
        piece = extracted(path, nodes[0], folder / "piece")
        if piece is None:
            continue
        for level, (names, node) in zip(levels, nodes):
            wanted, found = zstd_size(piece, level), node["compressed_bytes"]
            expect(found == wanted, f"{path}: level {level}: {'/'.join(names)}: {found} bytes, zstd makes {wanted}")


def check():
    if shutil.which("zstd") is None:
        raise unittest.SkipTest("there is no command zstd")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        big = folder / "big.pte"  # more than one block and one read
        big.write_bytes((DATA / "f06/mixed.pte").read_bytes() + b"".join(b"%d, " % (i * i) for i in range(400000)))
        for path in FILES:
            check_file(DATA / path, LEVELS, folder)
        check_file(big, LEVELS[:-1], folder)
