"""Each call that a writing command makes of the system fails once, is interrupted once, and is the last one before kill -9.

strace injects that. Afterwards inputs are as they were; outputs are all old or all new; there is nothing else, or it goes with the next
run; a failure is one line and exit code 4, and what was only interrupted is done.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from check_outputs import big, family, state_of, whole_programs
from check_read_only import can_trace
from checks import DATA, expect, given

# What each kind of call can come to; those of threads and memory are not ours.
FAULTS = {
    "openat": "EMFILE", "newfstatat": "EIO", "pread64": "EIO", "read": "EIO", "getdents64": "EIO", "faccessat2": "EIO",
    "fallocate": "ENOSPC", "ftruncate": "EIO", "pwrite64": "ENOSPC", "write": "ENOSPC", "copy_file_range": "EIO", "fchmod": "EPERM",
    "fsync": "EIO", "close": "EIO", "linkat": "EIO", "rename": "EIO", "renameat2": "EIO", "mkdir": "ENOSPC", "unlink": "EIO",
    "unlinkat": "EIO", "rmdir": "EIO", "statfs": "EIO",
}  # fmt: skip
INTERRUPTED = ("openat", "pread64", "read", "pwrite64", "write", "copy_file_range", "fallocate", "ftruncate", "fsync")
IN_MEMORY = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
MUCH_BYTES = 8 << 20  # from which on a file is stored while it is hashed
OF_A_KIND = 4  # calls that are tried of each kind but fsync, unless all are asked for


def add_arguments(parser):
    parser.add_argument("--every", action="store_true", help="try every call, not some of each kind")
    parser.add_argument("--only", default="", help="commands with this in their names")


class Command:
    """`resumes`: of a release without a manifest what is whole may stay for the next try, and the begin of one file.
    `removes`: some of what has to go may be gone. `on_disk`: whose file system may copy otherwise than one in memory does."""

    def __init__(self, name, prepare, words, replaces=(), resumes=False, removes=False, on_disk=False):
        self.replaces, self.resumes, self.removes = replaces, resumes, removes
        self.place = None if on_disk else IN_MEMORY
        self.name, self.words = f"{name} {' '.join(replaces)}".strip(), [str(given.tools / words[0]), *words[1:], *replaces]
        self.prepared = tempfile.TemporaryDirectory(prefix="prepared-", dir=self.place)
        folder = pathlib.Path(self.prepared.name)
        prepare(folder)
        if replaces:
            subprocess.run(self.words, cwd=folder, check=True, capture_output=True)
            for path in folder.glob("out.*"):
                path.write_bytes(b"old")
        self.before = state_of(folder)
        with self.folder() as folder:
            subprocess.run(self.words, cwd=folder, check=True, capture_output=True)
            self.after = state_of(pathlib.Path(folder))

    def folder(self):
        temporary = tempfile.TemporaryDirectory(prefix="faults-", dir=self.place)
        self.prepare(temporary.name)
        return temporary

    def prepare(self, folder):
        shutil.copytree(self.prepared.name, folder, dirs_exist_ok=True)

    def traced(self, folder, kinds, option, log="/dev/null"):
        """What it answers. Of other kinds of calls strace is not told."""
        command = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "0", "-e", f"trace={','.join('?' + kind for kind in kinds)}", "-e", option]
        return subprocess.run([*command, "-o", log, *self.words], cwd=folder, capture_output=True, timeout=120, check=False)


def calls_of(command):
    """Of each kind, the numbers of the calls that are the tool's own and not the loader's; a thread counts its own calls."""
    with command.folder() as folder:
        log = pathlib.Path(folder) / "calls.log"
        command.traced(folder, FAULTS, "signal=none", log)
        lines = log.read_text().splitlines()
    counted, loader, own, ours = collections.Counter(), collections.Counter(), collections.defaultdict(set), False
    for line in lines:
        process, call = line.split(maxsplit=1)
        kind = call.split("(")[0]
        if kind not in FAULTS:
            continue
        counted[process, kind] += 1
        ours = ours or bool(re.search(r'"(in|one|old|v1|out|delta)\b', call))
        if ours:
            own[kind].add(counted[process, kind])
        else:
            loader[kind] += 1
    return {kind: {number for number in numbers if number > loader[kind]} for kind, numbers in own.items()}


def some_of(numbers, kind):
    numbers = sorted(numbers)
    if given.every or kind == "fsync" or len(numbers) <= OF_A_KIND:
        return numbers
    step = (len(numbers) - 1) / (OF_A_KIND - 1)
    return [numbers[round(i * step)] for i in range(OF_A_KIND)]


def is_begun(command, name):
    return command.resumes and name.endswith(".partial")


def check_failure(command, folder, done, what):
    # What cannot be removed is told.
    is_told = lambda name: ".tmp" in name and name.split("/")[0].encode() in done.stderr
    after = {name: digest for name, digest in state_of(folder).items() if not (is_told(name) or is_begun(command, name))}
    if command.resumes and done.returncode != 0 and "out/manifest.json" not in after:
        expect(after.items() <= command.after.items(), what, "what stays is not whole", sorted(after))
        after = command.before
    if command.removes and done.returncode != 0:
        expect(command.after.items() <= after.items() <= command.before.items(), what, "what has to stay is not whole", sorted(after))
        after = command.before
    expect(after in (command.before, command.after), what, "outputs are not all old or all new", sorted(after), done.stderr)
    expect(done.returncode in (0, 4), what, f"exit code {done.returncode}", done.stderr)
    if done.returncode == 0:
        expect(after == command.after, what, "says it is done, and is not")
    lines = [line for line in done.stderr.decode().splitlines() if ": warning: " not in line]
    expect(len(lines) == (done.returncode != 0), what, "what is wrong is not one line", lines)


def check_killed(command, folder, what):
    after = state_of(folder)
    for name, digest in command.before.items():
        expect(after.get(name) in (digest, command.after.get(name)), what, f"{name} is neither old nor new")
    for name, digest in after.items():
        whole = digest in (command.before.get(name), command.after.get(name))
        expect(whole or "tmp" in name or is_begun(command, name), what, f"{name} is neither old nor new")
    again = [*command.words, *([] if "-f" in command.words or command.removes else ["-f"])]
    done = subprocess.run(again, cwd=folder, capture_output=True, timeout=120, check=False)
    expect(state_of(folder) == command.after, what, "the next run leaves", sorted(state_of(folder)), done.stderr)


def check_command(command):
    for kind, numbers in sorted(calls_of(command).items()):
        for number in some_of(numbers, kind):
            effects = [f"error={FAULTS[kind]}", "signal=KILL"] + ["error=EINTR"] * (kind in INTERRUPTED)
            for effect in effects:
                what = f"{command.name}: call {number} of {kind}: {effect}"
                with command.folder() as name:
                    folder = pathlib.Path(name)
                    done = command.traced(folder, [kind], f"inject={kind}:{effect}:when={number}")
                    if effect == "signal=KILL":
                        check_killed(command, folder, what)
                    else:
                        check_failure(command, folder, done, what)
                    if kind == "fsync" and effect == f"error={FAULTS[kind]}":  # whose error is told once
                        expect(done.returncode == 4, what, "is lost", done.stderr)
                    if effect == "error=EINTR":
                        expect(done.returncode == 0, what, "is not done again", done.stderr)


def releases(folder):
    whole_programs(folder)
    for name, program in (("old", "one"), ("new", "two")):
        words = [str(given.tools / "ptepack"), "create", f"a={program}.pte", "--include", "large:in.pte", "-o", name]
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    subprocess.run([str(given.tools / "ptepack"), "delta", "old", "new", "-o", "delta"], cwd=folder, check=True, capture_output=True)


def much(folder):
    """What is stored while it is hashed, before it is sealed."""
    shutil.copyfile(DATA / "f08/b_xnn_base.pte", folder / "one.pte")
    (folder / "in.bin").write_bytes(bytes(MUCH_BYTES))


def delta_of_much(folder):
    """From a release with little."""
    much(folder)
    create = ["ptepack", "create", "one.pte", "-o"]
    for words in ([*create, "old"], [*create, "new", "--include", "large:in.bin"], ["ptepack", "delta", "old", "new", "-o", "delta"]):
        subprocess.run([given.tools / words[0], *words[1:]], cwd=folder, check=True, capture_output=True)
    (folder / "in.bin").unlink()
    shutil.rmtree(folder / "new")


def separated(folder):
    big(folder)
    words = [str(given.tools / "ptesplit"), "in.pte", "-o", "in.small.pte", "-d", "in.ptd"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def grown(folder):
    """A release `out` with files that its manifest names no more."""
    releases(folder)
    (folder / "old").rename(folder / "out")
    subprocess.run([str(given.tools / "ptepack"), "create", "two.pte", "-o", "out", "-f"], cwd=folder, check=True, capture_output=True)


def commands():
    split = ["ptesplit", "in.pte", "-o", "out.pte", "-d", "out.ptd"]
    strip = ["ptestrip", "in.pte", "-o", "out.pte", "--debug", "--align", "4K"]
    yield Command("split", big, split)
    yield Command("split", big, split, ["-f"])
    yield Command("split on a disk", big, split, on_disk=True)
    yield Command("join", separated, ["ptesplit", "--join", "in.small.pte", "--data", "in.ptd", "-o", "out.pte"])
    yield Command("strip", big, strip)
    yield Command("strip", big, strip, ["-f"])
    yield Command("copy", big, ["ptecopy", "in.pte", "-o", "out.pte", "--set-metadata", "a=b"])
    yield Command("merge", family, ["ptemerge", "v1/a.pte", "v2/a.pte", "-o", "out"])
    yield Command("create", whole_programs, ["ptepack", "create", "one.pte", "two.pte", "--include", "large:in.pte", "-o", "out"])
    yield Command("delta", releases, ["ptepack", "delta", "old", "new", "-o", "out"])
    yield Command("apply", releases, ["ptepack", "apply", "delta", "--from", "old", "-o", "out"], resumes=True)
    yield Command("create of much", much, ["ptepack", "create", "one.pte", "--include", "large:in.bin", "-o", "out"])
    yield Command("apply of much", delta_of_much, ["ptepack", "apply", "delta", "--from", "old", "-o", "out"], resumes=True)
    yield Command("prune", grown, ["ptepack", "prune", "out"], removes=True)
    yield Command("archive", releases, ["ptepack", "etm", "old:a", "-o", "out.etm"])
    yield Command("extract", whole_programs, ["pteinspect", "--extract", "XnnpackBackend_0", "-o", "out.bin", "one.pte"])
    yield Command("page", whole_programs, ["pteinspect", "--html", "out.html", "one.pte"])


def check():
    if not can_trace():
        raise unittest.SkipTest("strace is not there, or may not trace")
    for command in commands():
        if given.only in command.name:
            check_command(command)
