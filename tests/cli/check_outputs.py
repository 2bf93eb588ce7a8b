#!/usr/bin/env python3
"""What becomes of outputs when the tools are stopped, when calls of the system fail and when descriptors are closed.

Signals come at known moments, and calls fail, through a preloaded library (tests/support/faults.cc); each case runs where files can
be without a name (O_TMPFILE) and, with that call failing, where they cannot.
"""

import argparse
import errno
import hashlib
import itertools
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

ENDING_SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGXCPU]
# From the first byte that is read to the last name that is given.
MOMENTS = ["pread", "copy", "fsync", "linkat", "mkdir", "rename"]
NO_NAMELESS = f"tmpfile:{errno.EOPNOTSUPP}"
MARK_SECONDS = 20


def environment_for(arguments, fail=(), **more):
    return dict(os.environ, LD_PRELOAD=arguments.faults, PTEEDIT_FAIL=",".join(fail), LC_ALL="C", **more)


def state_of(folder):
    """Every file with its bytes, but inputs, which never change."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        files[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
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


def cases_for(arguments):
    split, merge, strip = (str(arguments.tools / tool) for tool in ("ptesplit", "ptemerge", "ptestrip"))
    sys.path.insert(0, str(arguments.data.parent / "support"))
    sys.dont_write_bytecode = True
    from big_program import write_program

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

    for replaces in (False, True):
        force = ["-f"] if replaces else []
        yield Case("split", big, [split, "in.pte", "-o", "out.pte", "-d", "out.ptd", *force], replaces)
        yield Case("strip", big, [strip, "in.pte", "-o", "out.pte", "--debug", "--align", "4K", *force], replaces)
        yield Case("merge", family, [merge, "v1/a.pte", "v2/a.pte", "-o", "out", *force], replaces)


class Checker:
    def __init__(self, arguments):
        self.arguments = arguments
        self.failures, self.count = [], 0

    def check(self, what, holds, *found):
        self.count += 1
        if not holds:
            self.failures.append(f"{what}: {found}")

    def run(self, command, folder, fail=(), **options):
        return subprocess.run(command, cwd=folder, env=environment_for(self.arguments, fail), capture_output=True, **options)

    def stop(self, case, moment, number, fail):
        """Runs a case until a moment, sends a signal there and compares what is in the folder with before and after."""
        what = f"{case.name} {'-f ' if case.replaces else ''}at {moment}, {signal.Signals(number).name}, {fail or 'nameless'}"
        with tempfile.TemporaryDirectory(prefix="pteedit-stop-", dir=self.arguments.folder) as name:
            folder, mark = pathlib.Path(name) / "work", pathlib.Path(name) / "mark"
            folder.mkdir()
            case.prepare(folder)
            before = state_of(folder)
            environment = environment_for(self.arguments, fail, PTEEDIT_PAUSE=moment, PTEEDIT_MARK=str(mark))
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
            self.check(f"{what}: ends by the signal", run.returncode == -number, run.returncode, errors)
            is_old = after == before
            is_done = not is_old and set(self.done[case.name]) == set(after) and all(
                after[file] == digest for file, digest in self.done[case.name].items())
            if number == signal.SIGKILL and moment in ("linkat", "mkdir", "rename"):
                whole = {file: digest for file, digest in after.items() if "tmp" not in file}
                self.check(f"{what}: outputs are old or new", all(
                    digest in (before.get(file), self.done[case.name].get(file)) for file, digest in whole.items()), after)
            elif number == signal.SIGKILL and fail:
                self.check(f"{what}: inputs and outputs are as before", before.items() <= after.items(), after)
            else:
                self.check(f"{what}: outputs are old or new, and nothing else is there", is_old or is_done, before, after)
        return True

    def finished(self, case, folder):
        case.prepare(folder)
        subprocess.run(case.command, cwd=folder, check=True, capture_output=True)
        return state_of(folder)

    def signals(self):
        cases = list(cases_for(self.arguments))
        self.done = {}
        for case in cases:
            with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
                self.done[case.name] = self.finished(case, pathlib.Path(name))
        numbers = itertools.cycle(ENDING_SIGNALS)
        moments = set()
        for case, moment, fail in itertools.product(cases, MOMENTS, ([], [NO_NAMELESS], [NO_NAMELESS, "renameat2:22"])):
            for number in (next(numbers), signal.SIGKILL):
                if self.stop(case, moment, number, fail):
                    moments.add((case.name, moment))
        self.check("signals come at many moments", len(moments) >= 14, moments)

    def ends_by_itself(self):
        """Signals that the process brings on itself."""
        for fail in ([], [NO_NAMELESS]):
            with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
                folder = pathlib.Path(name)
                case = next(cases_for(self.arguments))
                case.prepare(folder)
                before = state_of(folder)

                def limit():
                    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
                    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

                ended = self.run(case.command, folder, fail, preexec_fn=limit)
                self.check(f"a limit of file sizes, {fail}", ended.returncode == -signal.SIGXFSZ, ended)
                self.check(f"a limit of file sizes leaves nothing, {fail}", state_of(folder) == before, state_of(folder))
                stream = [*case.command[:3], "-", *case.command[4:]]
                run = subprocess.Popen(stream, cwd=folder, env=environment_for(self.arguments, fail), stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
                run.stdout.close()
                run.wait()
                self.check(f"a pipe that nobody reads, {fail}", run.returncode == -signal.SIGPIPE, run.returncode)
                self.check(f"a pipe that nobody reads leaves nothing, {fail}", state_of(folder) == before, state_of(folder))

    def standard_output(self):
        with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
            folder = pathlib.Path(name)
            case = next(cases_for(self.arguments))
            case.prepare(folder)
            before = state_of(folder)
            tool = case.command[0]
            inspect = str(self.arguments.tools / "pteinspect")
            with open("/dev/full", "wb") as full:
                failed = subprocess.run([tool, "in.pte", "-o", "-", "-d", "out.ptd"], cwd=folder, stdout=full, stderr=subprocess.PIPE)
            self.check("a failure on -o - is exit 4", failed.returncode == 4, failed)
            self.check("a failure on -o - leaves nothing", state_of(folder) == before, state_of(folder))
            for command in ([tool, "in.pte", "-o", "-", "-d", "out.ptd"], [tool, "in.pte", "-o", "out.pte", "-d", "out.ptd", "--json"],
                            [inspect, "--json", "in.pte"], [inspect, "--extract", "Constant Tensors", "-o", "-", "in.pte"]):
                with open(folder / "in.pte", "ab") as itself:
                    refused = subprocess.run(command, cwd=folder, stdout=itself, stderr=subprocess.PIPE, text=True)
                self.check(f"{command} into its input is refused", refused.returncode == 2, refused)
                self.check(f"{command} says so", "in.pte: is an input and would get what is printed" in refused.stderr, refused)
                self.check(f"{command} changes nothing", state_of(folder) == before)
            with open(folder / "in.pte", "ab") as itself:
                refused = subprocess.run([inspect, "in.pte"], cwd=folder, stdout=subprocess.PIPE, stderr=itself)
            self.check("warnings do not go into an input either", refused.returncode == 2, refused)

    def closed_descriptors(self):
        """What is printed goes into no output, whichever of the standard descriptors are closed."""
        case = next(cases_for(self.arguments))
        with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
            wanted = self.finished(case, pathlib.Path(name))
        for count in range(4):
            for closed in itertools.combinations((0, 1, 2), count):
                with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
                    folder = pathlib.Path(name)
                    case.prepare(folder)
                    words = " ".join(f"{number}{'<' if number == 0 else '>'}&-" for number in closed)
                    command = " ".join([*case.command, "--progress always", words])
                    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True)
                    self.check(f"{closed} closed: the outputs are the same", state_of(folder) == wanted, done)
                    expected = 4 if 1 in closed else 0  # the report could not be printed
                    self.check(f"{closed} closed: exit {expected}", done.returncode == expected, done)

    def calls_that_fail(self):
        for case, nameless in itertools.product(cases_for(self.arguments), (True, False)):
            with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
                folder = pathlib.Path(name)
                case.prepare(folder)
                fail = [f"unlink:{errno.EPERM}", f"unlinkat:{errno.EPERM}"]
                if not nameless:
                    fail += [NO_NAMELESS, f"renameat2:{errno.ENOSYS}"]
                done = self.run(case.command, folder, fail)
                what = f"{case.name} {case.replaces} {nameless}: unlink fails"
                left = [path for path in folder.rglob("*.tmp")]
                after = {file: digest for file, digest in state_of(folder).items() if ".tmp" not in file}
                self.check(f"{what}: outputs are there", after == self.done[case.name], after)
                self.check(f"{what}: exit tells what is left", done.returncode == (4 if left else 0), done, left)
                named = [path for path in left if path.name in done.stderr.decode()]
                self.check(f"{what}: something left is named", not left or named, done, left)
                told = b"cannot be removed: Operation not permitted; the outputs are in their places" in done.stderr
                self.check(f"{what}: the outputs are said to be there", told == bool(left), done)
            with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
                folder = pathlib.Path(name)
                case.prepare(folder)
                before = state_of(folder)
                done = self.run(case.command, folder, [f"fsync_folder:{errno.EIO}"] + ([] if nameless else [NO_NAMELESS]))
                after = state_of(folder)
                what = f"{case.name} {case.replaces} {nameless}: fsync of a folder fails"
                self.check(f"{what}: exit 4", done.returncode == 4, done)
                self.check(f"{what}: outputs are old or new", after in (before, self.done[case.name]), after)
                told = b"the outputs are in their places, but a crash of the system may undo that" in done.stderr
                self.check(f"{what}: which of both is said", told == (after != before), done, after)

    def dry_runs(self):
        for case in cases_for(self.arguments):
            with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
                folder = pathlib.Path(name)
                case.prepare(folder)
                before = state_of(folder)
                dry = [*case.command, "--dry-run"]
                self.check(f"{case.name}: a dry run is 0", self.run(dry, folder).returncode == 0)
                denied = self.run(dry, folder, [f"faccessat:{errno.EACCES}"])
                self.check(f"{case.name}: a dry run tells of a folder that cannot be written", denied.returncode == 4, denied)
                self.check(f"{case.name}: and why", b"cannot create: Permission denied" in denied.stderr, denied)
                if case.replaces:
                    exists = self.run([word for word in dry if word != "-f"], folder)
                    self.check(f"{case.name}: a dry run tells of what exists", exists.returncode == 2, exists)
                elsewhere = self.run([word.replace("out", "no/out") for word in dry], folder)
                self.check(f"{case.name}: a dry run tells of a folder that is missing", elsewhere.returncode == 4, elsewhere)
                self.check(f"{case.name}: a dry run changes nothing", state_of(folder) == before)

    def permissions(self):
        for case in cases_for(self.arguments):
            with tempfile.TemporaryDirectory(dir=self.arguments.folder) as name:
                folder = pathlib.Path(name)
                case.prepare(folder)
                for path in folder.rglob("*.pt?"):
                    path.chmod(0o600)
                self.run(case.command, folder)
                outputs = [path for path in folder.rglob("*.pt?") if "out" in str(path.relative_to(folder))]
                self.check(f"{case.name}: has outputs", outputs)
                for path in outputs:
                    mode = stat.S_IMODE(path.stat().st_mode)
                    self.check(f"{case.name}: {path.name} is as private as the input", mode == 0o600, oct(mode))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, type=pathlib.Path, help="folder of the built tools")
    parser.add_argument("--data", required=True, type=pathlib.Path, help="tests/data")
    parser.add_argument("--faults", required=True, help="the library to preload")
    parser.add_argument("--folder", help="where to write; the system's choice without it")
    arguments = parser.parse_args()
    arguments.tools, arguments.data = arguments.tools.resolve(), arguments.data.resolve()
    arguments.faults = os.path.abspath(arguments.faults)
    checker = Checker(arguments)
    for part in (checker.signals, checker.ends_by_itself, checker.standard_output, checker.closed_descriptors,
                 checker.calls_that_fail, checker.dry_runs, checker.permissions):
        part()
    for failure in checker.failures:
        print("FAILED", failure)
    print(f"{checker.count} checked, {len(checker.failures)} failed")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
