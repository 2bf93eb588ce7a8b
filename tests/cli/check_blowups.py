"""Runs every command over small files that are made to eat time, memory or stack (tests/support/hostile_files.py), and fails where
one takes more than 10 s of CPU, more memory than 64 MiB, 6 times what it has to hold of its inputs and 4 times what it prints, or dies.

With --each, more commands run, every view alone, and a table says what each took.
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile

from checks import MODELS, ROOT, expect, given

MOST_SECONDS = 10
MOST_BYTES, MOST_OF_INPUT = 64 << 20, 6
MOST_OF_OUTPUT = 4  # where several views make one page or list, as they do unless --each is given
MOST_ADDRESSES = 4 << 30  # so that a test that fails leaves the machine alone
EXIT_CODES = {0, 1, 3}  # done, findings, malformed or unsupported
DUMPS = {"events.etdp", "events_of_a_delegate.etdp"}  # that records are joined with
NAMED = {"zeros.pte", "methods_with_constants.pte"}  # whose contents get names
VIEWS = """-l -h --methods --tensors --segments --named-data --delegates --operators --instructions --memory --metadata --requirements
--delegation --graph --retained --advise --leaks --stack-traces --hash --verify --duplicates""".split()


def add_arguments(parser):
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--files", type=pathlib.Path, help="a folder that holds them already")
    parser.add_argument("names", nargs="*", help="only files whose names begin so")


def weight(path):
    """What a command that reads the file has to hold at most: its tables, or what its archive inflates to."""
    if path.suffix == ".etrecord":
        with zipfile.ZipFile(path) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    return path.stat().st_size


def programs_commands(path, out, each):
    views = [[view] for view in VIEWS] if each else [VIEWS]
    yield from (["pteinspect", path, *some] for some in views)
    yield from (["pteinspect", path, "--json", *some] for some in views)
    yield ["pteinspect", path, "--html", out / "page.html", "-f"]
    yield from (["pteinspect", path, "--graph", *form] for form in (["--dot"], ["--model-explorer"], ["--node-data", "macs"]))
    yield ["pteinspect", path, "--at", "100"]
    yield ["pteinspect", path, "--assembly"]
    yield ["pteinspect", path, "--check", out / "list"]
    if each:
        yield ["pteinspect", path, "-e", "Program Flatbuffer" if path.suffix == ".pte" else "Tensors"]
        yield ["pteinspect", path, "--csv", "--tensors"]
        yield ["pteinspect", path, "--csv", "--delegates"]
        yield ["pteinspect", path, "--emit-metadata-json", out / "blobs.json", "-f"]
        yield ["pteinspect", path, "--diff", path]
        yield ["pteinspect", path, "--same", path]
    if path.suffix == ".ptd":
        return
    yield ["ptestrip", "--all", path, "-o", out / ("s" + path.suffix), "-f"]
    yield ["ptesplit", path, "--min-size", "1", "-o", out / "p.pte", "-d", out / "d.ptd", "-f"]
    if each:
        yield ["pteinspect", path, "--requirements", "--yaml"]
        yield ["ptesplit", path, "--kind", "constant,named-data,mutable", "-o", out / "p.pte", "-d", out / "d.ptd", "-f"]
        yield ["ptesplit", path, "--match", path, "-o", out / "m.pte", "-d", out / "m.ptd", "-f"]
    twin = out / ("twin" + path.suffix)
    shutil.copyfile(path, twin)
    yield ["ptemerge", f"a={path}", f"b={twin}", "-o", out / "merged", "-f"]


def record_commands(path, events, out):
    for dump in events:
        profile = ["pteprof", dump, "--etrecord", path]
        yield [*profile]
        yield [*profile, "--json"]
        yield [*profile, "--html", out / "page.html", "-f"]
        yield [*profile, "--by-operator", "--csv"]
    yield ["pteinspect", path, "-l", "--leaks", "--verify"]
    yield ["pteinspect", path, "--json", "--verify"]
    yield ["pteprof", path, "--exported-program"]
    yield ["ptestrip", path, "-o", out / "slim.etrecord", "-f"]


def dump_commands(path, out):
    profile = ["pteprof", path]
    yield [*profile]
    yield [*profile, "--json"]
    yield [*profile, "--by-type", "--csv"]
    yield [*profile, "--html", out / "page.html", "-f"]
    yield [*profile, "--baseline", path]
    yield [*profile, "--trace", out / "trace.json", "-f"]
    yield ["pteinspect", path, "-l", "--verify"]
    yield ["pteinspect", path, "--json", "--verify"]


def names_commands(path, programs, out):
    for program in programs:
        yield ["pteinspect", program, "--names", path, "--tensors"]
        yield ["pteinspect", program, "--names", path, "--json", "--tensors"]
        yield ["ptestrip", "--all", program, "--names", path, "-o", out / "named.pte", "-f"]


def commands(path, paths, out, each):
    if path.suffix == ".safetensors":
        return names_commands(path, [other for other in paths if other.name in NAMED], out)
    if path.suffix == ".etrecord":
        return record_commands(path, [other for other in paths if other.name in DUMPS], out)
    return dump_commands(path, out) if path.suffix == ".etdp" else programs_commands(path, out, each)


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def measure(command, output):
    """Exit code, seconds of CPU, bytes of memory, and the end of the messages. The memory is at least that of this process."""
    argv = [given.tools / command[0], *command[1:]]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(max(0, errors.tell() - 300))
        text = errors.read().decode(errors="replace")
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10, text


def show(command):
    return " ".join(part.name if isinstance(part, pathlib.Path) else part for part in command)


def check_file(path, paths, out):
    most = MOST_BYTES + MOST_OF_INPUT * weight(path)
    if path.suffix in MODELS:
        with open(out / "list", "wb") as names:
            measure(["pteinspect", path, "--hash"], names)
    for command in commands(path, paths, out, given.each):
        with open(out / "stdout", "wb") as output:
            code, seconds, memory, text = measure(command, output)
            printed = output.tell()
        for written in (out / "page.html", out / "trace.json"):
            if written in command and written.exists():
                printed += written.stat().st_size
                written.unlink()
        is_bad = code not in EXIT_CODES or seconds > MOST_SECONDS or memory > most + MOST_OF_OUTPUT * printed
        line = f"{show(command)[:110]:<110} {code:>4} {seconds:7.2f} s {memory / 1e6:8.1f} MB {printed / 1e6:8.2f} MB printed"
        words = f"  {text.strip()[-200:]}" if is_bad or code else ""
        expect(not is_bad, "! " + line + words)
        if given.each and not is_bad:
            print("  " + line + words, flush=True)


def make_files(folder):
    """By another process, so that this one stays small."""
    maker = ROOT / "tests/support/hostile_files.py"
    subprocess.run([sys.executable, maker, folder], check=True, stdout=subprocess.DEVNULL)


def check():
    with tempfile.TemporaryDirectory() as out:
        folder = given.files or pathlib.Path(out) / "files"
        if given.files is None:
            make_files(folder)
        paths = sorted(folder.iterdir())
        for path in paths:
            if path.name.startswith(tuple(given.names or [""])):
                print(f"{path.name}: {path.stat().st_size} bytes", flush=True)
                check_file(path, paths, pathlib.Path(out))
