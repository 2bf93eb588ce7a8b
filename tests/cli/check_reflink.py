"""On file systems whose files can share blocks, outputs share those of their inputs wherever they lie alike, and are the same files as
on any other. Needs to be root, and mkfs.btrfs or mkfs.xfs."""

import contextlib
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from big_program import FLOAT_BYTES, write_program
from checks import expect, run

DISK_BYTES = 400 << 20  # xfs takes no less than 300
TENSORS, TENSOR_BYTES = 4, 8 << 20
MOST_NEW = 1 << 20  # tables, and what fills no block


@contextlib.contextmanager
def mounted(kind):
    with tempfile.TemporaryDirectory(prefix="disk-") as name:
        image, folder = pathlib.Path(name, "image"), pathlib.Path(name, "disk")
        folder.mkdir()
        with open(image, "wb") as file:
            file.truncate(DISK_BYTES)
        for command in ([f"mkfs.{kind}", "-q", image], ["mount", "-o", "loop", image, folder]):
            if subprocess.run(command, capture_output=True, check=False).returncode != 0:
                raise unittest.SkipTest("disks cannot be mounted")
        try:
            yield folder
        finally:
            subprocess.run(["umount", folder], check=True)


def taken(folder):
    os.sync()
    return shutil.disk_usage(folder).used


def fill(file, base, offsets):
    for i, offset in enumerate(offsets):
        file.seek(base + offset)
        file.write(random.Random(i).randbytes(TENSOR_BYTES))


def write_outputs(folder):
    """Yields what each command is, and what it adds to the disk; the outputs stay."""
    whole, aligned, renamed, back, program, data, joined = (folder / f"{name}.pte" for name in "in a r b p d j".split())
    write_program(whole, [TENSOR_BYTES // FLOAT_BYTES] * TENSORS, fill)
    for name, words in (("rename", ["ptecopy", whole, "-o", renamed, "--rename-method", "forward=reverse"]),
                        ("rename back", ["ptecopy", renamed, "-o", back, "--rename-method", "reverse=forward"]),
                        ("align", ["ptestrip", "--align", "4096", "--dedupe", whole, "-o", aligned]),
                        ("split", ["ptesplit", "--align", "4096", aligned, "-o", program, "-d", data]),
                        ("join", ["ptesplit", "--align", "4096", "--join", program, "--data", data, "-o", joined])):
        before = taken(folder)
        done = run(*words)
        expect(done.returncode == 0, name, done.stderr)
        yield name, taken(folder) - before


def check():
    kinds = [kind for kind in ("btrfs", "xfs") if shutil.which(f"mkfs.{kind}")]
    if not kinds:
        raise unittest.SkipTest("neither mkfs.btrfs nor mkfs.xfs is installed")
    with tempfile.TemporaryDirectory() as name:
        plain = pathlib.Path(name)
        list(write_outputs(plain))
        for kind in kinds:
            with mounted(kind) as folder:
                for command, added in write_outputs(folder):
                    if command in ("rename back", "split"):  # the others move what is no whole number of blocks
                        expect(added <= MOST_NEW, kind, command, f"takes {added} bytes more, at most {MOST_NEW} expected")
                for path in plain.iterdir():
                    expect((folder / path.name).read_bytes() == path.read_bytes(), kind, path.name, "is another file")
