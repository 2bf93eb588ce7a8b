#!/usr/bin/env python3
"""Runs what the documents show and compares the output with what they say.

Each ```console block is a shell session: lines "$ COMMAND", each followed by what the command prints. Those of one document run one
after the other in a folder in which `data` is tests/data and `examples` docs/examples, with the built tools on the PATH. The block after
<!-- demo --> is what scripts/demo_steps.sh prints; ./demo.sh and ./test.sh themselves are not run, and the block after <!-- tests -->
is not checked.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DOCUMENTS = ["README.md", "docs/tour.md", "docs/inspect.md", "docs/profile.md", "docs/rewrite.md"]
BLOCK = re.compile(r"(<!-- (?P<mark>demo|tests) -->\n)?```console\n(?P<body>.*?)```\n", re.DOTALL)


def output_of(command, folder, tools):
    environment = dict(os.environ, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}", LC_ALL="C")
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return done.stdout.decode()


def session(body, folder, tools):
    text = ""
    for line in body.splitlines():
        if line.startswith("$ ") and line not in ("$ ./demo.sh", "$ ./test.sh"):
            text += line + "\n" + output_of(["sh", "-c", line[2:]], folder, tools)
        elif line.startswith("$ "):
            text += line + "\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", required=True, type=pathlib.Path, help="the project")
    parser.add_argument("--tools", required=True, type=pathlib.Path, help="folder of the built tools")
    parser.add_argument("--runner", help="the program on the real runtime; without it the demo is not checked")
    parser.add_argument("--update", action="store_true", help="write what the commands print into the documents")
    arguments = parser.parse_args()
    root, tools = arguments.root.resolve(), arguments.tools.resolve()
    wrong = [name for name in DOCUMENTS if not check(root, name, tools, arguments)]
    return 1 if wrong else 0


def check(root, name, tools, arguments):
    """Whether a document says what its commands print, now that it may have been updated."""
    document = root / name
    before = document.read_text()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(root / "tests/data", pathlib.Path(folder) / "data")
        os.symlink(root / "docs/examples", pathlib.Path(folder) / "examples")

        def rerun(match):
            if match["mark"] == "tests" or (match["mark"] == "demo" and not arguments.runner):
                return match[0]
            if match["mark"] == "demo":
                body = output_of([root / "scripts/demo_steps.sh", tools, arguments.runner], folder, tools).lstrip("\n")
            else:
                body = session(match["body"], folder, tools)
            return match[0].replace("```console\n" + match["body"], "```console\n" + body)

        after = BLOCK.sub(rerun, before)
    if after == before:
        return True
    if arguments.update:
        document.write_text(after)
        return True
    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, "found"))
    return False


if __name__ == "__main__":
    sys.exit(main())
