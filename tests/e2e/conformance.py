#!/usr/bin/env python3
"""Runs each case of tests/conformance on the real runtime and holds that against what the case says was tried.

A case says for a release `tried RELEASE MINIMAL FULL RUN`: what became of loading the program and its methods, mapped and with
minimal verification; of loading it as a read file with full verification; and of running it, mapped. Words: ok, refused, crashes,
hangs, memory (it asked for more than 4 GiB), unread (the runner, which fills inputs, could not use it), differs (it ran, and answered
otherwise than the good file that the case begins with).
With --update the cases say what came. Each page of docs/upstream says what its program `reproduce`, built beside the runner, prints.
Prints what differs, then `N passed, N failed`.
"""

import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/conformance"))

import index  # noqa: E402

RELEASE = "1.5.1"  # what setup_runtime.sh gets
WAYS = (("--load-only", "--loader", "mmap", "--verification", "minimal"), ("--load-only", "--loader", "file", "--verification", "full"),
        ("--loader", "mmap", "--verification", "minimal"))
PROGRAM_OF_DATA = {"case": "good/external", "data": [], "ending": ".pte"}  # which reads the data files among the cases
MOST_MEMORY = 4 << 30
TIMEOUT_SECONDS = 30


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def outcome(runner, way, paths):
    """One word, and what the program answered."""
    try:
        done = subprocess.run([runner, *way, *map(str, paths)], capture_output=True, timeout=TIMEOUT_SECONDS, preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return "hangs", None
    if b"std::bad_alloc" in done.stderr:
        return "memory", None
    if done.returncode < 0:
        return "crashes", None
    if done.returncode == 0:
        return "ok", json.loads(done.stdout)["methods"]
    return ("refused" if done.returncode == 1 else "unread"), None


def base_of(case):
    text = (ROOT / "tests/conformance" / (case["case"] + ".txt")).read_text(encoding="utf-8")
    found = re.search(r'^from "../(good/\w+)\.txt"', text, re.MULTILINE)
    return found.group(1) if found else None


def tried(case, runner, folder, answers):
    paths = index.write_files(case, folder)
    if case["ending"] == ".ptd":
        paths = [index.write_files(PROGRAM_OF_DATA, folder)[0], *paths]
    words = []
    for way in WAYS:
        word, answer = outcome(runner, way, paths)
        if way is WAYS[-1] and word == "ok":
            answers[case["case"]] = answer
            base = PROGRAM_OF_DATA["case"] if case["ending"] == ".ptd" else base_of(case)
            word = "differs" if base and answers.get(base) not in (None, answer) else word
        words.append(word)
    return dict(zip(index.RUNS, words))


def put_into(case, words):
    path = ROOT / "tests/conformance" / (case["case"] + ".txt")
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(f"tried {RELEASE} ")]
    place = next(i for i, line in enumerate(lines) if line.startswith("load ")) + 1
    lines.insert(place, f"tried {RELEASE} {' '.join(words.values())}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def reproduced(command, files):
    """In the words of the pages; and the answer."""
    done = subprocess.run([command, *files], capture_output=True, timeout=TIMEOUT_SECONDS, preexec_fn=limit_memory)
    if done.returncode < 0:
        return f"crashes (signal {-done.returncode})", None
    text = done.stdout.decode().strip()
    return (text, None) if done.returncode else ("ran", text)


def pages_that_differ(command, folder):
    """Of docs/upstream, with what came instead."""
    for page in sorted((ROOT / "docs/upstream").glob("*.md")):
        found = re.search(r"^    \$ reproduce (damaged_(\w+)\.pte.*)\n    (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        if not found:
            continue
        word, answer = reproduced(command, [folder / name for name in found.group(1).split()])
        base = base_of({"case": "damaged/" + found.group(2)})
        if answer is not None:
            data = [folder / "good_external_data.ptd"] if base == "good/external" else []
            whole = reproduced(command, [folder / (base.replace("/", "_") + ".pte"), *data])[1]
            word = "ran, with the right answer by chance" if answer == whole else "ran, with another answer"
        if word != found.group(3):
            yield f"{page.name}: says {found.group(3)!r}, came {word!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    passed, failed, answers = 0, 0, {}
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        for case in index.all_cases():
            words = tried(case, given.runner, folder, answers)
            if given.update:
                put_into(case, words)
            said = case["tried"].get(RELEASE)
            if words == said or given.update:
                passed += 1
            else:
                failed += 1
                print(f"{case['case']}: says {said}, the runtime {words}")
        reproduce = pathlib.Path(given.runner).resolve().parent / "reproduce"
        if reproduce.exists():
            wrong = list(pages_that_differ(reproduce, pathlib.Path(folder)))
            print(*wrong, sep="\n", end="\n" if wrong else "")
            passed, failed = passed + (not wrong), failed + len(wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
