"""Whether the exporter's record of a program is one of what our tools make of it too.

A record is joined by the places of instructions, so each rewrite has to leave these alone. Held against what the record
says of the program as it was, field for field: what it says of a new one with a dump of the old one, what it says of a
dump that the new one wrote, and graph and counts of the new one. Where methods came or went, all this of those that stayed.
"""

import contextlib
import json
import re
import shutil

from model_checks import STRIPS
from new_dumps import EXECUTE, record_dump
from processes import CheckFailed, Unsupported, inspect, profile, run_process, run_tool

# Programs, and the records that the exporter made with them: those of a like model are refused.
PAIRS = {
    "portable": ("branches/portable.pte", "branches/portable.etrecord"),
    "xnnpack": ("branches/xnnpack.pte", "branches/xnnpack.etrecord"),
    "q8": ("branches/q8.pte", "branches/q8.etrecord"),
    "two_delegates": ("delegation/two_delegates.pte", "delegation/two_delegates.etrecord"),
    "two_methods": ("delegation/two_methods.pte", "delegation/two_methods.etrecord"),
}
# What differs from run to run: of times only their number is kept.
MEASURED = ("perf", "start_time")
VIEWS = ("--delegation", "--graph")


class SurvivalChecks:
    """Runs the checks on one pair; afterwards passed and failures tell the result."""

    def __init__(self, context, name, folder):
        self.name = name
        self.passed = 0
        self.failures = []
        self.dump = folder / "old.etdp"
        self._context = context
        self._program, self.record = (context.data / file for file in PAIRS[name])
        self._folder = folder

    def run(self):
        with self._step("original"):
            record_dump(self._context.runner, [self._program], None, self.dump)
            self._joins = self._joined(self.dump, self._program)
            check_joined(self._joins)
            self._views = [self._view(view, self._program) for view in VIEWS]
        if self.failures:
            return
        for name, rewrite in self._rewrites():
            with self._step(name):
                self._check(*rewrite())
        for name, options in self._additions():
            with self._step(name):
                self._check_addition(self._edit(*options)[0])
        for method in self._methods() if len(self._methods()) > 1 else ():
            with self._step(f"without {method}"):
                self._check_removal(method, self._edit("--remove-method", method)[0])
        with self._step("other records"):
            self._check_others()

    def _rewrites(self):
        """Names of ways to write the program anew, and functions that do: the new program and its data files."""
        yield "split", self._split
        yield "split by kinds", lambda: self._split("--kind", "constant,named-data,mutable")
        yield "split, bound", lambda: self._split("--bind")
        yield "join", self._join
        for options in STRIPS:
            yield " ".join(["strip", *options]), lambda options=options: self._strip(*options)
        yield "strip --align", lambda: self._strip("--all", "--align", "4096")
        edits = "--upgrade", "--set-metadata", "general.name=x", "--add-data", f"record={self.record}"
        yield "edit", lambda: self._edit(*edits)
        yield "merge", lambda: self._merge("pte")
        yield "merge, variant data apart", lambda: self._merge("ptd")

    def _additions(self):
        """Edits after which there are methods that the record does not know."""
        yield "a constant method more", ("--set-method", "get_fact=[1,2]")
        yield "a method more", ("--add-methods", f"{self._context.data / 'f02_linear.pte'}:forward=added")

    def _split(self, *options):
        program, data = self._folder / "split.pte", self._folder / "split.ptd"
        data.unlink(missing_ok=True)
        run_tool(self._context.bin / "ptesplit", self._program, "-o", program, "-d", data, "-f", *options)
        return program, [data] if data.exists() else []

    def _join(self):
        program, data = self._split()
        whole = self._folder / "joined.pte"
        words = [word for file in data for word in ("--data", file)]
        run_tool(self._context.bin / "ptesplit", program, "--join", *words, "-o", whole)
        return whole, []

    def _strip(self, *options):
        program = self._folder / "stripped.pte"
        run_tool(self._context.bin / "ptestrip", self._program, "-o", program, "-f", *options)
        return program, []

    def _edit(self, *options):
        program = self._folder / "edited.pte"
        run_tool(self._context.bin / "ptecopy", self._program, "-o", program, "-f", *options)
        return program, []

    def _merge(self, where):
        """With a copy, so that whatever can be shared is."""
        folder, copy = self._folder / where, self._folder / "copy.pte"
        shutil.copy(self._program, copy)
        run_tool(self._context.bin / "ptemerge", f"a={self._program}", f"b={copy}", "-o", folder, "--variant-data", where)
        program = folder / "a" / self._program.name
        return program, [file for file in (folder / "shared.ptd", program.with_suffix(".ptd")) if file.exists()]

    def _check_old_dump(self, program):
        if self._joined(self.dump, program) != self._joins:
            raise CheckFailed("the old dump is joined otherwise with the new program")

    def _check(self, program, data):
        self._check_old_dump(program)
        new = self._folder / "new.etdp"
        record_dump(self._context.runner, [program, *data], None, new)
        difference = first_difference(unmeasured(self._joins), unmeasured(self._joined(new, program)))
        if difference:
            raise CheckFailed(f"a new dump is joined otherwise: {difference}")
        for view, expected in zip(VIEWS, self._views):
            if difference := first_difference(expected, self._view(view, program)):
                raise CheckFailed(f"{view} says otherwise: {difference}")

    def _check_addition(self, program):
        self._check_old_dump(program)
        self._check_methods(self._methods(), program)

    def _methods(self):
        """Those that ran."""
        return sorted({name for block in self._joins for name in methods_of(block)})

    def _check_methods(self, names, program):
        """What a dump that the program writes now, and the views of it, say of some methods."""
        new = self._folder / "new.etdp"
        record_dump(self._context.runner, [program], None, new)
        before, now = (runs_of(names, blocks) for blocks in (self._joins, self._joined(new, program)))
        if difference := first_difference(unmeasured(before), unmeasured(now)):
            raise CheckFailed(f"a new dump is joined otherwise: {difference}")
        for view, expected in zip(VIEWS, self._views):
            before, now = ([one for one in said if one["method"] in names] for said in (expected, self._view(view, program)))
            if difference := first_difference(before, now):
                raise CheckFailed(f"{view} says otherwise: {difference}")

    def _check_removal(self, removed, program):
        """Runs of what stayed are joined as before, and those of what went with the record alone."""
        self._check_old_dump(program)
        [stayed] = set(self._methods()) - {removed}
        self._check_methods([stayed], program)
        self._check_without_record(stayed, removed, program)

    def _check_without_record(self, stayed, removed, program):
        """Without the record nobody knows the method that went: its runs are refused, but where another is chosen."""
        choice = "--method", stayed
        before = profile(self._context.bin, self.dump, self._program, *choice)["event_blocks"]
        if profile(self._context.bin, self.dump, program, *choice)["event_blocks"] != before:
            raise CheckFailed(f"runs of {stayed} are joined otherwise without the record")
        try:
            profile(self._context.bin, self.dump, program)
        except Unsupported:
            return
        raise CheckFailed(f"runs of {removed} are taken for others without the record")

    def _check_others(self):
        """Records of other programs are refused, so what is accepted above means something."""
        for name, (_, record) in PAIRS.items():
            if name == self.name:
                continue
            try:
                self._joined(self.dump, self._program, self._context.data / record)
            except Unsupported:
                continue
            raise CheckFailed(f"the record of {name} is accepted")

    def _joined(self, dump, program, record=None):
        report = profile(self._context.bin, dump, program, "--etrecord", record or self.record)
        return report["event_blocks"]

    def _view(self, view, program):
        [report] = inspect(self._context.bin, view, "--etrecord", self.record, program)
        return report[view[2:]] if view != "--graph" else [without_constant_names(graph) for graph in report["graph"]]

    @contextlib.contextmanager
    def _step(self, name):
        try:
            yield
        except CheckFailed as failure:
            self.failures.append(f"{self.name}: {name}: {failure}")
        else:
            self.passed += 1


def methods_of(block):
    return block["methods"] or []


def runs_of(names, blocks):
    return [block for block in blocks if block["name"] == EXECUTE and set(methods_of(block)) & set(names)]


def check_joined(blocks):
    """That there is something to lose: operators, handles, modules and, where there are delegates, their backends."""
    events = [event for block in blocks for event in block["events"]]
    for member in ("op_types", "debug_handles", "stack_traces", "module_hierarchy"):
        if not any(event[member] for event in events):
            raise CheckFailed(f"no event has {member}")
    unnamed = [event for event in events if event["is_delegated_op"] and not event["delegate_backend_name"]]
    if unnamed:
        raise CheckFailed(f"'{unnamed[0]['name']}' is of no backend")


def without_constant_names(graph):
    """Constants without names of their own are called after where they are stored, equal ones maybe alike."""
    constants = {node["name"] for node in graph["nodes"] if node["op"] == "get_attr" and "lowered" not in node}

    def blank(value):
        if isinstance(value, list):
            return [blank(item) for item in value]
        if isinstance(value, dict):
            return "constant" if value.get("name") in constants else {key: blank(item) for key, item in value.items()}
        if not isinstance(value, str):
            return value
        return re.sub(r"%(\w+)", lambda name: "constant" if name[1] in constants else name[0], value)

    return blank(graph)


def unmeasured(blocks):
    """Blocks without what differs from run to run."""
    kept = []
    for block in blocks:
        events = []
        for event in block["events"]:
            samples = len(event["perf"]["raw"])
            events.append({**{key: value for key, value in event.items() if key not in MEASURED}, "samples": samples})
        kept.append({**block, "events": events})
    return kept


def first_difference(expected, found, place="it"):
    """A line about the first place where two JSON values differ; empty where none does."""
    if type(expected) is not type(found):
        return f"{place} is {json.dumps(found)[:80]}, expected {json.dumps(expected)[:80]}"
    if isinstance(expected, dict):
        for key in expected.keys() | found.keys():
            if difference := first_difference(expected.get(key), found.get(key), f"{place}.{key}"):
                return difference
        return ""
    if isinstance(expected, list) and len(expected) == len(found):
        for index, pair in enumerate(zip(expected, found)):
            if difference := first_difference(*pair, f"{place}[{index}]"):
                return difference
        return ""
    return "" if expected == found else f"{place} is {json.dumps(found)[:80]}, expected {json.dumps(expected)[:80]}"
