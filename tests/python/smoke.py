"""Whether an installed package works, without NumPy and in each version of Python: smoke.py FOLDER_OF_TOOLS TEST_DATA."""

import os
import pkgutil
import subprocess
import sys
import tempfile


def main():
    tools, data = sys.argv[1:]
    import pteedit

    for module in pkgutil.iter_modules(pteedit.__path__):
        if module.name not in ("_elements", "ptd", "pytest_plugin"):  # which need NumPy or pytest
            __import__("pteedit." + module.name)
    program = pteedit.open(os.path.join(data, "f08", "b_xnn_base.pte"))
    assert program.verify() == [] and program.methods["forward"].instructions, program
    assert sum(part.size for part in program.sizes().components) == program.size
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("small.pte", "weights.ptd")]
        pteedit.split(program).save(*paths)
        split = pteedit.open(paths[0], data=paths[1:])
        assert split.same(program) and not split.verify(), split
        del split  # Windows keeps a folder with files that are open
        assert not pteedit.diff(program, program)
        for tool in "pteinspect pteprof ptesplit ptemerge ptestrip ptecopy ptepack".split():
            done = subprocess.run([os.path.join(tools, tool), "--version"], stdout=subprocess.PIPE, check=True)
            assert pteedit.__version__ in done.stdout.decode(), tool
    try:
        pteedit.open(os.path.join(data, "manifest.json"))
    except pteedit.Error as error:
        assert error.code == "unsupported", error
    else:
        raise AssertionError("a file of another kind was opened")


if __name__ == "__main__":
    main()
