"""The same outputs with one thread and with eight, and no race between these.

Each command runs with both numbers; what it prints and writes has to be the same. Tools of the preset "tsan" also say
where two threads use the same memory: tests/check.py tests/cli/check_threads.py --tools build/tsan/tools.
"""

import pathlib
import sys
import tempfile

from checks import ROOT, DATA, expect, run

sys.path.insert(0, str(ROOT / "bench"))
import families  # noqa: E402

MANY = 8
RACE_EXIT_CODE = 66  # ThreadSanitizer's
EACH = 9 << 20  # longer than what one thread compares of a content
OTHER_LAST_BYTE = b"\1"


def write_long_contents(folder):
    """Two programs of long contents, of which some are equal and one differs in its last byte."""
    paths = [folder / "a.pte", folder / "b.pte"]
    for path, numbers in zip(paths, ([0, 1, 0, 2], [1, 0, 2, 3])):
        families.write_constants(path, EACH, [families.pieces_of(number, EACH) for number in numbers])
    with open(paths[1], "r+b") as file:
        file.seek(-1, 2)
        file.write(OTHER_LAST_BYTE)
    return paths


def commands(folder):
    """Tool and words; {out} is a folder of the run's own."""
    a, b = write_long_contents(folder)
    small = [DATA / f"f08/b_xnn_v{i}.pte" for i in range(2)]
    record = DATA / "f08/b_xnn_base.pte"
    for programs in ([a, b], small):
        yield "pteinspect", ["--hash", *programs]
        yield "pteinspect", ["--hash=sha256", *programs]
        yield "pteinspect", ["--duplicates", "--json", *programs]
        yield "pteinspect", ["--diff", *programs]
        yield "pteinspect", ["--verify", *programs]
        yield "pteinspect", ["--compressed", "--json", programs[0]]
        yield "ptesplit", [programs[0], "-o", "{out}/split.pte", "-d", "{out}/split.ptd"]
        yield "ptesplit", [programs[0], "-o", "{out}/split.pte", "-d", "{out}/split.ptd", "--match", programs[1]]
        yield "ptemerge", [*programs, "-o", "{out}/merged"]
        yield "ptestrip", ["--all", programs[0], "-o", "{out}/stripped.pte"]
        yield "ptecopy", [programs[0], "-o", "{out}/copy.pte", "--add-methods", f"{programs[1]}:forward=other"]
        yield "ptepack", ["create", *(f"{path.stem}={path}" for path in programs), "-o", "{out}/release", "--compress"]
    yield "pteinspect", ["--advise", record]
    yield "pteinspect", ["--html", "{out}/page.html", *small]


def run_with(threads, tool, words, out):
    out.mkdir(parents=True)
    done = run(tool, *(str(word).format(out=out) for word in words), "--threads", threads)
    written = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    return done, [text.replace(bytes(out), b"OUT") for text in (done.stdout, done.stderr)], written


def check():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number, (tool, words) in enumerate(commands(folder)):
            one, one_said, one_wrote = run_with(1, tool, words, folder / f"one{number}")
            many, many_said, many_wrote = run_with(MANY, tool, words, folder / f"many{number}")
            expect(many.returncode != RACE_EXIT_CODE, tool, words, many.stderr.decode(errors="replace")[:4000])
            expect(one.returncode in (0, 1), tool, words, one.stderr)
            expect(one.returncode == many.returncode and one_said == many_said, tool, words, "says something else", many_said)
            expect(one_wrote == many_wrote, tool, words, "writes something else")
