"""What is measured: commands of ours, each with what it is held against in the same run."""

import dataclasses
import os
import pathlib
import shutil
from typing import List, Optional

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "tests/data/f01_add.pte"
REWRITE = 1.05  # at most so many times as long as copying and storing
MERGE = 1.1
HASHING_REWRITE = 1.1
COMPRESSED = 1.05  # of zstd on two cores
HASH_RATE = 0.8  # at least, of xxhsum's on one core


@dataclasses.dataclass
class Job:
    name: str
    bytes: int
    inputs: List[pathlib.Path]  # whose pages are in memory before, or not
    command: List
    outputs: List[pathlib.Path] = dataclasses.field(default_factory=list)
    yardstick: str = ""
    yardsticks: List = dataclasses.field(default_factory=list)  # the slowest counts
    target: Optional[float] = None  # of the ratio of the times


def copy_and_store(sources, folder):
    """cp && sync, as a command."""
    targets = [folder / f"copy-{path.name}" for path in sources]
    copies = " && ".join(f'cp "{source}" "{target}"' for source, target in zip(sources, targets))
    return f"{copies} && sync {' '.join(map(str, targets))}", targets


def shell(text):
    return ["sh", "-c", text]


class Jobs:
    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder

    def tool(self, name, *words):
        return [self.tools / name, *words]

    def copied(self, name, inputs, command, outputs, read=None):
        """Held against copying `inputs`, and hashing `read` where the command does."""
        copy, copies = copy_and_store(inputs, self.folder)
        size = sum(path.stat().st_size for path in inputs)
        if read is None:
            return Job(name, size, inputs, command, [*outputs, *copies], "cp && sync", [shell(copy)], REWRITE)
        return Job(name, size, inputs, command, [*outputs, *copies], "max(openssl, cp && sync)",
                   [shell(copy), ["openssl", "dgst", "-sha256", *read]], HASHING_REWRITE)

    def split(self, whole, keyed):
        """`keyed`: a program whose weights keep their keys; else constants, whose new keys are SHA-256."""
        outputs = [self.folder / name for name in ("split.pte", "split.ptd")]
        command = self.tool("ptesplit", whole, "-o", outputs[0], "-d", outputs[1])
        yield self.copied(f"ptesplit, keys {'kept' if keyed else 'made'}", [whole], command, outputs, None if keyed else [whole])

    def align(self, whole):
        out = self.folder / "out.pte"
        yield self.copied("ptestrip --align", [whole], self.tool("ptestrip", "--align", "4096", whole, "-o", out), [out])

    def join(self, program, data, keyed):
        """Of what was split before: keys that were made are checked."""
        out = self.folder / "out.pte"
        command = self.tool("ptesplit", "--join", program, "--data", data, "-o", out)
        yield self.copied(f"ptesplit --join, keys {'kept' if keyed else 'made'}", [program, data], command, [out],
                          None if keyed else [data])

    def merge(self, family, merged):
        """`merged`: what a merge of it wrote, for the yardstick."""
        out = self.folder / "out"
        copy, copies = copy_and_store(merged, self.folder)
        every = " ".join(map(str, family))
        yield Job(f"ptemerge of {len(family)}", sum(path.stat().st_size for path in family), family,
                  self.tool("ptemerge", *family, "-o", out), [out, *copies], "cat all && cp && sync",
                  [shell(f"cat {every} >/dev/null && {copy}")], MERGE)

    def pack(self, whole):
        out = self.folder / "out"
        command = self.tool("ptepack", "create", PROGRAM, "--include", f"weights:{whole}", "-o", out)
        yield self.copied("ptepack create", [whole], command, [out], [whole])

    def compress(self, floats):
        out, plain, packed = self.folder / "out", self.folder / "plain", self.folder / "packed.zst"
        create = self.tool("ptepack", "create", PROGRAM, "--include", f"weights:{floats}", "-o")
        without = " ".join(map(str, [*create, plain]))
        yield Job("ptepack create --compress", floats.stat().st_size, [floats], [*create, out, "--compress", "--threads", "2"],
                  [out, plain, packed], "ptepack create && zstd -T2 && sync",
                  [shell(f"{without} && zstd -T2 -q {floats} -o {packed} && sync {packed}")], COMPRESSED)

    def releases(self, family):
        """Two, of the first programs of a family, and the delta from one to the other."""
        releases = [self.folder / "release1", self.folder / "release2"]
        for program, release in zip(family, releases):
            yield self.tool("ptepack", "create", PROGRAM, "--include", f"weights:{program}", "-o", release)
        yield self.tool("ptepack", "delta", *releases, "-o", self.folder / "delta")

    def apply(self):
        """Of what releases() made."""
        old, new, delta, out = (self.folder / name for name in ("release1", "release2", "delta", "out"))
        files = [path for path in new.iterdir() if path.suffix == ".pte"]
        job = self.copied("ptepack apply", files, self.tool("ptepack", "apply", delta, "--from", old, "-o", out), [out], files)
        yield dataclasses.replace(job, inputs=[*old.iterdir(), *delta.iterdir(), *files])

    def hashes(self, files):
        """--hash hashes each byte of these twice, in the file and in its key."""
        cores = sorted(os.sched_getaffinity(0))
        on_one = ["taskset", "-c", str(cores[0])]
        for view, read, yardstick, again in (("--hash", files[:1], "xxhsum -H2 twice", 2), ("--duplicates", files, "xxhsum -H2", 1)):
            command = self.tool("pteinspect", view, *read)
            for used in sorted({1, len(cores)}):
                yield self.hashed(view, read, [*on_one, *command] if used == 1 else command, yardstick,
                                  [*on_one, "xxhsum", "-q", "-H2", *read * again], used)

    def hashed(self, name, files, command, yardstick, other, cores):
        return Job(f"pteinspect {name}, {cores} core{'s' * (cores > 1)}", sum(path.stat().st_size for path in files), files, command,
                   [], f"{yardstick}, 1 core", [other], 1 / HASH_RATE / cores)

    def sha256(self, whole):
        yield Job("pteinspect --hash=sha256", whole.stat().st_size, [whole], self.tool("pteinspect", "--hash=sha256", whole), [],
                  "openssl dgst -sha256 twice", [["openssl", "dgst", "-sha256", whole, whole]], HASHING_REWRITE)


def missing_tools():
    return [tool for tool in ("openssl", "taskset", "time", "xxhsum", "zstd") if not shutil.which(tool)]
