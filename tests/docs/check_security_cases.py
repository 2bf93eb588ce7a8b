"""Holds docs/security-cases.md: each row's file is made, --verify has the finding that it names, and --runtime says for the release
before the mend and for that of the mend what the row says. Programs of which the files are made are without these findings."""

import json
import re
import sys
import tempfile

from checks import ROOT, expect, expect_none, run

sys.path.append(str(ROOT / "tests/conformance"))

import index  # noqa: E402

ROW = re.compile(r"^\| (.+?) \| (.+?) \| `([a-z-]+)` \| (\S+) \| `(\w+)` \|$", re.MULTILINE)
MENDED = re.compile(r'\{"([a-z0-9-]+)", (?:kWraps|"[^"]*"), \{(\d), (\d)\}, ')
RELEASES = ["0.6", "0.7", "1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]
SOUND = ["linear", "xnnpack", "bundled", "cond", "map"]


def findings_of(path, *words):
    answer = json.loads(run("pteinspect", "--verify", "--json", *words, path).stdout)
    return [finding for one in answer for finding in one["findings"]]


def messages(path, name, *words):
    return [finding["message"] for finding in findings_of(path, *words) if finding["id"] == name]


def check_row(path, finding, mended, told):
    found = messages(path, finding)
    expect(found, told, f"has no {finding}, but {[one['id'] for one in findings_of(path)]}")
    for release in RELEASES:
        behaviour = [message.rpartition("; executorch-")[2] for message in messages(path, finding, "--runtime", release)
                     if "; executorch-" in message]
        if mended not in RELEASES:
            continue
        expect(behaviour and all(one.endswith(f"mended in {mended}") for one in behaviour), told, release, behaviour)
        expect(all(one.startswith(release + " ") for one in behaviour), told, release, behaviour)
    if mended in RELEASES:
        before, since = (messages(path, finding, "--runtime", one) for one in (RELEASES[RELEASES.index(mended) - 1], mended))
        expect([one.rpartition(";")[2].split(" ", 2)[2] for one in before] != [one.rpartition(";")[2].split(" ", 2)[2] for one in since],
               told, "the same before and since")


def check_findings_page():
    """What --runtime knows of releases, docs/findings.md tells."""
    page = (ROOT / "docs/findings.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", page, re.MULTILINE))
    mended = MENDED.findall((ROOT / "libpteedit/src/verify/mended.cc").read_text(encoding="utf-8"))
    expect(len(mended) >= 25, "hardly any release was found", len(mended))
    expect_none((f"docs/findings.md does not say of {name} what it was before {major}.{minor}" for name, major, minor in mended
                 if f"before {major}.{minor}" not in rows[name]))


def check():
    check_findings_page()
    rows = ROW.findall((ROOT / "docs/security-cases.md").read_text(encoding="utf-8"))
    expect(len(rows) >= 30, "hardly any row was found", len(rows))
    with tempfile.TemporaryDirectory(prefix="cases-") as folder:
        paths = {case["case"]: index.write_files(case, folder)[0] for case in index.all_cases()}
        found_in_sound = {name: {one["id"] for one in findings_of(paths[f"good/{name}"])} for name in SOUND}
        expect(not any(found_in_sound.values()), "programs that should be sound", found_in_sound)
        for fault, _, finding, mended, name in rows:
            expect(f"damaged/{name}" in paths, fault, "is no case of the corpus", name)
            if f"damaged/{name}" in paths:
                check_row(paths[f"damaged/{name}"], finding, mended, f"{fault}: {name}")
        refused = run("pteinspect", "--verify", "--runtime", "9.9", paths["good/linear"])
    expect(refused.returncode == 2 and refused.stderr.count(b"\n") == 1, "--runtime takes a release that is not", refused.stderr)
