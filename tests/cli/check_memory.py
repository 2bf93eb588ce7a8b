"""Lists files with many small things (bench/growth.py makes them) and fails where that takes more memory than 64 MiB and twice the tables
of the file, whatever is printed."""

import pathlib
import sys
import tempfile

from check_blowups import measure
from checks import ROOT, expect

sys.path.insert(0, str(ROOT / "bench"))
import growth  # noqa: E402

COUNT = 40_000
MAKERS = {"constants": growth.make_constants, "keys": growth.make_keys, "values": growth.make_values, "delegates": growth.make_delegates}
VIEWS = ([], ["--json"], ["--verify"], ["-l"], ["-h"], ["--hash"], ["--named-data"], ["--json", "--hash"], ["--memory"], ["--requirements"])
GRAPHS = (["--graph"], ["--json", "--graph"], ["--html"])
MORE_VIEWS = {"constants": (["--retained"], ["--json", "--retained"], *GRAPHS), "keys": GRAPHS, "values": GRAPHS}
MOST_BYTES, MOST_OF_TABLES = 64 << 20, 2
PLACE_OF_SIZE = slice(16, 24)  # of the tables, in the extended header


def check():
    with tempfile.TemporaryDirectory() as folder:
        for what, make in MAKERS.items():
            out = pathlib.Path(folder) / what
            out.mkdir()
            growth.begin(make, out, [COUNT])
            path = out / f"{COUNT}.pte"
            with open(path, "rb") as file:
                tables = int.from_bytes(file.read(PLACE_OF_SIZE.stop)[PLACE_OF_SIZE], "little")
            most = MOST_BYTES + MOST_OF_TABLES * tables
            for view in (*VIEWS, *MORE_VIEWS.get(what, ())):
                page = [out / "page.html", "-f"] if view == ["--html"] else []
                with open(out / "stdout", "wb") as output:
                    code, _, memory, text = measure(["pteinspect", *view, *page, path], output)
                line = f"{COUNT} {what} {' '.join(view)}: {memory} bytes of memory, at most {most}"
                print(f"  {line}", flush=True)
                expect(code in (0, 1) and memory <= most, f"{line}, exit code {code} {text}")
