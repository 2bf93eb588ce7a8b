#!/usr/bin/env python3
"""Compares pteinspect --verify with the real runtime on damaged files.

Real programs and data files are damaged in thousands of ways, with a fixed seed. Whatever the runtime refuses or
crashes on while it loads the program and its methods, with mmap and minimal or with read files and full verification,
must have an error in pteinspect --verify: at least 99 % of it. Not counted are operators and backends that this runtime
lacks. Intact files must have no error, and none but the few listed here a warning. Prints the figures, then
`N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

SEED = 20261121
LEAST_SHARE = 0.99
TIMEOUT_SECONDS = 60
LOADS = [("mmap", "minimal"), ("file", "full")]
LACKS = (b"is not registered", b"Missing operator", b"is not available")  # of the runtime's log
# Intact files that are not as newer runtimes want them, or that come with more data than they use.
WARNED = {"inline-constants", "keys-unused"}


def tables_end(content):
    """How many bytes of a file hold header and tables."""
    if content[8:12] == b"eh00":
        return int.from_bytes(content[16:24], "little")
    if content[8:12] == b"FH01":
        return int.from_bytes(content[16:24], "little") + int.from_bytes(content[24:32], "little")
    return len(content)


def flip_bits(content, dice):
    damaged = bytearray(content)
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        damaged[dice.randrange(tables_end(content))] ^= 1 << dice.randrange(8)
    return bytes(damaged)


def set_word(content, dice):
    """Puts an index, offset or size that is a little or far off in the place of another number."""
    damaged = bytearray(content)
    at = dice.randrange(tables_end(content) // 4) * 4
    old = int.from_bytes(damaged[at : at + 4], "little")
    near = [0, 1, old + 1, old - 1, old + 4, old - 4, old * 2, 0x7FFFFFFF, 0xFFFFFFFF]
    new = dice.choice([*near, dice.randrange(1 << 32)])
    damaged[at : at + 4] = (new & 0xFFFFFFFF).to_bytes(4, "little")
    return bytes(damaged)


def set_small_word(content, dice):
    """Changes a number that looks like an index: most words of the tables that are below 64."""
    damaged = bytearray(content)
    end = tables_end(content) // 4
    places = [4 * i for i in range(2, end) if int.from_bytes(content[4 * i : 4 * i + 4], "little") < 64]
    at = dice.choice(places)
    damaged[at : at + 4] = dice.choice([2, 3, 9, 40, 63, 64, 1000, 1 << 20]).to_bytes(4, "little")
    return bytes(damaged)


def change_header(content, dice):
    damaged = bytearray(content)
    at = dice.choice([0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44])
    old = int.from_bytes(damaged[at : at + 4], "little")
    new = dice.choice([0, 1, 16, old + 16, old - 16, old // 2, old * 2 + 1, 0xFFFFFFFF])
    damaged[at : at + 4] = (new & 0xFFFFFFFF).to_bytes(4, "little")
    return bytes(damaged)


def cut(content, dice):
    return content[: dice.randrange(len(content))]


def overwrite(content, dice):
    damaged = bytearray(content)
    at, count = dice.randrange(tables_end(content)), dice.randrange(1, 17)
    damaged[at : at + count] = bytes(dice.randrange(256) for _ in range(count))[: len(damaged) - at]
    return bytes(damaged)


KINDS = [flip_bits, flip_bits, set_word, set_word, set_small_word, set_small_word, change_header, cut, overwrite]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", type=pathlib.Path, required=True, help="the program pterun")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of pteinspect")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with manifest.json")
    parser.add_argument("--count", type=int, default=3000, help="damaged files (default 3000)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the damage (default {SEED})")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time (default 2)")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files that were not flagged")
    return parser.parse_args()


def verify(bin_folder, files):
    """Returns the ids of errors and of warnings."""
    arguments = [bin_folder / "pteinspect", "--verify", "--json", files[0]]
    for data in files[1:]:
        arguments += ["--data", data]
    done = subprocess.run(arguments, capture_output=True, timeout=TIMEOUT_SECONDS)
    errors, warnings = [], []
    if done.returncode in (0, 1):
        for report in json.loads(done.stdout):
            for finding in report.get("findings", []):
                (errors if finding["severity"] == "error" else warnings).append(finding["id"])
        if (done.returncode == 1) != bool(errors):
            raise RuntimeError(f"exit code {done.returncode} with {len(errors)} errors")
        return errors, warnings
    if done.returncode < 0:
        raise RuntimeError(f"pteinspect was killed by signal {-done.returncode}")
    return [f"exit {done.returncode}"], warnings


def load(runner, files, loader, verification):
    """Returns why the runtime does not load the files: '' where it does, 'lacks' where other runtimes may."""
    arguments = [runner, "--load-only", "--loader", loader, "--verification", verification, *files]
    try:
        done = subprocess.run(arguments, capture_output=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode == 0:
        return ""
    if any(words in done.stderr for words in LACKS):
        return "lacks"
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return f"exit {done.returncode}"
    return f"{answer['stage']} {answer['error']}"


class Judge:
    """Damages files one after the other and compares the verdicts."""

    def __init__(self, arguments, entries):
        self.arguments = arguments
        self.models = [
            [(arguments.data / name).read_bytes() for name in [entry["pte"], *entry["data"]]] for entry in entries
        ]
        self.names = [entry["name"] for entry in entries]

    def damage(self, number):
        dice = random.Random(self.arguments.seed * 1000003 + number)
        model = dice.randrange(len(self.models))
        contents = list(self.models[model])
        file = 0 if len(contents) == 1 or dice.random() < 0.7 else dice.randrange(1, len(contents))
        kind = dice.choice(KINDS)
        contents[file] = kind(contents[file], dice)
        return self.names[model], kind.__name__, contents

    def judge(self, number):
        name, kind, contents = self.damage(number)
        with tempfile.TemporaryDirectory(prefix="damage-") as folder:
            files = []
            for i, content in enumerate(contents):
                files.append(pathlib.Path(folder) / ("model.pte" if i == 0 else f"data{i}.ptd"))
                files[-1].write_bytes(content)
            errors, _ = verify(self.arguments.bin, files)
            answers = [load(self.arguments.runner, files, *how) for how in LOADS]
        reason = next((answer for answer in answers if answer not in ("", "lacks")), "")
        if reason and not errors and self.arguments.keep:
            self.arguments.keep.mkdir(exist_ok=True)
            for i, content in enumerate(contents):
                (self.arguments.keep / f"{number}-{i}.{'pte' if i == 0 else 'ptd'}").write_bytes(content)
        lacks = not reason and "lacks" in answers
        return {"number": number, "name": name, "kind": kind, "reason": reason, "lacks": lacks, "errors": errors}


def check_intact(arguments, entries):
    """Returns what is wrong with the verdict on each file as it came."""
    problems = []
    for entry in entries:
        errors, warnings = verify(arguments.bin, [arguments.data / name for name in [entry["pte"], *entry["data"]]])
        found = errors + [warning for warning in warnings if warning not in WARNED]
        if found != (["key-missing"] if entry.get("lacks_keys") else []):
            problems.append(f"{entry['name']}: intact, but has {', '.join(found) or 'nothing'}")
    return problems


def main():
    arguments = parse_arguments()
    entries = json.loads((arguments.data / "manifest.json").read_text())["entries"]
    problems = check_intact(arguments, entries)
    print(f"intact: {len(entries) - len(problems)} of {len(entries)} clean")
    runnable = [
        entry
        for entry in entries
        if sum((arguments.data / name).stat().st_size for name in [entry["pte"], *entry["data"]]) < 200_000
        and not entry["pte"].endswith(".bpte")
        and load(arguments.runner, [arguments.data / name for name in [entry["pte"], *entry["data"]]], *LOADS[1]) == ""
    ]
    judge = Judge(arguments, runnable)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(judge.judge, range(arguments.count)))
    refused = [result for result in results if result["reason"]]
    missed = [result for result in refused if not result["errors"]]
    flagged = sum(1 for result in results if result["errors"])
    share = 1 - len(missed) / len(refused)
    for result in missed:
        print(f"missed: {result['number']} {result['name']} {result['kind']}: {result['reason']}")
    lacks = sum(1 for result in results if result["lacks"])
    print(
        f"damaged: {len(results)} files of {len(runnable)} models; the runtime refuses or crashes on {len(refused)} "
        f"(and lacks an operator or backend for {lacks}), flagged of these {len(refused) - len(missed)} "
        f"({100 * share:.2f} %); flagged of all {flagged}"
    )
    counts = collections.Counter(error for result in results for error in set(result["errors"]))
    print("findings: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    if share < LEAST_SHARE:
        problems.append(f"only {100 * share:.2f} % of what the runtime refuses is flagged")
    for problem in problems:
        print(f"FAIL {problem}")
    passed = len(entries) + len(results) - len(missed) - len(problems)
    print(f"{passed} passed, {len(problems)} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
