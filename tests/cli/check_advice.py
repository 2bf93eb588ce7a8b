"""Runs every command that pteinspect --advise gives for the test files: each must save the bytes it promises, exactly.

Programs are looked at alone, with bytes behind their end, and together with data files: those that the manifest says
they need, and those that hold the same weights as they.
"""

import json
import os
import pathlib
import tempfile

from checks import DATA, expect, given, model_files, model_sets, output_of, run

SAME_WEIGHTS = [("f06/portable.pte", "f06/shared.ptd"), ("f06/xnn.pte", "f06/xnn_shared.ptd")]


def add_arguments(parser):
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="other files than those of the tests")


def advice_for(files):
    program, data = files[0], files[1:]
    return json.loads(output_of("pteinspect", "--json", "--advise", program,
                                *(word for name in data for word in ("--data", name))))[0]["advise"]


def longer(path, folder):
    """A copy with bytes behind its end, which --padding removes."""
    copy = pathlib.Path(folder) / str(path).replace(os.sep, "-")
    copy.write_bytes(path.read_bytes() + bytes(1000))
    return copy


def check_command(files, advice):
    promise = f"{files[0]}: {advice['id']} promises {advice['saved_bytes']} bytes"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = run(*(folder / word if word.startswith("OUT.") else word for word in advice["command"]))
        saved = files[0].stat().st_size - sum(path.stat().st_size for path in folder.iterdir())
        keeps = advice["saved_bytes"] in (None, saved)  # some mend without saving
        expect(done.returncode == 0 and keeps, promise, done.returncode, done.stderr, saved)


def sets_of_files(scratch):
    if given.files:
        return [[path] for path in given.files]
    alone = [[path] for path in model_files()]
    return [*alone, *(files for _, files in model_sets() if len(files) > 1),
            *([longer(path, scratch)] for [path] in alone if path.suffix == ".pte"),
            *([DATA / program, DATA / data] for program, data in SAME_WEIGHTS)]


def check():
    commands = 0
    with tempfile.TemporaryDirectory() as scratch:
        for files in sets_of_files(scratch):
            advices = advice_for(files)
            saved = [advice["saved_bytes"] or 0 for advice in advices]
            expect(saved == sorted(saved, reverse=True), files[0], "not sorted")
            for advice in advices:
                if advice["command"] is not None:
                    commands += 1
                    check_command(files, advice)
    expect(commands, "no command was advised")
