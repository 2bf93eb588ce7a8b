"""Checks that a release build stops where a fault would go on: protected stack, asserting containers, what is linked read-only."""

import subprocess

from checks import expect, given


def add_arguments(parser):
    parser.add_argument("binaries", nargs="+")


def check():
    for binary in given.binaries:
        words = ["readelf", "--wide", "--file-header", "--segments", "--dynamic", "--dyn-syms", binary]
        text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        lines = [" ".join(line.split()) for line in text.splitlines()]
        stack = [line for line in lines if line.startswith("GNU_STACK")]
        expect(any(line.startswith("Type: DYN") for line in lines), binary, "is linked at a fixed address")
        expect(any(line.startswith("GNU_RELRO") for line in lines), binary, "can be written where it was relocated")
        expect(any("BIND_NOW" in line for line in lines), binary, "looks functions up when they are called")
        expect(len(stack) == 1 and " RW " in stack[0], binary, f"has a stack that can be executed: {stack}")
        expect("__stack_chk_fail" in text, binary, "does not protect its stack")
        expect("__glibcxx_assert_fail" in text, binary, "does not assert what containers ask for")
