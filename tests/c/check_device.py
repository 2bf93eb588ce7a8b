"""libpteedit_device.a, cross-built for 64-bit ARM: how large it is, what it needs, and that the example runs under qemu."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import check_update
from check_update import EXAMPLE, Example, add_arguments  # noqa: F401: what check_update.py checks, once more
from checks import ROOT

TOOLCHAIN = "aarch64-linux-gnu"
MAX_BYTES = 200_000  # of the example with the library, beside zstd's decoder
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
    run(f"{TOOLCHAIN}-gcc", "-std=c99", "-Os", "-ffunction-sections", f"-I{ROOT}/libpteedit/include", "-c", EXAMPLE, "-o", folder / "update.o")
    program = link("update", "-lcurl", "-static-libstdc++", "-static-libgcc", "-l:libzstd.so.1")
    check_update.command = ["qemu-aarch64", str(program)]


def link(name, *words):
    run(f"{TOOLCHAIN}-g++", folder / "update.o", "-L", folder, "-lpteedit_device", *SMALL, *words, "-o", folder / name)
    return folder / name


class Device(unittest.TestCase):
    def test_library_is_small_and_needs_only_what_phones_have(self):
        """Linked, but not to run: without libcurl, which brings a zstd of its own."""
        own = link("own", "-l:libzstd.so.1", "-Wl,--unresolved-symbols=ignore-all")
        whole = link("whole", "-l:libzstd.a", "-Wl,--unresolved-symbols=ignore-all")
        size, with_zstd = own.stat().st_size, whole.stat().st_size
        print(f"{size} bytes stripped, {with_zstd} with the system's zstd decoder ... ", end="", flush=True)
        self.assertLessEqual(size, MAX_BYTES)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run(f"{TOOLCHAIN}-readelf", "-d", own)))
        self.assertLessEqual(needed, STOCK)
        unresolved = re.findall(r" U (\w+)", run(f"{TOOLCHAIN}-nm", folder / "libpteedit_device.a"))
        self.assertFalse([name for name in unresolved if re.match("EVP_|XXH|inflate", name)])
