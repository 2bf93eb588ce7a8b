"""How processor time and memory grow with the number of constants and of variants."""

import multiprocessing
import random

from families import write_constants
from measuring import measure, remove

CONSTANTS, VARIANTS = (1, 100, 10_000, 100_000), (1, 8, 64, 512)
BYTES = 64  # of a constant
CHANGED = 50  # one in so many
SHARED, SHARED_BYTES = 16, 4096  # tensors of a variant, of which all but one are in all
VIEWS = {
    "pteinspect": lambda path, _: [path],
    "pteinspect --html": lambda path, _: ["--html", path.with_suffix(".html"), "-f", path],
    "pteinspect --diff": lambda path, old: ["--max-growth", "100%", "--diff", old, path],
    "pteinspect --advise": lambda path, _: ["--advise", path],
    "pteinspect --duplicates": lambda path, _: ["--duplicates", path],
    "pteinspect --hash": lambda path, _: ["--hash", path],
    "ptesplit": lambda path, _: [path, "-o", path.with_suffix(".out"), "-d", path.with_suffix(".data"), "-f"],
    "ptestrip": lambda path, _: [path, "-o", path.with_suffix(".out"), "-f"],
}


def make_constants(folder, counts):
    for count in counts:
        contents = [[random.Random(i).randbytes(BYTES)] for i in range(count)]
        write_constants(folder / f"{count}.pte", BYTES, contents)
        contents[::CHANGED] = [[bytes(BYTES)]] * len(contents[::CHANGED])
        write_constants(folder / f"old_{count}.pte", BYTES, contents)


def make_variants(folder, counts):
    for number in range(max(counts)):
        contents = [[random.Random(-i).randbytes(SHARED_BYTES)] for i in range(1, SHARED)] + [[random.Random(number).randbytes(SHARED_BYTES)]]
        write_constants(folder / f"variant{number}.pte", SHARED_BYTES, contents)


def grow(tools, folder, most):
    """Rows: command, count, seconds of CPU, peak. No more than `most` constants or variants."""
    constants, variants = ([count for count in counts if count <= most] for counts in (CONSTANTS, VARIANTS))
    for make, counts in ((make_constants, constants), (make_variants, variants)):
        # In a process of its own: children begin as large as this one.
        maker = multiprocessing.Process(target=make, args=[folder, counts])
        maker.start()
        maker.join()
    for view, words_of in VIEWS.items():
        for count in constants:
            words = words_of(folder / f"{count}.pte", folder / f"old_{count}.pte")
            yield row(f"{view}, constants", count, [tools / view.split()[0], *words])
    for count in variants:
        out = folder / "merged"
        yield row("ptemerge, variants", count, [tools / "ptemerge", *(folder / f"variant{i}.pte" for i in range(count)), "-o", out])
        remove([out])


def row(name, count, command):
    _, peak, cpu = measure(command)
    return {"job": name, "count": count, "cpu_seconds": cpu, "peak_mib": peak}
