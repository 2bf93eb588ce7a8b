"""The installed package: console scripts, and types."""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import unittest

import pteedit
from common import DATA, PROJECT, run_tool

TOOLS = ["pteinspect", "pteprof", "ptesplit", "ptemerge", "ptestrip", "ptecopy", "ptepack"]


def run_script(name, *arguments):
    script = os.path.join(sysconfig.get_path("scripts"), name)
    return subprocess.run([script, *map(str, arguments)], capture_output=True, timeout=60)


class ConsoleScripts(unittest.TestCase):
    def test_are_the_tools(self):
        version = importlib.metadata.version("pteedit")
        for tool in TOOLS:
            done = run_script(tool, "--version")
            self.assertEqual((done.returncode, done.stdout.decode()), (0, f"{tool} (pteedit) {version}\n"))

    def test_pass_arguments_output_and_exit_codes_through(self):
        done = run_script("pteinspect", "--bytes", "-l", DATA / "f04" / "w.ptd")
        self.assertEqual(done.stdout.decode(), "Data Flatbuffer: 208\nTensors: 128\nPadding: 48\n")
        done = run_script("pteinspect", "--no-such-option")
        self.assertEqual(done.returncode, 2)
        self.assertIn("pteinspect: error: unknown option '--no-such-option'", done.stderr.decode())

    def test_write_files(self):
        with tempfile.TemporaryDirectory() as folder:
            outputs = [os.path.join(folder, name) for name in ("a.pte", "a.ptd")]
            done = run_script("ptesplit", DATA / "f02_linear.pte", "-o", outputs[0], "-d", outputs[1])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(all(map(os.path.exists, outputs)))

    def test_do_not_wait_for_the_package(self):
        done = subprocess.run([sys.executable, "-c", "import sys, pteedit_tools; print('pteedit' in sys.modules)"], capture_output=True)
        self.assertEqual(done.stdout, b"False\n", done.stderr)


class Package(unittest.TestCase):
    def test_holds_what_it_needs_and_nothing_else(self):
        folder = pathlib.Path(pteedit.__file__).parent
        found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        sources = {path.name for path in (PROJECT / "python" / "pteedit").iterdir() if path.is_file()}
        libraries = {f"lib/lib{name}.so.0.1" for name in ("pteedit", "pteedit_package", "pteedit_profile")}
        binaries = libraries | {"bin/" + tool for tool in TOOLS}
        modules = {name for name in found if name.startswith("_pteedit.") and name.endswith(".so")}
        self.assertEqual(len(modules), 1)
        self.assertEqual({name for name in found if "__pycache__" not in name}, sources | binaries | modules)

    def test_does_not_tell_where_it_was_built(self):
        folder = pathlib.Path(pteedit.__file__).parent
        self.assertNotIn(str(folder), str(PROJECT / "python"))  # the installed one, not the sources
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                self.assertNotIn(os.fsencode(PROJECT), path.read_bytes(), path)

    def test_types_are_complete(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("mypy is not installed")
        with tempfile.TemporaryDirectory() as folder:
            path = self.user_in(folder)
            mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.path.join(folder, "cache")]
            config = ["--config-file", PROJECT / "pyproject.toml"]
            for checked in ([path], ["-p", "pteedit"]):
                done = subprocess.run([*mypy, *config, *checked], capture_output=True)
                self.assertEqual(done.returncode, 0, done.stdout.decode())

    def test_types_are_those_of_pyright_too(self):
        pyright = shutil.which("basedpyright", path=sysconfig.get_path("scripts"))
        if pyright is None:
            self.skipTest("basedpyright is not installed")
        with tempfile.TemporaryDirectory() as folder, open(PROJECT / "pyproject.toml", "rb") as project:
            installed = os.fspath(pathlib.Path(pteedit.__file__).parent)
            config = {**tomllib.load(project)["tool"]["pyright"], "include": [self.user_in(folder), installed]}
            pathlib.Path(folder, "pyrightconfig.json").write_text(json.dumps(config))
            done = subprocess.run([pyright, "-p", folder, "--pythonpath", sys.executable], capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout.decode())
            self.assertIn(b"0 errors", done.stdout)

    def user_in(self, folder):
        """Where a program of a user of the package is."""
        user = (
            "from pteedit.ptetools import SizeDistribution, size_distribution, size_distribution_from_pte\n"
            "sizes: SizeDistribution = size_distribution_from_pte('a.pte')\n"
            "class Program:\n"
            "    def write_to_file(self, open_file: io.BufferedIOBase) -> None: ...\n"
            "names: list[str] = [part.name for part in size_distribution(Program()).components]\n"
            "import pteedit\n"
            "from pteedit.metadata import write_delegate_metadata\n"
            "def decode(blob: bytes, backend: str, specs: list[tuple[str, bytes]]) -> dict[str, object]:\n"
            "    return {'operators': [backend]}\n"
            "pteedit.register_decoder('B', decode)\n"
            "rows: list[str] = [row['name'] for row in pteedit.delegates('a.pte', data=['a.ptd'])]\n"
            "bytes_before: int = pteedit.diff('a.pte', 'b.pte').old_bytes\n"
            "write_delegate_metadata(Program(), 'a.json')\n"
            "inspector = pteedit.Inspector(etdump_path='a.etdp', target_time_scale=pteedit.TimeScale.US)\n"
            "total: float = inspector.find_total_for_module('fc1')\n"
            "events: list[pteedit.Event] = [event for block in inspector.event_blocks for event in block.events]\n"
            "program = pteedit.open('a.pte', data=['a.ptd'], names=['a.safetensors'])\n"
            "assert isinstance(program, pteedit.Program)\n"
            "shapes: list[tuple[int, ...] | None] = [value.shape for value in program.methods['forward'].inputs]\n"
            "calls: dict[str, int] = program.methods['forward'].operators\n"
            "weight: memoryview = program.constants['fc.weight'].data\n"
            "total = program.constants['fc.weight'].numpy().sum()\n"
            "words: list[str] = [finding.message for finding in program.verify() if program.same('b.pte')]\n"
            "planned: dict[str, bytes] = pteedit.strip(program).to_bytes()\n"
        )
        path = os.path.join(folder, "user.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import io\n" + user)
        return path


if __name__ == "__main__":
    unittest.main()
