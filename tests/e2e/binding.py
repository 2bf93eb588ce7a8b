"""Binds programs to their data files and lets the runtime say which it takes.

For each program, with each way of loading it: with the data file that it is bound to it answers like the original, also
when that was stripped; with a stale one, of the same keys and other contents, as of a base that was trained further, it is
refused with NotFound, and without a binding it answers otherwise; with that of another model it is refused. Bound by default
are the programs whose keys are names, and no others.
"""

import json

from model_checks import LOADERS, ROUNDS, VERIFICATIONS
from processes import CheckFailed, Setting, inspect, run_process, run_program, run_tool

# Names of entries, and whether data files have names for keys of theirs (that of the delegates are hashes).
PROGRAMS = {
    "f04_linear_ext": True,
    "f08c_portable_base": True,
    "f08c_portable_v0": True,
    "f08c_xnn_base": True,
    "f08c_xnn_v0": True,
    "f08a_portable_v0": False,
    "f08b_xnn_v0": False,
    "f08e_multi_portable": False,
    "f08e_multi_xnn": False,
}
SETTINGS = [Setting(loader, verification) for loader in LOADERS for verification in VERIFICATIONS]
NOT_FOUND = "NotFound"


class BindingChecks:
    """Runs the checks on one entry of the manifest."""

    def __init__(self, context, entry, folder):
        self._context = context
        self._entry = entry
        self._folder = folder
        self._calls = folder / "calls.json"
        self._calls.write_text(json.dumps(entry["calls"]))
        self._original = context.data / entry["pte"]
        self._data = [context.data / file for file in entry["data"]]

    def run(self):
        default, _ = self._separate("default")
        if bool(self._keys_of(default)) != PROGRAMS[self._entry["name"]]:
            raise CheckFailed("is bound by default where it should not, or not where it should")
        bound, base = self._separate("bound", "--bind")
        unbound, plain = self._separate("unbound", "--no-bind")
        if not self._keys_of(bound) or self._keys_of(unbound):
            raise CheckFailed("--bind binds to nothing, or --no-bind does not keep from it")
        stripped = self._folder / "stripped.ptd"
        run_tool(self._context.bin / "ptestrip", base, "-o", stripped, "--all", "--align", "4096")
        for setting in SETTINGS:
            expected = self._run(self._original, self._data, setting)
            for program, data in ((bound, base), (bound, stripped), (unbound, plain), (unbound, base)):
                if difference := self._run(program, [data], setting).describe_difference(expected):
                    raise CheckFailed(f"{program.name} with {data.name} ({setting}): {difference}")
        self._check_stale(bound, unbound, base)
        self._check_other(bound, base)

    def _check_stale(self, bound, unbound, base):
        stale = self._retrained(base)
        for setting in SETTINGS:
            self._expect_not_found(bound, stale, setting)
            expected = self._run(unbound, [base], setting)
            if not self._run(unbound, [stale], setting).describe_difference(expected):
                raise CheckFailed(f"answers alike with another base ({setting})")
        findings = self._verify(bound, stale)
        [message] = [finding["message"] for finding in findings if finding["id"] == "base-missing"]
        for key in (*self._keys_of(bound), *self._bindings_in(stale)):
            if key not in message:
                raise CheckFailed(f"the finding does not name {key}: {message}")

    def _check_other(self, bound, base):
        """A file that was changed without its key is only seen by verification."""
        other = self._folder / "other.ptd"
        run_tool(self._context.bin / "ptesplit", self._context.data / "f02_linear.pte", "-o", self._folder / "other.pte",
                 "-d", other, "--bind")
        for setting in SETTINGS:
            self._expect_not_found(bound, other, setting)
        changed = self._folder / "changed.ptd"
        changed.write_bytes(self._with_other_contents(base))
        if not any(finding["id"] == "base-stale" for finding in self._verify(bound, changed)):
            raise CheckFailed("verification does not find that the base was changed")

    def _separate(self, name, *options):
        """The program with one data file that holds what it can."""
        folder = self._folder / name
        if self._data:
            words = ",".join(map(str, (self._original, *self._data)))
            run_tool(self._context.bin / "ptemerge", f"m={words}", "-o", folder, "--variant-data", "ptd", *options)
            program = folder / "m" / self._original.name
            return program, program.with_suffix(".ptd")
        folder.mkdir()
        program, data = folder / "m.pte", folder / "m.ptd"
        run_tool(self._context.bin / "ptesplit", self._original, "-o", program, "-d", data, *options)
        return program, data

    def _with_other_contents(self, base):
        """Its bytes with another sign of the first number that is worth changing in each entry."""
        [report] = inspect(self._context.bin, "--segments", base)
        changed = bytearray(base.read_bytes())
        for segment in report["segments"]:
            begin, end = segment["offset"], segment["offset"] + segment["bytes"]
            for place in range(begin + 3, min(end, begin + 64), 4):
                changed[place] ^= 0x80
        return bytes(changed)

    def _retrained(self, base):
        """A base of the same keys and other contents, written as ours are."""
        whole, changed = self._folder / "retrained", self._folder / "trained.ptd"
        changed.write_bytes(self._with_other_contents(base))
        program = self._folder / "unbound" / ("m" if self._data else "") / (self._original.name if self._data else "m.pte")
        run_tool(self._context.bin / "ptemerge", f"m={program},{changed}", "-o", whole, "--variant-data", "ptd", "--bind")
        return (whole / "m" / program.name).with_suffix(".ptd")

    def _expect_not_found(self, program, data, setting):
        outcome = self._run(program, [data], setting)
        if not outcome.refused or NOT_FOUND not in outcome.reason:
            raise CheckFailed(f"{program.name} with {data.name} ({setting}): {outcome.reason}, expected {NOT_FOUND}")

    def _run(self, program, data, setting):
        words = ["--calls", self._calls, "--repeat", ROUNDS]
        return run_program(self._context.runner, program, data, setting, words)

    def _keys_of(self, program):
        [report] = inspect(self._context.bin, "--requirements", program)
        return [key["key"] for key in report["requirements"]["external_keys"] if key.get("binds")]

    def _bindings_in(self, data):
        [report] = inspect(self._context.bin, "--named-data", data)
        return [key["key"] for key in report["named_data"] if key["key"].startswith("pteedit.base/")]

    def _verify(self, program, data):
        """What is found, whatever the exit code."""
        _, output, _ = run_process([self._context.bin / "pteinspect", "--json", "--verify", program, "--data", data])
        return [finding for report in json.loads(output) for finding in report["findings"]]
