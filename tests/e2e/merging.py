"""Merges every family of the test data and lets the runtime compare each variant with its original.

What is looked at for each family and each place of variant data: the outputs are no larger than the inputs, but for what
binds them; every variant answers like its original with every loader and verification level, and out of a map of its
archive; merging in another order, with the data files of each set in another order, or merging the outputs, gives the
same bytes; without the last variant, the files of the others are the same, unless that brings something new into the
shared file; the last variant against the shared file of the others, merged or split, answers like its original too, and
costs what it costs in the family and 64 KiB; after a release without the last variant all answer like their originals,
and once more after that the files are the same; so they do with the shared file cut into shards, and each with what ptestrip leaves of it for that variant alone. For whole families the
total is held against what they must have: each content once but the small ones, and tables.
"""

import json
import pathlib
import re
import typing

from model_checks import LOADERS, ROUNDS, VERIFICATIONS
from processes import CheckFailed, Setting, inspect, run_program, run_tool

# By the names of their members.
FAMILIES = {
    "f08a portable LoRA": r"^f08a_",
    "f08b XNNPACK LoRA": r"^f08b_",
    "f08c portable LoRA, separated by the exporter": r"^f08c_portable_",
    "f08c XNNPACK LoRA, separated by the exporter": r"^f08c_xnn_",
    "f08d XNNPACK LoRA, half separated": r"^f08d_",
    "f08e LoRA, two methods": r"^f08e_",
    "f08 all LoRA forms together": r"^f08",
    "f15 equal keys, different bytes": r"^f15_",
    "f15 MLX": r"^f15b_",
    "f07 GPT forms": r"^f07_gpt",
}
WHOLE = ("f08a portable LoRA", "f08b XNNPACK LoRA")  # whose originals hold everything they need
MOST_OF_A_VARIANT = 1 << 16  # bytes that one may cost more against a base than in the family
MAPPED = Setting("mmap", "minimal")
MOST_OF_A_BINDING = 512  # bytes: in the tables of a program and of its data file
MOST_TABLES = 1 << 13  # bytes that one content takes in a file of its own, beside its own
SHARED_FROM = 640  # bytes: what is smaller may be stored in every program, where sharing it would cost more


class Merged(typing.NamedTuple):
    folder: pathlib.Path
    files: dict  # by name of the entry: the program and its data files, in the order of loading


class FamilyChecks:
    """Runs the checks on one family; figures tells the sizes afterwards."""

    def __init__(self, context, name, entries, folder):
        self.context = context
        self.name = name
        self.entries = entries
        self.folder = folder
        self.figures = []
        self._expected = {}

    def run(self):
        for where in ("pte", "ptd"):
            output = self._merge(where, where, self._sets(self.entries))
            self._check_same(where, output, self._merge(where, f"{where}-reversed", self._sets(self.entries[::-1])))
            backwards = [(entry, [files[0], *files[:0:-1]]) for entry, files in self._sets(self.entries)]
            self._check_same(where, output, self._merge(where, f"{where}-data", backwards))
            self._check_growth(where, output)
            self._check_against(where, output)
            self._check_previous(where)
            if where == "pte":
                self._check_shards(output)
                self._check_for_one()
            again = [self._set(output, entry) for entry in self.entries]
            self._check_same(where, output, self._merge(where, f"{where}-again", again))
            for entry in self.entries:
                self._check_variant(output, entry)
            self._check_archives(where, output)
            if where == "pte" and self.name in WHOLE:
                self._check_against_contents(output)

    def _sets(self, entries):
        return [(entry, [self.context.data / file for file in (entry["pte"], *entry["data"])]) for entry in entries]

    @staticmethod
    def _files(output, entry):
        """The merged program with the data files that lie there for it."""
        program = output / entry["name"] / pathlib.Path(entry["pte"]).name
        return [file for file in (program, output / "shared.ptd", program.with_suffix(".ptd")) if file.exists()]

    def _set(self, output, entry):
        return entry, self._files(output, entry)

    def _merge(self, where, name, sets):
        output = self.folder / name
        words = [f"{entry['name']}=" + ",".join(map(str, files)) for entry, files in sets]
        options = ["-o", output, "--variant-data", where, "--json"]
        report = json.loads(run_tool(self.context.bin / "ptemerge", *words, *options))
        if report["saved_bytes"] < -MOST_OF_A_BINDING * len(report.get("bindings", [])):
            raise CheckFailed(f"{name}: outputs are {-report['saved_bytes']} bytes larger than the inputs")
        if name == where:
            self.figures.append(f"{report['bytes_before']} -> {report['bytes_after']} bytes ({where})")
        return output

    def _check_growth(self, where, output):
        if len(self.entries) < 3:
            return
        small = self._merge(where, f"{where}-smaller", self._sets(self.entries[:-1]))
        if self._shared_keys(small) != self._shared_keys(output):
            return
        for file in sorted(path.relative_to(small) for path in small.rglob("*.pt?")):
            if (small / file).read_bytes() != (output / file).read_bytes():
                raise CheckFailed(f"{where}: {file} differs without {self.entries[-1]['name']}")

    def _check_against(self, where, output):
        base = self.folder / f"{where}-smaller" / "shared.ptd"
        if not base.exists():
            return
        before, entry = base.read_bytes(), self.entries[-1]
        [(_, originals)] = self._sets([entry])
        inside = [file.stat().st_size for file in self._files(output, entry) if file.name != "shared.ptd"]
        grown = self.folder / f"{where}-grown"
        words = [f"{entry['name']}=" + ",".join(map(str, originals)), "-o", grown, "--variant-data", where]
        self._check_grown(f"{where} against", entry, "ptemerge", [*words, "--against", base], base, sum(inside))
        if len(originals) == 1:
            program = self.folder / f"{where}-alone.pte"
            words = [originals[0], "-o", program, *(["-d", program.with_suffix(".ptd")] if where == "ptd" else [])]
            self._check_grown(f"{where} split against", entry, "ptesplit", [*words, "--against", base], base, sum(inside))
        if base.read_bytes() != before:
            raise CheckFailed(f"{where}: the base has changed")

    def _check_previous(self, where):
        """The family after a release without its last variant, and once more after that."""
        before = self.folder / f"{where}-smaller"
        if not (before / "shared.ptd").exists():
            return
        now = self._merge_more(f"{where}-next", where, "--previous", before)
        again = self._merge_more(f"{where}-next-again", where, "--previous", now.folder)
        self._check_same(where, now.folder, again.folder)
        for entry in self.entries:
            self._check_runs(now.folder.name, entry, *now.files[entry["name"]])

    def _check_shards(self, output):
        """The shared file cut where it is largest: shards of half its size, unless one content takes more."""
        shared = output / "shared.ptd"
        if not shared.exists():
            return
        [report] = inspect(self.context.bin, "--segments", shared)
        largest = max(segment["bytes"] for segment in report["segments"])
        most = max(shared.stat().st_size // 2, largest + MOST_TABLES)
        cut = self._merge_more("shards", "pte", "--max-size", str(most))
        for shard in cut.folder.glob("shared*.ptd"):
            if shard.stat().st_size > most:
                raise CheckFailed(f"{shard.name} has more than {most} bytes")
        for entry in self.entries:
            self._check_runs(cut.folder.name, entry, *cut.files[entry["name"]])

    def _check_for_one(self):
        """Each variant with the shared file without the keys that only others use, as if these were retired."""
        merged = self._merge_more("unbound", "pte", "--no-bind")
        shared, smallest = merged.folder / "shared.ptd", None
        for entry in self.entries if shared.exists() else []:
            program, data = merged.files[entry["name"]]
            own = self.folder / f"for-{entry['name']}.ptd"
            if str(shared) not in map(str, data):
                continue
            run_tool(self.context.bin / "ptestrip", shared, "--for", program, "-o", own)
            self._check_runs(own.name, entry, program, [own if str(file) == str(shared) else file for file in data])
            smallest = min(smallest or own.stat().st_size, own.stat().st_size)
        if smallest:
            self.figures.append(f"shared file {shared.stat().st_size}, for one variant from {smallest} bytes")

    def _merge_more(self, name, where, *options):
        output = self.folder / name
        sets = self._sets(self.entries)
        words = [f"{entry['name']}=" + ",".join(map(str, files)) for entry, files in sets]
        report = json.loads(run_tool(self.context.bin / "ptemerge", *words, "-o", output, "--variant-data", where,
                                     "--json", *options))
        programs = [file for file in report["outputs"] if file["role"] == "program"]
        files = {entry["name"]: (pathlib.Path(program["file"]), program["data"])
                 for (entry, _), program in zip(sets, programs)}
        return Merged(output, files)

    def _check_grown(self, name, entry, tool, words, base, most):
        report = json.loads(run_tool(self.context.bin / tool, *words, "--json"))
        files = [file["file"] for file in report["outputs"] if file["role"] != "program"]
        [program] = [file["file"] for file in report["outputs"] if file["role"] == "program"]
        [served] = report["bases"]
        if served["items"]:
            files.append(base)
        size = sum(file["bytes"] for file in report["outputs"])
        if size > most + MOST_OF_A_VARIANT:
            raise CheckFailed(f"{name}: {entry['name']} takes {size} bytes, {most} in the family")
        self._check_runs(name, entry, pathlib.Path(program), files)

    def _shared_keys(self, folder):
        shared = folder / "shared.ptd"
        if not shared.exists():
            return None
        [report] = inspect(self.context.bin, "--named-data", shared)
        return sorted(key["key"] for key in report["named_data"])

    @staticmethod
    def _check_same(where, first, second):
        files = {path.relative_to(folder) for folder in (first, second) for path in folder.rglob("*.pt?")}
        for file in sorted(files):
            if not (first / file).exists() or not (second / file).exists():
                raise CheckFailed(f"{where}: {file} is only in one of {first.name} and {second.name}")
            if (first / file).read_bytes() != (second / file).read_bytes():
                raise CheckFailed(f"{where}: {file} differs in {first.name} and {second.name}")

    def _check_variant(self, output, entry):
        program, *data = self._files(output, entry)
        self._check_runs(output.name, entry, program, data)

    def _check_runs(self, name, entry, program, data):
        if not entry["runnable"]:
            inspect(self.context.bin, program, *data)
            return
        calls = self.folder / f"{entry['name']}.json"
        calls.write_text(json.dumps(entry["calls"]))
        originals = [self.context.data / file for file in (entry["pte"], *entry["data"])]
        for setting in (Setting(loader, verification) for loader in LOADERS for verification in VERIFICATIONS):
            words = ["--calls", calls, "--repeat", ROUNDS]
            if (entry["name"], setting) not in self._expected:
                outcome = run_program(self.context.runner, originals[0], originals[1:], setting, words)
                self._expected[entry["name"], setting] = outcome
            outcome = run_program(self.context.runner, program, data, setting, words)
            if difference := outcome.describe_difference(self._expected[entry["name"], setting]):
                raise CheckFailed(f"{entry['name']} in {name} ({setting}): {difference}")

    def _check_archives(self, where, output):
        """Each variant as one file, out of a map of which the runtime takes program and weights."""
        release = self.folder / f"{where}-release"
        sets = (self._set(output, entry) for entry in self.entries)
        words = [f"{entry['name']}=" + ",".join(map(str, files)) for entry, files in sets]
        run_tool(self.context.bin / "ptepack", "create", *words, "-o", release, "-q")
        for entry in self.entries:
            archive = self.folder / f"{where}-{entry['name']}.etm"
            run_tool(self.context.bin / "ptepack", "etm", f"{release}:{entry['name']}", "-o", archive, "-q")
            if not entry["runnable"]:
                continue
            words = ["--calls", self.folder / f"{entry['name']}.json", "--repeat", ROUNDS]
            outcome = run_program(self.context.runner, archive, [], MAPPED, words)
            if difference := outcome.describe_difference(self._expected[entry["name"], MAPPED]):
                raise CheckFailed(f"{archive.name} mapped: {difference}")

    def _check_against_contents(self, output):
        contents, others = {}, 0
        for entry in self.entries:
            program, data = self.folder / f"{entry['name']}.pte", self.folder / f"{entry['name']}.ptd"
            run_tool(self.context.bin / "ptesplit", self.context.data / entry["pte"], "-o", program, "-d", data)
            [left, moved] = inspect(self.context.bin, "-l", "--named-data", program, data)
            contents.update({key["key"]: key["bytes"] for key in moved["named_data"]})
            others += _size_of(left, "Delegate Blobs")
        merged = inspect(self.context.bin, "-l", *sorted(output.rglob("*.pt?")))
        size_of = lambda *names: sum(_size_of(report, name) for report in merged for name in names)
        tables, padding = size_of("Program Flatbuffer", "Data Flatbuffer"), size_of("Padding")
        total, unique = sum(report["bytes"] for report in merged), sum(contents.values()) + others
        repeated = total - unique - tables - padding
        parts = f"contents {unique}, tables {tables}, padding {padding}, repeated contents {repeated} bytes"
        self.figures.append(parts)
        small = sum(size for size in contents.values() if size < SHARED_FROM)
        if repeated > small * (len(self.entries) - 1):
            raise CheckFailed(self.figures[-1])


def _size_of(report, component):
    return sum(part["size"] for part in report["sizes"]["components"] if part["name"] == component)


def families(entries):
    """Yields name and members of each family that has at least two of the given entries."""
    for name, pattern in FAMILIES.items():
        members = [entry for entry in entries if re.search(pattern, entry["name"])]
        if len(members) > 1:
            yield name, members
