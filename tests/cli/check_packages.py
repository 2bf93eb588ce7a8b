"""Merges the packages of the test data (.ptn) in every pair and holds the result against them, read without our code: the graphs by flatc
with the exporter's own schema, where PTEEDIT_EXECUTORCH_DIR has it (else by ours), the tensors by a few lines of Python.
"""

import itertools
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import zipfile

from checks import DATA, ROOT, expect, run

KEYS = ("data_key", "scale_data_key", "zero_point_data_key", "fqn")


def schema():
    package = os.environ.get("PTEEDIT_EXECUTORCH_DIR")
    theirs = package and pathlib.Path(package) / "backends/native/serialization/native_graph.fbs"
    return theirs if theirs and theirs.exists() else ROOT / "schema/native.fbs"


def program(package, folder):
    graph = folder / "program.ptg"
    with zipfile.ZipFile(package) as archive:
        expect(archive.testzip() is None, f"{package}: a checksum is wrong")
        graph.write_bytes(archive.read("program.ptg"))
    subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary", "--defaults-json", "-o", folder, schema(), "--", graph], check=True)
    return json.loads((folder / "program.json").read_text(encoding="utf-8"))


def tensors(package):
    """By key: type, sizes, bytes."""
    with zipfile.ZipFile(package) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    stored = members.get("program.safetensors")
    if stored is None:
        return {}
    begin = 8 + struct.unpack("<Q", stored[:8])[0]
    rows = json.loads(stored[8:begin])
    found = {key: (row["dtype"], row["shape"], stored[begin + row["data_offsets"][0]:begin + row["data_offsets"][1]])
             for key, row in rows.items() if key != "__metadata__"}
    return {**found, **{key: found[owner] for key, owner in json.loads(members.get("aliases.json", b"{}")).items()}}


def rename(value, prefix):
    """Puts the prefix before every key that is in a graph."""
    for name, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        is_state = name == "target" and value.get("kind") == "BUFFER_MUTATION"
        if (name in KEYS and item) or is_state:
            value[name] = prefix + item
        else:
            rename(item, prefix)
    return value


def renamed_methods(package, prefix, folder):
    methods = rename(program(package, folder)["methods"], prefix)
    return [{**method, "name": prefix + method["name"]} for method in methods]


def check():
    if shutil.which("flatc") is None:
        raise unittest.SkipTest("there is no flatc")
    packages = sorted((DATA / "native").glob("*.ptn"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, (one, other) in enumerate(itertools.product(packages, packages)):
            done = run("ptemerge", f"a={one}", f"b={other}", "-o", folder / str(number), "--quiet", text=True)
            expect(done.returncode == 0, done.stderr)
            merged = folder / str(number) / "shared.ptn"
            wanted = renamed_methods(one, "a.", folder) + renamed_methods(other, "b.", folder)
            expect(program(merged, folder)["methods"] == wanted, f"{one.name} and {other.name}: the graphs say something else")
            wanted = {f"{prefix}.{key}": tensor for prefix, file in (("a", one), ("b", other)) for key, tensor in tensors(file).items()}
            expect(tensors(merged) == wanted, f"{one.name} and {other.name}: tensors are others")
