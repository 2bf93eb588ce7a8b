#!/usr/bin/env python3
"""Prints as Markdown what became of a Git repository's models from one revision to another, and holds their sizes against limits.

diff_models.py BASE HEAD [--max-growth LIMIT] [--max-size SIZE], in the repository and with pteinspect on the PATH. BASE is where HEAD
left it, so that what others did since does not count. Prints nothing where no model changed. Exit codes are those of pteinspect: 1 where
a model is over a limit. Models that are pointers of Git LFS are named, with the sizes that the pointers tell, and not compared.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

MODELS = (".pte", ".ptd", ".bpte")
POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n.*^size (\d+)$", re.DOTALL | re.MULTILINE)
LONGEST_POINTER = 1024  # bytes, as the specification has it
MOST_CHARACTERS = 60_000  # GitHub takes comments of 65,536


def git(*words):
    return subprocess.run(["git", *words], check=True, stdout=subprocess.PIPE).stdout


def changed_models(base, head):
    """Pairs of a letter, of those that `git diff` prints, and a path."""
    fields = git("diff", "--name-status", "-z", "--no-renames", f"{base}...{head}").decode("utf-8", "surrogateescape").split("\0")
    return [(kind, path) for kind, path in zip(fields[0::2], fields[1::2]) if path.endswith(MODELS)]


def fetch(revision, path, folder):
    """The file as it was, below a folder that is called as its path is."""
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place, "wb") as file:
        subprocess.run(["git", "cat-file", "blob", f"{revision}:{path}"], check=True, stdout=file)
    return place


def pointer_bytes(place):
    """The size of what a pointer of Git LFS stands for, or None."""
    if place.stat().st_size > LONGEST_POINTER:
        return None
    found = POINTER.match(place.read_bytes())
    return int(found[1]) if found else None


class Report:
    def __init__(self, folder):
        self.folder = folder
        self.text = ""
        self.code = 0

    def inspect(self, *words, plain_codes=(0,)):
        """What pteinspect prints, also of errors; other exit codes than the plain ones count."""
        done = subprocess.run(["pteinspect", *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in plain_codes:
            self.code = max(self.code, done.returncode)
        return done.stdout.decode("utf-8", "replace").strip()

    def say(self, path, line, tables=""):
        name = re.sub(r"[^\w ./,=+@-]", "?", path)
        self.text += f"**`{name}`** {line}\n\n"
        if not tables:
            return
        block = f"<details><summary>more</summary>\n\n{tables}\n\n</details>\n\n"
        fits = len(self.text) + len(block) <= MOST_CHARACTERS
        self.text += block if fits else "(Its tables do not fit into a comment.)\n\n"

    def over_size(self, path, limit):
        return self.inspect("--max-size", limit, path) if limit else ""


def add_model(report, kind, path, places, limits):
    sizes = {side: pointer_bytes(place) for side, place in places.items()}
    words = {side: f"{place.stat().st_size} bytes" if sizes[side] is None else f"{sizes[side]} bytes in Git LFS"
             for side, place in places.items()}
    if any(size is not None for size in sizes.values()):
        report.say(path, f"is not compared: {' to '.join(words.values())}")
    elif kind == "D":
        report.say(path, f"is removed: {words['before']}")
    elif kind == "A":
        over = report.over_size(pathlib.Path("after") / path, limits.max_size)
        report.say(path, f"is new: {words['after']}" + (f"; {over}" if over else ""),
                   report.inspect("--markdown", pathlib.Path("after") / path))
    else:
        gate = ["--max-growth", limits.max_growth] if limits.max_growth else []
        new = pathlib.Path("after") / path
        old = str(pathlib.Path("before") / path).replace(",", "\\,")  # else data files follow
        text = report.inspect("--diff", old, *gate, "--markdown", new, plain_codes=(0,) if gate else (0, 1))
        head, _, tables = text.partition("\n\n")
        over = report.over_size(new, limits.max_size)
        report.say(path, "has changed: " + head + (f"  \n{over}" if over else ""), tables)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("head")
    parser.add_argument("--max-growth", metavar="LIMIT", help="SIZE or N%%, of each model")
    parser.add_argument("--max-size", metavar="SIZE", help="of each model")
    limits = parser.parse_args()
    base = git("merge-base", limits.base, limits.head).decode().strip()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report = Report(folder)
        for kind, path in changed_models(limits.base, limits.head):
            places = {}
            if kind != "A":
                places["before"] = fetch(base, path, folder / "before")
            if kind != "D":
                places["after"] = fetch(limits.head, path, folder / "after")
            add_model(report, kind, path, places, limits)
    sys.stdout.write(report.text and "### Models that changed\n\n" + report.text)
    return report.code


if __name__ == "__main__":
    sys.exit(main())
