#!/usr/bin/env python3
"""Asks the real runtimes of all releases which element types their kernels take, and holds pteinspect's table against that.

    type_matrix.py --wheels DIR [--releases 0.7,1.2] [--write FILE]

A program of one call, whose tensors have the type and lie in planned memory, is made for each kernel below and each type, and
run by the wheel's binding (wheel_runtime.py), without inputs and outputs and so without torch. Float32, or what else each
release takes, shows that the call is right. A type that the table denies and that runs is wrong; so is one that it does not deny and
that does not run, but where no release runs the call, which may be ours to blame. --write is for tests/models/kernel_types.py, which
makes the table. The last line is `N passed, N failed`; exit code 77: no wheel can be had.
"""

import argparse
import importlib.util
import json
import pathlib
import platform
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))

import release_tables  # noqa: E402
import wheel_runtime  # noqa: E402

TABLE = ROOT / "libpteedit/src/needs/kernel_types.cc"
FIRST = "0.4"
TYPES = {"float32": 6, "float16": 5, "bfloat16": 15}
INT, LONG, BOOL = 3, 4, 11
ROOM = 4096  # bytes for each tensor, more than any has

# What kernels are called with: T is a tensor of the type in question, ("T", sizes) one of other sizes, B and L tensors of
# truth values and int64; else numbers, words, lists, None. Outputs come last.
UNARY = "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp expm1 floor log log10 log1p log2 neg reciprocal relu round " \
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc bitwise_not"
BINARY = "atan2 maximum minimum floor_divide mul div"
CALLS = {
    **{f"{name}.out": ["T", "T"] for name in UNARY.split()},
    **{f"{name}.out": ["T", "T", "T"] for name in BINARY.split()},
    **{f"{name}.out": ["T", "B"] for name in ("isinf", "isnan", "logical_not")},
    "_log_softmax.out": ["T", 1, False, "T"],
    "_softmax.out": ["T", 1, False, "T"],
    "add.out": ["T", "T", 1, "T"],
    "addmm.out": ["T", ("T", [2, 4]), ("T", [4, 3]), 1, 1, "T"],
    "amax.out": ["T", [1], True, ("T", [2, 1])],
    "amin.out": ["T", [1], True, ("T", [2, 1])],
    "any.out": ["T", 1, True, ("B", [2, 1])],
    "any.dims_out": ["T", [1], True, ("B", [2, 1])],
    "argmax.out": ["T", 1, True, ("L", [2, 1])],
    "argmin.out": ["T", 1, True, ("L", [2, 1])],
    "avg_pool2d.out": [("T", [1, 1, 4, 4]), [2, 2], [2, 2], [0, 0], False, True, None, ("T", [1, 1, 2, 2])],
    "bmm.out": [("T", [1, 2, 4]), ("T", [1, 4, 3]), ("T", [1, 2, 3])],
    "cat.out": [["T", "T"], 0, ("T", [4, 3])],
    "clone.out": ["T", None, "T"],
    "convolution.out": [("T", [1, 1, 4, 4]), ("T", [1, 1, 2, 2]), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, ("T", [1, 1, 3, 3])],
    "cumsum.out": ["T", 1, None, "T"],
    "diagonal_copy.out": ["T", 0, 0, 1, ("T", [2])],
    "flip.out": ["T", [1], "T"],
    "full_like.out": ["T", 1, None, "T"],
    "gather.out": ["T", 1, ("Z", [2, 1]), False, ("T", [2, 1])],
    "gelu.out": ["T", "none", "T"],
    "glu.out": [("T", [2, 4]), 1, ("T", [2, 2])],
    "logit.out": ["T", None, "T"],
    "masked_fill.Scalar_out": ["T", "B", 1, "T"],
    "max.dim_max": ["T", 1, True, ("T", [2, 1]), ("L", [2, 1])],
    "max_pool2d_with_indices.out": [("T", [1, 1, 4, 4]), [2, 2], [2, 2], [0, 0], [1, 1], False, ("T", [1, 1, 2, 2]), ("L", [1, 1, 2, 2])],
    "mean.out": ["T", [1], True, None, ("T", [2, 1])],
    "min.dim_min": ["T", 1, True, ("T", [2, 1]), ("L", [2, 1])],
    "mm.out": [("T", [2, 4]), ("T", [4, 3]), "T"],
    "native_group_norm.out": [("T", [1, 2, 4]), None, None, 1, 2, 4, 1, 0.1, ("T", [1, 2, 4]), ("T", [1, 1]), ("T", [1, 1])],
    "native_layer_norm.out": ["T", [3], None, None, 0.1, "T", ("T", [2, 1]), ("T", [2, 1])],
    "prod.int_out": ["T", 1, True, None, ("T", [2, 1])],
    "roll.out": ["T", [1], [1], "T"],
    "select_scatter.out": ["T", ("T", [3]), 0, 0, "T"],
    "stack.out": [["T", "T"], 0, ("T", [2, 2, 3])],
    "sub.out": ["T", "T", 1, "T"],
    "sum.IntList_out": ["T", [1], True, None, ("T", [2, 1])],
    "topk.values": ["T", 1, 1, True, True, ("T", [2, 1]), ("L", [2, 1])],
    "tril.out": ["T", 0, "T"],
}
OF_INTEGERS = {"bitwise_not.out"}


def load_assembler():
    spec = importlib.util.spec_from_file_location("assemble", ROOT / "tests/conformance/assemble.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Probe:
    """The text of a program that calls one kernel."""

    def __init__(self, kernel, scalar_type):
        self._type, self._values, self._tensors = scalar_type, [], 0
        arguments = CALLS[kernel]
        indices = [self.value(argument) for argument in arguments]
        indices.append(indices[-1])  # what it returns
        self._call, (name, self._overload) = indices, f"aten::{kernel}".split(".")
        self._name = name

    def add(self, number, *lines):
        self._values.append((number, lines))
        return len(self._values) - 1

    def tensor(self, kind, sizes):
        self._tensors += 1
        type_number = {"T": self._type, "B": BOOL, "L": LONG, "Z": LONG}[kind]
        here = f"v[{len(self._values)}].val"
        return self.add(5, "  allocation_info:6 ref", "  dim_order:3 ref", "  sizes:2 ref", f"  scalar_type:0 i8 {type_number}",
                        f"table {here}.allocation_info", f"  memory_offset_low:1 u32 {self._tensors * ROOM}", "  memory_id:0 u32 1",
                        f"vector {here}.dim_order u8 {' '.join(map(str, range(len(sizes))))}",
                        f"vector {here}.sizes i32 {' '.join(map(str, sizes))}")

    def value(self, argument):
        if isinstance(argument, tuple):
            return self.tensor(*argument)
        if argument in ("T", "B", "L"):
            return self.tensor(argument, [2, 3])
        if argument is None:
            return self.add(1)
        if isinstance(argument, bool):
            return self.add(3, f"  bool_val:0 u8 {int(argument)}")
        if isinstance(argument, int):
            return self.add(2, f"  int_val:0 i64 {argument}")
        if isinstance(argument, float):
            return self.add(4, f"  double_val:0 f64 {argument}")
        if isinstance(argument, str):
            here = f"v[{len(self._values)}].val"
            return self.add(6, "  string_val:0 ref", f'string {here}.string_val "{argument}"')
        items = [self.value(item) for item in argument]
        number, width = (10, "i32") if isinstance(argument[0], str) else (7, "i64")
        here = f"v[{len(self._values)}].val"
        return self.add(number, "  items:0 ref", f"vector {here}.items {width} {' '.join(map(str, items))}")

    def text(self):
        rows = ["bytes head", "  ref root", '  text "ET12"', "table root", "  constant_segment:5 ref", "  segments:4 ref",
                "  backend_delegate_data:3 ref", "  constant_buffer:2 ref", "  execution_plan:1 ref", "table constant_segment", "  offsets:1 ref",
                "vector constant_segment.offsets u64 0", "refs segments", "refs backend_delegate_data", "refs constant_buffer",
                "refs execution_plan p", "table p", "  non_const_buffer_sizes:8 ref", "  delegates:7 ref", "  operators:6 ref",
                "  chains:5 ref", "  outputs:4 ref", "  inputs:3 ref", "  values:2 ref", "  container_meta_type:1 ref", "  name:0 ref",
                f"vector p.non_const_buffer_sizes i64 0 {(self._tensors + 1) * ROOM}", "refs p.delegates", "refs p.operators o",
                "table o", "  overload:1 ref", "  name:0 ref", f'string o.overload "{self._overload}"', f'string o.name "{self._name}"',
                "refs p.chains c", "table c", "  instructions:2 ref", "  outputs:1 ref", "  inputs:0 ref", "refs c.instructions i",
                "table i", "  instr_args:1 ref", "  instr_args_type:0 u8 1", "table i.instr_args", "  args:1 ref",
                f"vector i.instr_args.args i32 {' '.join(map(str, self._call))}", "vector c.outputs i32", "vector c.inputs i32",
                "vector p.outputs i32", "vector p.inputs i32", f"refs p.values {' '.join(f'v[{i}]' for i in range(len(self._values)))}",
                "table p.container_meta_type", "  encoded_out_str:1 ref", "  encoded_inp_str:0 ref",
                'string p.container_meta_type.encoded_out_str ""', 'string p.container_meta_type.encoded_inp_str ""',
                'string p.name "forward"']
        for i, (number, lines) in enumerate(self._values):
            rows += [f"table v[{i}]", "  val:1 ref", f"  val_type:0 u8 {number}", f"table v[{i}].val", *lines]
        return "\n".join(rows) + "\n"


def table():
    """By kernel the first releases that take float16 and bfloat16, as order() has them."""
    def read(text):
        return (99, 0) if text == "kInNone" else tuple(int(number) for number in re.findall(r"\d+", text)) or (0, 0)

    rows = re.findall(r'\{"aten::([^"]+)", (\{.*?\}|kInNone), (\{.*?\}|kInNone)\}', TABLE.read_text(encoding="utf-8"))
    return {name: {"float16": read(half), "bfloat16": read(bfloat16)} for name, half, bfloat16 in rows}


def runs(runtime, path):
    return runtime.ask([path], run=True)[0] == "done"


def ask(release, wheels, probes):
    """By kernel and type whether the release runs it; nothing of kernels that it has not, or runs with no type."""
    runtime = wheel_runtime.Runtime(release, wheels)
    answers = {}
    for kernel, paths in probes.items():
        if f"aten::{kernel}" in runtime.kernels and runs(runtime, paths["float32"]):
            answers[kernel] = {name: runs(runtime, path) for name, path in paths.items() if name != "float32"}
    runtime.close()
    return answers


def make_probes(folder):
    assembler, probes = load_assembler(), {}
    for kernel in CALLS:
        for name, number in TYPES.items():
            path = folder / f"{kernel}-{name}.pte"
            number = INT if kernel in OF_INTEGERS and name == "float32" else number
            text = path.with_suffix(".txt")
            text.write_text(Probe(kernel, number).text(), encoding="utf-8")
            path.write_bytes(assembler.assemble(text))
            probes.setdefault(kernel, {})[name] = path
    return probes


def judge(asked, told):
    """How many answers agree with the table, and lines of those that do not, or of which it rightly says nothing."""
    agree, wrong, unknown = 0, [], []
    for kernel, types in asked.items():
        for name, answers in types.items():
            for release, did_run in answers.items():
                is_denied = release_tables.order(release) < told.get(kernel, {}).get(name, (0, 0))
                what = f"{release}: {kernel} {'runs' if did_run else 'does not run'} with {name}"
                if is_denied != did_run:
                    agree += 1
                elif did_run or any(answers.values()):
                    wrong.append(what)
                else:
                    unknown.append(what)
    return agree, wrong, unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--releases", default=",".join(
        release for release in release_tables.WHEELS
        if release_tables.order(FIRST) <= release_tables.order(release) and release != "1.5"))  # which has no binding
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    if sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64":
        print("skipped: the wheels are those for Python 3.11 on x86-64")
        return 77
    wheels = options.wheels.resolve()
    wheels.mkdir(parents=True, exist_ok=True)
    asked = {}
    with tempfile.TemporaryDirectory() as folder:
        probes = make_probes(pathlib.Path(folder))
        try:
            for release in options.releases.split(","):
                answers = ask(release, wheels, probes)
                print(f"{release}: {len(answers)} of {len(probes)} kernels answer", flush=True)
                for kernel, types in answers.items():
                    for name, did_run in types.items():
                        asked.setdefault(kernel, {}).setdefault(name, {})[release] = did_run
        except release_tables.Unavailable as reason:
            print(f"skipped: {reason}")
            return 77
    if options.write:
        options.write.write_text(json.dumps(asked, indent=1), encoding="utf-8")
    passed, wrong, unknown = judge(asked, table())
    print("run by no release:", *unknown, "", sep="\n ")
    print("wrong:", *wrong, "", sep="\n ")
    print(f"{passed} passed, {len(wrong)} failed")
    return 1 if wrong or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
