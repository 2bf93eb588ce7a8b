#!/usr/bin/env python3
"""Writes libpteedit/src/needs/kernel_types.cc: the releases whose stock kernels take float16 and bfloat16.

    kernel_types.py --executorch DIR     reads the tags of every release and writes the tables

DIR is a git repository of pytorch/executorch. Kernels are registered for all types alike and look at them when they run, so no
wheel tells. A source that mentions sets of types, by which it chooses code, and none with the type, cannot take it; the portable
and the optimized kernel count together. Of a source without such sets nothing is said. tests/e2e/type_matrix.py asks runtimes.
"""

import argparse
import json
import pathlib
import re
import sys

import release_tables
from package_tables import Repository, TAGS

TABLES = pathlib.Path(__file__).resolve().parents[2] / "libpteedit/src/needs/kernel_types.cc"
PORTABLE = "kernels/portable/cpu"
OPTIMIZED = ["kernels/optimized/optimized-oss.yaml", "kernels/optimized/optimized.yaml"]  # before 0.6 the first one counts
TYPES = {"Half": "float16", "BFloat16": "bfloat16"}
# What chooses code by type, and the names of sets in it: ET_SWITCH_REALHBBF16_TYPES, SupportedTensorDtypes::FLOATHBF16. H stands for Half, BF16 for BFloat16; of a list of types the words themselves.
SWITCH = re.compile(r"\bET_SWITCH_(\w+)\(([^;{]*)")
SUPPORTED = re.compile(r"\bSupportedTensorDtypes::(\w+)")
ALL = re.compile(r"\bET_FORALL_SCALAR_TYPES\b|\bET_SWITCH_ALL_TYPES\b|\bET_SWITCH_SCALAR_OBJ")
SET = re.compile(r"(?:REAL|FLOAT|INT|COMPLEX|BOOL|BYTE)")
PATTERN = re.compile(r"#include <executorch/(kernels/portable/cpu/pattern/(?:bitwise|comparison|logical)_op\.h)>"
                     r"|\b(unary_ufunc_\w+)\(")  # what such a kernel calls


def types_of_set(name):
    words = name.upper().split("_")
    found = set()
    for word in words:
        if SET.match(word):
            letters = re.sub("^(REAL|FLOAT|INT|COMPLEX)", "", word)
            found |= {"Half"} if letters.startswith("H") else set()
            found |= {"BFloat16"} if "BF16" in letters else set()
    return found


def types_in(text):
    """Of a source: types that it takes of TYPES; None where it does not choose by type."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    if ALL.search(text):
        return set(TYPES)
    found, chooses = set(), False
    for name, arguments in SWITCH.findall(text):
        chooses = chooses or bool(SET.match(name))  # and not a list of types, which is for indices
        found |= types_of_set(name) | {kind for kind in TYPES if re.search(rf"\b{kind}\b", arguments)}
    for name in SUPPORTED.findall(text):
        chooses = chooses or bool(SET.search(name.upper()))
        found |= types_of_set(name)
    found |= {kind for kind in TYPES if re.search(rf"ScalarType::{kind}\b", text)}
    return found if chooses else None


class Release:
    def __init__(self, executorch, tag):
        self._executorch, self._tag = executorch, tag
        self.sources = {path: executorch.show(tag, path) for folder in (PORTABLE, "kernels/optimized/cpu")
                        for path in executorch.files(tag, folder, r"/op_[^/]*\.cpp$")}

    def types(self):
        """By kernel. None: not told."""
        found = {}
        listed = [self._executorch.show(self._tag, path) for path in OPTIMIZED]
        for text in (self._executorch.show(self._tag, "kernels/portable/functions.yaml"), next(filter(None, listed))):
            for op, kernel in re.findall(r"^- op: (\S+)\n(?:.*\n)*?\s+kernel_name: (\S+)", text, re.MULTILINE):
                name = op if "::" in op else f"aten::{op}"
                mine = self.types_of(kernel.rpartition("::")[2])
                others = found.get(name, set())
                found[name] = None if mine is None or others is None else mine | others
        return found

    def types_of(self, function):
        defined = re.compile(rf"^\s*(?:Tensor&|void|std::tuple<[^;{{]*?>)\s+{function}\(", re.MULTILINE)
        paths = [path for path, text in self.sources.items() if defined.search(text)]
        if len(paths) != 1:
            return None
        text = self.sources[paths[0]]
        called = [header or f"{PORTABLE}/pattern/{function}.cpp" for header, function in PATTERN.findall(text)]
        return types_in(text + "".join(self._executorch.show(self._tag, path) for path in called))


def first_release(kernel, kind, releases, answers):
    """The release after the last one that does not take it, "" where there is no such one. `answers`: by release, whether it ran."""
    having = [release for release, types in releases.items() if kernel in types]
    if True not in answers.values():
        answers = {}  # a call that none runs may be ours to blame
    lacking = [release for release in having
               if not answers.get(release, releases[release][kernel] is None or kind in releases[release][kernel])]
    later = [release for release in having if lacking and release_tables.order(release) > release_tables.order(lacking[-1])]
    return "" if not lacking else later[0] if later else "never"


def first_releases(releases, asked):
    """By kernel the first releases with each of TYPES; only where there is such a one."""
    rows = {}
    for kernel in sorted({name for types in releases.values() for name in types}):
        firsts = [first_release(kernel, kind, releases, asked.get(kernel.removeprefix("aten::"), {}).get(word, {})) for kind, word in TYPES.items()]
        if any(firsts):
            rows[kernel] = firsts
    return rows


def cpp(first):
    return "kInNone" if first == "never" else release_tables.cpp_release(first)


def write_tables(rows):
    text = "".join(f'    {{"{name}", {cpp(half)}, {cpp(bfloat16)}}},\n' for name, (half, bfloat16) in rows.items())
    tags = list(TAGS.values())
    TABLES.write_text(f"""\
// Made by tests/models/kernel_types.py out of the sources of pytorch/executorch at its tags {tags[0]} to {tags[-1]} and
// the runtimes in the wheels of those releases.
#include "needs/kernel_types.h"

namespace pteedit {{
namespace {{

// clang-format off
// By name.
constexpr KernelTypes kKernelTypes[] = {{
{text}}};
// clang-format on

}}  // namespace

std::span<const KernelTypes> TypesOfKernels() {{ return kKernelTypes; }}

}}  // namespace pteedit
""")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executorch", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--asked", type=pathlib.Path, required=True, metavar="FILE")
    options = parser.parse_args()
    executorch = Repository(options.executorch)
    asked = json.loads(options.asked.read_text(encoding="utf-8"))
    write_tables(first_releases({release: Release(executorch, tag).types() for release, tag in TAGS.items()}, asked))
    return 0


if __name__ == "__main__":
    sys.exit(main())
