"""Disks that are full or read-only, inputs that change while they are read, and two processes that write the same outputs.

Nothing is ever left but what was there or all that is new.
"""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from check_faults import commands
from check_outputs import state_of
from check_read_only import can_trace
from checks import expect

TOGETHER = 12  # times that two processes write at once


@contextlib.contextmanager
def mounted(size):
    """A disk of `size` bytes at most."""
    with tempfile.TemporaryDirectory(prefix="disk-") as folder:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            raise unittest.SkipTest("disks cannot be mounted")
        try:
            yield pathlib.Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def without_resumed(command, folder):
    """What is there, but for what waits for the next try."""
    state = state_of(folder)
    waits = command.resumes and "out/manifest.json" not in state
    return {name: digest for name, digest in state.items() if not (waits and name.split("/")[0] == "out")}


def fails(command, folder, what, why):
    before = without_resumed(command, folder)
    done = subprocess.run(command.words, cwd=folder, capture_output=True, timeout=60, check=False)
    lines = done.stderr.decode().splitlines()
    expect(done.returncode == 4, what, f"exit code {done.returncode}", lines)
    expect(len(lines) == 1 and any(word in lines[0] for word in why), what, f"does not say once {why}", lines)
    after = without_resumed(command, folder)
    expect(after == before, what, "leaves something behind", sorted(after))


def full_and_read_only(command):
    with mounted("64M") as folder:
        command.prepare(folder)
        if not command.removes:  # which needs no room
            filler = folder / "in.filler"
            free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
            filler.write_bytes(b"f" * (free - 4096))
            fails(command, folder, f"{command.name} on a full disk", ["bytes, only 4096 are free", "No space left on device"])
            filler.unlink()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        fails(command, folder, f"{command.name} on a disk that is read-only", ["Read-only file system"])


def cut_while_read(command):
    """The first read of a weight waits while the input loses its end, or another file gets its name."""
    for change in ("truncated", "replaced"):
        with command.folder() as name:
            folder = pathlib.Path(name)
            delay = "inject=pread64:delay_enter=200000:when=4+"
            strace = ["strace", "-f", "-qq", "-e", "trace=pread64", "-e", delay, "-o", "/dev/null"]
            run = subprocess.Popen([*strace, *command.words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(0.3)
            if change == "truncated":
                os.truncate(folder / "in.pte", 5000)
            else:
                (folder / "in.other").write_bytes(b"other")
                (folder / "in.other").rename(folder / "in.pte")
            errors = run.communicate(timeout=120)[1].decode().splitlines()
            made = {name: digest for name, digest in state_of(folder).items() if name.startswith("out")}
            whole = {name: digest for name, digest in command.after.items() if name.startswith("out")}
            what = f"{command.name}, its input {change} while it is read"
            if run.returncode == 0:
                expect(made == whole, what, "says it is done, and is not")
            else:
                expect(not made and run.returncode in (3, 4) and len(errors) == 1, what, run.returncode, sorted(made), errors)


def two_at_once(command):
    for _ in range(TOGETHER):
        with command.folder() as name:
            folder = pathlib.Path(name)
            both = [subprocess.Popen(command.words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
            errors = [run.communicate(timeout=120)[1] for run in both]
            codes = sorted(run.returncode for run in both)
            what = f"{command.name}, twice at once"
            expect(state_of(folder) == command.after, what, "outputs are not whole", sorted(state_of(folder)), errors)
            expect(codes[0] == 0 and codes[1] in (0, 2, 4), what, f"exit codes {codes}", errors)


def check():
    for command in commands():
        if command.name not in ("page", "extract") and not command.replaces:
            full_and_read_only(command)
        two_at_once(command)
        if command.name in ("split", "strip", "copy") and can_trace():
            cut_while_read(command)
