"""Holds pteinspect --target against what is known of programs and runtimes.

Release 1.5 and the libraries of its wheel have what the programs need that its real runtime ran; a program's own listing has
what it needs; and what --emit-target prints says the same as what it was made of.
"""

import json
import os
import pathlib
import tempfile

from checks import DATA, can_validate, expect, expect_none, output_of, run, schema_problems

RELEASE = "executorch-1.5"
LIBRARIES = ("", "_kernels_optimized", "_kernels_quantized", "_backend_xnnpack")  # those that the runner is linked with


def entries():
    return json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))["entries"]


def verdicts_of(target, entries, data=()):
    """Of each whether it lacks something, and the lines behind its path; every line but its last names something that is missing."""
    paths = [str(DATA / entry["pte"]) for entry in entries]
    done = run("pteinspect", "--target", target, *paths, *(word for name in data for word in ("--data", DATA / name)), text=True)
    expect(done.returncode in (0, 1), f"{paths}: {done.stderr}")
    lines = {path: [] for path in paths}
    for line in done.stdout.splitlines():
        path, words = line.split(": ", 1)
        lines[path].append(words)
    found = {entry["name"]: (len(said) > 1, said[:-1]) for entry, said in zip(entries, lines.values())}
    expect(done.returncode == any(lacks for lacks, _ in found.values()), f"{paths}: exit code {done.returncode}", lines)
    return found


def verdicts(target):
    alone = [entry for entry in entries() if not entry["data"]]
    found = verdicts_of(target, alone)
    for entry in entries():
        if entry["data"]:
            found |= verdicts_of(target, [entry], entry["data"])
    return found


def check_what_ran(target, lacking):
    found = verdicts(target)
    for entry in entries():
        lacks, lines = found[entry["name"]]
        expect(not (entry["runnable"] and lacks), f"{entry['name']} ran, but {target} lacks", lines)
        expect(lacks or entry["name"] not in lacking, f"{entry['name']} should lack something")


def check_libraries(folder):
    libraries = [f"{folder}/lib/libexecutorch{name}.so" for name in LIBRARIES]
    check_what_ran(",".join(libraries), {"f17_opaque"})
    found = verdicts(",".join(libraries[:2] + libraries[3:]))
    quantized = [entry["name"] for entry in entries() if found[entry["name"]][0] and entry["runnable"]]
    expect(quantized, "no program that ran needs the quantized kernels")
    for name in quantized:
        expect(all("quantized_decomposed::" in line for line in found[name][1]), name, found[name][1])
    return libraries


def check_listings(folder):
    """The programs' listings hold what each needs; that of one program what few others do."""
    listing = folder / "selected_operators.yaml"
    for entry in entries():
        listing.write_bytes(output_of("pteinspect", "--requirements", "--yaml", DATA / entry["pte"]))
        lacks, lines = verdicts_of(listing, [entry], entry["data"])[entry["name"]]
        expect(not lacks, f"{entry['name']} lacks something of its own listing", lines)
    lacking = [name for name, (lacks, _) in verdicts(DATA / "requirements/f01_add.pte.yaml").items() if lacks]
    expect(len(lacking) > len(entries()) / 2, "the listing of one addition is enough for most programs")


def check_emitted(folder, offers):
    emitted = folder / "target.json"
    for offer in offers:
        text = output_of("pteinspect", "--emit-target", offer)
        if can_validate():
            expect_none(schema_problems("target", json.loads(text)))
        emitted.write_bytes(text)
        expect(output_of("pteinspect", "--emit-target", emitted) == text, f"{offer}: read again it is another")
        expect(verdicts(emitted) == verdicts(offer), f"{offer} as JSON lacks something else")


def check():
    check_what_ran(RELEASE, {"old/0.1_inline", "f17_opaque"})
    offers = [RELEASE, "executorch-0.5", "executorch-1.2-android", "executorch-1.4-ios", str(DATA / "requirements/f01_add.pte.yaml"), "soc=SM8650,npu=ethos-u55-128,os=ios16,ram=100K,ptd=1"]
    if "PTEEDIT_EXECUTORCH_DIR" in os.environ:
        offers.append(",".join(check_libraries(os.environ["PTEEDIT_EXECUTORCH_DIR"])))
    with tempfile.TemporaryDirectory() as folder:
        check_listings(pathlib.Path(folder))
        check_emitted(pathlib.Path(folder), offers)
