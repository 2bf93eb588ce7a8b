#!/usr/bin/env python3
"""Judges operations one after another by the real runtime: random sequences of splits, joins, merges, strips and edits.

Each sequence starts with a program of the manifest and takes two to five steps, each on what the step before wrote.
What each writes has to verify without errors, and what the last wrote to run exactly like the original. --seed repeats
them. One line for each failure and for the commands that led there, then `N passed, N failed`.
"""

import argparse
import collections
import json
import pathlib
import random
import shutil
import sys
import tempfile

from processes import CheckFailed, Setting, Unsupported, run_process, run_program, run_tool

ALL_KINDS = ["--kind", "constant,named-data,mutable"]
SPLITS = ([], ["--kind", "constant"], ALL_KINDS, ["--min-size", "64"], ["--align", "4096"])
STRIPS = (["--debug"], ["--unreferenced"], ["--dedupe"], ["--padding"], ["--dedupe", "--overlap"], ["--repack"])
MERGES = ([], ["--variant-data", "ptd"], ["--min-size", "1"], ["--min-size", "1", "--variant-data", "ptd"])
EDITS = (["--upgrade"], ["--set-method", "get_fact=[1,2]"], ["--add-data", "some.key={blob}"], ["--align", "256"])


class Sequence:
    """One program on its way. `done` tells the commands."""

    def __init__(self, arguments, entry, numbers, folder):
        self.bin, self.runner, self.numbers, self.folder = arguments.bin, arguments.runner, numbers, folder
        self.program = arguments.data / entry["pte"]
        self.data = [arguments.data / file for file in entry["data"]]
        self.calls = folder / "calls.json"
        self.calls.write_text(json.dumps(entry["calls"]))
        self.setting = Setting(numbers.choice(("mmap", "file")), "full")
        self.expected = self.run()
        self.done = []

    def run(self):
        options = ["--calls", self.calls, "--repeat", "2"]
        return run_program(self.runner, self.program, self.data, self.setting, options)

    def step(self):
        """Takes a step; what a tool refuses as unsupported, or has no effect, is one."""
        operation = self.numbers.choice((self.split, self.join, self.merge, self.strip, self.strip_data, self.edit))
        out = self.folder / str(len(self.done))
        out.mkdir()
        try:
            operation(out)
        except Unsupported:
            self.done[-1] += " (refused)"
            return
        self.verify()

    def tool(self, name, *words):
        words = [str(word) for word in words]
        self.done.append(" ".join([name, *words]))
        run_tool(self.bin / name, "--quiet", *words)

    def verify(self):
        code, found, line = run_process([self.bin / "pteinspect", "--verify", self.program, *self.data_words()])
        if code != 0:
            raise CheckFailed(f"pteinspect --verify: exit code {code}: {line or found[:200]}")

    def data_words(self):
        return [word for file in self.data for word in ("--data", file)]

    def split(self, out):
        program, data = out / self.program.name, out / "split.ptd"
        options = self.numbers.choice(SPLITS)
        self.tool("ptesplit", self.program, *self.data_words(), "-o", program, "-d", data, *options)
        self.program, self.data = program, [*([data] if data.exists() else []), *self.data]

    def join(self, out):
        if not self.data:
            return self.split(out)
        program = out / self.program.name
        self.tool("ptesplit", self.program, "--join", *self.data_words(), "-o", program)
        self.program, self.data = program, []

    def merge(self, out):
        """With itself, as two variants that are equal."""
        twin = shutil.copy(self.program, out)
        one, two = (",".join(str(file) for file in (program, *self.data)) for program in (self.program, twin))
        merged = out / "merged"
        self.tool("ptemerge", f"one={one}", f"two={two}", "-o", merged, *self.numbers.choice(MERGES))
        self.program = merged / "one" / self.program.name
        self.data = [file for file in (merged / "shared.ptd", self.program.with_suffix(".ptd")) if file.exists()]

    def strip(self, out):
        program = out / self.program.name
        self.tool("ptestrip", self.program, "-o", program, *self.numbers.choice(STRIPS))
        self.program = program

    def strip_data(self, out):
        if not self.data:
            return self.strip(out)
        stripped = [out / f"{index}.ptd" for index in range(len(self.data))]
        for file, new in zip(self.data, stripped):
            self.tool("ptestrip", file, "-o", new, "--for", self.program, *self.numbers.choice(STRIPS))
        self.data = stripped

    def edit(self, out):
        if self.program.suffix != ".pte":
            return self.strip(out)
        blob = out / "blob"
        blob.write_bytes(self.numbers.randbytes(100))
        program = out / self.program.name
        options = [word.format(blob=blob) for word in self.numbers.choice(EDITS)]
        self.tool("ptecopy", self.program, "-o", program, *options)
        self.program = program


def check(arguments, entry, numbers, counts):
    """Returns what is wrong."""
    with tempfile.TemporaryDirectory(prefix="sequence-") as folder:
        sequence = Sequence(arguments, entry, numbers, pathlib.Path(folder))
        try:
            sequence.verify()
            for _ in range(numbers.randint(2, 5)):
                sequence.step()
            difference = sequence.run().describe_difference(sequence.expected)
        except CheckFailed as failure:
            difference = str(failure)
        counts.update(line.split()[0] + (" refused" if line.endswith("(refused)") else "") for line in sequence.done)
        return difference and "\n  ".join([f"{entry['name']}: {difference}", *sequence.done])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", type=pathlib.Path, required=True, help="the program pterun")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the tools")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with manifest.json")
    parser.add_argument("--count", type=int, default=200, help="sequences (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="the first one's number; the others follow (default 1)")
    arguments = parser.parse_args()
    manifest = json.loads((arguments.data / "manifest.json").read_text())
    entries = [entry for entry in manifest["entries"] if entry["runnable"]]
    counts = collections.Counter()
    failed = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        numbers = random.Random(seed)
        problem = check(arguments, numbers.choice(entries), numbers, counts)
        if problem:
            failed += 1
            print(f"FAIL seed {seed}: {problem}")
    print(", ".join(f"{tool} {count}" for tool, count in sorted(counts.items())))
    print(f"{arguments.count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
