#!/usr/bin/env python3
"""The real runtime of a release's wheel, without torch: loads programs with the wheel's Python binding, and runs those without inputs.

    wheel_runtime.py BINDING     reads lines of JSON, {"files": [program, data file...], "run": true|false}, and answers each
                                 {"outcome": "done"|"refused"|"crashed"|"cannot", "log": text}; the first line says
                                 {"kernels": [...], "backends": [...]}

What is run must have neither inputs nor outputs, see closed(). The binding needs torch for tensors alone, and without them
none is made. So Stubs writes the libraries that it names and nobody has, with functions that do nothing.
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import types
import zipfile

import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))

import release_tables  # noqa: E402

PROGRAM = tables.Schema(ROOT / "schema/program.fbs")
SYSTEM = [pathlib.Path(folder) for folder in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu")]
LIBRARIES = re.compile(r"\.so$")
BINDING = re.compile(r"/_portable_lib[^/]*\.so$")
TRUE = {"cpuinfo_initialize"}  # without it XNNPACK takes the machine for one that it does not know
DATA = {"cpuinfo_isa"}  # not a function: zeros say that the processor has nothing but what all have
# A pool of one thread, which is the caller: kernels that share work out ask for one.
POOL = """#include <cstddef>
#include <cstdint>
extern "C" {
void* pthreadpool_create(size_t) { static int pool; return &pool; }
void* pthreadpool_create_v2(void*, size_t) { return pthreadpool_create(1); }
size_t pthreadpool_get_threads_count(void*) { return 1; }
void pthreadpool_parallelize_1d(void*, void (*task)(void*, size_t), void* context, size_t range, uint32_t) {
  for (size_t i = 0; i < range; ++i) task(context, i);
}
}
"""
# A standard library older than the binding has not the function that makes streams ready, so an object does that.
STREAMS = "#include <iostream>\nstatic std::ios_base::Init init;\n"


def symbols(library, kind):
    """Names, without versions, of the dynamic symbols that are defined or undefined."""
    done = subprocess.run(["nm", "-D", f"--{kind}-only", str(library)], stdout=subprocess.PIPE, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[-1].split("@")[0] for row in rows if kind == "defined" or row[0] == "U"}


def needed_libraries(library):
    done = subprocess.run(["readelf", "-dW", str(library)], stdout=subprocess.PIPE, text=True, check=True)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)


def on_system(name):
    return next((folder / name for folder in SYSTEM if (folder / name).exists()), None)


def unpack(wheel, folder):
    """Gives back the binding, which lies beside all other libraries of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if LIBRARIES.search(name)]
        archive.extractall(folder, names)
    return next((folder / name for name in names if BINDING.search(name)), None)


class Stubs:
    """What a binding needs: which symbols nobody has, and which libraries."""

    def __init__(self, binding, wheel):
        self.own, self.missing = {}, set()
        wanted, has = set(), set()
        todo, seen = [binding], set()
        while todo:
            library = todo.pop()
            wanted |= symbols(library, "undefined")
            has |= symbols(library, "defined")
            for name in needed_libraries(library):
                if name in seen:
                    continue
                seen.add(name)
                own = next(iter(sorted(wheel.rglob(name))), None)
                if own is not None:
                    self.own[name] = own
                    todo.append(own)
                elif on_system(name) is None and not name.startswith("ld-linux"):
                    self.missing.add(name)
                elif on_system(name) is not None:
                    has |= symbols(on_system(name), "defined")
        missing = [name for name in sorted(wanted - has) if not name.startswith(("Py", "_Py"))]
        self.functions = [name for name in missing if f"{name}(" not in POOL]
        self.pool = POOL if self.functions != missing else ""  # or that of the wheel would be called with ours

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, library in self.own.items():
            (folder / name).symlink_to(library.resolve())
        body = "".join(f".globl {name}\n{name}:\n.zero 64\n" if name in DATA else
                       f".globl {name}\n.type {name},@function\n{name}:\nmovl ${int(name in TRUE)},%eax\nret\n.balign 64\n.zero 64\n"
                       for name in self.functions)
        (folder / "stubs.s").write_text(f'.text\n{body}.section .note.GNU-stack,"",@progbits\n')
        (folder / "streams.cc").write_text(STREAMS + self.pool)
        (folder / "nothing.cc").write_text("")
        sources = [folder / "stubs.s", folder / "streams.cc"]
        for name in sorted(self.missing):
            subprocess.run(["g++", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", str(folder / name), *map(str, sources)], check=True)
            sources = [folder / "nothing.cc"]


class Runtime:
    """One release's binding, in a process of its own. The folder `wheels` keeps its wheel and what is made of it."""

    def __init__(self, release, wheels):
        self.release, folder = release, wheels / f"unpacked-{release}"
        binding = unpack(release_tables.find_wheel(wheels, release_tables.WHEELS[release]), folder / "wheel")
        stubs = Stubs(binding, folder / "wheel")
        self.libraries = [binding, *stubs.own.values()]
        if not (folder / "stubs").exists():
            stubs.write(folder / "stubs")
        self._process = subprocess.Popen([sys.executable, __file__, binding], stdin=subprocess.PIPE, text=True, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, env={**os.environ, "LD_LIBRARY_PATH": str(folder / "stubs")})
        registry = json.loads(self._process.stdout.readline())
        self.kernels, self.backends = registry["kernels"], registry["backends"]

    def ask(self, files, run):
        """(outcome, log)"""
        self._process.stdin.write(json.dumps({"files": [str(file) for file in files], "run": run}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["outcome"], answer["log"]

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def closed(program):
    """The bytes of a program without inputs and outputs: what was an input is planned memory, which the binding fills with
    zeros. None where one of them has no planned memory."""
    file = tables.File(PROGRAM, program)
    for plan in file.root["execution_plan"]:
        for index in plan["inputs"] + plan["outputs"]:
            value = plan["values"][index].get("val", {})
            if "sizes" in value and not value.get("data_buffer_idx") and "allocation_info" not in value:
                return None
        plan["inputs"], plan["outputs"] = [], []
    return file.bytes()


def load_binding(path):
    """Without the package around it, which needs torch."""
    for name in ("executorch", "executorch.extension", "executorch.extension.pybindings"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(path.parent)] if name.endswith("pybindings") else []
    loader = importlib.machinery.ExtensionFileLoader("_portable_lib", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location("_portable_lib", str(path), loader=loader))
    loader.exec_module(module)
    return module


def load_methods(module, program, data):
    if data:
        loaded = module._load_for_executorch(program, data[0])
        for name in loaded.method_names():
            run_after_loading(loaded, name)
    elif hasattr(module, "_load_program"):
        loaded = module._load_program(program)
        for index in range(loaded.num_methods()):
            loaded.load_method(loaded.get_method_name(index))
    else:
        module._load_for_executorch(program)


def run_after_loading(loaded, name):
    """With data files a method is loaded when it first runs; that it then lacks inputs is no matter of loading."""
    try:
        loaded.plan_execute(name)
    except RuntimeError as error:
        if "method 'load'" in str(error):
            raise


def takes_data(module):
    return "data_path" in (module._load_for_executorch.__doc__ or "")


def runs_methods(module):
    return hasattr(module.ExecuTorchModule, "method_names")


def run_methods(module, program, data):
    loaded = module._load_for_executorch(program, *data)
    for name in loaded.method_names():
        loaded.plan_execute(name)


def answer(module, files, run):
    program, *data = files
    if len(data) > 1 or (data and not takes_data(module)):
        return {"outcome": "cannot", "log": "takes no such data files"}
    if run and not runs_methods(module):
        return {"outcome": "cannot", "log": "runs nothing"}
    with tempfile.TemporaryFile() as log:
        child = os.fork()
        if child == 0:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            try:
                run_methods(module, program, data) if run else load_methods(module, program, data)
                os._exit(0)
            except BaseException as error:  # whatever it is, this is a process of its own
                os.write(2, str(error).encode())
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        log.seek(0)
        text = log.read().decode(errors="replace")
    ran = data and not run and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSEGV  # and had no tensors for outputs
    crashed = os.WIFSIGNALED(status) and not ran
    outcome = "crashed" if crashed else "refused" if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1 else "done"
    return {"outcome": outcome, "log": text}


def main():
    module = load_binding(pathlib.Path(sys.argv[1]))
    known = getattr(module, "_get_registered_backend_names", lambda: None)()
    print(json.dumps({"kernels": sorted(set(module._get_operator_names())), "backends": known}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(answer(module, asked["files"], asked["run"])), flush=True)


if __name__ == "__main__":
    main()
