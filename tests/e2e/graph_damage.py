#!/usr/bin/env python3
"""Compares pteinspect --verify with the real runtime on XNNPACK graphs in which one field, value or node is wrong.

The graphs are those of all small programs in tests/data, and a sound one for each kind of node and form of its numbers.
A run takes a sample, with a fixed seed, in which each kind of damage is in each place. Whatever the runtime
refuses or crashes on while it loads must have an error, or the warning that newer runtimes than the one that the graph
was made for do not know a node: at least 99 % of it. Graphs that are intact must be clean. Prints a matrix, then
`N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import pathlib
import random
import sys
import tempfile

import graph_damages
import graph_models
import graph_sketches
from damage import LEAST_SHARE, LOADS, WARNED, load, verify

SEED = 20261122
MAX_BYTES = 200_000
# Warnings that say that only some releases know a node.
DEPENDS = {"xnnpack-unknown-operator", "xnnpack-dropped-operator"}
COLUMNS = ["loads", "loads, flagged", "refused, flagged", "refused, missed", "crashes, flagged", "crashes, missed"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", type=pathlib.Path, required=True, help="the program pterun")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of pteinspect")
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with manifest.json")
    parser.add_argument("--count", type=int, default=2500, help="damaged graphs (default 2500; 0: all there are)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the sample (default {SEED})")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time (default 2)")
    parser.add_argument("--only", default="", help="only models whose name contains this")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files that were not flagged")
    parser.add_argument("--list", action="store_true", help="also list what loads but is flagged")
    return parser.parse_args()


def read_models(arguments):
    """Returns a model for each graph that differs from those before it."""
    models, seen = [], set()
    for entry in json.loads((arguments.data / "manifest.json").read_text())["entries"]:
        content = (arguments.data / entry["pte"]).read_bytes()
        if len(content) > MAX_BYTES or content[4:8] != b"ET12" or entry.get("lacks_keys"):
            continue
        data = [(arguments.data / name).read_bytes() for name in entry["data"]]
        for model in graph_models.read_models(entry["name"], content, data):
            blob = model.program.blob(model.reference(model.program))
            if blob not in seen:
                seen.add(blob)
                models.append(model)
    models += [sketch.model(name) for name, sketch in graph_sketches.make_sketches()]
    return [model for model in models if arguments.only in model.name]


def sample(models, count, seed):
    """Returns pairs of model and damage: of each kind in each place one, then as many of each kind as of any other."""
    dice = random.Random(seed)
    kinds, total = collections.defaultdict(list), 0
    for model in models:
        damages = graph_damages.damage_graph(model.graph().root)
        calls = graph_damages.damage_calls(model.program.root, graph_models.BACKEND)
        for damage in itertools.chain(damages, calls):
            kinds[damage.kind].append((model, damage))
            total += 1
    first, others, places = [], [], set()
    for pairs in kinds.values():
        dice.shuffle(pairs)
        rank = 0
        for pair in pairs:
            place = pair[1].kind, pair[1].place
            if place in places:
                others.append((rank, pair))
                rank += 1
            else:
                places.add(place)
                first.append(pair)
    others.sort(key=lambda each: each[0])
    return (first + [pair for _, pair in others])[: count or total], total


class Judge:
    """Asks the runtime and pteinspect about files."""

    def __init__(self, arguments):
        self.arguments = arguments

    def verdicts(self, content, data, how):
        with tempfile.TemporaryDirectory(prefix="graph-") as folder:
            files = [pathlib.Path(folder) / "model.pte"]
            files[0].write_bytes(content)
            for i, each in enumerate(data):
                files.append(pathlib.Path(folder) / f"data{i}.ptd")
                files[-1].write_bytes(each)
            return verify(self.arguments.bin, files), load(self.arguments.runner, files, *how)

    def check_intact(self, model):
        """Returns what is wrong with the verdict on a model as it came, and whether the runtime loads it."""
        (errors, warnings), answer = self.verdicts(model.with_graph(model.graph()), model.data, LOADS[1])
        found = errors + [warning for warning in warnings if warning not in WARNED]
        if found or (answer and not warnings):
            return f"{model.name}: intact, but {answer or 'has ' + ', '.join(found)}", False
        return "", not answer

    def judge(self, number, pair):
        model, damage = pair
        content = model.damaged(damage)
        (errors, warnings), reason = self.verdicts(content, model.data, LOADS[number % len(LOADS)])
        flagged = bool(errors) or any(warning in DEPENDS for warning in warnings)
        if reason and not flagged and self.arguments.keep:
            self.arguments.keep.mkdir(exist_ok=True)
            (self.arguments.keep / f"{number}.pte").write_bytes(content)
        return number, model.name, damage, errors + warnings, flagged, reason


def column_of(flagged, reason):
    if not reason:
        return COLUMNS[int(flagged)]
    crashed = reason.startswith("signal") or reason == "hangs"
    return COLUMNS[(4 if crashed else 2) + int(not flagged)]


def print_matrix(results):
    kinds = collections.defaultdict(collections.Counter)
    for _, _, damage, _, flagged, reason in results:
        for kind in (damage.kind, "all"):
            kinds[kind][column_of(flagged, reason)] += 1
    print(f"{'':20}" + "".join(f"{column:>18}" for column in COLUMNS))
    for kind in [*sorted(kind for kind in kinds if kind != "all"), "all"]:
        print(f"{kind:20}" + "".join(f"{kinds[kind][column]:18}" for column in COLUMNS))


def main():
    arguments = parse_arguments()
    models, judge = read_models(arguments), Judge(arguments)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        intact = list(pool.map(judge.check_intact, models))
        problems = [problem for problem, _ in intact if problem]
        sound = len(models) - len(problems)
        models = [model for model, (_, loads) in zip(models, intact) if loads]
        print(f"intact: {sound} graphs are clean, {len(models)} load and are not of a release that no longer does")
        pairs, total = sample(models, arguments.count, arguments.seed)
        results = list(pool.map(judge.judge, range(len(pairs)), pairs))
    print(f"damaged: {len(results)} of {total} ways")
    print_matrix(results)
    refused = [result for result in results if result[-1]]
    missed = [result for result in refused if not result[-2]]
    for number, name, damage, _, _, reason in missed:
        print(f"missed: {number} {name}: {damage}: {reason}")
    if arguments.list:
        for number, name, damage, found, flagged, reason in results:
            if flagged and not reason:
                print(f"loads: {number} {name}: {damage}: {', '.join(sorted(set(found)))}")
    share = 1 - len(missed) / max(1, len(refused))
    print(f"the runtime refuses or crashes on {len(refused)}, flagged of these {100 * share:.2f} %")
    if share < LEAST_SHARE:
        problems.append(f"only {100 * share:.2f} % of what the runtime refuses is flagged")
    for problem in problems:
        print(f"FAIL {problem}")
    print(f"{sound + len(results) - len(missed)} passed, {len(problems)} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
