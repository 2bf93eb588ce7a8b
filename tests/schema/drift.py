#!/usr/bin/env python3
"""Says what a release of ExecuTorch has that the last one we looked at had not, and whether our schemas still fit it.

    drift.py RELEASE [--known RELEASE] [--wheels DIR] [--schema-drift PROGRAM]

RELEASE is a version, a wheel or the folder of an unpacked one; what is no file comes from the package registry into DIR.
Told are fields, tables and values of each .fbs, ids of backends and magics of files and blobs that are new, changed or gone, and
which of the ids no decoder of ours reads and which of the magics our sources do not have; then, where our own schemas disagree.
After a look at all of it, KNOWN moves on. Exit code 0: nothing is new; 1: something is; 77: the wheel cannot be had.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))
import release_tables  # noqa: E402

KNOWN = "1.5.1"  # the release that our readers were last held against
DECODERS = ROOT / "libpteedit/src/delegates/decoder.cc"
BACKEND = re.compile(r"^class (\w+)\([^)]*\bBackendDetails\b", re.MULTILINE)
IDENTIFIER = re.compile(r'file_identifier\s+"([^"]+)"')
MAGIC = re.compile(r"""(?:magic|identifier|header|preamble|signature)\w*[^\n=]*=\s*b?["']([\x21-\x7e]{4,12})["']""", re.IGNORECASE)


def unpacked(release, wheels, folder):
    """The folder of the package."""
    path = pathlib.Path(release)
    if path.is_dir():
        return path if (path / "exir").exists() or not (path / "executorch").exists() else path / "executorch"
    wheel = path if path.is_file() else release_tables.find_wheel(wheels, release)
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.endswith((".fbs", ".py", ".h"))]
        archive.extractall(folder, members)
    return folder / "executorch"


def is_others(path):
    return any(part in ("test", "tests", "examples", "third-party") for part in path.parts)


def texts(package, suffix):
    """By path in the package, without tests and what is not ExecuTorch's."""
    found = {}
    for path in sorted(package.rglob("*" + suffix)):
        name = path.relative_to(package)
        if not is_others(name):
            found[str(name)] = path.read_text(errors="replace")
    return found


def facts(package, program):
    """What each schema says, line by line."""
    found = {}
    for name in texts(package, ".fbs"):
        done = subprocess.run([program, "--facts", package / name], capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines() if done.returncode == 0 else [f"cannot be read: {done.stderr.strip()}"]
        found[name] = dict(line.split(": ", 1) for line in lines)
    return found


def ids(package):
    return {name for text in texts(package, ".py").values() for name in BACKEND.findall(text)}


def magics(package):
    """By magic, the first file that has it."""
    found = {}
    for suffix, pattern in ((".fbs", IDENTIFIER), (".py", MAGIC), (".h", MAGIC)):
        for name, text in texts(package, suffix).items():
            for magic in pattern.findall(text):
                if any(letter.isupper() or letter.isdigit() for letter in magic):
                    found.setdefault(magic, name)
    return found


def our_ids():
    names = set(re.findall(r'^\s+\{"(\w+)", ', DECODERS.read_text(), re.MULTILINE))
    return names | {"XnnpackBackend"}  # which has a name of its own there


def our_sources():
    files = [*(ROOT / "libpteedit/src").rglob("*.cc"), *(ROOT / "libpteedit/src").rglob("*.h"), *(ROOT / "schema").glob("*.fbs")]
    return "\n".join(path.read_text() for path in files)


def compare_schemas(old, new):
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            yield f"{name}: {'new' if name in new else 'gone'}, {len((new if name in new else old)[name])} facts"
            continue
        for label in sorted(old[name].keys() | new[name].keys()):
            then, now = old[name].get(label), new[name].get(label)
            if then == now:
                continue
            yield f"{name}: {label}: " + (f"new: {now}" if then is None else f"gone: {then}" if now is None else f"{then} became {now}")


def compare_ids(old, new):
    known = our_ids()
    for name in sorted(new - old):
        yield f"backend {name}: new" + ("" if name in known else ", no decoder reads it")
    for name in sorted(old - new):
        yield f"backend {name}: gone"


def compare_magics(old, new):
    sources = our_sources()
    for magic in sorted(new.keys() - old.keys()):
        yield f"magic '{magic}': new in {new[magic]}" + ("" if magic in sources else ", our sources have not got it")
    for magic in sorted(old.keys() - new.keys()):
        yield f"magic '{magic}': gone from {old[magic]}"


def check_ours(package, program):
    environment = {**os.environ, "PTEEDIT_EXECUTORCH_DIR": str(package)}
    done = subprocess.run([program, ROOT / "schema"], capture_output=True, text=True, check=False, env=environment)
    lines = [line for line in done.stdout.splitlines() if not line.endswith(" 0 drifted")]
    return [f"our schemas: {line.replace(str(ROOT) + '/', '').replace(str(package) + '/', '')}" for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release")
    parser.add_argument("--known", default=KNOWN, metavar="RELEASE", help=f"what to compare with (default: {KNOWN})")
    parser.add_argument("--wheels", type=pathlib.Path, default=ROOT / "build/wheels", metavar="DIR")
    parser.add_argument("--schema-drift", default=ROOT / "build/release/tests/schema/schema_drift", metavar="PROGRAM")
    options = parser.parse_args()
    options.wheels.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            old = unpacked(options.known, options.wheels, pathlib.Path(folder) / "old")
            new = unpacked(options.release, options.wheels, pathlib.Path(folder) / "new")
        except release_tables.Unavailable as error:
            print(f"drift.py: skipped: {error}")
            return 77
        lines = [*compare_schemas(facts(old, options.schema_drift), facts(new, options.schema_drift)),
                 *compare_ids(ids(old), ids(new)), *compare_magics(magics(old), magics(new)), *check_ours(new, options.schema_drift)]
    print("\n".join([*lines, f"{len(lines)} things are new or differ, from {options.known} to {options.release}"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
