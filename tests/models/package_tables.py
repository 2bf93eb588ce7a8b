#!/usr/bin/env python3
"""Writes libpteedit/src/needs/package_tables.cc: what the packages for phones have of each release.

    package_tables.py --executorch DIR --ao DIR     reads the tags of every release and writes the tables

DIR are git repositories of pytorch/executorch and pytorch/ao. A package is built by scripts of the release's tag: Android's
by build_android_library.sh (build_android_llm_demo.sh before 0.6) with its preset, and flavours of it by the workflow that
publishes them; iOS's is what Package.swift of the branch swiftpm-RELEASE lists. All have the kernel libraries of the wheel,
but those that the exporter alone is given; the script stops where a package links others. Of 1.5, which has no tag in the copy that this was
made with, they are the last nightly ones called so.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import release_tables

TABLES = pathlib.Path(__file__).resolve().parents[2] / "libpteedit/src/needs/package_tables.cc"
# From the first on whose packages are built so; patches change none of this.
TAGS = {release: tag for release, tag in release_tables.TAGS.items() if release_tables.order(release) >= (0, 4)}
NIGHTLY = {TAGS["1.5"]: "1.5.0.20260822"}  # what its branch for Swift is called
# Names that sources register backends under, by the options of CMake and the products of Swift that build them.
BACKENDS = {"XNNPACK": "XnnpackBackend", "VULKAN": "VulkanBackend", "QNN": "QnnBackend", "COREML": "CoreMLBackend",
            "MPS": "MPSBackend"}
FLAVOURS = {"qnn": "QNN", "vulkan": "VULKAN"}
ANDROID = ["scripts/build_android_library.sh", "build/build_android_llm_demo.sh", "tools/cmake/preset/android.cmake"]
WORKFLOW = ".github/workflows/android-release-artifacts.yml"
KERNELS = {"OPTIMIZED", "QUANTIZED", "LLM"}  # the optimized library has the portable kernels
CUSTOM = "extension/llm/custom_ops"
CUSTOM_LISTS = ["shim_et/xplat/executorch/build/build_variables.bzl", f"{CUSTOM}/targets.bzl"]
LOW_BIT = "torchao/csrc/cpu/shared_kernels"


class Repository:
    def __init__(self, folder):
        self._folder = folder

    def git(self, *words):
        return subprocess.run(["git", "-C", str(self._folder), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout

    def show(self, commit, path):
        return self.git("show", f"{commit}:{path}")

    def files(self, commit, folder, pattern):
        names = self.git("ls-tree", "-r", "--name-only", commit, folder + "/").split()
        return [name for name in names if re.search(pattern, name)]


def stop(what):
    sys.exit(f"package_tables.py: error: {what}")


def kernels_in(text):
    """Those of custom_ops that a source registers."""
    names = {f"{space}::{name}" for space, name in re.findall(r'EXECUTORCH_LIBRARY\(\s*(\w+),\s*"([^"]+)"', text)}
    return names | set(re.findall(r'^\s*"((?:llama|preprocess)::[A-Za-z_.]+)",$', text, re.MULTILINE))


def of_exporter_alone(executorch, tag):
    """Kernels of custom_ops that its library for devices lacks."""
    lists = [executorch.show(tag, path) for path in CUSTOM_LISTS]
    linked = next((found for text in lists for found in re.findall(
        r'(?:EXTENSION_LLM_CUSTOM_OPS_BUCK_SRCS =|name = "custom_ops" \+ mkl_dep,\s*srcs =) \[(.*?)\]', text, re.DOTALL)), None)
    if linked is None:
        stop(f"{tag} lists no sources of custom_ops")
    there, others = set(), set()
    for path in executorch.files(tag, CUSTOM, r"\.cpp$"):
        (there if f'"{path.rpartition("/")[2]}"' in linked else others).update(kernels_in(executorch.show(tag, path)))
    if not there:
        stop(f"custom_ops of {tag} registers no kernel")
    return others - there


def android(executorch, tag):
    """Backends of each package for Android, by its name."""
    text = "\n".join(executorch.show(tag, path) for path in ANDROID)
    found = re.findall(r"EXECUTORCH_BUILD_(\w+)(?:=| )(?:ON|\"?\$\{\w+:-ON\}\"?)", text)
    check_kernels(tag, {name.removeprefix("KERNELS_").replace("CUSTOM", "LLM") for name in found if name.startswith("KERNELS_")})
    always = [name for name in found if name in BACKENDS and name not in FLAVOURS.values()]
    packages = {"android": sorted({BACKENDS[name] for name in always})}
    for flavour in re.findall(r'^\s+- "(\w+)"$', executorch.show(tag, WORKFLOW), re.MULTILINE):
        if flavour in FLAVOURS:
            packages[f"android-{flavour}"] = sorted([*packages["android"], BACKENDS[FLAVOURS[flavour]]])
    return packages


def branch_of(tag):
    return "swiftpm-" + NIGHTLY.get(tag, tag.removeprefix("v"))


def ios(executorch, tag):
    products = re.findall(r'^  "([a-z_]+)": \[', executorch.show(f"refs/heads/{branch_of(tag)}", "Package.swift"), re.MULTILINE)
    kernels = {name.removeprefix("kernels_").upper().replace("CUSTOM", "LLM") for name in products if name.startswith("kernels_")}
    check_kernels(tag, kernels - {"PORTABLE", "TORCHAO"})
    names = [name.removeprefix("backend_").upper() for name in products if name.startswith("backend_")]
    return sorted(BACKENDS[name] for name in names), "TORCHAO" in kernels


def check_kernels(tag, libraries):
    if libraries != KERNELS:
        stop(f"a package of {tag} links the kernels {sorted(libraries)}, {sorted(KERNELS)} expected")


def low_bit_kernels(executorch, ao, tag):
    """Those of torchao, which the names of macros make: "_linear_8bit_act_" #weight_nbit "bit_weight.out"."""
    commit = executorch.git("rev-parse", f"{tag}:third-party/ao").strip()
    names = set()
    for path in ao.files(commit, LOW_BIT, r"_executorch\.cpp$"):
        text = ao.show(commit, path).replace("\\\n", "\n")
        for macro, start, end in re.findall(r'#define (\w+)\(\w+\)(?:(?!#define).)*?EXECUTORCH_LIBRARY\(\s*torchao,\s*"([^"]*)"\s*#\w+\s*"([^"]*)"',
                                            text, re.DOTALL):
            names |= {f"torchao::{start}{bits}{end}" for bits in re.findall(rf"^{macro}\((\d+)\)", text, re.MULTILINE)}
    if not names:
        stop(f"{ao} has no kernels at {commit}, which is that of {tag}")
    return names


def packages_at(executorch, ao, tag):
    """By name: backends, kernels that it lacks, kernels that it has beside the wheel's."""
    lacks = sorted(of_exporter_alone(executorch, tag))
    packages = {name: (backends, lacks, []) for name, backends in android(executorch, tag).items()}
    backends, has_low_bit = ios(executorch, tag)
    packages["ios"] = (backends, lacks, sorted(low_bit_kernels(executorch, ao, tag)) if has_low_bit else [])
    return packages


def spans(executorch, ao):
    """Rows of name, first and last release and content, for as long as the content stays."""
    rows = []
    for release, tag in TAGS.items():
        for name, content in packages_at(executorch, ao, tag).items():
            last = next((row for row in reversed(rows) if row[0] == name), None)
            if last is not None and last[3] == content:
                last[2] = release
            else:
                rows.append([name, release, release, content])
    return sorted(rows, key=lambda row: (row[0], release_tables.order(row[1])))


def write_tables(rows):
    lists = {}

    def name_of(items):
        return "{}" if not items else lists.setdefault(tuple(items), f"kList{len(lists)}")

    text = "".join(f'    {{"{name}", {release_tables.cpp_release(first)}, {release_tables.cpp_release(last)}, '
                   f"{', '.join(name_of(items) for items in content)}}},\n" for name, first, last, content in rows)
    arrays = "".join(f"constexpr std::string_view {name}[] = {{{', '.join(f'{chr(34)}{item}{chr(34)}' for item in items)}}};\n"
                     for items, name in lists.items())
    tags = list(TAGS.values())
    TABLES.write_text(f"""\
// Made by tests/models/package_tables.py out of the sources of pytorch/executorch at its tags {tags[0]} to {tags[-2]} and, for 1.5, at
// {tags[-1]}, its branches {branch_of(tags[0])} to {branch_of(tags[-1])}, and pytorch/ao where
// those point to it.
#include "needs/package_tables.h"

namespace pteedit {{
namespace {{

// clang-format off
{arrays}
// By name.
constexpr PackageRelease kPackages[] = {{
{text}}};
// clang-format on

}}  // namespace

std::span<const PackageRelease> PackagesForPhones() {{ return kPackages; }}

}}  // namespace pteedit
""")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("executorch", "ao"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, metavar="DIR")
    options = parser.parse_args()
    write_tables(spans(Repository(options.executorch), Repository(options.ao)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
