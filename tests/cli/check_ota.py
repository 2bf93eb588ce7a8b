"""The life of a release as docs/ota.md tells it, from a real nginx: the lines of its block ```sh run one after the other, and what must
hold behind each is checked here. Then what a server may do wrong. Skipped where nginx, curl, jq, openssl or zstd is not there.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from checks import DATA, ROOT, expect, given, output_of, run
from nginx import Nginx, find

DOCUMENT = ROOT / "docs/ota.md"
EXAMPLES = ROOT / "docs/examples"
TOOLS = ("nginx", "curl", "jq", "openssl", "zstd")
BIG_BYTES = 4 << 20


class Life:
    """A family in two releases on a server, and phones."""

    def __init__(self, folder, server):
        self.folder, self.server = folder, server
        names = {"PATH": f"{EXAMPLES}:{given.tools}:{os.environ['PATH']}", "server": server.url, "LC_ALL": "C"}
        self.environment = dict(os.environ, **names)

    def sh(self, line, **options):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, text=True, **options)

    def do(self, line):
        done = self.sh(line)
        expect(done.returncode == 0, line, done.stderr)
        return done.stdout

    def prepare(self):
        """Two variants of a family, each a release of its own, twice, with a delta; signed."""
        (self.folder / "server").mkdir()
        (self.folder / "tokenizer.bin").write_bytes(os.urandom(BIG_BYTES))
        self.do("openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out public.pem")
        for release, changed in (("r1", "v1"), ("r2", "v2")):
            members = f"base={DATA}/f08/b_xnn_base.pte a={DATA}/f08/b_xnn_{changed}.pte b={DATA}/f08/b_xnn_v0.pte"
            self.do(f"ptemerge {members} -o family-{release} --variant-data ptd --quiet")
            for variant in ("a", "b"):
                files = [f"family-{release}/{variant}/b_xnn_{'v0' if variant == 'b' else changed}.pte", f"family-{release}/shared.ptd",
                         f"family-{release}/{variant}/b_xnn_{'v0' if variant == 'b' else changed}.ptd"]
                self.do(f"ptepack create {variant}={','.join(files)} -o server/{variant}-{release} --include tokenizer:tokenizer.bin --compress -q")
        self.do("ptepack delta server/a-r1 server/a-r2 -o server/a-r1-to-r2 --quiet")
        for folder in (self.folder / "server").iterdir():
            self.do(f"openssl pkeyutl -sign -rawin -inkey key.pem -in {folder}/SHA256SUMS -out {folder}/SHA256SUMS.sig")

    def release_of(self, folder):
        return json.loads((self.folder / folder / "manifest.json").read_text(encoding="utf-8"))["release"]

    def expect_at(self, phone, release):
        expect(self.release_of(phone) == self.release_of(f"server/{release}"), phone, "is not at", release)
        done = run("ptepack", "verify", self.folder / phone)
        expect(done.returncode == 0, phone, "is not whole", done.stdout)


def lines_of_document():
    """[(command, comment)] of the block."""
    [block] = re.findall(r"```sh\n(.*?)```\n", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    return [tuple(part.strip() for part in line.split("  # ")) for line in block.splitlines()]


def after_first_install(life):
    life.expect_at("phone/a", "a-r1")
    fetched = [path for _, _, path, _ in life.server.requests()]
    expect(any(path.endswith(".zst") for path in fetched), "no compressed file was fetched", fetched)
    expect(not any(".ptd" in path and not path.endswith(".zst") for path in fetched), "a file was fetched that is there compressed")


def after_second_variant(life):
    life.expect_at("phone/b", "b-r1")
    data = [path for _, _, path, _ in life.server.requests() if ".ptd" in path or "included-" in path]
    expect(len(data) == 1, "what a has was fetched again", data)
    one, other = (life.folder / "phone" / variant for variant in ("a", "b"))
    common = {path.name for path in one.iterdir()} & {path.name for path in other.iterdir()} - {"manifest.json", "SHA256SUMS"}
    expect(len(common) == 2 and all((one / name).samefile(other / name) for name in common), "what both have", common)


def after_upgrade(life):
    life.expect_at("phone/a", "a-r2")
    life.expect_at("phone/b", "b-r1")
    fetched = sum(size for _, _, _, size in life.server.requests())
    expect(fetched < 20000, "an upgrade by delta fetches", fetched, "bytes")


def after_rollback(life):
    life.expect_at("phone/a", "a-r1")
    fetched = [path for _, _, path, _ in life.server.requests()]
    expect(len(fetched) == 3, "going back fetches files", fetched)


def after_prune(life):
    life.expect_at("phone/a", "a-r1")
    life.expect_at("phone/b", "b-r1")
    named = {name for phone in ("a", "b") for name in os.listdir(life.folder / "phone" / phone)}
    expect(sum(name.startswith("program-") for name in named) == 2, "what no manifest names is left", named)


BEHIND = {
    "the first install": after_first_install,
    "another variant beside it": after_second_variant,
    "an upgrade by delta": after_upgrade,
    "back": after_rollback,
    "what no manifest names goes": after_prune,
}


def check_document(life):
    lines = lines_of_document()
    expect([comment for _, comment in lines] == list(BEHIND), "docs/ota.md has other steps", lines)
    for command, comment in lines:
        life.do(command)
        BEHIND[comment](life)


def check_cut(life):
    """A download is killed and goes on where it was cut, with a request for the rest."""
    words = "fetch_release.sh {}/b-r1 phone/cut public.pem"
    with subprocess.Popen(["bash", "-c", words.format("$server/slow")], cwd=life.folder, env=life.environment, start_new_session=True,
                          stderr=subprocess.DEVNULL) as process:
        part = life.folder / "phone/cut/.next"
        for _ in range(200):
            time.sleep(0.05)
            if any(file.stat().st_size > 1 << 20 for file in part.glob("included-*")):
                break
        os.killpg(process.pid, signal.SIGKILL)
    expect(not (life.folder / "phone/cut/manifest.json").exists(), "a cut download made a release")
    [begun] = [file.stat().st_size for file in part.glob("included-*")]
    life.server.requests()
    life.do(words.format("$server"))
    life.expect_at("phone/cut", "b-r1")
    rest = [(status, ranges, size) for status, ranges, path, size in life.server.requests() if "included-" in path]
    rest = [row for row in rest if row[1] != "-"]  # the one that was cut may be logged late
    expect(rest == [(206, f"bytes={begun}-", BIG_BYTES - begun)], "a cut download went on with", rest, "from", begun)


def check_stale_server(life):
    """It still has yesterday's file, under the name of today's or under its own."""
    served = life.folder / "server/a-r2"
    before = {path.name: path for path in (life.folder / "server/a-r1").glob("variant-*.zst")}
    [variant] = [path for path in served.glob("variant-*.zst") if path.name not in before]
    [old] = [path for name, path in before.items() if not (served / name).exists()]
    right = variant.read_bytes()
    for break_it, word in ((lambda: shutil.copy(old, variant), "is not what the release says"), (variant.unlink, "cannot be had")):
        break_it()
        done = life.sh("fetch_release.sh $server/a-r2 phone/a public.pem")
        expect(done.returncode == 1 and word in done.stderr, "a stale file", done)
        life.expect_at("phone/a", "a-r1")
        variant.write_bytes(right)


def check_other_signature(life):
    life.do("openssl genpkey -algorithm ed25519 -out other.pem && openssl pkey -in other.pem -pubout -out other_public.pem")
    done = life.sh("fetch_release.sh $server/a-r2 phone/a other_public.pem")
    expect(done.returncode == 1 and "is not signed with" in done.stderr, "another key", done)
    manifest = life.folder / "server/a-r2/manifest.json"
    before = manifest.read_text(encoding="utf-8")
    manifest.write_text(before.replace('"region"', '"regiom"') + " ", encoding="utf-8")
    done = life.sh("fetch_release.sh $server/a-r2 phone/a public.pem")
    expect(done.returncode == 1 and "another than was signed" in done.stderr, "a changed manifest", done)
    manifest.write_text(before, encoding="utf-8")
    life.expect_at("phone/a", "a-r1")


def check_minisign(life):
    if find("minisign") is None:
        return
    life.do("minisign -G -W -p release.pub -s release.key && minisign -S -W -s release.key -m server/a-r2/SHA256SUMS")
    life.do("fetch_release.sh $server/a-r2 phone/a release.pub")
    life.expect_at("phone/a", "a-r2")


def check():
    missing = [tool for tool in TOOLS if find(tool) is None]
    if missing:
        raise unittest.SkipTest(f"not there: {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="ota-") as name:
        os.chmod(name, 0o755)  # the worker of a server that root starts is somebody else
        folder = pathlib.Path(name)
        with Nginx(folder) as server:
            life = Life(folder, server)
            life.prepare()
            server.requests()
            check_document(life)
            check_cut(life)
            check_stale_server(life)
            check_other_signature(life)
            check_minisign(life)
