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


def verdict(target, entry):
    """Exit code and lines; every line but the last names something that is missing."""
    data = [word for name in entry["data"] for word in ("--data", DATA / name)]
    done = run("pteinspect", "--target", target, DATA / entry["pte"], *data, text=True)
    expect(done.returncode in (0, 1), f"{entry['name']}: {done.stderr}")
    lines = done.stdout.splitlines()
    expect(done.returncode == (len(lines) > 1), f"{entry['name']}: exit code {done.returncode}", lines)
    return done.returncode == 1, [line.split(": ", 1)[-1] for line in lines[:-1]]


def check_what_ran(target, lacking):
    for entry in entries():
        lacks, lines = verdict(target, entry)
        expect(not (entry["runnable"] and lacks), f"{entry['name']} ran, but {target} lacks", lines)
        expect(lacks or entry["name"] not in lacking, f"{entry['name']} should lack something")


def check_libraries(folder):
    libraries = [f"{folder}/lib/libexecutorch{name}.so" for name in LIBRARIES]
    check_what_ran(",".join(libraries), {"f17_opaque"})
    quantized = [entry for entry in entries() if verdict(",".join(libraries[:2] + libraries[3:]), entry)[0] and entry["runnable"]]
    expect(quantized, "no program that ran needs the quantized kernels")
    for entry in quantized:
        lines = verdict(",".join(libraries[:2] + libraries[3:]), entry)[1]
        expect(all("quantized_decomposed::" in line for line in lines), entry["name"], lines)
    return libraries


def check_listings(folder):
    """The programs' listings hold what each needs; that of one program what few others do."""
    listing, lacks = folder / "selected_operators.yaml", 0
    for entry in entries():
        listing.write_bytes(output_of("pteinspect", "--requirements", "--yaml", DATA / entry["pte"]))
        expect(not verdict(listing, entry)[0], f"{entry['name']} lacks something of its own listing")
        lacks += verdict(DATA / "requirements/f01_add.pte.yaml", entry)[0]
    expect(lacks > len(entries()) / 2, "the listing of one addition is enough for most programs")


def check_emitted(folder, offers):
    emitted = folder / "target.json"
    for offer in offers:
        text = output_of("pteinspect", "--emit-target", offer)
        if can_validate():
            expect_none(schema_problems("target", json.loads(text)))
        emitted.write_bytes(text)
        expect(output_of("pteinspect", "--emit-target", emitted) == text, f"{offer}: read again it is another")
        for entry in entries():
            expect(verdict(emitted, entry) == verdict(offer, entry), f"{entry['name']}: {offer} as JSON lacks something else")


def check():
    check_what_ran(RELEASE, {"old/0.1_inline", "f17_opaque"})
    offers = [RELEASE, "executorch-0.5", "executorch-1.2-android", "executorch-1.4-ios", str(DATA / "requirements/f01_add.pte.yaml"), "soc=SM8650,npu=ethos-u55-128,os=ios16,ram=100K,ptd=1"]
    if "PTEEDIT_EXECUTORCH_DIR" in os.environ:
        offers.append(",".join(check_libraries(os.environ["PTEEDIT_EXECUTORCH_DIR"])))
    with tempfile.TemporaryDirectory() as folder:
        check_listings(pathlib.Path(folder))
        check_emitted(pathlib.Path(folder), offers)
