"""The examples of docs/python.md and of what help() says print what they say, and the notebook runs."""

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import os
import pathlib
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import unittest

import pteedit

from common import DATA, PROJECT

HAS_DASK = all(importlib.util.find_spec(name) is not None for name in ("distributed", "pyarrow"))
HAS_EXPORTER = all(importlib.util.find_spec(name) is not None for name in ("torch", "executorch"))


class Examples(unittest.TestCase):
    def test_of_the_guide(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            pathlib.Path("data").symlink_to(DATA)
            result = doctest.testfile(os.fspath(PROJECT / "docs" / "python.md"), module_relative=False)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 10)

    @unittest.skipUnless(HAS_DASK, "pteedit[fleet] is not installed")
    def test_of_fleets(self):
        guide = PROJECT / "docs" / "fleet.md"
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            pathlib.Path("data").symlink_to(DATA)
            result = doctest.testfile(os.fspath(guide), module_relative=False)
            self.assertEqual((result.failed, result.attempted > 5), (0, True))
            commands = [line for line in guide.read_text().splitlines() if line.startswith("python -m pteedit")]
            for command in commands:
                done = subprocess.run([sys.executable, *command.split()[1:]], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        self.assertEqual(len(commands), 3)

    def test_of_the_docstrings(self):
        attempted = 0
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            pathlib.Path("data").symlink_to(DATA)
            for found in pkgutil.iter_modules(pteedit.__path__):
                result = doctest.testmod(importlib.import_module(f"pteedit.{found.name}"))
                self.assertEqual(result.failed, 0, found.name)
                attempted += result.attempted
        self.assertGreater(attempted, 8)

    def test_everything_says_what_it_is(self):
        for name in pteedit.__all__:
            self.assertTrue(inspect.getdoc(getattr(pteedit, name)), name)
        for view in (pteedit.Program, pteedit.Method, pteedit.Constant, pteedit.Delegate, pteedit.Package):
            for name, member in inspect.getmembers(view):
                if not name.startswith("_") and (callable(member) or hasattr(member, "__get__")):
                    self.assertTrue(inspect.getdoc(member), f"{view.__name__}.{name}")


class Notebook(unittest.TestCase):
    """docs/examples/model.ipynb runs from top to bottom; without the exporter a model that is there takes the place of its own."""

    def run_with(self, exports):
        notebook = json.loads((PROJECT / "docs" / "examples" / "model.ipynb").read_text())
        names, printed = {}, io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            if not exports:
                shutil.copy(DATA / "f08" / "b_xnn_base.pte", "model.pte")
            for cell in notebook["cells"]:
                is_export = "export" in cell["metadata"].get("tags", [])
                if cell["cell_type"] == "code" and (exports or not is_export):
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
            self.assertEqual({path.name for path in pathlib.Path("device").iterdir()},
                             {path.name for path in pathlib.Path("v2").iterdir()})
            del names["tensors"], names["array"]  # which map a file of the folder
        return printed.getvalue()

    def test_runs_on_a_model_that_is_there(self):
        self.assertIn("Program Flatbuffer: ", self.run_with(exports=False))

    @unittest.skipUnless(HAS_EXPORTER, "torch and executorch are not installed")
    def test_runs_from_the_export_on(self):
        self.assertIn("float32 (64, 64)", self.run_with(exports=True))

    def test_holds_no_outputs(self):
        notebook = json.loads((PROJECT / "docs" / "examples" / "model.ipynb").read_text())
        self.assertFalse([cell["id"] for cell in notebook["cells"] if cell.get("outputs")])


if __name__ == "__main__":
    unittest.main()
