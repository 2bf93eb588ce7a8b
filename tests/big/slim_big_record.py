#!/usr/bin/env python3
"""Slims sparse records of over 4 GiB with so little memory that nothing large can pass through it.

usage: slim_big_record.py PTESTRIP
Of one record all that is large are weights; the other has a large entry of an unknown kind, which is copied. Exits with
77, which ctest reads as skipped, where the disk has no room: outputs need not be sparse.
"""

import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

MEMORY_BYTES = 256 << 20  # of address space
LARGE = (4 << 30) + 12345
DISK_BYTES = 14 << 30
SKIPPED = 77
PROGRAM = "edge_dialect_exported_program/forward"
TEXT = b'{"graph_module": {}}' * 100
MARK = b"behind all"


def pack(size, place=0):
    """Sizes and place of an entry in 32 bits each, and the extra field with what does not fit."""
    is_large = [number >= 0xFFFFFFFF for number in (size, size, place)]
    numbers = struct.pack("<III", *(0xFFFFFFFF if large else number for large, number in zip(is_large, (size, size, place))))
    field = b"".join(struct.pack("<Q", number) for large, number in zip(is_large, (size, size, place)) if large)
    return numbers[:8], numbers[8:], struct.pack("<HH", 1, len(field)) + field if field else b""


def write_record(path, entries):
    """Stores entries, each a name and its contents or, of sparse ones, the number of its zero bytes."""
    directory = b""
    with open(path, "wb") as file:
        for name, contents in entries:
            sparse = isinstance(contents, int)
            size = contents if sparse else len(contents)
            at = file.tell()
            sizes, place, extra = pack(size, at)
            _, _, extra_in_head = pack(size)
            common = struct.pack("<HHHHHI", 45, 0, 0, 0, 0x21, 0 if sparse else zlib.crc32(contents)) + sizes
            file.write(b"PK\3\4" + common + struct.pack("<HH", len(name), len(extra_in_head)))
            file.write(name.encode() + extra_in_head)
            file.seek(size, 1) if sparse else file.write(contents)
            directory += b"PK\1\2\x2d\3" + common + struct.pack("<HHHHHI", len(name), len(extra), 0, 0, 0, 0) + place
            directory += name.encode() + extra
        at = file.tell()
        long_end = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, len(entries), len(entries), len(directory), at)
        file.write(directory + long_end + struct.pack("<IIQI", 0x07064B50, 0, at + len(directory), 1))
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def slim(tool, record, output):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    done = subprocess.run([tool, record, "-o", output], preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 0, f"ptestrip ended with {done.returncode}:\n{done.stderr}"
    print(f"{record.stat().st_size} bytes become {output.stat().st_size}")


def read(path):
    with zipfile.ZipFile(path) as record:
        small = {entry.filename: record.read(entry) for entry in record.infolist() if entry.file_size < LARGE}
        return small, [entry.file_size for entry in record.infolist()]


def main():
    [tool] = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="pteedit-big-") as name:
        folder = pathlib.Path(name)
        if shutil.disk_usage(folder).free < DISK_BYTES:
            print(f"skipped: {folder} has less than {DISK_BYTES} bytes free")
            return SKIPPED
        whole, output = folder / "whole.etrecord", folder / "slim.etrecord"
        entries = [("ETRECORD_V0", b""), (PROGRAM, TEXT), (PROGRAM + "_state_dict", LARGE), (PROGRAM + "_constants", LARGE),
                   (PROGRAM + "_example_inputs", b"inputs"), ("export_graph_id", b"12")]
        write_record(whole, entries)
        slim(tool, whole, output)
        assert output.stat().st_size < 2000
        small, _ = read(output)
        assert small[PROGRAM] == TEXT and small["export_graph_id"] == b"12" and small[PROGRAM + "_state_dict"] == b""
        output.unlink()

        entries[3:4] = [("of the future", LARGE), ("behind", MARK), (PROGRAM + "_constants", b"c")]
        write_record(whole, entries)
        slim(tool, whole, output)
        assert LARGE < output.stat().st_size < LARGE + 2000
        small, sizes = read(output)
        assert LARGE in sizes and small["behind"] == MARK and small[PROGRAM] == TEXT
    return 0


sys.exit(main())
