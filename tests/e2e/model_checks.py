"""The checks on one program: it is split, joined, stripped and edited in several ways, unseen by the runtime."""

import contextlib
import dataclasses
import itertools
import json
import pathlib

from processes import CheckFailed, Setting, Unsupported, inspect, run_process, run_program, run_tool

LOADERS = ("mmap", "file")
VERIFICATIONS = ("minimal", "full")
# What a tool may refuse with exit code 3: the .ptd has the layout of 0.6, which later runtimes do not load, or is that of
# another model and lacks the delegate's keys.
MAY_BE_REFUSED = {"old/0.6.0_lin_ext", "delegates/native_lin"}
STRIPS = ([], ["--debug"], ["--unreferenced"], ["--padding"], ["--dedupe"], ["--all"], ["--repack"], ["--all", "--repack"])
ROUNDS = "2"  # each method is called again with other inputs, on the state that the first round left


@dataclasses.dataclass
class Context:
    """What all checks share."""

    runner: pathlib.Path
    bin: pathlib.Path
    data: pathlib.Path  # folder of the manifest


class _ChainBroken(Exception):
    """A step failed, so the steps that build on it make no sense."""


class ModelChecks:
    """Runs the checks on one entry of the manifest; afterwards passed, failures and skips tell the result."""

    def __init__(self, context, entry, folder):
        self.context = context
        self.name = entry["name"]
        self.runnable = entry["runnable"]
        self.program = context.data / entry["pte"]
        self.data = [context.data / file for file in entry["data"]]
        self.folder = folder
        self.passed = 0
        self.failures = []
        self.skips = []
        self._entry_calls = entry["calls"]
        self._calls = folder / "calls.json"
        self._calls.write_text(json.dumps(entry["calls"]))
        many_methods = len({call["method"] for call in entry["calls"]}) > 1
        arenas = (False, True) if many_methods else (False,)
        self._settings = [Setting(*words) for words in itertools.product(LOADERS, VERIFICATIONS, arenas)]
        self._expected = {}  # outcome of the original, by share_arenas

    def run(self):
        """Runs all checks."""
        if not self.runnable:
            return self._chain(self._check_tools_only)
        if not self._chain(self._check_original):
            return
        self._chain(self._check_split, "split", [])
        self._chain(self._check_split, "split by kinds", ["--kind", "constant,named-data,mutable", "--min-size", "1"])
        self._chain(self._check_split_twice)
        for options in STRIPS:
            self._chain(self._check_strip, options)
        self._chain(self._check_overlap)
        if self.program.suffix == ".bpte":
            self._chain(self._check_strip, ["--unwrap", "--all"])
        else:
            self._chain(self._check_facts)
            self._chain(self._check_methods)
            self._chain(self._check_added_methods)
            self._chain(self._check_renamed_keys)
            self._chain(self._check_upgrade)
            self._chain(self._check_splat)

    def _check_original(self):
        """The original runs, and all ways of loading it agree."""
        with self._step("original"):
            for setting in self._settings:
                outcome = self._run(self.program, self.data, setting)
                expected = self._expected.setdefault(setting.share_arenas, outcome)
                if difference := outcome.describe_difference(expected):
                    raise CheckFailed(f"{setting}: {difference}")

    def _check_split(self, name, options):
        """A split program equals the original, is refused without its data, and equals it again when joined."""
        with self._step(name):
            program, data = self._split(name, self.program, self.data, options)
        with self._step(f"{name}, run"):
            self._expect_equal(program, [*data, *self.data])
        if data:
            with self._step(f"{name}, run without data"):
                self._expect_refusal(program)
        self._check_join(name, program, [*data, *self.data])

    def _check_split_twice(self):
        """A program split into two data files, one after the other, equals the original, also when joined."""
        with self._step("split twice"):
            first, first_data = self._split("first", self.program, self.data, ["--kind", "constant"])
            program, second_data = self._split("second", first, [*first_data, *self.data], [])
        data = [*first_data, *second_data, *self.data]
        with self._step("split twice, run"):
            self._expect_equal(program, data)
        self._check_join("split twice", program, data)

    def _check_join(self, name, program, data):
        if not data:
            return
        with self._step(f"{name}, join"):
            whole = self._join(name, program, data)
        with self._step(f"{name}, join, run"):
            self._expect_equal(whole, [])

    def _check_strip(self, options):
        """A stripped program equals the original, also with stripped data files; an unchanged one need not run."""
        name = " ".join(["strip", *options])
        with self._step(name, may_be_refused=self.name in MAY_BE_REFUSED):
            program, *data = [self._strip(name, file, options) for file in (self.program, *self.data)]
        same = [_have_same_bytes(*pair) for pair in zip((program, *data), (self.program, *self.data))]
        if not all(same):
            with self._step(f"{name}, run"):
                self._expect_equal(program, data)

    def _check_overlap(self):
        """Where a key lies inside a constant, the program equals the original, and so do its rewrites."""
        with self._step("overlap", may_be_refused=self.name in MAY_BE_REFUSED):
            apart = self._strip("apart", self.program, ["--dedupe"])
            program = self._strip("overlap", self.program, ["--dedupe", "--overlap"])
        if _have_same_bytes(program, apart):
            return
        with self._step("overlap, run"):
            self._expect_equal(program, self.data)
        self._check_rewrite_of_overlap(program)

    def _check_rewrite_of_overlap(self, program):
        with self._step("overlap, strip"):
            again = self._strip("overlap again", program, ["--all"])
            self._expect_equal(again, self.data)
        for options in ([], ["--kind", "constant"], ["--kind", "named-data"]):
            name = " ".join(["overlap, split", *options])
            with self._step(name):
                split, data = self._split(name, program, self.data, options)
                self._expect_equal(split, [*data, *self.data])
            self._check_join(name, split, [*data, *self.data])

    def _check_facts(self):
        """With a constant method and metadata the program equals the original."""
        with self._step("facts"):
            edits = ["--set-method", "get_fact=[1,2.5,true]", "--set-metadata", "general.name=int:5"]
            told = self._edit("told", edits)
            self._expect_equal(told, self.data)
            whole = self._settings[0]
            outcome = run_program(self.context.runner, told, self.data, whole, ["--method", "get_fact"])
            if len((outcome.methods or {}).get("get_fact", [])) != 3:
                raise CheckFailed(f"the constant method that was set: {outcome.reason}")

    def _check_methods(self):
        """Each of several methods runs alone as it did beside the others, from its own initial state."""
        methods = sorted({call["method"] for call in self._entry_calls})
        for method in methods if len(methods) > 1 else []:
            with self._step(f"keep method {method}"):
                kept = self._edit(f"kept_{method}", ["--keep-method", method])
                calls = self.folder / f"calls_{method}.json"
                calls.write_text(json.dumps([call for call in self._entry_calls if call["method"] == method]))
                words = ["--calls", calls, "--repeat", ROUNDS]
                for setting in (setting for setting in self._settings if not setting.share_arenas):
                    before = run_program(self.context.runner, self.program, self.data, setting, words)
                    after = run_program(self.context.runner, kept, self.data, setting, words)
                    if difference := after.describe_difference(before):
                        raise CheckFailed(f"{setting}: {difference}")

    def _check_added_methods(self):
        """Behind or before the methods of another program, with which it shares a file, the program equals the original."""
        other = self.context.data / "f06/mixed.pte"
        names = {"decode": "other_decode", "prefill": "other_prefill"}
        with self._step("methods added behind"):
            added = [word for old, new in names.items() for word in ("--add-methods", f"{other}:{old}={new}")]
            self._expect_equal(self._edit("before_others", added), self.data)
        with self._step("methods added before"):
            program = self.folder / "behind_others.pte"
            renames = [word for old, new in names.items() for word in ("--rename-method", f"{old}={new}")]
            run_tool(self.context.bin / "ptecopy", other, "-o", program, *renames, "--add-methods", self.program)
            self._expect_equal(program, self.data)

    def _check_renamed_keys(self):
        """Where blobs of XNNPACK have other names for their keys, and data files too, the program equals the original."""
        asked = {key["key"] for delegate in self._look("--delegates", "delegates") for key in delegate["keys"]
                 if delegate["backend"] == "XnnpackBackend"}
        files = [self.program, *self.data]
        renames = {key: f"p_weight_{key[-64:]}" for key in asked if len(key) >= 64}
        if not renames:
            return
        with self._step("keys of blobs renamed"):
            renamed = [self.folder / f"renamed_{file.name}" for file in files]
            for file, new in zip(files, renamed):
                known = {entry["key"] for entry in self._look("--named-data", "named_data", file)}
                wanted = renames if file == self.program else {key: renames[key] for key in renames if key in known}
                words = [word for old, name in wanted.items() for word in ("--rename-key", f"{old}={name}")]
                run_tool(self.context.bin / "ptecopy", file, "-o", new, *words)
            self._expect_equal(renamed[0], renamed[1:])

    def _check_upgrade(self):
        """In today's layout an old program equals the original."""
        with self._step("upgrade"):
            program = self._edit("upgraded", ["--upgrade"])
            if not _have_same_bytes(program, self.program):
                self._expect_equal(program, self.data)

    def _check_splat(self):
        """With other numbers for weights the program loads and runs, in each of its methods."""
        for numbers in ("zeros", "random:1"):
            with self._step(f"splat {numbers}"):
                outcome = self._run(self._edit("splat", ["--force", "--splat", numbers]), self.data, self._settings[0])
                if set(outcome.methods or {}) != set(self._expected[False].methods or {}):
                    raise CheckFailed(outcome.reason)

    def _check_tools_only(self):
        """What the runtime here cannot run is split, joined and stripped, and what comes out can be opened."""
        with self._step("split", may_be_refused=self.name in MAY_BE_REFUSED):
            program, data = self._split("split", self.program, self.data, [])
        with self._step("split, inspect"):
            inspect(self.context.bin, program, *data)
        if data or self.data:
            with self._step("split, join, inspect"):
                inspect(self.context.bin, self._join("split", program, [*data, *self.data]))
        with self._step("strip, inspect", may_be_refused=self.name in MAY_BE_REFUSED):
            inspect(self.context.bin, *[self._strip("strip", file, ["--all"]) for file in (self.program, *self.data)])

    def _chain(self, check, *arguments):
        """Runs steps until one fails. Returns whether all held."""
        try:
            check(*arguments)
        except _ChainBroken:
            return False
        return True

    @contextlib.contextmanager
    def _step(self, name, may_be_refused=False):
        try:
            yield
        except CheckFailed as failure:
            skip = may_be_refused and isinstance(failure, Unsupported)
            (self.skips if skip else self.failures).append(f"{self.name}: {name}: {failure}")
            raise _ChainBroken from None
        self.passed += 1

    def _split(self, name, program, data, options):
        """Splits a program; returns the new one and the list of data files that came with it, one or none."""
        new_program = self.folder / f"{name.replace(' ', '_')}{program.suffix}"
        new_data = new_program.with_suffix(".ptd")
        outputs = ["-o", new_program, "-d", new_data]
        run_tool(self.context.bin / "ptesplit", program, *outputs, *options, *_data_options(data))
        if not new_program.exists():
            raise CheckFailed("ptesplit: exit code 0, but no program was written")
        return new_program, [new_data] if new_data.exists() else []

    def _join(self, name, program, data):
        whole = self.folder / f"{name.replace(' ', '_')}_joined{program.suffix}"
        run_tool(self.context.bin / "ptesplit", program, "--join", *_data_options(data), "-o", whole)
        return whole

    def _look(self, option, member, file=None):
        words = [self.context.bin / "pteinspect", option, "--json", file or self.program]
        code, found, line = run_process(words)
        if code != 0:
            raise CheckFailed(f"pteinspect {option}: exit code {code}: {line}")
        return json.loads(found)[0][member]

    def _edit(self, name, options):
        edited = self.folder / f"{name}.pte"
        run_tool(self.context.bin / "ptecopy", self.program, "-o", edited, *options)
        return edited

    def _strip(self, name, file, options):
        """Strips a program or data file; only programs have a bundle around them."""
        is_program = file.suffix != ".ptd"
        suffix = ".pte" if is_program and "--unwrap" in options else file.suffix
        stripped = self.folder / f"{name.replace(' ', '_')}_{file.stem}{suffix}"
        wanted = [option for option in options if is_program or option != "--unwrap"]
        run_tool(self.context.bin / "ptestrip", file, "-o", stripped, *wanted)
        if stripped.stat().st_size > file.stat().st_size:
            raise CheckFailed(f"ptestrip: {file.name} became larger")
        return stripped

    def _run(self, program, data, setting):
        return run_program(self.context.runner, program, data, setting, ["--calls", self._calls, "--repeat", ROUNDS])

    def _expect_equal(self, program, data):
        for setting in self._settings:
            difference = self._run(program, data, setting).describe_difference(self._expected[setting.share_arenas])
            if difference:
                raise CheckFailed(f"{setting}: {difference}")

    def _expect_refusal(self, program):
        # Without calls, the runner loads every method.
        for setting in (Setting(loader, "minimal") for loader in LOADERS):
            outcome = run_program(self.context.runner, program, [], setting)
            if not outcome.refused:
                raise CheckFailed(f"{setting}: {outcome.reason}, expected a refusal")


def _have_same_bytes(one, other):
    return one.read_bytes() == other.read_bytes()


def _data_options(data):
    return [word for file in data for word in ("--data", file)]
