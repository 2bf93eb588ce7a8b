"""How processor time and memory grow with the number of what a file has, and with that of variants."""

import multiprocessing
import random
from functools import partial

from families import write_constants, write_keyed
from flat_parts import DELEGATE_CALL, KERNEL_CALL, Text, call, delegate, offsets, operator, plan, program, tensor
from hostile_files import dump, run, timed
from measuring import measure, remove
from other_formats import write_cache, write_package, write_tensorrt

CONSTANTS, VARIANTS, MANY = (1, 100, 10_000, 100_000), (1, 8, 64, 512), (1000, 10_000, 100_000)
FROM_FEW, BINDINGS = (100, 10_000, 100_000), (100, 1000, 10_000)  # 20,000 bindings are more values than are read
VALUES = (10_000, 100_000, 400_000)  # 500,000 are 1,000,000 tables, which the runtime does not load
BYTES = 64  # of a constant
CHANGED = 50  # one in so many
SHARED, SHARED_BYTES = 16, 4096  # tensors of a variant, of which all but one are in all
VIEWS = {
    "pteinspect": lambda path, _: [path],
    "pteinspect --verify": lambda path, _: ["--verify", path],
    "pteinspect --json": lambda path, _: ["--json", path],
    "pteinspect --html": lambda path, _: ["--html", path.with_suffix(".html"), "-f", path],
    "pteinspect --diff": lambda path, old: ["--max-growth", "100%", "--diff", old, path],
    "pteinspect --advise": lambda path, _: ["--advise", path],
    "pteinspect --duplicates": lambda path, _: ["--duplicates", path],
    "pteinspect --hash": lambda path, _: ["--hash", path],
    "ptesplit": lambda path, _: [path, "-o", path.with_suffix(".out"), "-d", path.with_suffix(".data"), "-f"],
    "ptestrip": lambda path, _: [path, "-o", path.with_suffix(".out"), "-f"],
    "ptecopy": lambda path, _: [path, "-o", path.with_suffix(".out"), "-f", "--set-metadata", "a=b"],
}
CACHE_VIEWS = {view: VIEWS[view] for view in ("pteinspect", "pteinspect --verify", "pteinspect --json")}
PACKAGE_VIEWS = {view: words_of for view, words_of in VIEWS.items() if view.startswith("pteinspect") and view != "pteinspect --advise"}
BLOB_VIEWS = {**CACHE_VIEWS, "pteinspect --delegates": lambda path, _: ["--delegates", path]}
DUMP_VIEWS = {
    "pteinspect --verify": lambda path, _: ["--verify", path],
    "pteprof": lambda path, _: [path],
    "pteprof --by-type": lambda path, _: ["--by-type", path],
    "pteprof --html": lambda path, _: [path, "--html", path.with_suffix(".html"), "-f"],
}


def make_constants(folder, counts):
    for count in counts:
        contents = [[random.Random(i).randbytes(BYTES)] for i in range(count)]
        write_constants(folder / f"{count}.pte", BYTES, contents)
        contents[::CHANGED] = [[bytes(BYTES)]] * len(contents[::CHANGED])
        write_constants(folder / f"old_{count}.pte", BYTES, contents)


def make_keys(folder, counts):
    for count in counts:
        contents = [[i.to_bytes(BYTES, "little")] for i in range(count)]
        write_keyed(folder / f"{count}.pte", BYTES, contents, [f"key{i}" for i in range(count)])


def make_values(folder, counts):
    for count in counts:
        calls = [call(KERNEL_CALL, 0, [i, i + 1]) for i in range(0, count - 1, CHANGED)]
        method = plan("forward", [tensor(buffer=1) for _ in range(count)], [], [], calls, [operator("aten::neg")])
        (folder / f"{count}.pte").write_bytes(program([method], [(0, 4)], bytes(4), offsets(0, [0, 0])))


def make_delegates(folder, counts):
    for count in counts:
        calls = [call(DELEGATE_CALL, i, [0]) for i in range(count)]
        method = plan("forward", [tensor()], [0], [0], calls, [], [delegate("SomeBackend", i) for i in range(count)])
        blobs = b"".join(i.to_bytes(16, "little") for i in range(count))
        extents = [*((16 * i, 16) for i in range(count)), (16 * count, 0)]
        (folder / f"{count}.pte").write_bytes(program([method], extents, blobs, offsets(count, [0])))


def make_events(folder, counts):
    for count in counts:
        events = [timed(Text(f"native_call_op{i % CHANGED}.out"), i) for i in range(count)]
        (folder / f"{count}.etdp").write_bytes(dump([run(events)]))


def make_each(write, extension, folder, counts):
    for count in counts:
        write(folder / f"{count}{extension}", count)


def make_variants(folder, counts):
    for number in range(max(counts)):
        contents = [[random.Random(-i).randbytes(SHARED_BYTES)] for i in range(1, SHARED)] + [[random.Random(number).randbytes(SHARED_BYTES)]]
        write_constants(folder / f"variant{number}.pte", SHARED_BYTES, contents)


def grow(tools, folder, most):
    """Rows: command, count, seconds of CPU, peak. No more than `most` of each."""
    kinds = (("constants", make_constants, CONSTANTS, ".pte", VIEWS), ("keys", make_keys, MANY, ".pte", VIEWS),
             ("values", make_values, VALUES, ".pte", VIEWS), ("delegates", make_delegates, MANY, ".pte", VIEWS),
             ("events", make_events, MANY, ".etdp", DUMP_VIEWS),
             ("tensors of a .ptn", partial(make_each, write_package, ".ptn"), FROM_FEW, ".ptn", PACKAGE_VIEWS),
             ("weights of a packed-weight cache", partial(make_each, write_cache, ".bin"), FROM_FEW, ".bin", CACHE_VIEWS),
             ("bindings of a TensorRT blob", partial(make_each, write_tensorrt, ".pte"), BINDINGS, ".pte", BLOB_VIEWS))
    for what, make, counts, extension, views in kinds:
        counts = [count for count in counts if count <= most]
        begin(make, folder, counts)
        for view, words_of in views.items():
            for count in counts:
                path, old = folder / f"{count}{extension}", folder / f"old_{count}.pte"
                words = words_of(path, old if old.exists() else path)
                yield row(f"{view}, {what}", count, [tools / view.split()[0], *words])
        remove(folder.iterdir())
    variants = [count for count in VARIANTS if count <= most]
    begin(make_variants, folder, variants)
    for count in variants:
        out = folder / "merged"
        yield row("ptemerge, variants", count, [tools / "ptemerge", *(folder / f"variant{i}.pte" for i in range(count)), "-o", out])
        remove([out])


def begin(make, folder, counts):
    """In a process of its own: children begin as large as this one."""
    maker = multiprocessing.Process(target=make, args=[folder, counts])
    maker.start()
    maker.join()


def row(name, count, command):
    _, peak, cpu = measure(command)
    return {"job": name, "count": count, "cpu_seconds": cpu, "peak_mib": peak}
