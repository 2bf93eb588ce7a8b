"""ptepack create, delta, apply and prune die by SIGKILL at hundreds of random moments: what was there is whole, and the next run ends.

check_faults.py does so at each call of the system; this at any moment, between them too.
"""

import pathlib
import random
import subprocess
import tempfile
import time

from check_faults import Command, check_killed
from check_outputs import whole_programs
from checks import expect, given
from killing import RandomKills

LARGE_BYTES = 4 << 20


def add_arguments(parser):
    parser.add_argument("--kills", type=int, default=75, help="of each command (default: %(default)s)")


def tool(folder, *words):
    subprocess.run([str(given.tools / "ptepack"), *words, "--quiet"], cwd=folder, check=True, capture_output=True)


def programs(folder):
    """Two releases' worth of files, of which half is in both, moved."""
    whole_programs(folder)
    noise = random.Random(7).randbytes(LARGE_BYTES)
    (folder / "in.bin").write_bytes(noise)
    (folder / "in2.bin").write_bytes(random.Random(8).randbytes(LARGE_BYTES // 2) + noise[: LARGE_BYTES // 2])


def releases(folder):
    programs(folder)
    tool(folder, "create", "a=one.pte", "--include", "large:in.bin", "-o", "old")
    tool(folder, "create", "a=two.pte", "--include", "large:in2.bin", "-o", "new")


def with_delta(folder):
    releases(folder)
    tool(folder, "delta", "old", "new", "-o", "delta")


def grown(folder):
    """A release `out`, and many files that its manifest names no more."""
    programs(folder)
    for i in range(40):
        (folder / "in.txt").write_text(str(i))
        tool(folder, "create", "a=one.pte", "--include", "large:in.txt", "-o", "out", *(["-f"] if i else []))


def commands():
    create = ["ptepack", "create", "one.pte", "two.pte", "--include", "large:in.bin", "-o", "out"]
    yield Command("create", programs, create)
    yield Command("create, compressed", programs, [*create, "--compress"])
    yield Command("delta", releases, ["ptepack", "delta", "old", "new", "-o", "out"])
    yield Command("apply", with_delta, ["ptepack", "apply", "delta", "--from", "old", "-o", "out"], resumes=True)
    yield Command("prune", grown, ["ptepack", "prune", "out"], removes=True)


def seconds_of(command):
    with command.folder() as folder:
        begin = time.monotonic()
        subprocess.run(command.words, cwd=folder, check=True, capture_output=True)
        return time.monotonic() - begin


def check():
    for command in commands():
        kills = RandomKills(9, min(seconds_of(command) for _ in range(3)))
        for i in range(given.kills):
            with command.folder() as name:
                folder = pathlib.Path(name)
                with subprocess.Popen(command.words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                    kills.kill(process.pid)
                check_killed(command, folder, f"{command.name}, killed for the {i + 1}. time")
        expect(kills.killed > given.kills // 4, command.name, "was killed only", kills.killed, "times")
        print(f"{command.name}: killed {kills.killed} times")
