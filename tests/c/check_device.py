"""libpteedit_device.a, cross-built for 64-bit ARM: how large it is, what it needs, and that the example runs under qemu."""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import check_update
from check_door import FAMILY, make_release
from check_update import EXAMPLE, Example, add_arguments  # noqa: F401: what check_update.py checks, once more
from checks import ROOT, output_of

TOOLCHAIN = "aarch64-linux-gnu"
MAX_BYTES = 200_000  # of the example with the library, beside zstd's decoder
MAX_WHOLE_BYTES = 300_000
STOCK = {"libc.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "ld-linux-aarch64.so.1", "libzstd.so.1"}
SMALL = ["-s", "-Wl,--gc-sections", "-Wl,-z,noseparate-code", "-Wl,-z,max-page-size=4096"]


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(done.args)}: {done.stdout}{done.stderr}")
    return done.stdout


def lacking():
    """What Debian would have to install: nothing, or words for a person."""
    for program in (f"{TOOLCHAIN}-g++", f"{TOOLCHAIN}-gcc", "qemu-aarch64", "cmake", "ninja"):
        if not shutil.which(program):
            return program
    for library in ("zstd", "curl"):
        found = run(f"{TOOLCHAIN}-gcc", f"-print-file-name=lib{library}.so").strip()
        if not pathlib.Path(found).is_absolute() and not pathlib.Path(f"/usr/lib/{TOOLCHAIN}/lib{library}.so").exists():
            return f"lib{library} for {TOOLCHAIN}"
    return None


def setUpModule():
    global folder
    if lack := lacking():
        raise unittest.SkipTest(f"there is no {lack}")
    temporary = tempfile.TemporaryDirectory(prefix="pteedit-device-")
    unittest.addModuleCleanup(temporary.cleanup)
    folder = pathlib.Path(temporary.name)
    run("cmake", "-G", "Ninja", "-S", ROOT / "c/device", "-B", folder, "--toolchain", ROOT / f"cmake/{TOOLCHAIN}.cmake")
    run("cmake", "--build", folder)
    for source in (EXAMPLE, ROOT / "tests/c/step.c"):
        words = ["-std=c99", "-Os", "-ffunction-sections", f"-I{ROOT}/libpteedit/include", "-c", source]
        run(f"{TOOLCHAIN}-gcc", *words, "-o", folder / f"{source.stem}.o")
    program = link("update", "update", "-lcurl", "-static-libstdc++", "-static-libgcc", "-l:libzstd.so.1")
    check_update.command = ["qemu-aarch64", str(program)]


def link(source, name, *words):
    run(f"{TOOLCHAIN}-g++", folder / f"{source}.o", "-L", folder, "-lpteedit_device", *SMALL, *words, "-o", folder / name)
    return folder / name


class Device(unittest.TestCase):
    def test_library_is_small_and_needs_only_what_phones_have(self):
        """Linked, but not to run: without libcurl, which brings a zstd of its own."""
        own = link("update", "own", "-l:libzstd.so.1", "-Wl,--unresolved-symbols=ignore-all")
        whole = link("update", "whole", "-l:libzstd.a", "-Wl,--unresolved-symbols=ignore-all")
        size, with_zstd = own.stat().st_size, whole.stat().st_size
        print(f"{size} bytes stripped, {with_zstd} with the system's zstd decoder ... ", end="", flush=True)
        self.assertLessEqual(size, MAX_BYTES)
        self.assertLessEqual(with_zstd, MAX_WHOLE_BYTES)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run(f"{TOOLCHAIN}-readelf", "-d", own)))
        self.assertLessEqual(needed, STOCK)
        unresolved = re.findall(r" U (\w+)", run(f"{TOOLCHAIN}-nm", folder / "libpteedit_device.a"))
        self.assertFalse([name for name in unresolved if re.match("EVP_|XXH|inflate", name)])


class Decoder(unittest.TestCase):
    """zstd's decoder as an archive, without the half that reads old formats."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="pteedit-device-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        make_release(self.folder, "v1", FAMILY)
        self.release = self.folder / "packed"
        output_of("ptepack", "create", self.folder / "v1-family", "-o", self.release, "--compress=22", "--quiet")
        self.manifest = json.loads((self.release / "manifest.json").read_text(encoding="utf-8"))
        self.program = link("step", "step", "-l:libzstd.a", "-static")

    def step(self):
        """With what a device fetches of the release."""
        fetched = self.folder / "fetched"
        shutil.rmtree(fetched, ignore_errors=True)
        fetched.mkdir()
        for row in self.manifest["files"]:
            name = row.get("compressed", row)["file"]
            shutil.copy(self.release / name, fetched)
        (fetched / "manifest.json").write_text(json.dumps(self.manifest), encoding="utf-8")
        words = ["qemu-aarch64", self.program, fetched, self.folder / "app", "v0"]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True)

    def test_packed_files_are_unpacked(self):
        done = self.step()
        self.assertEqual(done.returncode, 0, done.stderr)
        names = next(one for one in self.manifest["variants"] if one["name"] == "v0")["files"]
        for name in names:
            self.assertEqual((self.folder / "app" / name).read_bytes(), (self.release / name).read_bytes(), name)

    def test_frames_of_old_formats_are_refused(self):
        wanted = next(one for one in self.manifest["variants"] if one["name"] == "v0")["files"]
        for version in (5, 6, 7):
            frame = bytes([0x20 + version, 0xB5, 0x2F, 0xFD]) + bytes(range(100))
            row = next(row for row in self.manifest["files"] if "compressed" in row and row["file"] in wanted)
            sha256 = hashlib.sha256(frame).hexdigest()
            name = f"{row['role']}-{sha256[:12]}.{row['file'].split('.', 1)[1]}.zst"
            row["compressed"] = {"file": name, "bytes": len(frame), "sha256": sha256}
            (self.release / name).write_bytes(frame)
            sent = {row["file"]: row.get("compressed", row)["bytes"] for row in self.manifest["files"]}
            for variant in self.manifest["variants"]:
                sizes = [sent[file] for file in variant["files"]]
                variant["download_bytes"], variant["largest_file_bytes"] = sum(sizes), max(sizes)
            done = self.step()
            self.assertEqual(done.returncode, 1, version)
            self.assertRegex(done.stderr, f"{name}: is damaged: ")
            self.assertFalse((self.folder / "app/manifest.json").exists())
