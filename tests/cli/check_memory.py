"""Lists files with many small things (bench/growth.py makes them), and profiles with many events, and fails where that takes more memory
than 64 MiB and twice the tables of the files, whatever is printed; rewrites them, which may take six times the tables."""

import pathlib
import shutil
import sys
import tempfile
from functools import partial

from check_blowups import measure
from checks import ROOT, expect

sys.path.insert(0, str(ROOT / "bench"))
import families  # noqa: E402
import growth  # noqa: E402

# How many are many, how many are fewer, how many are compared, and how many are rewritten.
MAKERS = {"constants": (growth.make_constants, 200_000, 180_000, 200_000, 100_000),
          "keys": (growth.make_keys, 200_000, 150_000, 150_000, 200_000),
          "values": (growth.make_values, 1_000_000, 1_000_000, 1_000_000, 1_000_000),
          "delegates": (growth.make_delegates, 100_000, 90_000, 100_000, 100_000)}
CHANGED = {"constants": 150_000, "keys": 120_000}  # how many are compared with as many that all have other contents
MERGED = 100_000  # how many are merged whatever their size
EVENTS = 100_000
VARIANTS, CONTENT_BYTES = 80, 1_200_000
VIEWS_OF_MANY = ([], ["--json"], ["--verify"], ["-l"], ["-h"], ["--json", "-h"], ["--hash"], ["--json", "--hash"], ["--requirements"],
                 ["--segments"], ["--at", "1000"], ["--json", "--hash=sha256"], ["--named-data"], ["--json", "--named-data"],
                 ["--memory"], ["--json", "--memory"], ["--by", "component"], ["--json", "--delegates"], ["--delegates"],
                 ["--json", "--requirements"])
VIEWS_OF_FEWER = (["--json", "--compressed"], ["--html"], ["--advise"], ["--json", "--advise"], ["--retained"], ["--json", "--retained"],
                  ["--graph"], ["--json", "--graph"])
VIEWS_OF_TWO = (["--same"], ["--diff"])
VIEWS_OF_CHANGED = (["--diff"], ["--json", "--diff"], ["--csv", "--diff"], ["--all", "--diff"])
ASSEMBLED = 400_000  # values
PROFILES = ([], ["--json"], ["--tsv"], ["--dataframe"], ["--json", "--dataframe"], ["--by-type"], ["--by-operator"], ["--by-operator", "--csv"],
            ["--by-operator", "--json"], ["--folded"], ["--html"], ["--trace"])
MOST_BYTES, MOST_OF_TABLES, MOST_OF_REWRITTEN = 64 << 20, 2, 6
REWRITES = (["ptesplit", "-d", "a name as long as most.ptd"], ["ptesplit", "-d", "a name as long as most.ptd", "--json"], ["ptestrip"],
            ["ptecopy", "--set-metadata", "a=b"])
APART = ("constants", "keys")  # what moves out whole, and in again
PLACES_OF_SIZE = {b"eh00": slice(16, 24), b"FH01": slice(24, 32)}  # of the tables, by what the extended header begins with


def tables_of(path):
    with open(path, "rb") as file:
        head = file.read(32)
    place = PLACES_OF_SIZE.get(head[8:12])
    return int.from_bytes(head[place], "little") if place else path.stat().st_size  # without segments it is all tables


def check_views(tool, path, tables, views, other=()):
    """Of the file, and another with as many tables where a view compares two."""
    most = MOST_BYTES + MOST_OF_TABLES * tables * (1 + len(other))
    for view in views:
        written = [path.with_suffix(".out"), "-f"] if view in (["--html"], ["--trace"]) else []
        check_run([tool, *view, *written, path, *other], path, most, view)


def check_rewrites(path, tables):
    out = path.with_suffix(".out")
    for rewrite in REWRITES:
        words = [out.with_name(word) if word.endswith(".ptd") else word for word in rewrite]
        check_run([*words, path, "-o", out, "-f"], path, MOST_BYTES + MOST_OF_REWRITTEN * tables, rewrite)
    check_merge(path, tables)


def check_merge(path, tables, *options):
    second = path.with_name("second.pte")
    shutil.copyfile(path, second)
    command = ["ptemerge", *options, path, second, "-o", path.with_name("merged"), "-f"]
    check_run(command, path, MOST_BYTES + MOST_OF_REWRITTEN * 2 * tables, ["ptemerge", *options])


def check_apart(path, tables):
    """Everything into a data file, whatever its size, and back."""
    program, data = path.with_name("apart.pte"), path.with_name("apart.ptd")
    command = ["ptesplit", path, "-o", program, "-d", data, "--min-size", "0"]
    check_run(command, path, MOST_BYTES + MOST_OF_REWRITTEN * tables, ["ptesplit", "--min-size", "0"])
    together = tables_of(program) + tables_of(data)
    command = ["ptesplit", program, "--join", "--data", data, "-o", path.with_name("together.pte")]
    check_run(command, path, MOST_BYTES + MOST_OF_REWRITTEN * together, ["ptesplit", "--join"])


def check_run(command, path, most, what):
    with open(path.with_suffix(".stdout"), "wb") as output:
        code, _, memory, text = measure(command, output)
    line = f"{path.stem} {path.parent.name} {' '.join(what)}: {memory} bytes of memory, at most {most}"
    print(f"  {line}", flush=True)
    expect(code in (0, 1) and memory <= most, f"{line}, exit code {code} {text}")


def made(folder, what, make, count, extension):
    out = pathlib.Path(folder) / what
    out.mkdir()
    growth.begin(make, out, [count])
    return out / f"{count}{extension}"


def make_changed(what, folder, counts):
    for count in counts:
        for name, first in ((f"{count}.pte", 0), (f"other_{count}.pte", count)):
            contents = [[(first + i).to_bytes(growth.BYTES, "little")] for i in range(count)]
            if what == "keys":
                families.write_keyed(folder / name, growth.BYTES, contents, [f"key{i}" for i in range(count)])
            else:
                families.write_constants(folder / name, growth.BYTES, contents)


def check_many_outputs(folder):
    """Of which all are open until the last is whole: nothing of a file's contents stays in memory with it."""
    for i in range(VARIANTS):
        families.write_constants(folder / f"v{i}.pte", CONTENT_BYTES, [[bytes([number]) * CONTENT_BYTES] for number in (0, i + 1)])
    programs = sorted(folder.glob("v*.pte"))
    most = MOST_BYTES + MOST_OF_REWRITTEN * sum(map(tables_of, programs))
    check_run(["ptemerge", *programs, "-o", folder / "merged"], programs[0], most, ["ptemerge"])


def check():
    with tempfile.TemporaryDirectory() as folder:
        for what, (make, many, fewer, compared, rewritten) in MAKERS.items():
            counts = {many, fewer, compared, rewritten, *([MERGED] if what in APART else [])}
            paths = {count: made(folder, f"{what}_{count}", make, count, ".pte") for count in counts}
            path = paths[many]
            check_views("pteinspect", path, tables_of(path), VIEWS_OF_MANY)
            path = paths[fewer]
            check_views("pteinspect", path, tables_of(path), VIEWS_OF_FEWER)
            path = paths[compared]
            check_views("pteinspect", path, tables_of(path), VIEWS_OF_TWO, [path])
            path = paths[rewritten]
            check_rewrites(path, tables_of(path))
            if what in APART:
                check_apart(path, tables_of(path))
                check_merge(paths[MERGED], tables_of(paths[MERGED]), "--min-size", "0")
        path = made(folder, "assembled", growth.make_values, ASSEMBLED, ".pte")
        check_views("pteinspect", path, tables_of(path), (["--assembly"],))
        for what, count in CHANGED.items():
            path = made(folder, f"changed {what}", partial(make_changed, what), count, ".pte")
            check_views("pteinspect", path, tables_of(path), VIEWS_OF_CHANGED, [path.with_name(f"other_{count}.pte")])
        variants = pathlib.Path(folder) / f"{VARIANTS} variants"
        variants.mkdir()
        check_many_outputs(variants)
        dump = made(folder, "events", growth.make_events, EVENTS, ".etdp")
        check_views("pteprof", dump, dump.stat().st_size, PROFILES)
