"""Deltas of real releases: that dd and zstd alone apply them, and that killing the tool at any time does no harm."""

import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from checks import DATA, ROOT, can_validate, expect, given, output_of, run, schema_problems

SCRIPT = ROOT / "docs/examples/apply_delta.sh"
KILLS = 40
KILLED_BYTES = 24 << 20
NOT_CONTENTS = 256 << 10  # a manifest, checksums, the report, what a piece has before the place where a file was cut
# From, to: retrained, with a layer more, for another input, quantized, exported otherwise.
PAIRS = [
    ("diff/mlp.pte", "diff/mlp_tuned.pte"),
    ("diff/mlp.pte", "diff/mlp_front.pte"),
    ("diff/mlp_xnn.pte", "diff/mlp_xnn_tuned.pte"),
    ("diff/mlp_xnn.pte", "diff/mlp_xnn_shape.pte"),
    ("diff/mlp_xnn.pte", "diff/mlp_xnn_q8.pte"),
    ("old/0.6.0_xnn.pte", "old/1.0.1_xnn.pte"),
    ("f07/gpt_basic.pte", "f07/gpt_xnn.pte"),
    ("f07/gpt_xnn.pte", "f07/gpt_xnn_q8.pte"),
]


def make_release(folder, variants):
    """Writes a release without ptepack. variants: {name: [program, data file...]}, as bytes."""
    folder.mkdir()
    files, rows = {}, []
    for name, contents in variants.items():
        names = []
        for i, content in enumerate(contents):
            role, suffix = ("shared", "ptd") if i else ("program", "pte")
            sha256 = hashlib.sha256(content).hexdigest()
            names.append(f"{role}-{sha256[:12]}.{suffix}")
            (folder / names[-1]).write_bytes(content)
            files[names[-1]] = {"file": names[-1], "role": role, "bytes": len(content), "sha256": sha256}
        sizes = [files[file]["bytes"] for file in names]
        rows.append({"name": name, "labels": {}, "files": names, "download_bytes": sum(sizes), "installed_bytes": sum(sizes),
                     "largest_file_bytes": max(sizes), "min_runtime": "1.0", "data_files": len(contents) - 1})
    manifest = {"schema_version": "1.0", "release": "", "files": [files[name] for name in sorted(files)], "variants": rows, "bases": []}
    manifest["release"] = hashlib.sha256(json.dumps(manifest).encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def contents_of(folder):
    """Without the list of checksums, which is that of a manifest as ptepack writes it."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "SHA256SUMS"}


def bytes_of(folder):
    return sum(path.stat().st_size for path in folder.iterdir())


def bytes_written_by(process):
    """Of one that nobody has waited for."""
    return int(re.search(r"^wchar: (\d+)$", pathlib.Path(f"/proc/{process.pid}/io").read_text(), re.MULTILINE)[1])


class Deltas(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pteedit-delta-"))
        self.addCleanup(shutil.rmtree, folder)
        self.old, self.new, self.delta, self.made = (folder / name for name in ("old", "new", "delta", "made"))

    def releases(self, old, new):
        make_release(self.old, old)
        make_release(self.new, new)

    def create(self):
        return json.loads(output_of("ptepack", "delta", self.old, self.new, "-o", self.delta, "--json"))

    def apply(self):
        return run("ptepack", "apply", self.delta, "--from", self.old, "-o", self.made)

    def start_apply(self):
        command = [given.tools / "ptepack", "apply", self.delta, "--from", self.old, "-o", self.made, "--json"]
        return subprocess.Popen(command, stdout=subprocess.PIPE)

    def apply_counting(self):
        """The report, and how many bytes the process wrote."""
        with self.start_apply() as process:
            report = process.stdout.read()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            written = bytes_written_by(process)
        self.assertEqual(process.returncode, 0)
        return json.loads(report), written

    def kill_apply_after(self, written):
        """Whether it had not ended before: it is killed once it wrote that many bytes."""
        with self.start_apply() as process:
            while process.poll() is None and bytes_written_by(process) < written:
                pass
            process.kill()
        return process.returncode != 0

    def expect_made(self):
        self.assertEqual(contents_of(self.made), contents_of(self.new))

    def test_real_pairs_are_made_again_by_the_tool_and_by_the_script(self):
        for old, new in PAIRS:
            with self.subTest(old=old, new=new):
                self.releases({"a": [(DATA / old).read_bytes()]}, {"a": [(DATA / new).read_bytes()]})
                report = self.create()
                self.assertEqual(report["delta_bytes"], bytes_of(self.delta))
                self.assertEqual(self.apply().returncode, 0)
                self.expect_made()
                shutil.rmtree(self.made)
                subprocess.run([SCRIPT, self.delta, self.old, self.made], check=True)
                self.expect_made()
                for folder in (self.old, self.new, self.delta, self.made):
                    shutil.rmtree(folder)

    def test_real_releases_are_made_again_with_their_checksums(self):
        create = ["ptepack", "create", "--quiet", "-o"]
        family = [f"{name}={DATA}/f08/b_xnn_{name}.pte" for name in ("base", "v0", "v1")]
        output_of(*create, self.old, *family[:2])
        output_of(*create, self.new, *family, "--include", f"tokenizer:{DATA}/manifest.json")
        self.create()
        self.assertEqual(self.apply().returncode, 0)
        subprocess.run([SCRIPT, self.delta, self.old, self.made.with_name("by_hand")], check=True)
        for folder in (self.made, self.made.with_name("by_hand")):
            self.assertEqual(subprocess.run(["diff", "-r", self.new, folder]).returncode, 0)
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.delta, check=True)
        for folder in (self.delta, self.made):
            self.assertEqual(run("ptepack", "verify", folder).returncode, 0)
        if can_validate():
            for folder in (self.delta, self.made):
                manifest = json.loads((folder / "manifest.json").read_text())
                self.assertEqual(list(schema_problems("manifest", manifest)), [])

    def test_reports_are_as_their_schema_says(self):
        self.releases({"a": [b"old", b"same"]}, {"a": [b"new", b"same"]})
        dry = output_of("ptepack", "delta", self.old, self.new, "-o", self.delta, "--json", "--dry-run")
        self.assertFalse(self.delta.exists())
        reports = [json.loads(dry), self.create()]
        self.assertEqual(dict(reports[0], dry_run=False), reports[1])
        for words in (["--dry-run"], []):
            reports.append(json.loads(output_of("ptepack", "apply", self.delta, "--from", self.old, "-o", self.made, "--json", *words)))
            self.assertEqual(self.made.exists(), not words)
        if can_validate():
            for report in reports:
                self.assertEqual(list(schema_problems("delta", report)), [])

    def test_the_script_takes_every_kind_of_operation(self):
        noise = random.Random(1).randbytes(700_000)
        text = b"".join(b"line %d\n" % i for i in range(100_000))
        changed = bytearray(noise)
        for i in range(0, 300_000, 1000):
            changed[i] ^= 1
        unlike = random.Random(2).randbytes(400_000)
        self.releases({"a": [b"old", noise]}, {"a": [b"new", bytes(changed) + unlike + text], "b": [text[:100], noise]})
        self.create()
        manifest = json.loads((self.delta / "manifest.json").read_text())
        kinds = {tuple(sorted(op)) for file in manifest["delta"]["files"] for op in file["ops"]}
        self.assertEqual(kinds, {("copy",), ("take",), ("take", "unpacked_bytes"), ("dictionary", "take", "unpacked_bytes")})
        subprocess.run([SCRIPT, self.delta, self.old, self.made], check=True)
        self.expect_made()
        self.assertEqual(self.apply().returncode, 0)

    def test_the_script_refuses_another_release(self):
        self.releases({"a": [b"old"]}, {"a": [b"new"]})
        self.create()
        done = subprocess.run([SCRIPT, self.delta, self.new, self.made], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "the delta is not for this release\n"))

    def test_a_manifest_with_other_numbers_gives_the_release_or_one_line_and_nothing(self):
        chance = random.Random(4)
        noise = chance.randbytes(300_000)
        self.releases({"a": [noise, b"shared" * 100]}, {"a": [noise[:200_000] + bytes(5000) + noise[200_500:], b"other" * 900]})
        self.create()
        old, manifest = contents_of(self.old), self.delta / "manifest.json"
        text = manifest.read_text()
        numbers = [place.span() for place in re.finditer(r"(?<=[ \[])\d+(?=[,\]}])", text)]
        for begin, end in numbers:
            for number in (0, int(text[begin:end]) + 1, chance.randrange(400_000), (1 << 64) - 1, 1 << 64):
                manifest.write_text(text[:begin] + str(number) + text[end:])
                done = self.apply()
                if done.returncode == 0:
                    self.expect_made()
                    shutil.rmtree(self.made)
                self.assertIn((done.returncode, done.stderr.count(b"\n")), [(0, 0), (2, 1), (3, 1)], done.stderr)
                self.assertFalse(self.made.exists(), done.stderr)
        self.assertEqual(contents_of(self.old), old)

    def test_killed_at_any_time_the_old_release_is_whole_and_the_next_try_ends(self):
        chance = random.Random(3)
        parts = [chance.randbytes(KILLED_BYTES // 8) for _ in range(8)]
        self.releases({"a": [b"old", *parts[:6]]}, {"a": [b"new", *parts[:4], parts[4] + parts[5], parts[6] + parts[7] + parts[4]]})
        self.create()
        old = contents_of(self.old)
        _, most = self.apply_counting()
        stopped = resumed = 0
        for _ in range(KILLS):
            shutil.rmtree(self.made, ignore_errors=True)
            if self.kill_apply_after(chance.randrange(most)):
                stopped += 1
                self.assertFalse((self.made / "manifest.json").exists() and contents_of(self.made) != contents_of(self.new))
            there = set(contents_of(self.made)) if self.made.exists() else set()
            self.assertEqual(contents_of(self.old), old)
            begun = self.begun_bytes()
            report, written = self.apply_counting()
            kept = {file["file"] for file in report["files"] if file["how"] == "kept"}
            self.assertEqual(kept, {name for name in there if not name.startswith(".")} - {"manifest.json"})
            made = sum(file["bytes"] for file in report["files"] if file["how"] == "made")
            self.assertLess(written, min(most, made - begun) + NOT_CONTENTS)
            resumed += begun > NOT_CONTENTS
            self.expect_made()
        expect(stopped > KILLS // 4, "killed only", stopped, "times")
        expect(resumed > KILLS // 8, "went on inside a file only", resumed, "times")

    def begun_bytes(self):
        """Of the file that was being made, as far as it is right."""
        for partial in self.made.glob(".*.partial") if self.made.exists() else ():
            content, right = partial.read_bytes(), (self.new / partial.name[1 : -len(".partial")]).read_bytes()
            return next((i for i in range(0, len(right), 4096) if content[i : i + 4096] != right[i : i + 4096]), len(right))
        return 0
