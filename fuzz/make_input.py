#!/usr/bin/env python3
"""Writes an input of a target that takes several files: make_input.py OPTIONS OUT PROGRAM [FILE...], OPTIONS as 8 hex digits."""
import struct
import sys


def main() -> None:
    options, out, *files = sys.argv[1:]
    content = bytes.fromhex(options)
    for name in files:
        with open(name, "rb") as file:
            one = file.read()
        content += struct.pack("<I", len(one)) + one
    with open(out, "wb") as file:
        file.write(content)


main()
