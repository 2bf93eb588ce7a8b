"""Assembles what --assembly prints of every program and data file of the tests: it is the file, byte for byte. So it is of files that
are cut, and of those with a byte that is another."""

import pathlib
import random
import tempfile

import assemble
from checks import DATA, expect, model_files, output_of, run

DAMAGED = 150
SEED = 18


def round_trip(path, folder, what):
    text = pathlib.Path(folder) / "text"
    text.write_bytes(output_of("pteinspect", "--assembly", path))
    try:
        made = assemble.assemble(text)
    except assemble.Mistake as mistake:
        expect(False, what, mistake)
        return
    expect(made == path.read_bytes(), what, "the assembled file is another")


def check_damaged(folder):
    """Small files, of each kind and of old releases."""
    rolls = random.Random(SEED)
    names = ["f02_linear.pte", "f03_mlp_xnn.pte", "f04/w.ptd", "f13/lists.pte", "old/0.1_inline.pte", "f11_bundled_portable.bpte"]
    for i in range(DAMAGED):
        name = names[i % len(names)]
        content = bytearray((DATA / name).read_bytes())
        tables = min(len(content), 4096)
        if i % 5 == 0:
            del content[rolls.randrange(12, len(content)) :]
        else:
            at = rolls.choice([rolls.randrange(8, tables), rolls.randrange(8, len(content))])
            content[at] = rolls.choice([0, 1, 255, 128, rolls.randrange(256)])
        path = pathlib.Path(folder) / f"damaged{pathlib.Path(name).suffix}"
        path.write_bytes(content)
        round_trip(path, folder, f"damaged file {i}, {name}")


def check_refused(folder):
    other = pathlib.Path(folder) / "other.pte"
    other.write_bytes(b"no program at all, but long enough")
    refused = run("pteinspect", "--assembly", other)
    expect(refused.returncode == 3 and refused.stderr.endswith(b"is no .pte, .ptd or .bpte file, which alone have an assembly\n"),
           "a file of another kind", refused.stderr)
    for words in (["--json", DATA / "f01_add.pte"], [], [DATA / "f01_add.pte", DATA / "f01_add.pte"]):
        refused = run("pteinspect", "--assembly", *words)
        expect(refused.returncode == 2 and refused.stderr.count(b"\n") == 1, words, refused.stderr)


def check():
    files = model_files()
    expect(len(files) > 100, "hardly any file was found", len(files))
    with tempfile.TemporaryDirectory(prefix="assembly-") as folder:
        for path in files:
            round_trip(path, folder, path.relative_to(DATA))
        check_damaged(folder)
        check_refused(folder)
