"""What only looks changes nothing: with each of its options, a tool opens for writing, makes, renames and removes nothing but
below the folder of an output that it was told, asks no network and starts no program but a decoder that was named."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from check_option_pairs import Tool
from checks import expect, expect_none, given

# Of any kernel; those that one does not know are left out.
CHANGES = "?creat,?unlink,unlinkat,?rename,renameat,renameat2,?mkdir,mkdirat,?link,linkat,?symlink,symlinkat,truncate,?chmod,fchmodat"
TRACED = f"%network,?open,openat,openat2,execve,{CHANGES}"
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
NOWHERE = ('"/dev/null"', '"/dev/tty"')


def add_arguments(parser):
    parser.add_argument("tool", choices=("pteinspect", "pteprof"))


class Traced(Tool):
    """Runs a tool and keeps what it asked the system for."""

    def run(self, words):
        log, out = self._folder / "calls", self._folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        told = [str(word).replace("OUT/", f"{out}/") for word in [*self._files, *words]]
        command = ["strace", "-f", "-qq", "-s", "4096", "-e", f"trace={TRACED}", "-e", "signal=none", "-o", str(log)]
        done = subprocess.run([*command, str(given.tools / self._name), *told], capture_output=True, timeout=120, check=False)
        return done.returncode, [line.split(maxsplit=1)[1] for line in log.read_text().splitlines()], out


def problems_of(calls, out, may_start):
    started = 0
    for call in calls:
        name = call.split("(")[0]
        if name == "execve":
            started += 1
            if started > 1 and not may_start:
                yield f"starts a program: {call}"
        elif name in ("open", "openat", "openat2"):
            if WRITES.search(call) and f'"{out}' not in call and not any(path in call for path in NOWHERE):
                yield f"opens for writing: {call}"
        elif f'"{out}' not in call and not call.startswith("+++"):
            yield f"changes or asks: {call}"


def can_trace():
    return shutil.which("strace") and subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


def check():
    if not can_trace():
        raise unittest.SkipTest("strace is not there, or may not trace")
    with tempfile.TemporaryDirectory(prefix="read-only-") as folder:
        tool = Traced(given.tool, pathlib.Path(folder))
        samples = tool.samples()
        expect(len(samples) > 20, "--help lists hardly any option")
        for option, words in [("no option", []), *samples.items()]:
            code, calls, out = tool.run(words)
            expect(code in (0, 1, 2), option, f"exit code {code}")
            expect(any(call.startswith("execve") for call in calls), option, "nothing was traced")
            expect_none(problems_of(calls, out, option == "--decoder"), option)
