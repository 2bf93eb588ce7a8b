"""Checks of every test program that --by adds up to its files on each pair of axes, that what --retained says of a method is what
removing that saves, and that one axis tells the same as two."""

import itertools
import json
import pathlib
import tempfile

from checks import expect, model_sets, output_of

AXES = "component method delegate backend operator dtype".split()
CONTENTS = ("Constant Tensors", "Mutable Tensors", "Delegate Blobs", "Named Data")


def report_of(*arguments):
    return json.loads(output_of("pteinspect", "--json", *arguments))[0]


def with_data(paths):
    return [paths[0], *(word for path in paths[1:] for word in ("--data", path))]


def groups_by(paths, *axes):
    groups = report_of("--by", ",".join(axes), *with_data(paths))["by"]
    return {tuple(group[axis] for axis in axes): group["bytes"] for group in groups}


def contents_of(path):
    sizes = report_of(path)["sizes"]
    [program] = [one for one in sizes["components"] if one["name"] == "Program"] or [sizes]
    components = {one["name"]: one["size"] for one in program["components"]}
    return {name: components.get(name, 0) for name in CONTENTS}


def check_groups(name, paths):
    size = sum(path.stat().st_size for path in paths)
    alone = {axis: groups_by(paths, axis) for axis in AXES}
    for axis, groups in alone.items():
        expect(sum(groups.values()) == size, name, f"--by {axis} does not add up to {size}", groups)
    for one, other in itertools.combinations(AXES, 2):
        sums = {}
        for (group, _), size_of_group in groups_by(paths, one, other).items():
            sums[(group,)] = sums.get((group,), 0) + size_of_group
        expect(sums == alone[one], name, f"--by {one},{other} is not --by {one}", sums, alone[one])


def check_methods(name, path, folder):
    """Held against the program without the method, once without what nobody uses, which goes with every rewrite."""
    stripped, out = folder / "stripped.pte", folder / "out.pte"
    if path.suffix != ".pte":
        return 0
    output_of("ptestrip", "-q", path, "-o", stripped, "-f")
    retained = [one for one in report_of("--retained", stripped)["retained"] if one["kind"] == "method"]
    if len(retained) < 2:
        return 0
    before = contents_of(stripped)
    for method in retained:
        expect(sum(method["components"].values()) == method["bytes"], name, "components do not add up", method)
        output_of("ptecopy", "--remove-method", method["name"], stripped, "-o", out, "-f")
        after = contents_of(out)
        for component in CONTENTS:
            saved, said = before[component] - after[component], method["components"].get(component, 0)
            expect(saved == said, name, method["name"], component, f"saves {saved}", f"said {said}")
    return len(retained)


def check():
    methods = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, paths in model_sets():
            check_groups(name, paths)
            methods += check_methods(name, paths[0], pathlib.Path(folder))
    expect(methods >= 20, "hardly any programs have several methods", methods)
