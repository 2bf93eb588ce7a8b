"""A file that can no longer be read, at whichever read, is one line and exit code 4, and the JSON is whole and says so, by its schema."""

import json
import subprocess
import tempfile
import unittest

from check_read_only import can_trace
from checks import DATA, expect, expect_none, given, schema_problems

FILE = DATA / "f08/b_xnn_v0.pte"
WORDS = ["--json", "--threads", "1", "--named-data", "--delegates", "--graph", "--hash", FILE]


def traced(option, log="/dev/null"):
    command = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=openat,pread64", "-e", option, "-o", log, given.tools / "pteinspect", *WORDS]
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=120, check=False)


def reads_of_file():
    """Their numbers among all, of which the loader's come first, and those that only ask what kind of file it may be."""
    with tempfile.NamedTemporaryFile(mode="r") as log:
        expect(traced("signal=none", log.name).returncode == 0, "it cannot be traced")
        calls = log.read().splitlines()
    opened = max(i for i, call in enumerate(calls) if FILE.name in call)
    before = sum("pread64(" in call for call in calls[:opened])
    return range(before + 1, before + 1 + sum("pread64(" in call for call in calls[opened:]))


def check():
    if not can_trace():
        raise unittest.SkipTest("strace is not there, or may not trace")
    had_sizes = False
    for number in reads_of_file():
        done = traced(f"inject=pread64:error=EIO:when={number}")
        called = f"read {number}"
        expect(done.returncode == 4, called, f"exit code {done.returncode}", done.stdout[-200:])
        expect(done.stderr.count(b"\n") == 1 and b"Input/output error" in done.stderr, called, done.stderr)
        answer = json.loads(done.stdout)
        expect_none(schema_problems("pteinspect", answer), called)
        [shown] = answer
        expect(shown["file"] == str(FILE) and shown["error"]["code"] == "io", called, shown.get("error"))
        expect("Input/output error" in shown["error"]["message"], called, shown["error"])
        had_sizes = had_sizes or "sizes" in shown
    expect(had_sizes, "no read fails behind the sizes")
