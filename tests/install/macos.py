"""Reads the tools of an archive for macOS on 64-bit ARM, or the tools and the module of a wheel, as its kernel and loader would,
since nothing here can run them: macos.py ARCHIVE|WHEEL. The processor, the oldest system, libraries that every system has, what is
looked for in Python, and a signature that fits each page: without one they are killed at once."""

import hashlib
import struct
import sys
import tarfile
import zipfile

TOOLS = ("pteinspect", "pteprof", "ptesplit", "ptemerge", "ptestrip", "ptecopy", "ptepack")
MAGIC_64, ARM64, EXECUTABLE, LIBRARY = 0xFEEDFACF, 0x0100000C, 2, 6
PIE, STACK_EXECUTION = 0x200000, 0x20000
SYMBOLS, LOADER_INFO, EXTERNAL, DEFINED, ANYWHERE = 0x2, 0x80000022, 0x1, 0xE, -2
LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION, MAIN, SEGMENT = 0xC, 0x1D, 0x32, 0x80000028, 0x19
PLATFORM_MACOS = 1
SUPER_BLOB, CODE_DIRECTORY, SHA256 = 0xFADE0CC0, 0xFADE0C02, 2
OLDEST = 13  # of the preset


def commands(data, wanted):
    magic, processor, _, kind, count, _, flags, _ = struct.unpack_from("<8I", data)
    assert (magic, processor, kind) == (MAGIC_64, ARM64, wanted), f"of kind {kind}, or not for 64-bit ARM"
    assert wanted == LIBRARY or flags & PIE and not flags & STACK_EXECUTION, f"flags {flags:#x}"
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


def exported(data, body):
    start, count, texts, _ = struct.unpack_from("<4I", body, 8)
    for i in range(count):
        name, kind = struct.unpack_from("<IB", data, start + 16 * i)
        if kind & EXTERNAL and kind & DEFINED:
            yield data[texts + name : data.index(b"\0", texts + name)].decode()


def looked_up(data, body):
    """The symbols that the loader looks for in whatever is there, when it begins and when they are called first."""
    for start, size in (struct.unpack_from("<2I", body, 16), struct.unpack_from("<2I", body, 32)):
        at, end, place, name = start, start + size, None, ""
        while at < end:
            step, small = data[at] & 0xF0, data[at] & 0xF
            at += 1
            if step in (0x10, 0x30):
                place = small if step == 0x10 else small - 16
            elif step == 0x40:
                after = data.index(b"\0", at)
                name, at = data[at:after].decode(), after + 1
            elif step in (0x90, 0xA0, 0xB0, 0xC0) and place == ANYWHERE:
                yield name
            for _ in range({0x20: 1, 0x60: 1, 0x70: 1, 0x80: 1, 0xA0: 1, 0xC0: 2}.get(step, 0)):  # numbers that follow
                while data[at] & 0x80:
                    at += 1
                at += 1


def check_file(data, kind):
    found = commands(data, kind)
    kinds = [command for command, _ in found]
    if kind == LIBRARY:
        assert "_PyInit__pteedit" in exported(data, dict(found)[SYMBOLS]), "no module of Python"
        wanted = set(looked_up(data, dict(found)[LOADER_INFO]))
        strange = [name for name in wanted if not name.startswith(("_Py", "__Py"))]
        assert wanted and not strange, f"looks everywhere for {strange}"
    else:
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


def members_of(path):
    """By name, what is in an archive without its first folder, or in a wheel: bytes, and whether they can be run."""
    if path.endswith(".whl"):
        assert path.endswith("-cp311-cp311-macosx_13_0_arm64.whl"), f"tags of {path}"
        with zipfile.ZipFile(path) as files:
            found = [(item.filename, files.read(item), item.external_attr >> 16) for item in files.infolist()]
        return {name.removeprefix("pteedit/"): (data, mode & 0o111 == 0o111) for name, data, mode in found}
    with tarfile.open(path) as files:
        found = [(item.name, files.extractfile(item).read(), item.mode) for item in files if item.isfile()]
    return {name.split("/", 1)[1]: (data, mode & 0o111 == 0o111) for name, data, mode in found}


def main(path):
    failures = []
    members = members_of(path)
    modules = [name for name in members if name.startswith("_pteedit.") and name.endswith(".so")]
    for name in [f"bin/{tool}" for tool in TOOLS] + modules:
        try:
            data, is_run = members[name]
            assert is_run or name in modules, "cannot be run"
            check_file(data, LIBRARY if name in modules else EXECUTABLE)
        except (AssertionError, KeyError, ValueError, struct.error) as error:
            failures.append(f"{name}: {error}")
    wanted = ["share/doc/pteedit/licenses/libcxx"]
    wanted += ["_pteedit.cpython-311-darwin.so"] if path.endswith(".whl") else ["share/man/man1/pteinspect.1", "share/doc/pteedit/LICENSE"]
    failures += [f"there is no {name}" for name in wanted if name not in members]
    for failure in failures:
        print("failed:", failure)
    print(f"{len(TOOLS) + len(modules) + len(wanted) - len(failures)} passed, {len(failures)} failed")
    return failures != []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
