"""Holds pteinspect --target against what the real runtime of release 1.5 ran: it has what these programs need."""

import json

from checks import DATA, expect, run

RELEASE = "executorch-1.5"


def check():
    entries = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))["entries"]
    refused = {}
    for entry in entries:
        data = [word for name in entry["data"] for word in ("--data", DATA / name)]
        done = run("pteinspect", "--target", RELEASE, DATA / entry["pte"], *data, text=True)
        refused[entry["name"]] = done.returncode == 1
        expect(done.returncode in (0, 1), f"{entry['name']}: {done.stderr}")
        expect(not (entry["runnable"] and refused[entry["name"]]), f"{entry['name']} ran, but {done.stdout}")
    for name in ("old/0.1_inline", "f17_opaque"):
        expect(refused[name], f"{name} should lack something")
