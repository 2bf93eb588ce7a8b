"""The C door: its reports are those of the tools, and whatever it is given, an old release stays whole."""

import ctypes
import itertools
import json
import os
import pathlib
import shutil
import signal
import tempfile
import time
import unittest

import door
from checks import DATA, expect, given, model_sets, output_of, run
from killing import RandomKills

FAMILY = {"base": "f08/b_xnn_base.pte", "v0": "f08/b_xnn_v0.pte"}
CANCELS = 200
KILLS = 60


def add_arguments(parser):
    parser.add_argument("library")


def setUpModule():
    global pteedit
    pteedit = door.Door(given.library)


def make_release(folder, name, family):
    """With ptemerge and ptepack."""
    sets = [f"{variant}={DATA / path}" for variant, path in family.items()]
    output_of("ptemerge", *sets, "-o", folder / f"{name}-family", "--variant-data", "ptd", "--quiet")
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text("{}")
    output_of("ptepack", "create", folder / f"{name}-family", "-o", folder / name, "--include", f"tokenizer:{tokenizer}",
              "--label", "v0=region:eu", "--quiet")


def cut(path, size):
    with open(path, "r+b") as file:
        file.truncate(size)


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="pteedit-c-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def fails(self, status, call, *arguments, **options):
        with self.assertRaises(door.Door.Failed) as raised:
            call(*arguments, **options)
        self.assertEqual(raised.exception.status, status, raised.exception.line)
        return raised.exception


class Nothing(unittest.TestCase):
    def test_null_is_an_error_wherever_it_may_not_be(self):
        """Every function with every choice of NULL and something, the something being valid memory of zeros."""
        for name, (returns, types) in door.declarations().items():
            if name in ("pteedit_free", "pteedit_close", "pteedit_release_close", "pteedit_update_close"):
                getattr(pteedit.library, name)(None)
                continue
            pointers = [kind for kind in types if kind.endswith("*")]
            for chosen in itertools.product((None, b""), repeat=pointers.count("const char *")):
                words, arguments = iter(chosen), []
                for kind in types:
                    if kind == "const char *":
                        arguments.append(next(words))
                    elif kind == "pteedit_progress":
                        arguments.append(door.Progress())
                    else:
                        arguments.append(0 if kind == "size_t" else None)
                answer = getattr(pteedit.library, name)(*arguments)
                if returns == "pteedit_status":
                    self.assertEqual(answer, door.INVALID_ARGUMENT, name)
                    self.assertRegex(pteedit.last_error(), rb"^'\w+' is NULL$")
                elif pointers:
                    self.assertIn(answer, (0, None), name)

    def test_a_pointer_that_leads_to_a_handle_is_null_after_an_error(self):
        for call in (lambda out: pteedit.library.pteedit_open(b"/nowhere", None, 0, out),
                     lambda out: pteedit.release_open(b"/nowhere", out),
                     lambda out: pteedit.update_plan(b"/nowhere", None, b"/nowhere", None, out)):
            out = ctypes.c_void_p(1)
            self.assertEqual(call(ctypes.addressof(out)), door.IO)
            self.assertIsNone(out.value)
            self.assertTrue(pteedit.last_error_file().startswith(b"/nowhere"))

    def test_version_is_that_of_the_tools(self):
        self.assertIn(pteedit.version().decode(), output_of("pteinspect", "--version").decode())


class Reports(WithFolder):
    def report(self, name, path, data=()):
        file = pteedit.open(path, data)
        try:
            return json.loads(pteedit.text(name, file))
        finally:
            pteedit.close(file)

    def test_members_are_those_of_pteinspect(self):
        for name, (program, *data) in model_sets():
            words = [word for path in data for word in ("--data", path)]
            tool = json.loads(run("pteinspect", "--json", "--verify", "--requirements", program, *words).stdout)
            for member, count in (("sizes", len(tool)), ("requirements", 1), ("findings", len(tool))):
                function = {"findings": "verify"}.get(member, member)
                ours = self.report(function, program, data)
                common = ["schema_version", "file", member] + (["kind", "bytes"] if member != "findings" else [])
                self.assertEqual(ours, [{key: one[key] for key in one if key in common} for one in tool[:count]], name)

    def test_what_is_damaged_is_a_finding_and_has_no_sizes(self):
        damaged = self.folder / "damaged.pte"
        whole = (DATA / "f02_linear.pte").read_bytes()
        for size in [0, 1, 7, 8, 50, *range(100, len(whole), len(whole) // 50)]:
            damaged.write_bytes(whole[:size])
            found = self.report("verify", damaged)
            self.assertTrue(found[0]["findings"], size)
            for name in ("sizes", "requirements"):
                error = self.failure(name, damaged)
                self.assertIn(error, (door.MALFORMED, door.UNSUPPORTED, None), size)

    def failure(self, name, path):
        try:
            self.report(name, path)
        except door.Door.Failed as failed:
            return failed.status
        return None

    def test_file_that_is_not_there_is_named(self):
        failed = self.fails(door.IO, pteedit.open, self.folder / "no.pte")
        self.assertEqual(failed.file, str(self.folder / "no.pte"))
        self.assertTrue(failed.line.startswith(failed.file + ": "))


class Releases(WithFolder):
    def setUp(self):
        super().setUp()
        make_release(self.folder, "v1", FAMILY)

    def test_variants_and_files_are_those_of_the_manifest(self):
        manifest = json.loads((self.folder / "v1/manifest.json").read_text())
        release = pteedit.give("release_open", str(self.folder / "v1").encode())
        self.assertEqual(pteedit.release_id(release).decode(), manifest["release"])
        self.assertEqual(pteedit.release_variant_count(release), len(manifest["variants"]))
        for i, expected in enumerate(manifest["variants"]):
            variant = pteedit.give("release_variant", release, i, kind=door.Variant)
            self.assertEqual(variant.name.decode(), expected["name"])
            self.assertEqual(variant.min_runtime.decode(), expected["min_runtime"])
            for member in ("data_files", "download_bytes", "installed_bytes", "largest_file_bytes"):
                self.assertEqual(getattr(variant, member), expected[member])
            for label, value in expected["labels"].items():
                self.assertEqual(pteedit.release_label(release, variant.name, label.encode()).decode(), value)
            self.assertIsNone(pteedit.release_label(release, variant.name, b"no"))
            files = [pteedit.give("release_file_of", release, variant.name, j, kind=door.File) for j in range(variant.files)]
            self.assertEqual([file.file.decode() for file in files], expected["files"])
            rows = {row["file"]: row for row in manifest["files"]}
            for file in files:
                row = rows[file.file.decode()]
                self.assertEqual((file.role.decode(), file.name.decode(), file.bytes, file.sha256.decode()),
                                 (row["role"], row.get("name", ""), row["bytes"], row["sha256"]))
            self.fails(door.INVALID_ARGUMENT, pteedit.give, "release_file_of", release, variant.name, variant.files, kind=door.File)
        self.fails(door.INVALID_ARGUMENT, pteedit.give, "release_variant", release, 2, kind=door.Variant)
        self.assertIsNone(pteedit.release_label(release, b"no", b"backend"))
        self.fails(door.INVALID_ARGUMENT, pteedit.give, "release_file_of", release, b"no", 0, kind=door.File)
        pteedit.release_close(release)

    def test_verification_is_that_of_ptepack(self):
        shared = next((self.folder / "v1").glob("shared-*"))
        for damage in (False, True):
            if damage:
                cut(shared, 50_000)
            release = pteedit.give("release_open", str(self.folder / "v1").encode())
            ours = json.loads(pteedit.text("release_verify", release))
            pteedit.release_close(release)
            tool = json.loads(run("ptepack", "verify", self.folder / "v1", "--json").stdout)
            self.assertEqual(ours, tool)

    def test_check_names_the_file_that_changed(self):
        pteedit.check_release(self.folder / "v1")
        variant = next((self.folder / "v1").glob("variant-*"))
        variant.write_bytes(bytes(variant.stat().st_size))
        self.assertEqual(self.fails(door.MALFORMED, pteedit.check_release, self.folder / "v1").file, str(variant))
        pteedit.check_release(self.folder / "v1", "base")
        variant.unlink()
        self.assertEqual(self.fails(door.IO, pteedit.check_release, self.folder / "v1", "v0").file, str(variant))

    def test_check_can_be_cancelled_and_tells_how_far_it_is(self):
        calls = []
        pteedit.check_release(self.folder / "v1", None, lambda context, done, total: calls.append((done, total)) or 0)
        self.assertEqual(calls[-1][0], calls[-1][1])
        self.assertEqual(calls[-1][1], sum(path.stat().st_size for path in (self.folder / "v1").glob("*-*")))
        self.fails(door.CANCELLED, pteedit.check_release, self.folder / "v1", None, lambda *_: 1)

    def test_cut_manifest_is_an_error_and_no_crash(self):
        path = self.folder / "v1/manifest.json"
        text = path.read_bytes()
        for size in range(0, len(text) - 2, 7):
            path.write_bytes(text[:size])
            for call in (lambda: pteedit.check_release(self.folder / "v1"),
                         lambda: pteedit.plan(self.folder / "v1", None, self.folder / "app", None)):
                with self.assertRaises(door.Door.Failed) as raised:
                    call()
                self.assertIn(raised.exception.status, (door.MALFORMED, door.UNSUPPORTED))
        self.assertFalse((self.folder / "app").exists())


class Updates(WithFolder):
    """A device with the variant v0 of a release, and a server with the next one."""

    def setUp(self):
        super().setUp()
        make_release(self.folder, "v1", FAMILY)
        make_release(self.folder, "v2", {**FAMILY, "v0": "f08/b_xnn_v1.pte"})
        output_of("ptepack", "delta", self.folder / "v1", self.folder / "v2", "-o", self.folder / "v1-v2", "--quiet")
        self.device = self.folder / "device"
        for name in ("next", "changes"):
            (self.device / name).mkdir(parents=True)
        self.app = self.device / "app"
        self.begin("v1")
        self.update("v1")
        self.old = self.contents()

    def begin(self, release):
        shutil.rmtree(self.device / "next")
        (self.device / "next").mkdir()
        shutil.copy(self.folder / release / "manifest.json", self.device / "next")
        if release == "v2":
            shutil.copy(self.folder / "v1-v2/manifest.json", self.device / "changes")

    def plan(self, release="v2"):
        return pteedit.plan(self.device / "next", self.device / "changes" if release == "v2" else None, self.app, "v0")

    def fetch(self, release, update, limit=1 << 40):
        for fetch in pteedit.fetches(update):
            name = fetch.file.decode()
            source = self.folder / ("v1-v2" if fetch.of_delta else release) / name
            with open(self.device / ("changes" if fetch.of_delta else "next") / name, "ab" if fetch.offset else "wb") as file:
                file.write(source.read_bytes()[fetch.offset:fetch.offset + min(limit, fetch.bytes)])

    def update(self, release, **options):
        update = self.plan(release)
        self.fetch(release, update)
        try:
            pteedit.apply(update, **options)
        finally:
            pteedit.update_close(update)

    def contents(self):
        return {path.name: path.read_bytes() for path in self.app.iterdir()}

    def expect_new(self):
        expected = json.loads((self.folder / "v2/manifest.json").read_text())
        self.assertEqual((self.app / "manifest.json").read_bytes(), (self.folder / "v2/manifest.json").read_bytes())
        for name in next(one for one in expected["variants"] if one["name"] == "v0")["files"]:
            self.assertEqual((self.app / name).read_bytes(), (self.folder / "v2" / name).read_bytes(), name)
        pteedit.check_release(self.app, "v0")

    def test_delta_is_fetched_where_it_is_less_and_gives_the_release(self):
        self.begin("v2")
        update = self.plan()
        self.assertEqual(pteedit.update_from(update).decode(), json.loads(self.old["manifest.json"])["release"])
        self.assertTrue(any(fetch.of_delta for fetch in pteedit.fetches(update)))
        self.assertLess(pteedit.update_fetch_bytes(update), 5000)  # of 15248
        self.assertEqual(pteedit.update_fetch_bytes(update), sum(fetch.bytes for fetch in pteedit.fetches(update)))
        self.fails(door.INVALID_ARGUMENT, pteedit.give, "update_fetch_of", update, 99, kind=door.Fetch)
        self.fails(door.INVALID_ARGUMENT, pteedit.apply, update)
        self.assertEqual(self.contents(), self.old)
        pteedit.update_close(update)
        self.update("v2")
        self.expect_new()

    def test_cut_download_goes_on(self):
        self.begin("v2")
        (self.device / "changes/manifest.json").unlink()
        shutil.copy(self.folder / "v1-v2/manifest.json", self.device / "changes")
        for _ in range(100):
            update = self.plan()
            left = pteedit.update_fetch_bytes(update)
            if not left:
                break
            self.fetch("v2", update, 50)
            pteedit.update_close(update)
        self.assertEqual(left, 0)
        pteedit.apply(update)
        pteedit.update_close(update)
        self.expect_new()

    def test_old_release_is_whole_wherever_it_is_cancelled(self):
        self.begin("v2")
        update = self.plan()
        self.fetch("v2", update)
        for last in range(CANCELS):
            calls = itertools.count()
            try:
                pteedit.apply(update, progress=lambda *_: int(next(calls) == last))
                break
            except door.Door.Failed as failed:
                self.assertEqual(failed.status, door.CANCELLED)
            self.assertEqual((self.app / "manifest.json").read_bytes(), self.old["manifest.json"])
            pteedit.check_release(self.app, "v0")
        self.assertGreater(last, 3)
        pteedit.update_close(update)
        self.expect_new()

    def start_apply(self, update, progress=None):
        """A process that applies it, and ends with 0."""
        child = os.fork()
        if child == 0:
            try:
                pteedit.apply(update, progress=progress)
            finally:
                os._exit(0)
        return child

    def end_of_apply(self, update, progress=None):
        """The signal that ended it; 0 where it came to its end."""
        return os.waitpid(self.start_apply(update, progress), 0)[1]

    def expect_whole_and_go_on(self, update):
        """An old or a new release; the next try ends with the new one."""
        self.assertIn((self.app / "manifest.json").read_bytes(), (self.old["manifest.json"], (self.folder / "v2/manifest.json").read_bytes()))
        pteedit.check_release(self.app, "v0")
        pteedit.apply(update)
        self.expect_new()
        shutil.rmtree(self.app)
        self.app.mkdir()
        for name, content in self.old.items():
            (self.app / name).write_bytes(content)

    def test_killed_at_any_time_a_release_is_whole_and_the_next_try_ends(self):
        self.begin("v2")
        update = self.plan()
        self.fetch("v2", update)
        for last in range(CANCELS):
            calls = itertools.count()
            ended = self.end_of_apply(update, lambda *_: os.kill(os.getpid(), signal.SIGKILL) if next(calls) == last else 0)
            self.expect_whole_and_go_on(update)
            if not ended:
                break
        self.assertGreater(last, 3)
        start = time.monotonic()
        self.assertEqual(self.end_of_apply(update), 0)
        kills = RandomKills(5, time.monotonic() - start)
        self.expect_whole_and_go_on(update)
        for _ in range(KILLS):
            child = self.start_apply(update)
            kills.kill(child)
            os.waitpid(child, 0)
            self.expect_whole_and_go_on(update)
        expect(kills.killed > KILLS // 4, "killed only", kills.killed, "times")
        pteedit.update_close(update)

    def test_damaged_download_is_named_and_replaces_nothing(self):
        self.begin("v2")
        update = self.plan()
        self.fetch("v2", update)
        for fetch in pteedit.fetches(update):
            path = self.device / ("changes" if fetch.of_delta else "next") / fetch.file.decode()
            whole = path.read_bytes()
            for damaged in {whole[:-1] + bytes([whole[-1] ^ 1]), bytes([whole[0] ^ 1]) + whole[1:]}:
                path.write_bytes(damaged)
                self.assertEqual(self.fails(door.MALFORMED, pteedit.apply, update).file, str(path))
                self.assertEqual(self.contents(), self.old)
            path.write_bytes(whole)
        pteedit.apply(update)
        pteedit.update_close(update)
        self.expect_new()

    def test_another_folder_gets_the_new_release_beside_the_old_one(self):
        self.begin("v2")
        other = self.device / "other"
        self.update("v2", to=other)
        self.assertEqual(self.contents(), self.old)
        self.app = other
        self.expect_new()

    def test_folder_of_another_release_is_not_taken(self):
        self.begin("v2")
        other = self.device / "other"
        shutil.copytree(self.folder / "v1", other)
        self.fails(door.EXISTS, self.update, "v2", to=other)

    def test_damaged_old_file_is_named_and_fetched_again(self):
        self.begin("v2")
        shared = next(self.app.glob("shared-*"))
        shared.write_bytes(bytes(shared.stat().st_size))
        failed = self.fails(door.MALFORMED, self.update, "v2")
        self.assertEqual(failed.file, str(shared))
        shared.unlink()
        self.update("v2")
        self.expect_new()


class Exports(unittest.TestCase):
    def test_every_function_of_the_header_is_there(self):
        for name in door.declarations():
            self.assertTrue(hasattr(pteedit.library, name), name)
        expect(len(door.declarations()) > 20, "functions of the header were found")
