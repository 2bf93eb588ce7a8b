#!/usr/bin/env python3
"""Writes libpteedit/src/needs/release_tables.cc and backend_tables.cc: the releases that have each stock kernel, and each node or
operator of XNNPACK, MLX and Vulkan.

    release_tables.py --wheels DIR --clone DIR     reads every release and writes the tables
    release_tables.py --wheels DIR --check 0.7     holds the tables that are there against one release's wheel

DIR of --wheels keeps the wheels; what is not in it comes from the package registry. --clone is a git repository of
pytorch/executorch: 0.1 has no wheel, that of 0.2 only some of the libraries, and none has the runtime of Vulkan. Exit code 1: the tables are wrong;
77: a wheel cannot be had.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import zipfile

NEEDS = pathlib.Path(__file__).resolve().parents[2] / "libpteedit/src/needs"
TABLES, BACKEND_TABLES = NEEDS / "release_tables.cc", NEEDS / "backend_tables.cc"
# The first wheel of each release; patches change none of this.
WHEELS = {
    "0.2": "0.2.0", "0.3": "0.3.0", "0.4": "0.4.0", "0.5": "0.5.0", "0.6": "0.6.0", "0.7": "0.7.0", "1.0": "1.0.0",
    "1.1": "1.1.0", "1.2": "1.2.0", "1.3": "1.3.1", "1.4": "1.4.0", "1.5": "1.5.0",
}
# The last tag of each release that the copy has which the tables were made with; of 1.5, which has none there, the last nightly called so.
TAGS = {"0.1": "v0.1.0", "0.2": "v0.2.0", "0.3": "v0.3.0", "0.4": "v0.4.0", "0.5": "v0.5.0", "0.6": "v0.6.0", "0.7": "v0.7.0",
        "1.0": "v1.0.1", "1.1": "v1.1.0", "1.2": "v1.2.0", "1.3": "v1.3.1", "1.4": "v1.4.1",
        "1.5": "e4576d011453a0849fdc9d622e0ab69a374b5ef5"}
WITHOUT_LIBRARIES = ["0.1", "0.2"]  # in a wheel, or not all
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux1_x86_64"]

# Kernels are registered under names that stand in the libraries, ended by a zero byte. What stands before a name is
# anything: a text's end or a number. Release 0.2 to 1.1 were asked for their registries, which are the same lists.
STOCK = "aten|dim_order_ops|et_copy|executorch_prim|llama|preprocess|quantized_decomposed"
KERNEL = re.compile(rb"((?:%s)::[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)?)\x00" % STOCK.encode())
# The profiler's names of kernels begin with native_call_.
ANY_KERNEL = re.compile(rb"(?<![A-Za-z0-9_:])(?!native_call_)([a-z_][a-z0-9_]*)::[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z0-9_]*out\x00")
KERNEL_LIBRARIES = re.compile(r"/(_portable_lib|lib(custom_ops|quantized_ops)_aot_lib|libexecutorch)[^/]*\.so$")
QUANTIZED = "quantized_decomposed::"
VULKAN_OPERATOR = re.compile(r"VK_REGISTER_OP\(\s*(\w+\.[\w.]+|add|sub|mul|floordiv)\s*,")
MLX_SCHEMA = "executorch/backends/mlx/serialization/schema.fbs"
XNNPACK_SCHEMA = "executorch/backends/xnnpack/serialization/runtime_schema.fbs"
# A node of the schema without any code behind it: releases before 0.7 say this text where they cannot make it.
DROPPED = {"XNNScaledDotProductAttention": b"Failed to create SDPA node"}


class Unavailable(Exception):
    pass


class Release:
    """What one release has: names of kernels, numbers of XNNPACK's nodes and datatypes and of MLX's nodes by name, names of Vulkan's
    operators."""

    def __init__(self, kernels, nodes, datatypes, mlx):
        self.kernels, self.nodes, self.datatypes, self.mlx, self.vulkan = kernels, nodes, datatypes, mlx, set()


def order(release):
    return tuple(int(part) for part in release.split("."))


def find_wheel(folder, version):
    found = sorted(folder.glob(f"executorch-{version}-*.whl"))
    if found:
        return found[0]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--python-version=3.11", *(f"--platform={platform}" for platform in PLATFORMS), "--dest", str(folder),
               f"executorch=={version}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found = sorted(folder.glob(f"executorch-{version}-*.whl"))
    if not found:
        raise Unavailable(f"no wheel of executorch {version}: {(done.stdout.strip().splitlines() or ['?'])[-1]}")
    return found[0]


def yaml_names(text):
    """Names in a kernel list; those of ATen go without their namespace there."""
    names = re.findall(r"^- (?:op|func): ([^\s(]+)", text, re.MULTILINE)
    return {name if "::" in name else f"aten::{name}" for name in names}


def schema_numbers(text, opening):
    """Numbers by name, of an enum or union. The first member of a union is 1."""
    body = re.search(opening + r"[^{]*\{(.*?)\}", text, re.DOTALL).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    numbers = {}
    for member in filter(None, (part.strip() for part in body.split(","))):
        name, _, number = member.replace(":", "=").partition("=")
        numbers[name.strip()] = int(number) if number.strip().isdigit() else len(numbers) + 1
    return numbers


def read_schema(text, binaries):
    nodes = schema_numbers(text, "union XNodeUnion")
    for name, message in DROPPED.items():
        if not any(message in binary for binary in binaries):
            nodes.pop(name, None)
    return nodes, schema_numbers(text, "enum XNNDatatype")


def read_wheel(path):
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        binaries = [wheel.read(name) for name in names if KERNEL_LIBRARIES.search(name)]
        kernels = {match.group(1).decode() for binary in binaries for match in KERNEL.finditer(binary)}
        spaces = {match.group(1).decode() for binary in binaries for match in ANY_KERNEL.finditer(binary)}
        if spaces - set(STOCK.split("|")):
            sys.exit(f"release_tables.py: error: {path} has kernels of namespaces {sorted(spaces)}")
        # Kernels of several sizes share code that goes by a name of its own.
        quantized = "executorch/kernels/quantized/quantized.yaml"
        if quantized in names:
            listed = yaml_names(wheel.read(quantized).decode())
            kernels = {name for name in kernels if not name.startswith(QUANTIZED) or name in listed}
        mlx = schema_numbers(wheel.read(MLX_SCHEMA).decode(), "union OpNode") if MLX_SCHEMA in names else {}
        return Release(kernels, *read_schema(wheel.read(XNNPACK_SCHEMA).decode(), binaries), mlx)


def git(clone, *words):
    return subprocess.run(["git", "-C", str(clone), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def read_tag(clone, tag):
    def show(path):
        return git(clone, "show", f"{tag}:{path}")

    kernels = yaml_names(show("kernels/portable/functions.yaml")) | yaml_names(show("kernels/quantized/quantized.yaml"))
    kernels |= yaml_names(show("examples/models/llama2/custom_ops/custom_ops.yaml"))
    kernels |= set(re.findall(rf'"((?:{STOCK})::[A-Za-z_.]+)"', show("kernels/prim_ops/register_prim_ops.cpp")))
    compiler = show("backends/xnnpack/runtime/XNNCompiler.cpp").encode()
    return Release(kernels, *read_schema(show("backends/xnnpack/serialization/schema.fbs"), [compiler]), {})


def vulkan_operators(clone, tag):
    """Names that the runtime registers; the first release had no such list, and other blobs."""
    text = git(clone, "grep", "-h", "-A2", "VK_REGISTER_OP(", tag, "--", "backends/vulkan/runtime")
    return set(VULKAN_OPERATOR.findall(text))


def union(one, other):
    return Release(one.kernels | other.kernels, {**one.nodes, **other.nodes}, {**one.datatypes, **other.datatypes}, {**one.mlx, **other.mlx})


def read_releases(wheels, clone):
    releases = {release: read_wheel(find_wheel(wheels, version)) for release, version in WHEELS.items()}
    for release in WITHOUT_LIBRARIES:
        tagged = read_tag(clone, TAGS[release])
        if not tagged.kernels:
            sys.exit(f"release_tables.py: error: {clone} has no tag {TAGS[release]}")
        releases[release] = union(releases[release], tagged) if release in releases else tagged
    for release, content in releases.items():
        content.vulkan = vulkan_operators(clone, TAGS["0.2" if release == "0.1" else release])
        if not content.vulkan:
            sys.exit(f"release_tables.py: error: {clone} has no operators of Vulkan at {TAGS[release]}")
    return dict(sorted(releases.items(), key=lambda item: order(item[0])))


def first_and_last(releases, names_of):
    """Of each name the first release that has it, and the last where a newer one has it no more."""
    spans = {}
    for release, content in releases.items():
        for name in names_of(content):
            spans[name] = (spans.get(name, (release,))[0], release)
    newest = list(releases)[-1]
    return {name: (first, "" if last == newest else last) for name, (first, last) in spans.items()}


def cpp_release(release):
    return "{%d, %d}" % order(release) if release else "{}"


def named_rows(releases, names_of):
    spans = first_and_last(releases, names_of)
    return [f'    {{"{name}", {cpp_release(first)}, {cpp_release(last)}}},'
            for name, (first, last) in sorted(spans.items())]


def numbered_rows(releases, numbers_of, prefix):
    numbers = {name: number for content in releases.values() for name, number in numbers_of(content).items()}
    spans = first_and_last(releases, numbers_of)
    rows = []
    for name, number in sorted(numbers.items(), key=lambda item: item[1]):
        first, last = spans[name]
        rows.append(f'    {{{number}, "{name.removeprefix(prefix)}", {cpp_release(first)}, {cpp_release(last)}}},')
    return rows


def write_tables(releases):
    kernels = "\n".join(named_rows(releases, lambda content: content.kernels))
    vulkan = "\n".join(named_rows(releases, lambda content: content.vulkan))
    mlx = "\n".join(numbered_rows(releases, lambda content: content.mlx, ""))
    nodes = "\n".join(numbered_rows(releases, lambda content: content.nodes, "XNN"))
    datatypes = "\n".join(numbered_rows(releases, lambda content: content.datatypes, "xnn_datatype_"))
    known = ", ".join(map(cpp_release, sorted(TAGS, key=order)))
    TABLES.write_text(f"""\
// Made by tests/models/release_tables.py out of the wheels of executorch {min(WHEELS.values(), key=order)} to {max(WHEELS.values(), key=order)} and the source at
// its tags {' and '.join(TAGS[release] for release in WITHOUT_LIBRARIES)}: the names that kernels are registered under.
#include "needs/release_tables.h"

namespace pteedit {{
namespace {{

// clang-format off
constexpr RuntimeRelease kReleases[] = {{{known}}};

// By name.
constexpr NameInReleases kStockKernels[] = {{
{kernels}
}};
// clang-format on

}}  // namespace

std::span<const RuntimeRelease> KnownReleases() {{ return kReleases; }}

std::span<const NameInReleases> StockKernels() {{ return kStockKernels; }}

}}  // namespace pteedit
""")
    BACKEND_TABLES.write_text(f"""\
// Made by tests/models/release_tables.py out of the wheels of executorch {min(WHEELS.values(), key=order)} to {max(WHEELS.values(), key=order)} and the source at
// its tags v0.1.0 to v1.4.1 and, for 1.5, {TAGS['1.5']}: the names that Vulkan's operators are registered
// under, and the schemas of XNNPACK and MLX.
#include "needs/release_tables.h"

namespace pteedit {{
namespace {{

// clang-format off
// By name.
constexpr NameInReleases kVulkanOperators[] = {{
{vulkan}
}};

// By number.
constexpr NumberInReleases kXnnpackNodes[] = {{
{nodes}
}};

constexpr NumberInReleases kXnnpackDatatypes[] = {{
{datatypes}
}};

constexpr NumberInReleases kMlxNodes[] = {{
{mlx}
}};
// clang-format on

}}  // namespace

std::span<const NameInReleases> VulkanOperators() {{ return kVulkanOperators; }}

std::span<const NumberInReleases> XnnpackNodes() {{ return kXnnpackNodes; }}

std::span<const NumberInReleases> XnnpackDatatypes() {{ return kXnnpackDatatypes; }}

std::span<const NumberInReleases> MlxNodes() {{ return kMlxNodes; }}

}}  // namespace pteedit
""")


def tables_at(release):
    """What the tables that are there say of a release: kernels, nodes, datatypes, nodes of MLX."""
    text = TABLES.read_text() + BACKEND_TABLES.read_text()
    here = order(release)

    def rows(table):
        section = re.search(table + r"\[\] = \{\n(.*?)\n\};", text, re.DOTALL).group(1)
        found = {}
        for number, name, first, last in re.findall(r'\{(?:(\d+), )?"([^"]+)", \{(.*?)\}, \{(.*?)\}\}', section):
            has_ended = last and order(last.replace(", ", ".")) < here
            if order(first.replace(", ", ".")) <= here and not has_ended:
                found[name] = int(number or 0)
        return found

    return set(rows("kStockKernels")), rows("kXnnpackNodes"), rows("kXnnpackDatatypes"), rows("kMlxNodes")


def check(release, wheels):
    seen = read_wheel(find_wheel(wheels, WHEELS[release]))
    kernels, nodes, datatypes, mlx = tables_at(release)
    wanted = {"kernel": (kernels, seen.kernels),
              "XNNPACK node": (set(nodes.items()), {(name.removeprefix("XNN"), n) for name, n in seen.nodes.items()}),
              "XNNPACK datatype": (set(datatypes.items()),
                                   {(name.removeprefix("xnn_datatype_"), n) for name, n in seen.datatypes.items()}),
              "MLX node": (set(mlx.items()), set(seen.mlx.items()))}
    wrong = 0
    for what, (told, found) in wanted.items():
        for name in sorted(found - told):
            print(f"{what} {name} is in the wheel of {release}, not in the tables")
        for name in sorted(told - found):
            print(f"{what} {name} is in the tables, not in the wheel of {release}")
        wrong += len(told ^ found)
        print(f"{release}: {len(found)} of {what}")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--clone", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--check", choices=WHEELS, metavar="RELEASE")
    options = parser.parse_args()
    options.wheels.mkdir(parents=True, exist_ok=True)
    try:
        if options.check:
            return check(options.check, options.wheels)
        if options.clone is None:
            parser.error("--clone is missing")
        write_tables(read_releases(options.wheels, options.clone))
        return 0
    except Unavailable as reason:
        print(f"skipped: {reason}")
        return 77


if __name__ == "__main__":
    sys.exit(main())
