"""What becomes of outputs when the tools are stopped, when calls of the system fail and when descriptors are closed.

Signals come at known moments, and calls fail, through a preloaded library (tests/support/faults.cc); each case runs where files can
be without a name (O_TMPFILE) and, with that call failing, where they cannot.
"""

import contextlib
import errno
import functools
import hashlib
import itertools
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time

from big_program import write_program
from checks import DATA, expect, given

ENDING_SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGXCPU]
# From the first byte that is read to the last name that is given.
MOMENTS = ["pread", "copy", "fsync", "linkat", "mkdir", "rename"]
NO_NAMELESS = f"tmpfile:{errno.EOPNOTSUPP}"
MARK_SECONDS = 20


def add_arguments(parser):
    parser.add_argument("--faults", required=True, type=os.path.abspath, help="the library to preload")
    parser.add_argument("--folder", help="where to write; the system's choice without it")


def environment_for(fail=(), **more):
    return dict(os.environ, LD_PRELOAD=given.faults, PTEEDIT_FAIL=",".join(fail), LC_ALL="C", **more)


def state_of(folder):
    """Every file with its bytes, but inputs, which never change."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        files[name] = hashlib.blake2b(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return files


class Case:
    """A command in a folder with its inputs, and with older outputs if it replaces them."""

    def __init__(self, name, make_inputs, command, replaces):
        self.name, self.make_inputs, self.command, self.replaces = name, make_inputs, command, replaces

    def prepare(self, folder):
        self.make_inputs(folder)
        if self.replaces:
            subprocess.run(self.command, cwd=folder, check=True, capture_output=True)
            for path in [*folder.glob("out.*"), *(folder / "out").rglob("*.*")]:
                path.write_bytes(b"old " + path.name.encode())


def big(folder):
    def fill(file, base, offsets):
        for i, offset in enumerate(offsets):
            file.seek(base + offset)
            file.write(bytes([i + 1]) * 5000)

    write_program(folder / "in.pte", [1 << 20, 300_000], fill)


def family(folder):
    big(folder)
    (folder / "v1").mkdir()
    (folder / "in.pte").rename(folder / "v1/a.pte")
    shutil.copytree(folder / "v1", folder / "v2")
    with open(folder / "v2/a.pte", "r+b") as file:
        file.seek(-1000, os.SEEK_END)
        file.write(b"other")


def pack_command():
    return [str(given.tools / "ptepack"), "create", "one.pte", "two.pte", "--include", "large:in.pte", "-o", "out"]


def whole_programs(folder):
    """Two without a finding, and a larger file."""
    big(folder)
    for name, source in (("one", "base"), ("two", "v0")):
        shutil.copyfile(DATA / f"f08/b_xnn_{source}.pte", folder / f"{name}.pte")


def with_release(folder):
    whole_programs(folder)
    command = [word for word in pack_command() if word != "two.pte"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@functools.cache
def cases():
    found = [Case("pack", whole_programs, pack_command(), False), Case("grow", with_release, [*pack_command(), "-f"], False)]
    split, merge, strip = (str(given.tools / tool) for tool in ("ptesplit", "ptemerge", "ptestrip"))
    for replaces in (False, True):
        force = ["-f"] if replaces else []
        found += [
            Case("split", big, [split, "in.pte", "-o", "out.pte", "-d", "out.ptd", *force], replaces),
            Case("strip", big, [strip, "in.pte", "-o", "out.pte", "--debug", "--align", "4K", *force], replaces),
            Case("merge", family, [merge, "v1/a.pte", "v2/a.pte", "-o", "out", *force], replaces),
        ]
    return found[2:] + found[:2]


@contextlib.contextmanager
def folder_for(case):
    """A folder in which a case can run."""
    with tempfile.TemporaryDirectory(prefix="pteedit-outputs-", dir=given.folder) as name:
        folder = pathlib.Path(name)
        case.prepare(folder)
        yield folder


def run_in(folder, command, fail=(), **options):
    return subprocess.run(command, cwd=folder, env=environment_for(fail), capture_output=True, **options)


def stop(case, moment, number, fail):
    """Runs a case until a moment, sends a signal there and compares what is in the folder with before and after."""
    what = f"{case.name} {'-f ' if case.replaces else ''}at {moment}, {signal.Signals(number).name}, {fail or 'nameless'}"
    with folder_for(case) as folder, tempfile.TemporaryDirectory() as elsewhere:
        mark = pathlib.Path(elsewhere) / "mark"
        before = state_of(folder)
        environment = environment_for(fail, PTEEDIT_PAUSE=moment, PTEEDIT_MARK=str(mark))
        run = subprocess.Popen(case.command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + MARK_SECONDS
        while run.poll() is None and not mark.exists() and time.monotonic() < end:
            time.sleep(0.002)
        if run.poll() is not None and not mark.exists():
            return False  # this command has no such moment
        run.send_signal(number)
        run.send_signal(number)  # twice is as good as once
        _, errors = run.communicate()
        after = state_of(folder)
        expect(run.returncode == -number, f"{what}: ends by the signal", run.returncode, errors)
        if number == signal.SIGKILL and moment in ("linkat", "mkdir", "rename"):
            is_whole = all(digest in (before.get(file), finished(case).get(file))
                           for file, digest in after.items() if "tmp" not in file)
            expect(is_whole, f"{what}: outputs are old or new", after)
        elif number == signal.SIGKILL and fail:
            expect(before.items() <= after.items(), f"{what}: inputs and outputs are as before", after)
        else:
            expect(after in (before, finished(case)), f"{what}: outputs are old or new, and nothing else is there", before, after)
    return True


@functools.cache
def finished(case):
    """What is in the folder when nothing went wrong."""
    with folder_for(case) as folder:
        subprocess.run(case.command, cwd=folder, check=True, capture_output=True)
        return state_of(folder)


def signals():
    numbers = itertools.cycle(ENDING_SIGNALS)
    moments = set()
    for case, moment, fail in itertools.product(cases(), MOMENTS, ([], [NO_NAMELESS], [NO_NAMELESS, "renameat2:22"])):
        for number in (next(numbers), signal.SIGKILL):
            if stop(case, moment, number, fail):
                moments.add((case.name, moment))
    expect(len(moments) >= 14, "signals come at many moments", moments)


def limit_file_size():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ends_by_itself():
    """Signals that the process brings on itself."""
    for fail in ([], [NO_NAMELESS]):
        case = cases()[0]
        with folder_for(case) as folder:
            before = state_of(folder)
            ended = run_in(folder, case.command, fail, preexec_fn=limit_file_size)
            expect(ended.returncode == -signal.SIGXFSZ, f"a limit of file sizes, {fail}", ended)
            expect(state_of(folder) == before, f"a limit of file sizes leaves nothing, {fail}", state_of(folder))
            stream = [*case.command[:3], "-", *case.command[4:]]
            run = subprocess.Popen(stream, cwd=folder, env=environment_for(fail), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
            run.stdout.close()
            run.wait()
            expect(run.returncode == -signal.SIGPIPE, f"a pipe that nobody reads, {fail}", run.returncode)
            expect(state_of(folder) == before, f"a pipe that nobody reads leaves nothing, {fail}", state_of(folder))


def standard_output():
    case = cases()[0]
    with folder_for(case) as folder:
        before = state_of(folder)
        tool = case.command[0]
        inspect = str(given.tools / "pteinspect")
        with open("/dev/full", "wb") as full:
            failed = subprocess.run([tool, "in.pte", "-o", "-", "-d", "out.ptd"], cwd=folder, stdout=full, stderr=subprocess.PIPE)
        expect(failed.returncode == 4, "a failure on -o - is exit 4", failed)
        expect(state_of(folder) == before, "a failure on -o - leaves nothing", state_of(folder))
        for command in ([tool, "in.pte", "-o", "-", "-d", "out.ptd"], [tool, "in.pte", "-o", "out.pte", "-d", "out.ptd", "--json"],
                        [inspect, "--json", "in.pte"], [inspect, "--extract", "Constant Tensors", "-o", "-", "in.pte"]):
            with open(folder / "in.pte", "ab") as itself:
                refused = subprocess.run(command, cwd=folder, stdout=itself, stderr=subprocess.PIPE, text=True)
            expect(refused.returncode == 2, f"{command} into its input is refused", refused)
            expect("in.pte: is an input and would get what is printed" in refused.stderr, f"{command} says so", refused)
            expect(state_of(folder) == before, f"{command} changes nothing")
        with open(folder / "in.pte", "ab") as itself:
            refused = subprocess.run([inspect, "in.pte"], cwd=folder, stdout=subprocess.PIPE, stderr=itself)
        expect(refused.returncode == 2, "warnings do not go into an input either", refused)


def closed_descriptors():
    """What is printed goes into no output, whichever of the standard descriptors are closed."""
    case = cases()[0]
    wanted = finished(case)
    for count in range(4):
        for closed in itertools.combinations((0, 1, 2), count):
            with folder_for(case) as folder:
                words = " ".join(f"{number}{'<' if number == 0 else '>'}&-" for number in closed)
                command = " ".join([*case.command, "--progress always", words])
                done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True)
                expect(state_of(folder) == wanted, f"{closed} closed: the outputs are the same", done)
                expected = 4 if 1 in closed else 0  # the report could not be printed
                expect(done.returncode == expected, f"{closed} closed: exit {expected}", done)


def calls_that_fail():
    for case, nameless in itertools.product(cases(), (True, False)):
        with folder_for(case) as folder:
            fail = [f"unlink:{errno.EPERM}", f"unlinkat:{errno.EPERM}"]
            if not nameless:
                fail += [NO_NAMELESS, f"renameat2:{errno.ENOSYS}"]
            done = run_in(folder, case.command, fail)
            what = f"{case.name} {case.replaces} {nameless}: unlink fails"
            left = [path for path in folder.rglob("*.tmp")]
            after = {file: digest for file, digest in state_of(folder).items() if ".tmp" not in file}
            expect(after == finished(case), f"{what}: outputs are there", after)
            expect(done.returncode == (4 if left else 0), f"{what}: exit tells what is left", done, left)
            named = [path for path in left if path.name in done.stderr.decode()]
            expect(not left or named, f"{what}: something left is named", done, left)
            told = b"cannot be removed: Operation not permitted; the outputs are in their places" in done.stderr
            expect(told == bool(left), f"{what}: the outputs are said to be there", done)
        with folder_for(case) as folder:
            before = state_of(folder)
            done = run_in(folder, case.command, [f"fsync_folder:{errno.EIO}"] + ([] if nameless else [NO_NAMELESS]))
            after = state_of(folder)
            what = f"{case.name} {case.replaces} {nameless}: fsync of a folder fails"
            expect(done.returncode == 4, f"{what}: exit 4", done)
            expect(after in (before, finished(case)), f"{what}: outputs are old or new", after)
            told = b"the outputs are in their places, but a crash of the system may undo that" in done.stderr
            expect(told == (after != before), f"{what}: which of both is said", done, after)


def dry_runs():
    for case in cases():
        with folder_for(case) as folder:
            before = state_of(folder)
            dry = [*case.command, "--dry-run"]
            expect(run_in(folder, dry).returncode == 0, f"{case.name}: a dry run is 0")
            denied = run_in(folder, dry, [f"faccessat:{errno.EACCES}"])
            expect(denied.returncode == 4, f"{case.name}: a dry run tells of a folder that cannot be written", denied)
            expect(b"cannot create: Permission denied" in denied.stderr, f"{case.name}: and why", denied)
            if case.replaces:
                exists = run_in(folder, [word for word in dry if word != "-f"])
                expect(exists.returncode == 2, f"{case.name}: a dry run tells of what exists", exists)
            elsewhere = run_in(folder, [word.replace("out", "no/out") for word in dry])
            expect(elsewhere.returncode == 4, f"{case.name}: a dry run tells of a folder that is missing", elsewhere)
            expect(state_of(folder) == before, f"{case.name}: a dry run changes nothing")


def permissions():
    for case in cases():
        with folder_for(case) as folder:
            for path in folder.rglob("*.pt?"):
                path.chmod(0o600)
            run_in(folder, case.command)
            outputs = [path for path in folder.rglob("*.pt?") if "out" in str(path.relative_to(folder))]
            expect(outputs, f"{case.name}: has outputs")
            for path in outputs:
                mode = stat.S_IMODE(path.stat().st_mode)
                expect(mode == 0o600, f"{case.name}: {path.name} is as private as the input", oct(mode))


def check():
    for part in (signals, ends_by_itself, standard_output, closed_descriptors, calls_that_fail, dry_runs, permissions):
        part()
