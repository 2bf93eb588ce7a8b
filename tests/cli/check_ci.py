"""Checks what others run in their CI: scripts/diff_models.py on a repository that is made here, the steps of action.yml, the hook."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from checks import DATA, ROOT, given

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"
BASE, GROWN = DATA / "f08/b_xnn_base.pte", DATA / "f08/b_xnn_v0.pte"
FAKE_GH = '#!/bin/sh\nprintf "%s\\n" "$*" >>"$RUNNER_TEMP/calls"\ncase $* in *--edit-last*) exit 1 ;; esac\n'


class Ci(unittest.TestCase):
    def setUp(self):
        if not shutil.which("git"):
            self.skipTest("there is no git")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.folder = self.scratch / "repository"
        self.folder.mkdir()
        self.environment = dict(os.environ, PATH=f"{given.tools}:{os.environ['PATH']}", GIT_CONFIG_GLOBAL="/dev/null", LC_ALL="C",
                                **{f"GIT_{who}_{what}": "ci@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")})
        self.git("init", "-q", "-b", "main")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.folder, env=self.environment, check=True, capture_output=True, text=True).stdout

    def commit(self, **contents):
        """Files by their names with _ for a dot; None removes one."""
        for name, content in contents.items():
            self.write(re.sub("_(?=[a-z]+$)", ".", name), content)
        return self.commit_all()

    def write(self, name, content):
        path = self.folder / name
        if content is None:
            path.unlink()
        elif isinstance(content, pathlib.Path):
            shutil.copyfile(content, path)
        else:
            path.write_text(content)

    def commit_all(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a commit")
        return self.git("rev-parse", "HEAD").strip()

    def diff(self, *words):
        done = subprocess.run([ROOT / "scripts/diff_models.py", *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_changed_new_and_removed_models_are_told(self):
        base = self.commit(model_pte=BASE, gone_pte=BASE, same_pte=BASE, notes_txt="old")
        self.commit(model_pte=GROWN, gone_pte=None, new_pte=GROWN, notes_txt="new")
        code, text, errors = self.diff(base, "HEAD")
        self.assertEqual((code, errors), (0, ""))
        self.assertTrue(text.startswith("### Models that changed\n\n"))
        for line in (r"\*\*`gone.pte`\*\* is removed: \d+ bytes", r"\*\*`new.pte`\*\* is new: \d+ bytes",
                     r"\*\*`model.pte`\*\* has changed: before/model.pte to after/model.pte: .* KB to .* KB"):
            self.assertRegex(text, line)
        self.assertNotIn("same.pte", text)
        self.assertNotIn("notes", text)
        self.assertEqual(text.count("<details>"), text.count("</details>"))
        self.assertEqual(text.count("<details>"), 2)

    def test_nothing_is_said_where_no_model_changed(self):
        base = self.commit(model_pte=BASE)
        self.commit(notes_txt="new")
        self.assertEqual(self.diff(base, "HEAD", "--max-growth", "0", "--max-size", "1"), (0, "", ""))

    def test_limits_fail_and_say_so(self):
        base = self.commit(model_pte=BASE)
        self.commit(model_pte=GROWN, new_pte=GROWN)
        code, text, _ = self.diff(base, "HEAD", "--max-growth", "1")
        self.assertEqual(code, 1)
        self.assertRegex(text, r"fails: \d+ bytes more, at most 1 allowed")
        self.assertEqual(self.diff(base, "HEAD", "--max-growth", "1GB", "--max-size", "1GB")[0], 0)
        code, text, _ = self.diff(base, "HEAD", "--max-size", "100")
        self.assertEqual(code, 1)
        self.assertEqual(len(re.findall(r"fails: \d+ bytes, at most 100 allowed", text)), 2)

    def test_what_others_did_since_does_not_count(self):
        self.commit(model_pte=BASE)
        self.git("checkout", "-q", "-b", "mine")
        self.commit(mine_pte=BASE)
        self.git("checkout", "-q", "main")
        self.commit(model_pte=GROWN)
        _, text, _ = self.diff("main", "mine")
        self.assertIn("mine.pte", text)
        self.assertNotIn("model.pte", text)

    def test_pointers_of_git_lfs_are_one_line(self):
        base = self.commit(model_pte=POINTER.format("0" * 64, 1000))
        self.commit(model_pte=POINTER.format("1" * 64, 2000), new_pte=POINTER.format("2" * 64, 5))
        self.assertEqual(self.diff(base, "HEAD", "--max-size", "1"),
                         (0, "### Models that changed\n\n"
                             "**`model.pte`** is not compared: 1000 bytes in Git LFS to 2000 bytes in Git LFS\n\n"
                             "**`new.pte`** is not compared: 5 bytes in Git LFS\n\n", ""))

    def test_odd_names_and_damaged_models_are_told(self):
        odd = ("a,b.pte", "two words.pte", "-n.pte", "`<b>.pte")
        for name in odd:
            self.write(name, BASE)
        base = self.commit_all()
        for name in odd:
            self.write(name, GROWN)
        self.write("broken.pte", "no model")
        self.commit_all()
        code, text, errors = self.diff(base, "HEAD")
        self.assertEqual((code, errors), (3, ""))
        self.assertEqual(text.count("KB to"), len(odd))
        self.assertIn("**`??b?.pte`** has changed", text)
        self.assertIn("pteinspect: error: after/broken.pte: ", text)

    def test_a_comment_is_not_longer_than_allowed(self):
        for i in range(40):
            self.write(f"model{i}.pte", BASE)
        base = self.commit_all()
        for i in range(40):
            self.write(f"model{i}.pte", GROWN)
        self.commit_all()
        text = self.diff(base, "HEAD")[1]
        self.assertLess(len(text), 65536)
        self.assertEqual(text.count("has changed"), 40)
        self.assertIn("do not fit into a comment", text)

    def steps(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("there is no module yaml")
        return {step["name"]: step["run"] for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]}

    def run_step(self, script, **variables):
        """As GitHub runs one with `shell: sh`."""
        place = self.scratch / "step.sh"
        place.write_text(script)
        (self.scratch / "gh").write_text(FAKE_GH)
        (self.scratch / "gh").chmod(0o755)
        environment = dict(self.environment, PATH=f"{self.scratch}:{self.environment['PATH']}", GITHUB_ACTION_PATH=str(ROOT),
                           RUNNER_TEMP=str(self.scratch), GITHUB_STEP_SUMMARY=str(self.scratch / "summary"), **variables)
        return subprocess.run(["sh", "-e", place], cwd=self.folder, env=environment, capture_output=True, text=True)

    def test_the_action_comments_and_fails_over_a_limit(self):
        steps = self.steps()
        base = self.commit(model_pte=BASE)
        self.commit(model_pte=GROWN)
        self.assertEqual(self.run_step(steps["Build pteinspect"]).returncode, 0)  # it is there already
        done = self.run_step(steps["Compare"], BASE=base, MAX_GROWTH="1", MAX_SIZE="", PULL_REQUEST="7", GH_TOKEN="token")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("has changed", (self.scratch / "summary").read_text())
        calls = (self.scratch / "calls").read_text().splitlines()
        comment = f"pr comment 7 --body-file {self.scratch}/models.md"
        self.assertEqual(calls, [comment + " --edit-last", comment])
        done = self.run_step(steps["Compare"], BASE=base, MAX_GROWTH="", MAX_SIZE="", PULL_REQUEST="", GH_TOKEN="")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len((self.scratch / "calls").read_text().splitlines()), 2)

    def test_the_hook_passes_good_models_and_fails_bad_ones(self):
        entry = re.search(r"^  entry: (.*)$", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)[1]
        files = re.search(r"^  files: (.*)$", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)[1]
        self.write("bad.pte", "no model")
        self.assertTrue(re.search(files, "models/bad.pte") and not re.search(files, "notes.pte.txt"))
        for names, code in (([BASE, GROWN], 0), ([BASE, "bad.pte"], 1)):
            done = subprocess.run([*shlex.split(entry), *names], cwd=self.folder, env=self.environment, capture_output=True)
            self.assertEqual(done.returncode, code, done.stderr)
