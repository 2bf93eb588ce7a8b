#!/usr/bin/env python3
"""Exports the real programs that the tests use, and writes manifest.json beside them.

Needs torch 2.13.0 and executorch 1.5.1; see README.md. Run without options it renews tests/data.
"""

import argparse
import logging
import os
import sys
import time
import warnings

import torch

import cases_basic  # noqa: F401  (the modules of cases register their groups)
import cases_gpt  # noqa: F401
import cases_lora  # noqa: F401
import cases_mutable  # noqa: F401
import cases_native  # noqa: F401
import cases_extras  # noqa: F401
import cases_constants  # noqa: F401
import cases_control_flow  # noqa: F401
import cases_layout  # noqa: F401
import cases_opaque  # noqa: F401
import kept_files  # noqa: F401
from suite import GROUPS, Suite

DEFAULT_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=DEFAULT_FOLDER, help="folder for the files (default: tests/data)")
    parser.add_argument("--only", default="", help="names or beginnings of names of groups, separated by commas")
    parser.add_argument("--checkpoints", action="store_true", help="beside each program what it was lowered from, by name")
    parser.add_argument("--list", action="store_true", help="print the groups and exit")
    return parser.parse_args()


def main():
    options = parse_options()
    if options.list:
        for name, function in GROUPS.items():
            print(f"{name}: {function.__doc__}")
        return 0
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    suite = Suite(options.out, options.checkpoints)
    for name in GROUPS:
        if not name.startswith(tuple(options.only.split(","))):
            continue
        start = time.monotonic()
        suite.run(name)
        suite.save_manifest()
        print(f"{name}: {len(suite.entries)} entries so far, {time.monotonic() - start:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
