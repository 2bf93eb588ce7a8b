"""The Python of docs/loading.md runs what ptemerge made; skipped where there is no exporter, whose package has that runtime."""

import contextlib
import importlib.util
import os
import re
import tempfile
import unittest

HAS_RUNTIME = all(importlib.util.find_spec(name) is not None for name in ("torch", "executorch"))

from common import DATA, PROJECT, run_tool

PAGE = PROJECT / "docs" / "loading.md"


@unittest.skipUnless(HAS_RUNTIME, "there is no torch, or no executorch")
class LoadingPage(unittest.TestCase):
    def test_python_gives_what_the_whole_program_gives(self):
        import torch
        from executorch.runtime import Runtime

        [lines] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            sets = [f"{name}={DATA}/f08/b_xnn_{name}.pte" for name in ("base", "v0", "v1")]
            self.assertEqual(run_tool("ptemerge", *sets, "-o", "family").returncode, 0)
            os.chdir("family")
            names = {}
            exec(lines, names)
            inputs = [torch.arange(7).reshape(1, 7)]
            whole = Runtime.get().load_program(DATA / "f08/b_xnn_v0.pte").load_method("forward")
            for one, other in zip(names["method"].execute(inputs), whole.execute(inputs), strict=True):
                self.assertTrue(torch.equal(one, other))


if __name__ == "__main__":
    unittest.main()
