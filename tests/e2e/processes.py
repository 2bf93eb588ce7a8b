"""The programs that the end-to-end checks start, each call in a process of its own: the runner and our tools."""

import dataclasses
import json
import pathlib
import signal
import subprocess

TIMEOUT_SECONDS = 300  # for one call; the small models take milliseconds


class CheckFailed(Exception):
    """A check did not hold; the text says in one line what came instead of what."""


class Unsupported(CheckFailed):
    """A tool refused an input with exit code 3."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """A way of loading a program."""

    loader: str
    verification: str
    share_arenas: bool = False

    def arguments(self):
        arguments = ["--loader", self.loader, "--verification", self.verification]
        return arguments + ["--share-arenas"] if self.share_arenas else arguments

    def __str__(self):
        return f"{self.loader}, {self.verification}" + (", shared arenas" if self.share_arenas else "")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a run: outputs by method, or else why there are none."""

    methods: dict | None
    refused: bool  # the runtime itself said no
    reason: str

    def describe_difference(self, expected):
        """Returns a line that says how this outcome differs from another, which ran; empty where it does not."""
        if self.methods is None:
            return f"{self.reason}, expected outputs"
        for method, digests in expected.methods.items():
            ours = self.methods.get(method, [])
            if len(ours) != len(digests):
                return f"'{method}' gave {len(ours)} outputs, expected {len(digests)}"
            for index, (actual, wanted) in enumerate(zip(ours, digests)):
                if actual != wanted:
                    return f"output {index} of '{method}' is {actual[:16]}, expected {wanted[:16]}"
        return "" if self.methods == expected.methods else "more methods ran than expected"


def run_process(arguments):
    """Runs a program and returns its exit code (negative: a signal), stdout and the last line of stderr."""
    try:
        done = subprocess.run([str(word) for word in arguments], capture_output=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"{pathlib.Path(arguments[0]).name} took over {TIMEOUT_SECONDS} s") from None
    except OSError as error:
        raise CheckFailed(f"{arguments[0]} cannot be run: {error.strerror}") from None
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return done.returncode, done.stdout.decode(errors="replace"), lines[-1] if lines else ""


def describe_exit(code):
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def run_program(runner, program, data, setting, options=()):
    """Runs a program with its data files on the real runtime."""
    code, output, last_line = run_process([runner, *setting.arguments(), *options, program, *data])
    if code not in (0, 1):
        return Outcome(None, False, f"{describe_exit(code)} {last_line}".rstrip())
    answer = json.loads(output)
    if answer["ok"]:
        return Outcome(answer["methods"], False, "ran")
    return Outcome(None, True, f"refused at {answer['stage']}: {answer['error']}")


def run_tool(*arguments):
    """Runs one of our tools and returns its stdout. Raises CheckFailed unless it exits with 0."""
    code, output, last_line = run_process(arguments)
    if code == 0:
        return output
    failure = Unsupported if code == 3 else CheckFailed
    raise failure(f"{pathlib.Path(arguments[0]).name}: {describe_exit(code)}: {last_line}")


def inspect(bin_folder, *arguments, tool="pteinspect"):
    """Returns the objects that pteinspect prints, one for each file. Raises CheckFailed where it cannot read one."""
    try:
        reports = json.loads(run_tool(bin_folder / tool, "--json", *arguments))
    except json.JSONDecodeError:
        raise CheckFailed(f"{tool} --json did not print JSON") from None
    for report in reports:
        if "error" in report:
            raise CheckFailed(f"{tool}: {report['error'].get('message')}")
    return reports


def profile(bin_folder, dump, *arguments):
    """Returns the object that pteprof prints of a dump. Raises CheckFailed where it cannot read it."""
    [report] = inspect(bin_folder, dump, *arguments, tool="pteprof")
    return report
