"""What the tools print on terminals of 60, 80 and 120 columns: no line of a table or a tree is wider, there are bars and colors, NO_COLOR
takes the latter out, and a pipe gets neither: the same names, whole."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata

from checks import DATA, expect, given, run

WIDTHS = (60, 80, 120)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
BAR = re.compile("[▏▎▍▌▋▊▉█]")
GPT = "f07/gpt_xnn.pte"
METHODS = "f08/e_multi_xnn.pte"
DUMP = ["inspector/two_delegates/etdump.etdp", "--etrecord", "inspector/two_delegates/etrecord.bin"]
VIEWS = ("methods", "tensors", "segments", "named-data", "operators", "instructions", "memory", "advise", "stack-traces")
SENTENCES = ("Execute of forward: medians", "f08/b_xnn_base.pte to ")  # which the terminal itself breaks
COMMANDS = [
    ["pteinspect", GPT],
    ["pteinspect", "--compressed", GPT],
    ["pteinspect", "-l", "-e", "Named Data", "-e", "XnnpackBackend_9", GPT],
    ["pteinspect", "--by", "method,component", METHODS],
    ["pteinspect", "--retained", METHODS],
    *(["pteinspect", f"--{view}", GPT] for view in VIEWS),
    ["pteinspect", "--diff", "f08/b_xnn_base.pte", "f08/b_xnn_v0.pte"],
    ["pteinspect", "--duplicates", "f12/tied_portable.pte", "f12/tied_xnn.pte"],
    ["pteprof", *DUMP],
    ["pteprof", *DUMP, "--by-operator"],
]


def everything_of(leader):
    printed = b""
    try:
        while piece := os.read(leader, 1 << 16):
            printed += piece
    except OSError:  # the end, as Linux tells it
        pass
    return printed


def on_terminal(command, columns, **variables):
    """What the tool prints where standard output is a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **variables}
    with subprocess.Popen([given.tools / command[0], *command[1:]], stdout=follower, stderr=subprocess.DEVNULL, env=environment, cwd=DATA):
        os.close(follower)
        printed = everything_of(leader)
    os.close(leader)
    return printed.decode().replace("\r\n", "\n")


def width_of(line):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in ESCAPE.sub("", line))


def check_widths(command):
    for columns in WIDTHS:
        for line in on_terminal(command, columns).splitlines():
            fits = width_of(line) <= columns or line.startswith(SENTENCES)
            expect(fits, " ".join(command), f"a line is {width_of(line)} wide on {columns} columns", line)


def check_colors(command):
    colored, plain = on_terminal(command, 120), on_terminal(command, 120, NO_COLOR="1")
    expect(ESCAPE.search(colored), command, "has no color on a terminal")
    expect("\x1b" not in plain and plain == ESCAPE.sub("", colored), command, "NO_COLOR leaves more, or less, than the text", plain)
    expect("\x1b" not in on_terminal([*command, "--color", "never"], 120), command, "--color never has colors")
    expect("\x1b" not in on_terminal(command, 120, TERM="dumb"), command, "has colors on a dumb terminal")


def check_pipe(command):
    """A pipe gets what a terminal without end would show, but for bars and colors."""
    piped = run(command[0], *command[1:], cwd=DATA).stdout.decode()
    expect("\x1b" not in piped and not BAR.search(piped) and "…" not in piped, command, "is not plain in a pipe", piped)
    wide = BAR.sub("", on_terminal(command, 2000, NO_COLOR="1"))
    expect([line.rstrip() for line in wide.splitlines()] == piped.splitlines(), command, "a pipe gets something else", piped, wide)


def check_bars():
    """As long as the shares, which add up to all."""
    lines = on_terminal(["pteinspect", GPT], 80).splitlines()
    lengths = [len(BAR.findall(line)) for line in lines]
    expect(lengths[1] == max(lengths) and lengths[1:-1] == sorted(lengths[1:-1], reverse=True), "bars are not as long as shares", lines)
    expect(lengths[0] == lengths[-1] == 0, "the titles or the sum have a bar", lines)
    shares = [float(re.search(r"([0-9.]+) %", line)[1]) for line in lines[1:-1]]
    expect(all(abs(length - share * 40 / 100) <= 1 for length, share in zip(lengths[1:-1], shares)), "bars are not in scale", lines)
    expect("(no room for: " in on_terminal(["pteinspect", "--retained", METHODS], 60), "a column is left out without a word")


def check():
    for command in COMMANDS:
        check_widths(command)
        if command != ["pteprof", *DUMP]:  # which opens another table on a terminal
            check_pipe(command)
    for command in (["pteinspect", GPT], ["pteinspect", "--by", "dtype", GPT], ["pteprof", *DUMP, "--by-operator"]):
        check_colors(command)
    check_bars()
