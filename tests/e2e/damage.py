#!/usr/bin/env python3
"""Compares pteinspect --verify with the real runtime on damaged files.

Real programs and data files are damaged in thousands of ways, with a fixed seed. Whatever the runtime refuses or
crashes on while it loads the program and its methods, with mmap and minimal or with read files and full verification,
must have an error in pteinspect --verify: at least 99 % of it. Not counted are operators and backends that this runtime
lacks. Intact files must have no error, and none but the few listed here a warning.

A part of the files is damaged in one field of one table, or by a staged accident (damage_tables.py), and is run too: of
accidents also what loads and then crashes or answers otherwise must be found. A matrix shows for each kind what the
runtime did and how much of that was found. Prints the figures, then `N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from damage_tables import ACCIDENTS, TableDamage

SEED = 20261121
LEAST_SHARE = 0.99
TIMEOUT_SECONDS = 60
LOADS = [("mmap", "minimal"), ("file", "full")]
NO_MEMORY = b"std::bad_alloc"  # the runner asked for it, as the file says
MOST_MEMORY = 4 << 30  # of the runner, in bytes
OUTCOMES = ["refused", "crashes", "fails later", "crashes later", "answers otherwise", "runs"]
AT_LOAD = OUTCOMES[:2]
# Of the log, where a line ends after some 250 bytes.
LACKS = re.compile(rb"is not registered|Missing operator|is not available|\] Backend .{200}")
# Intact files that are not as newer runtimes want them, or that come with more data than they use.
OLD_STORE = "inline-constants"  # a warning, though this runtime refuses it, because old ones do not
WARNED = {OLD_STORE, "keys-unused"}


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
    parser.add_argument("--count", type=int, default=2000, help="files with damaged bytes (default 2000)")
    parser.add_argument("--tables", type=int, default=1000, help="files with damaged fields (default 1000)")
    parser.add_argument("--schema", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "schema",
                        help="folder of program.fbs and flat_tensor.fbs")
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
    if LACKS.search(done.stderr):
        return "lacks"
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return f"exit {done.returncode}"
    return f"{answer['stage']} {answer['error']}"


def run(runner, files, loader, verification):
    """Returns what the runtime does with the files (one of OUTCOMES, 'hangs' or 'lacks'), and what comes out."""
    arguments = ["prlimit", f"--as={MOST_MEMORY}", runner, "--loader", loader, "--verification", verification, *files]
    try:
        done = subprocess.run(arguments, capture_output=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs", None
    if LACKS.search(done.stderr):
        return "lacks", None
    if done.returncode < 0:
        return ("crashes" if load(runner, files, loader, verification) else "crashes later"), None
    if NO_MEMORY in done.stderr:
        return "refused", None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return "fails later", None
    if answer["ok"]:
        return "runs", answer["methods"]
    return ("refused" if answer["stage"] in ("load", "method") else "fails later"), None


class Judge:
    """Damages files one after the other and compares the verdicts."""

    def __init__(self, arguments, entries):
        self.arguments = arguments
        self.table_damage = TableDamage(arguments.schema)
        self.models = [
            [(arguments.data / name).read_bytes() for name in [entry["pte"], *entry["data"]]] for entry in entries
        ]
        self.names = [entry["name"] for entry in entries]
        paths = [[arguments.data / name for name in [entry["pte"], *entry["data"]]] for entry in entries]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            self.intact = list(pool.map(lambda files: run(arguments.runner, files, *LOADS[0])[1], paths))

    def damage(self, number):
        dice = random.Random(self.arguments.seed * 1000003 + number)
        model = dice.randrange(len(self.models))
        contents = list(self.models[model])
        file = 0 if len(contents) == 1 or dice.random() < 0.7 else dice.randrange(1, len(contents))
        kind = dice.choice(KINDS)
        contents[file] = kind(contents[file], dice)
        return self.names[model], kind.__name__, contents

    @staticmethod
    def write(contents, folder):
        files = []
        for i, content in enumerate(contents):
            files.append(pathlib.Path(folder) / ("model.pte" if i == 0 else f"data{i}.ptd"))
            files[-1].write_bytes(content)
        return files

    def keep(self, number, contents):
        if not self.arguments.keep:
            return
        self.arguments.keep.mkdir(exist_ok=True)
        for i, content in enumerate(contents):
            (self.arguments.keep / f"{number}-{i}.{'pte' if i == 0 else 'ptd'}").write_bytes(content)

    def judge(self, number):
        name, kind, contents = self.damage(number)
        with tempfile.TemporaryDirectory(prefix="damage-") as folder:
            files = self.write(contents, folder)
            errors, _ = verify(self.arguments.bin, files)
            answers = [load(self.arguments.runner, files, *how) for how in LOADS]
        reason = next((answer for answer in answers if answer not in ("", "lacks")), "")
        if reason and not errors:
            self.keep(number, contents)
        lacks = not reason and "lacks" in answers
        return {"number": number, "name": name, "kind": kind, "reason": reason, "lacks": lacks, "errors": errors}

    def judge_tables(self, number):
        dice = random.Random(self.arguments.seed * 1000003 + ~number)
        while True:
            model = dice.randrange(len(self.models))
            if self.intact[model] is not None:
                break
        contents = list(self.models[model])
        file = 0 if len(contents) == 1 or dice.random() < 0.7 else dice.randrange(1, len(contents))
        kind, contents[file] = self.table_damage.damage(contents[file], dice)
        with tempfile.TemporaryDirectory(prefix="damage-") as folder:
            files = self.write(contents, folder)
            errors, warnings = verify(self.arguments.bin, files)
            answers = [run(self.arguments.runner, files, *how) for how in LOADS]
        outcomes = ["answers otherwise" if outcome == "runs" and outputs != self.intact[model] else outcome
                    for outcome, outputs in answers]
        worst = min(outcomes, key=[*OUTCOMES[:5], "hangs", "lacks", "runs"].index)
        found = bool(errors or OLD_STORE in warnings or [warning for warning in warnings if warning not in WARNED])
        is_accident = any(kind == accident.__name__ for accident in ACCIDENTS)
        judged = worst in AT_LOAD or (is_accident and worst not in ("runs", "lacks"))
        missed = judged and not (errors or OLD_STORE in warnings if worst in AT_LOAD else found)
        if missed:
            self.keep(f"t{number}", contents)
        return {"number": number, "name": self.names[model], "kind": kind, "outcome": worst, "judged": judged,
                "missed": missed, "found": found}


def check_intact(arguments, entries):
    """Returns what is wrong with the verdict on each file as it came."""
    problems = []
    for entry in entries:
        errors, warnings = verify(arguments.bin, [arguments.data / name for name in [entry["pte"], *entry["data"]]])
        found = errors + [warning for warning in warnings if warning not in WARNED]
        if found != (["key-missing"] if entry.get("lacks_keys") else []):
            problems.append(f"{entry['name']}: intact, but has {', '.join(found) or 'nothing'}")
    return problems


def report_tables(results):
    """Prints the matrix of damaged fields and accidents. Returns what is wrong."""
    matrix = collections.defaultdict(lambda: collections.defaultdict(list))
    for result in results:
        matrix[result["kind"]][result["outcome"]].append(result["found"])
        if result["missed"]:
            print(f"missed: t{result['number']} {result['name']} {result['kind']}: {result['outcome']}")
    print("damaged fields and accidents: what the runtime does, and of how many files that was found")
    for kind in sorted(matrix):
        cells = [f"{outcome} {sum(found)}/{len(found)}" for outcome, found in sorted(matrix[kind].items())]
        print(f"  {kind:<42} {', '.join(cells)}")
    missed = sum(result["missed"] for result in results)
    share = 1 - missed / max(1, sum(result["judged"] for result in results))
    totals = collections.Counter(result["outcome"] for result in results)
    print(f"of {len(results)} files: " + ", ".join(f"{outcome} {count}" for outcome, count in totals.most_common())
          + f"; not found {missed} ({100 * share:.2f} % found of what does not load or is an accident)")
    return [f"only {100 * share:.2f} % of damaged fields and accidents is found"] if share < LEAST_SHARE else []


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
        table_results = list(pool.map(judge.judge_tables, range(arguments.tables)))
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
    problems += report_tables(table_results)
    for problem in problems:
        print(f"FAIL {problem}")
    missed += [result for result in table_results if result["missed"]]
    passed = len(entries) + len(results) + len(table_results) - len(missed) - len(problems)
    print(f"{passed} passed, {len(problems)} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
