"""Tries every pair of options that a tool's --help lists.

Whatever two options are given together, each with what it needs, there is either an answer (exit code 0 or 1, and no error) or
one clear sentence (exit code 2, one line that names one of them, and nothing else), the same whichever of them comes first.
"""

import itertools
import pathlib
import re
import tempfile

from checks import DATA, expect, given, output_of, run

ANSWERED = (0, 1)
REFUSED = 2
NO_REPORT = {"--help", "--version"}  # which show themselves, whatever else is there
# Where the exit code is the answer.
GATES = {"--check", "--max-size", "--target", "--quiet"}


def inspect_samples(folder):
    """The words that are always there, and those for each option that takes or needs something."""
    program, record = DATA / "delegation/two_delegates.pte", DATA / "delegation/two_delegates.etrecord"
    hashes, metadata = folder / "hashes.txt", folder / "metadata.json"
    hashes.write_bytes(output_of("pteinspect", "--hash", program))
    output_of("pteinspect", "--emit-metadata-json", metadata, program)
    return [program], {
        "-e": ["-e", "Padding"],
        "--yaml": ["--requirements", "--yaml"],
        "--dot": ["--graph", "--dot"],
        "--model-explorer": ["--graph", "--model-explorer"],
        "--node-data": ["--graph", "--node-data", "macs"],
        "--etrecord": ["--delegation", "--etrecord", record],
        "--by": ["--by", "method,dtype"],
        "--at": ["--at", "100"],
        "--data": ["--data", DATA / "f04/w.ptd"],
        "--strict": ["--verify", "--strict"],
        "--no-hashes": ["--verify", "--no-hashes"],
        "--sarif": ["--verify", "--sarif"],
        "--runtime": ["--verify", "--runtime", "1.0"],
        "--adapter": ["--verify", "--adapter", DATA / "f04/w.ptd"],
        "--same": ["--same", program],
        "--diff": ["--diff", program],
        "--max-growth": ["--diff", program, "--max-growth", "1%"],
        "--top": ["--diff", program, "--top", "3"],
        "--all": ["--diff", program, "--all"],
        "--check": ["--check", hashes],
        "--max-size": ["--max-size", "1G"],
        "--target": ["--target", "executorch-1.5"],
        "--emit-target": ["--emit-target", "executorch-1.5"],
        "--metadata-json": ["--metadata-json", metadata],
        "--emit-metadata-json": ["--emit-metadata-json", "OUT/metadata.json"],
        "--decoder": ["--decoder", "OtherBackend=false"],
        "--extract": ["--extract", "XnnpackBackend_0", "-o", "OUT/extracted.bin"],
        "-o": ["--extract", "XnnpackBackend_0", "-o", "OUT/extracted.bin"],
        "--html": ["--html", "OUT/page.html"],
    }


def profile_samples(_folder):
    case = DATA / "branches"
    dump, buffer, record = case / "xnnpack_debug.etdp", case / "xnnpack.buffer", case / "xnnpack.etrecord"
    return [dump], {
        "--etrecord": ["--etrecord", record],
        "--debug-buffer": ["--debug-buffer", buffer],
        "--debug-file": ["--debug-file", DATA / "f10_stacktrace.pte"],
        "--source-time-scale": ["--source-time-scale", "us"],
        "--target-time-scale": ["--target-time-scale", "us"],
        "--module": ["--etrecord", record, "--module", ""],
        "--module-path": ["--etrecord", record, "--module-path", "a"],
        "--method": ["--etrecord", record, "--method", "forward"],
        "--runs": ["--runs", "1-"],
        "--skip": ["--skip", "0"],
        "--by-module": ["--etrecord", record, "--by-module"],
        "--top": ["--by-type", "--top", "2"],
        "--node-data": [case / "xnnpack.pte", "--node-data"],
        "--roofline": [case / "xnnpack.pte", "--by-operator", "--roofline", "50,20"],
        "--baseline": ["--baseline", dump],
        "--max-slowdown": ["--baseline", dump, "--max-slowdown", "5%"],
        "--gap": ["--debug-buffer", buffer, "--gap", "%s,%s,%s" % (dump, buffer, record)],
        "--exported-program": ["--etrecord", record, "--exported-program"],
        "--html": ["--html", "OUT/page.html"],
        "--names": ["--html", "OUT/page.html", "--names", DATA / "names/layers.safetensors"],
        "--trace": ["--trace", "OUT/trace.json"],
        "--html -": ["--html", "-"],
        "--trace -": ["--trace", "-"],
        # These are of text that only some views have.
        "--csv": ["--by-type", "--csv"],
        "--markdown": ["--by-type", "--markdown"],
    }


# Of any tool that has them.
COMMON = {"--align": ["--align", "64"], "--color": ["--color", "never"], "--progress": ["--progress", "never"],
          "--threads": ["--threads", "2"], "--names": ["--names", DATA / "names/layers.safetensors"]}


def split_samples(_folder):
    program = DATA / "f02_linear.pte"
    return [program, "-o", "OUT/small.pte", "-d", "OUT/weights.ptd"], {
        "--output": [],
        "--data-output": [],
        "--join": ["--data", DATA / "f04/w.ptd", "--join"],
        "--data": ["--data", DATA / "f04/w.ptd"],
        "--against": ["--against", DATA / "f08/c_xnn_base_foundation.ptd"],
        "--kind": ["--kind", "constant"],
        "--name": ["--name", "."],
        "--min-size": ["--min-size", "1"],
        "--max-size": ["--max-size", "1K"],
        "--method": ["--method", "forward"],
        "--backend": ["--backend", "XnnpackBackend"],
        "--match": ["--match", program],
        "--not-match": ["--not-match", DATA / "f01_add.pte"],
    }


def merge_samples(folder):
    previous = pathlib.Path(folder) / "previous"
    output_of("ptemerge", *(DATA / f"f08/b_xnn_{name}.pte" for name in ("base", "v0")), "-o", previous)
    return [*(DATA / f"f08/b_xnn_{name}.pte" for name in ("v0", "v1")), "-o", "OUT/merged"], {
        "--output": [],
        "--shared-name": ["--shared-name", "base.ptd"],
        "--against": ["--against", DATA / "f08/c_xnn_base_foundation.ptd"],
        "--variant-data": ["--variant-data", "ptd"],
        "--match": ["--match", DATA / "f08/b_xnn_base.pte"],
        "--min-size": ["--min-size", "1"],
        "--previous": ["--previous", previous],
        "--max-size": ["--max-size", "30K"],
    }


def strip_samples(_folder):
    return [DATA / "f11_bundled_xnn.bpte", "-o", "OUT/stripped.pte"], {"--output": [], "--keep-debug": ["--keep-debug", "OUT/debug.pte", "--debug"], "--for": ["--for", DATA / "f01_add.pte"]}


def releases(folder):
    """A release, a later one, and the delta from one to the other."""
    old, new, delta = (folder / name for name in ("old", "new", "delta"))
    for release, program in ((old, "mlp.pte"), (new, "mlp_tuned.pte")):
        output_of("ptepack", "create", f"a={DATA}/diff/{program}", "-o", release)
    output_of("ptepack", "delta", old, new, "-o", delta)
    return old, new, delta


def create_samples(_folder):
    return [DATA / "f01_add.pte", "-o", "OUT/release"], {
        "--output": [],
        "--include": ["--include", f"tokenizer:{DATA}/manifest.json"],
        "--label": ["--label", "f01_add=region:eu"],
        "--threads": ["--compress", "--threads", "2"],
        "--packs": ["--packs", "1G"],
        "--store-limit": ["--store-limit", "1G"],
        "--require": ["--require", "executorch-1.5"],
        "--target": ["--target", "executorch-0.1"],
    }


def delta_samples(folder):
    old, new, _ = releases(folder)
    return [old, new, "-o", "OUT/delta"], {"--output": [], "--level": ["--level", "3"]}


def apply_samples(folder):
    old, _, delta = releases(folder)
    return [delta, "--from", old, "-o", "OUT/made"], {"--output": [], "--from": []}


def archive_samples(folder):
    return [f"{releases(folder)[0]}:a", "-o", "OUT/a.etm"], {"--output": []}


def release_samples(folder):
    return [releases(folder)[0]], {}


def copy_samples(folder):
    program = folder / "told.pte"
    keys = [word for key in ("metadata.none", "matched", "a", "kept") for word in ("--add-data", f"{key}={DATA / 'f04/w.ptd'}")]
    output_of("ptecopy", DATA / "f06/portable_cm.pte", "-o", program, "-q", *keys)
    values = {"--add-methods": f"{DATA / 'f01_add.pte'}:forward=add", "--keep-method": "prefill", "--remove-method": "decode", "--rename-method": "prefill=fill",
              "--set-method": "scale=[1,2.5,true,\"x\"]", "--remove-metadata": "none", "--remove-data": "^mat",
              "--rename-key": "a=b", "--set-metadata": "general.name=x", "--add-data": f"key={DATA / 'f01_add.pte'}", "--replace": f"kept={DATA / 'f04/w.ptd'}",
              "--refit": DATA / "names/layers.safetensors", "--splat": "zeros", "--names": DATA / "names/layers.safetensors"}
    samples = {option: [option, value] for option, value in values.items()}
    return [program, "-o", "OUT/copied.pte"], {"--output": [], **samples}


SAMPLES = {"ptepack-create": create_samples, "ptepack-delta": delta_samples, "ptepack-apply": apply_samples,
           "ptepack-etm": archive_samples, "ptepack-verify": release_samples, "ptepack-list": release_samples,
           "ptepack-prune": release_samples, "pteinspect": inspect_samples, "pteprof": profile_samples, "ptesplit": split_samples,
           "ptemerge": merge_samples, "ptestrip": strip_samples, "ptecopy": copy_samples}


def add_arguments(parser):
    parser.add_argument("tool", choices=SAMPLES)


def options_of(*command):
    """The longest name of each option, and whether it takes a value."""
    text = output_of(*command, "--help", text=True).split("Options:")[1]
    heads = re.findall(r"^  (-\S+)(?: ([A-Z]\S*))?", text, re.MULTILINE)
    names = {names.split(",")[-1]: bool(value) for names, value in heads}
    return {name: takes for name, takes in names.items() if name not in NO_REPORT}


def merged(first, second):
    """The words of both, where both have an option only those of the first."""
    words = list(first)
    place = 0
    while place < len(second):
        has_value = place + 1 < len(second) and not str(second[place + 1]).startswith("--")
        count = 2 if has_value else 1
        if second[place] not in words:
            words += second[place : place + count]
        place += count
    return words


class Tool:
    def __init__(self, name, folder):
        (self._name, *self._command), self._folder = name.split("-"), folder
        self._files, self._samples = SAMPLES[name](folder)
        self._runs = 0

    def samples(self):
        """The words for each option, and for values of which rules speak."""
        options = options_of(self._name, *self._command)
        for option, takes_value in options.items():
            assert not takes_value or option in self._samples | COMMON, f"{option} has no sample value here"
        return {option: COMMON.get(option, [option]) for option in options} | self._samples

    def run(self, words):
        self._runs += 1
        out = self._folder / str(self._runs)
        out.mkdir()
        all_words = (str(word).replace("OUT/", f"{out}/") for word in [*self._files, *words])
        done = run(self._name, *self._command, *all_words, timeout=60)
        return done.returncode, done.stdout, done.stderr.decode(), any(out.iterdir())

    def problem(self, words, other_order):
        """What is wrong with how two options are taken; nothing where it is right."""
        code, out, error, has_files = self.run(words)
        complaints = [line for line in error.splitlines() if not line.startswith(f"{self._name}: warning: ")]
        if "--csv" in words:  # where verdicts of gates are no rows
            complaints = [line for line in complaints if not re.search(r"(^|: )(passes|fails): ", line)]
        if code in ANSWERED:
            is_silent = not out and not has_files and not GATES & set(words)
            return f"exit code {code}, but {complaints}" if complaints else "says nothing" if is_silent else ""
        if code != REFUSED:
            return f"exit code {code}: {complaints}"
        if out or has_files or len(complaints) != 1 or not complaints[0].startswith(f"{self._name}: error: "):
            return f"refused, but with output {out[:100]} or more than a sentence: {complaints}"
        if not any(str(word) in complaints[0] for word in words):
            return f"a sentence that names none of both: {complaints[0]}"
        return "" if self.run(other_order)[2] == error else "refused otherwise in the other order"


def check():
    with tempfile.TemporaryDirectory(prefix="pairs-") as folder:
        tool = Tool(given.tool, pathlib.Path(folder))
        words = tool.samples()
        expect(len(words) >= 3, "--help lists hardly any option")
        for first, second in itertools.combinations_with_replacement(words, 2):
            problem = tool.problem(merged(words[first], words[second]), merged(words[second], words[first]))
            expect(not problem, f"{first} and {second}: {problem}")
