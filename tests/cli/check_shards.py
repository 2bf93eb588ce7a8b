"""Cuts data files with --max-size, of a merge and of a split, and looks at the shards: none is larger, the index says which
has a key and fits docs/schemas/index.schema.json, and the programs mean with them what they meant.

Without jsonschema only the schema is left unchecked.
"""

import json
import pathlib
import tempfile

from checks import DATA, can_validate, expect, expect_none, output_of, schema_problems

FAMILY = [DATA / f"f08/b_xnn_{name}.pte" for name in ("base", "v0", "v1")]
MOST = 20000


def keys_of(file):
    [report] = json.loads(output_of("pteinspect", "--named-data", "--json", file))
    return [key["key"] for key in report["named_data"]]


def check_index(index, report):
    shards = {pathlib.Path(file["file"]).name: file for file in report["outputs"] if file["role"] == "shared"}
    expect(len(shards) > 1, index.name, "is of one file")
    content = json.loads(index.read_text())
    if can_validate():
        expect_none(schema_problems("index", content), index.name)
    expect([shard["file"] for shard in content["shards"]] == list(shards), index.name, "has other shards")
    for shard in content["shards"]:
        size = (index.parent / shard["file"]).stat().st_size
        expect(size == shard["bytes"] == shards[shard["file"]]["bytes"], shard["file"], "has another size")
        expect(size <= MOST, shard["file"], "is too large")
    found = {key: name for name in shards for key in keys_of(index.parent / name)}
    expect(found == content["keys"], index.name, "has other keys")


def check_same(original, program, data):
    words = [word for file in data for word in ("--data", file)]
    expect(output_of("pteinspect", "--same", original, program, *words, text=True) == "same\n", program, "means something else")


def check_shards(*binding):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report = json.loads(output_of("ptemerge", *FAMILY, "-o", folder / "out", "--max-size", str(MOST), "--json", *binding))
        check_index(folder / "out/shared.index.json", report)
        programs = [file for file in report["outputs"] if file["role"] == "program"]
        for original, program in zip(FAMILY, programs):
            check_same(original, program["file"], program["data"])
        words = [FAMILY[0], "-o", folder / "small.pte", "-d", folder / "weights.ptd", "--max-size", str(MOST), "--json", *binding]
        report = json.loads(output_of("ptesplit", *words))
        check_index(folder / "weights.index.json", report)
        check_same(FAMILY[0], report["outputs"][0]["file"], report["outputs"][0]["data"])


def check():
    check_shards()
    check_shards("--bind")
