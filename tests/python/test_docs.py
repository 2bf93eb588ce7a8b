"""The examples of docs/python.md print what they say."""

import contextlib
import doctest
import os
import pathlib
import tempfile
import unittest

from common import DATA, PROJECT


class Examples(unittest.TestCase):
    def test_of_the_guide(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            pathlib.Path("data").symlink_to(DATA)
            result = doctest.testfile(os.fspath(PROJECT / "docs" / "python.md"), module_relative=False)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 10)


if __name__ == "__main__":
    unittest.main()
