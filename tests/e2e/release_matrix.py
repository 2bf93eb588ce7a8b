#!/usr/bin/env python3
"""Holds `pteinspect --target` against the real runtimes of all releases: each loads every program of the test data, and runs
what it loads, on zeros.

    release_matrix.py --wheels DIR --bin DIR --data DIR [--runner PTERUN] [--releases 0.7,1.2] [--table FILE]

DIR of --wheels keeps the wheels; what is not in it comes from the package registry. A wheel's binding, see
wheel_runtime.py, tells which kernels and backends are registered in it: that, with its release, is the target that has to
agree with it. Three things are held against it: that target, the libraries themselves as a target, and the release, which
has kernels that a binding lacks and lacks none that it has. The newest release is judged by --runner. What runs must lack no
kernel; what a release runs without knowing it, such as fields that came later, is listed: it answers wrongly. So is what does not
load or run although no verdict says so. --table gets a line of each program: what became of it in each release, and of how many things
the verdict says that they lack. The last line is `N passed, N failed`; exit code 77: no wheel can be had.
"""

import argparse
import collections
import json
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))

import release_tables  # noqa: E402
import wheel_runtime  # noqa: E402

MISSING_KERNEL = re.compile(r"Missing operator: \[\d+\] (\S+)")
MISSING_BACKEND = re.compile(r"Backend (\S+) is not registered")
SAID_KERNEL = re.compile(r"^kernel '([^']+)'")
SAID_BACKEND = re.compile(r"^backend (\w+)")
# The binding of 0.3 runs code of torch as soon as it is loaded; from 1.5 on wheels have libraries for C++, of which the
# runner is made.
FIRST_BACKENDS = ["XnnpackBackend"]  # of bindings before 0.6, which do not tell
WITHOUT_BINDING = {"0.3", "1.5"}


class Runner:
    """The newest release, from its C++ libraries."""

    def __init__(self, release, runner):
        self.release, self._runner = release, runner
        libraries = subprocess.run(["ldd", str(runner)], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.libraries = [pathlib.Path(path) for path in re.findall(r"=> (\S*libexecutorch\S*)", libraries)]
        self.kernels = self.backends = None

    def ask(self, files, run):
        done = subprocess.run([self._runner, *([] if run else ["--load-only"]), *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=120, check=False)
        return {0: "done", 1: "refused"}.get(done.returncode, "crashed"), done.stdout


def programs_of(data):
    """Each program with its data files: those of the manifest, and all others of the folder, without any."""
    entries = json.loads((data / "manifest.json").read_text(encoding="utf-8"))["entries"]
    listed = {data / entry["pte"]: [data / name for name in entry["data"]] for entry in entries}
    return {path: listed.get(path, []) for path in sorted(data.rglob("*.pte"))}


def last_line(log):
    return (log.strip().splitlines() or ["?"])[-1][:150]


def names_in(needs, pattern):
    found = (pattern.match(need["what"]) for need in needs)
    return {match.group(1) for match in found if match}


class Offers:
    """The words of --target for one runtime, in the order in which their answers come."""

    def __init__(self, runtime, tools, folder):
        libraries = ",".join(str(path).replace(",", "\\,") for path in runtime.libraries)
        seen = folder / f"libraries-{runtime.release}.json"
        seen.write_bytes(subprocess.run([tools / "pteinspect", "--emit-target", libraries], stdout=subprocess.PIPE, check=True).stdout)
        self.words = [f"executorch-{runtime.release}", str(seen)]
        if runtime.kernels is not None:
            build = folder / f"build-{runtime.release}.json"
            target = {"schema_version": 1, "release": runtime.release, "kernels": dict.fromkeys(runtime.kernels),
                      "backends": runtime.backends or FIRST_BACKENDS}
            build.write_text(json.dumps(target), encoding="utf-8")
            self.words.append(str(build))


class Matrix:
    def __init__(self, tools, data):
        self._tools, self._data, self._programs = tools, data, programs_of(data)
        self.passed, self.problems, self.other, self.unforeseen, self.unnoticed = 0, [], [], [], collections.Counter()
        self.counts = {}
        self.cells = collections.defaultdict(dict)  # by program and release

    def verdicts(self, program, data, offers):
        """What each offer lacks; None where the tool cannot tell."""
        words = [word for offer in offers for word in ("--target", offer)]
        files = [word for file in data for word in ("--data", str(file))]
        done = subprocess.run([self._tools / "pteinspect", "--json", "--quiet", *words, str(program), *files], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 1):
            return None
        entry = next(entry for entry in json.loads(done.stdout) if entry["file"] == str(program))
        return [target["missing"] for target in entry["targets"]]

    def judge(self, runtimes, folder):
        offers = [Offers(runtime, self._tools, folder) for runtime in runtimes]
        self.counts = {runtime.release: collections.Counter() for runtime in runtimes}
        without_inputs = folder / "without_inputs.pte"
        for program, data in self._programs.items():
            content = wheel_runtime.closed(program.read_bytes())
            if content is not None:
                without_inputs.write_bytes(content)
            verdicts = self.verdicts(program, data, [word for offer in offers for word in offer.words])
            if verdicts is None:
                continue
            for runtime, offer in zip(runtimes, offers):
                mine = [verdicts.pop(0) for _ in offer.words]
                told = self.compare(runtime, program, data, *mine)
                if told is not None and content is not None:
                    self.run(runtime, program, [without_inputs, *data], told)
        without_inputs.unlink(missing_ok=True)

    def run(self, runtime, program, files, told):
        outcome, log = runtime.ask(files, run=True)
        if outcome == "cannot":
            return
        count = self.counts[runtime.release]
        count["ran" if outcome == "done" else "did not run"] += 1
        self.cells[program.relative_to(self._data)][runtime.release] = f"{'ran' if outcome == 'done' else outcome + ' when run'}, {len(told)}"
        if outcome == "done":
            self.unnoticed.update(f"{runtime.release}: {need['what']}" for need in told)
            self.problems += [f"{runtime.release}: {program.name}: ran, but the verdict lacks kernel {name}"
                              for name in sorted(names_in(told, SAID_KERNEL))]
        elif not told:
            self.unforeseen.append(f"{runtime.release}: {program.name}: {outcome}, {last_line(log)}")
            count["unforeseen"] += 1

    def compare(self, runtime, program, data, release, libraries, build=None):
        """What the verdict names, where the runtime loads the program."""
        outcome, log = runtime.ask([program, *data], run=False)
        count = self.counts[runtime.release]
        if outcome == "cannot":
            count["not tried"] += 1
            return None
        kernels, backends = set(MISSING_KERNEL.findall(log)), set(MISSING_BACKEND.findall(log))
        count[{"done": "loaded"}.get(outcome, outcome)] += 1
        count["kernels"] += bool(kernels)
        count["backends"] += bool(backends)
        told = build if build is not None else libraries + [need for need in release if not SAID_KERNEL.match(need["what"])
                                                            and not SAID_BACKEND.match(need["what"])]
        self.cells[program.relative_to(self._data)][runtime.release] = f"{ {'done': 'loaded'}.get(outcome, outcome)}, {len(told)}"
        problems = list(self.disagreements(outcome, kernels, backends, told))
        if build is not None:
            problems += [f"the libraries' texts say {name} otherwise" for pattern in (SAID_KERNEL, SAID_BACKEND)
                         for name in sorted(names_in(libraries, pattern) ^ names_in(build, pattern))]
            problems += [f"the release lacks {name}, its binding has it" for pattern in (SAID_KERNEL, SAID_BACKEND)
                         for name in sorted(names_in(release, pattern) - names_in(build, pattern))]
        count["agree"] += not problems
        self.passed += not problems
        where = f"{runtime.release}: {program.name}"
        self.problems += [f"{where}: {problem}" for problem in problems]
        if outcome == "done":
            return told
        if not told:
            self.other.append(f"{where}: {outcome}, {last_line(log)}")
            count["unforeseen"] += 1
        return None

    @staticmethod
    def disagreements(outcome, kernels, backends, told):
        """Where the verdict and the runtime say other things of kernels and backends."""
        for what, asked, said in (("kernel", kernels, names_in(told, SAID_KERNEL)), ("backend", backends, names_in(told, SAID_BACKEND))):
            for name in sorted(asked - said):
                yield f"the runtime lacks {what} {name}, which the verdict does not say"
            if outcome == "done" and said:
                yield f"loaded, but the verdict lacks {what} {sorted(said)[0]}"

    def write_cells(self, path):
        rows = [["program", *self.counts], *([str(name), *(cells.get(release, "") for release in self.counts)] for name, cells in self.cells.items())]
        path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")

    def table(self):
        columns = ["programs", "loaded", "refused", "crashed", "not tried", "kernels", "backends", "ran", "did not run", "unforeseen", "agree"]
        rows = [["release", *columns]]
        for release, count in self.counts.items():
            rows.append([release, *(str(len(self._programs) if name == "programs" else count[name]) for name in columns)])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)


def registry_problems(runtime, folder):
    """What a binding registers and the generated tables do not know for its release, or the libraries' texts do not tell."""
    if runtime.kernels is None:
        return []
    told = json.loads((folder / f"libraries-{runtime.release}.json").read_text(encoding="utf-8"))
    known, registered = release_tables.tables_at(runtime.release)[0], set(runtime.kernels)
    problems = [f"kernel {name} is registered, not in the tables" for name in sorted(registered - known)]
    problems += [f"kernel {name} is registered or in the texts, not both" for name in sorted(registered ^ set(told["kernels"]))]
    problems += [f"backend {name} is registered, not in the texts" for name in sorted(set(runtime.backends or []) - set(told["backends"]))]
    return [f"{runtime.release}: {problem}" for problem in problems]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("wheels", "bin", "data"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--runner", type=pathlib.Path, metavar="PTERUN")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--releases", default=",".join(release for release in release_tables.WHEELS if release not in WITHOUT_BINDING))
    options = parser.parse_args()
    if sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64":
        print("skipped: the wheels are those for Python 3.11 on x86-64")
        return 77
    options.wheels = options.wheels.resolve()
    options.wheels.mkdir(parents=True, exist_ok=True)
    try:
        runtimes = [wheel_runtime.Runtime(release, options.wheels) for release in options.releases.split(",") if release]
    except release_tables.Unavailable as reason:
        print(f"skipped: {reason}")
        return 77
    if options.runner:
        runtimes.append(Runner(list(release_tables.WHEELS)[-1], options.runner.resolve()))
    matrix = Matrix(options.bin.resolve(), options.data.resolve())
    matrix.judge(runtimes, options.wheels)
    if options.table:
        matrix.write_cells(options.table)
    problems = [problem for runtime in runtimes for problem in registry_problems(runtime, options.wheels)] + matrix.problems
    print("refused or crashed for other reasons than what a target can lack:", *matrix.other, "", sep="\n ")
    print("did not run, although no verdict says so:", *matrix.unforeseen, "", sep="\n ")
    print("ran, although the verdict names:", *(f"{need}, {count} programs" for need, count in matrix.unnoticed.items()), "", sep="\n ")
    print("disagreements:", *problems, "", sep="\n ")
    print(matrix.table())
    print(f"{matrix.passed} passed, {len(problems)} failed")
    return 1 if problems or not matrix.passed else 0


if __name__ == "__main__":
    sys.exit(main())
