"""Reads the tools of an archive for macOS on 64-bit ARM as its kernel and loader would, since nothing here can run them:
macos.py ARCHIVE. The processor, the oldest system, libraries that every system has, and a signature that fits each page:
without one they are killed at once."""

import hashlib
import struct
import sys
import tarfile

TOOLS = ("pteinspect", "pteprof", "ptesplit", "ptemerge", "ptestrip", "ptecopy", "ptepack")
MAGIC_64, ARM64, EXECUTABLE = 0xFEEDFACF, 0x0100000C, 2
PIE, STACK_EXECUTION = 0x200000, 0x20000
LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION, MAIN, SEGMENT = 0xC, 0x1D, 0x32, 0x80000028, 0x19
PLATFORM_MACOS = 1
SUPER_BLOB, CODE_DIRECTORY, SHA256 = 0xFADE0CC0, 0xFADE0C02, 2
OLDEST = 13  # of the preset


def commands(data):
    magic, processor, _, kind, count, _, flags, _ = struct.unpack_from("<8I", data)
    assert (magic, processor, kind) == (MAGIC_64, ARM64, EXECUTABLE), "no program for 64-bit ARM"
    assert flags & PIE and not flags & STACK_EXECUTION, f"flags {flags:#x}"
    at = 32
    found = []
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, at)
        found.append((command, data[at : at + size]))
        at += size
    return found


def check_signature(data, start, size):
    """Pages of the code directory have the hashes that it says, up to where the signature begins."""
    magic, length, count = struct.unpack_from(">3I", data, start)
    assert magic == SUPER_BLOB and length <= size, "no signature where it should be"
    places = [struct.unpack_from(">2I", data, start + 12 + 8 * i)[1] for i in range(count)]
    (directory,) = (start + at for at in places if struct.unpack_from(">I", data, start + at)[0] == CODE_DIRECTORY)
    hashes, _, _, slots, limit = struct.unpack_from(">5I", data, directory + 16)
    hash_size, hash_type, _, page_bits = struct.unpack_from("4B", data, directory + 36)
    page = 1 << page_bits
    assert (hash_size, hash_type, limit, slots) == (32, SHA256, start, -(-start // page)), "signature of another file"
    for i in range(slots):
        at = directory + hashes + 32 * i
        assert hashlib.sha256(data[i * page : min((i + 1) * page, limit)]).digest() == data[at : at + 32], f"page {i}"


def check_tool(data):
    found = commands(data)
    kinds = [command for command, _ in found]
    assert MAIN in kinds, "nothing to start with"
    for command, body in found:
        if command == LOAD_DYLIB:
            name = body[struct.unpack_from("<I", body, 8)[0] :].rstrip(b"\0").decode()
            assert name.startswith(("/usr/lib/", "/System/Library/")), f"needs {name}"
        elif command == BUILD_VERSION:
            platform, oldest = struct.unpack_from("<2I", body, 8)
            assert platform == PLATFORM_MACOS, f"platform {platform}"
            assert oldest >> 16 == OLDEST, f"needs macOS {oldest >> 16}"
        elif command == SEGMENT:
            protection = struct.unpack_from("<2i", body, 56)
            assert all(flags & 6 != 6 for flags in protection), "a segment that is written and run"
    assert BUILD_VERSION in kinds, "no oldest system"
    assert kinds.count(CODE_SIGNATURE) == 1, "no signature"
    start, size = struct.unpack_from("<2I", dict(found)[CODE_SIGNATURE], 8)
    check_signature(data, start, size)
    try:
        check_signature(data[:4096] + bytes([data[4096] ^ 1]) + data[4097:], start, size)
    except AssertionError:
        return
    raise AssertionError("a changed byte is not seen")


def main(archive):
    failures = []
    with tarfile.open(archive) as files:
        members = {member.name.split("/", 1)[1]: member for member in files if member.isfile()}
        for tool in TOOLS:
            try:
                assert members[f"bin/{tool}"].mode & 0o111 == 0o111, "cannot be run"
                check_tool(files.extractfile(members[f"bin/{tool}"]).read())
            except (AssertionError, KeyError, ValueError, struct.error) as error:
                failures.append(f"{tool}: {error}")
        documents = ["man/man1/pteinspect.1", "doc/pteedit/LICENSE", "doc/pteedit/licenses/libcxx"]
        failures += [f"the archive has no share/{name}" for name in documents if f"share/{name}" not in members]
    for failure in failures:
        print("failed:", failure)
    print(f"{len(TOOLS) + len(documents) - len(failures)} passed, {len(failures)} failed")
    return failures != []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
