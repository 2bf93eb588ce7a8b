"""Runs what the documents show and compares the output with what they say.

Each ```console block is a shell session: lines "$ COMMAND", each followed by what the command prints. Those of one document run one
after the other in a folder in which `data` is tests/data, `examples` docs/examples and `scripts` scripts, with the built tools on the PATH. The block after
<!-- demo --> is what scripts/demo_steps.sh prints; ./demo.sh itself is not run. The C++ of docs/loading.md is built by
tests/e2e/setup_runtime.sh, the Python by tests/python/test_loading_page.py.
"""

import difflib
import os
import pathlib
import re
import subprocess
import tempfile

from checks import DATA, ROOT, expect, given

DOCUMENTS = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
ON_THE_RUNTIME = ("docs/errors.md", "docs/loading.md")
BLOCK = re.compile(r"(?P<demo><!-- demo -->\n)?```console\n(?P<body>.*?)```\n", re.DOTALL)


def add_arguments(parser):
    parser.add_argument("--runner", help="the program on the real runtime; without it neither the demo nor what calls it is checked")
    parser.add_argument("--update", action="store_true", help="write what the commands print into the documents")


def output_of(command, folder):
    folders = [given.tools, *([os.path.dirname(given.runner)] if given.runner else []), os.environ["PATH"]]
    environment = dict(os.environ, PATH=os.pathsep.join(map(str, folders)), LC_ALL="C")
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return done.stdout.decode()


def session(body, folder):
    text = ""
    for line in body.splitlines():
        if line.startswith("$ ") and line != "$ ./demo.sh":
            text += line + "\n" + output_of(["sh", "-c", line[2:]], folder)
        elif line.startswith("$ "):
            text += line + "\n"
    return text


def check_document(name):
    document = ROOT / name
    before = document.read_text()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(DATA, pathlib.Path(folder) / "data")
        os.symlink(ROOT / "docs/examples", pathlib.Path(folder) / "examples")
        os.symlink(ROOT / "scripts", pathlib.Path(folder) / "scripts")

        def rerun(match):
            if match["demo"] and not given.runner:
                return match[0]
            if match["demo"]:
                body = output_of([ROOT / "scripts/demo_steps.sh", given.tools, given.runner], folder).lstrip("\n")
            else:
                body = session(match["body"], folder)
            return match[0].replace("```console\n" + match["body"], "```console\n" + body)

        after = BLOCK.sub(rerun, before)
    if given.update:
        document.write_text(after)
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), name, "found")
    expect(given.update or after == before, "".join(lines))


def check_loading():
    """The line of C++ loads what the sessions beside it make, and nothing less."""
    base, *variants = (f"{name}={DATA}/f08/b_xnn_{name}.pte" for name in ("base", "v0"))
    with tempfile.TemporaryDirectory() as folder:
        output_of(["ptemerge", base, *variants, "-o", "family", "--variant-data", "ptd"], folder)
        family = pathlib.Path(folder) / "family"
        program = pathlib.Path(given.runner).parent / "loading_page"
        expect(subprocess.run([program], cwd=family, capture_output=True).returncode == 0, "the C++ of docs/loading.md does not load")
        (family / "v0/b_xnn_v0.ptd").unlink()
        expect(subprocess.run([program], cwd=family, capture_output=True).returncode == 1, "a variant loads without its data")


def check():
    if given.runner:
        check_loading()
    for name in DOCUMENTS:
        if given.runner or name not in ON_THE_RUNTIME:
            check_document(name)
