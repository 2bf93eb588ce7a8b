"""Checks releases of the families in tests/data: what ptepack create writes against docs/schemas, sha256sum and what it was made of,
and what verify, list and prune say of releases that are whole and of damaged ones.

Without jsonschema only the schemas are left unchecked.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import zipfile

from checks import DATA, can_validate, expect, expect_none, model_sets, output_of, run, schema_problems

FAMILIES = ("f07", "f08", "f15_", "f15b")  # how the names of their members begin


@contextlib.contextmanager
def temporary_folder():
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        yield pathlib.Path(name)


def contents_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def sets_of(family):
    return [f"{name}=" + ",".join(map(str, files)) for name, files in model_sets() if name.startswith(family)]


def check_schema(schema, document, *where):
    if can_validate():
        expect_none(schema_problems(schema, document), *where)


def check_family(family):
    sets, token = sets_of(family), f"tokenizer:{DATA / 'manifest.json'}"
    command = ["ptepack", "create", "--include", token, "--json", "-o"]
    with temporary_folder() as folder:
        dry = json.loads(output_of(*command, folder / "out", *sets, "-n"))
        expect(not (folder / "out").exists(), family, "a dry run writes")
        report = json.loads(output_of(*command, folder / "out", *sets))
        expect(dict(dry, dry_run=False) == report, family, "a dry run says something else")
        check_schema("rewrite", report, family)
        expect({row["file"]: row["bytes"] for row in report["outputs"]} ==
               {str(path): path.stat().st_size for path in (folder / "out").iterdir()}, family, "outputs are not as reported")
        manifest = json.loads((folder / "out/manifest.json").read_text())
        check_schema("manifest", manifest, family)
        check_manifest(manifest, folder / "out", family)
        done = subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=folder / "out", capture_output=True)
        expect(done.returncode == 0, family, done.stdout)
        output_of(*command, folder / "again", *reversed(sets))
        expect(contents_of(folder / "out") == contents_of(folder / "again"), family, "sets in another order give other bytes")
        expect(run("ptepack", "verify", folder / "out").returncode == 0, family, "is not clean")
        listed = output_of("ptepack", "list", "--json", folder / "out")
        expect(listed == (folder / "out/manifest.json").read_bytes(), family, "list says something else")


def check_manifest(manifest, folder, family):
    """That each variant has the very files of its set, the program first."""
    variants = {variant["name"]: variant for variant in manifest["variants"]}
    for name, files in model_sets():
        if not name.startswith(family):
            continue
        contents = [(folder / file).read_bytes() for file in variants[name]["files"]]
        expect(contents[0] == files[0].read_bytes(), name, "another program")
        expect(sorted(contents[1:-1]) == sorted({file.read_bytes() for file in files[1:]}), name, "other data files")
        expect(variants[name]["data_files"] == len(files) - 1, name, "data_files")
        expect(variants[name]["installed_bytes"] == sum(map(len, contents)), name, "installed_bytes")


@contextlib.contextmanager
def small_release():
    """A folder `family` as ptemerge writes it, and a release `out` of it."""
    with temporary_folder() as folder:
        members = [f"{name}={DATA}/f08/b_xnn_{name}.pte" for name in ("base", "v0", "v1")]
        output_of("ptemerge", *members, "-o", folder / "family", "--variant-data", "ptd")
        output_of("ptepack", "create", folder / "family", "-o", folder / "out")
        yield folder


def check_folder_of_ptemerge():
    with small_release() as folder:
        manifest = json.loads((folder / "out/manifest.json").read_text())
        expect([variant["name"] for variant in manifest["variants"]] == ["base", "v0", "v1"], "names of variants")
        expect([variant["data_files"] for variant in manifest["variants"]] == [1, 2, 2], "data files of variants")
        for variant in manifest["variants"][1:]:
            expect([file.split("-")[0] for file in variant["files"]] == ["program", "shared", "variant"], "order", variant)


def keys_of(file):
    [report] = json.loads(output_of("pteinspect", "--named-data", "--json", file))
    return [key["key"] for key in report["named_data"]]


def check_shards():
    """An index with the release's own names, which every variant with a shard has."""
    with temporary_folder() as folder:
        out, alone = folder / "out", f"alone={DATA}/f01_add.pte"
        members = [f"{name}={DATA}/f08/b_xnn_{name}.pte" for name in ("base", "v0", "v1")]
        output_of("ptemerge", *members, "-o", folder / "cut", "--max-size", "20000")
        command = ["ptepack", "create", folder / "cut", alone, "--compress", "--json"]
        dry, report = (json.loads(output_of(*command, "-o", out, *words)) for words in (["--dry-run"], []))
        expect({file["file"] for file in dry["outputs"]} <= {file["file"] for file in report["outputs"]}, "a dry run says something else")
        manifest = json.loads((out / "manifest.json").read_text())
        check_schema("manifest", manifest, "shards")
        [row] = [file for file in manifest["files"] if file["role"] == "index"]
        index = json.loads((out / row["file"]).read_text())
        check_schema("index", index, "release")
        shards = [shard["file"] for shard in index["shards"]]
        expect([shard["bytes"] for shard in index["shards"]] == [(out / name).stat().st_size for name in shards], "sizes of shards")
        expect(index["keys"] == {key: name for name in shards for key in keys_of(out / name)}, "keys in the index")
        for variant in manifest["variants"]:
            data = variant["files"][1 : 1 + variant["data_files"]]
            expect(data == [name for name in shards if name in data], variant["name"], "has shards in another order", data)
            expect((row["file"] in variant["files"][1 + len(data) :]) == bool(data), variant["name"], "and the index")
        expect(sum(variant["data_files"] > 1 for variant in manifest["variants"]) == 3, "variants with shards")
        expect(findings_of(out) == set(), "a release with shards")
        output_of("ptepack", "etm", f"{out}:v0", "-o", folder / "v0.etm")
        expect(f"weights/{row['file']}" in members_of(folder / "v0.etm"), "an archive lacks the index")


def findings_of(release):
    done = run("ptepack", "verify", "--json", release)
    expect(done.returncode in (0, 1), "verify fails", done.stderr)
    found = json.loads(done.stdout)
    check_schema("release", found, "verify")
    return {finding["id"] for file in found["files"] for finding in file["findings"]}


def change_bit(path):
    contents = bytearray(path.read_bytes())
    contents[len(contents) // 2] ^= 1
    path.write_bytes(contents)


def point_outside(path):
    shutil.move(path, path.parent.parent / "outside")
    path.symlink_to("../outside")


def point_inside(path):
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


DAMAGES = {
    "release-file-changed": change_bit,
    "release-file-size": lambda path: os.truncate(path, 100),
    "release-file-missing": os.remove,
    "release-file-outside": point_outside,
    None: point_inside,
}


def check_damage():
    for finding, damage in DAMAGES.items():
        for role in ("program", "shared"):
            with small_release() as folder:
                damage(next((folder / "out").glob(f"{role}-*")))
                expect(findings_of(folder / "out") == ({finding} if finding else set()), finding, role)
    with small_release() as folder:
        manifest = folder / "out/manifest.json"
        manifest.write_text(manifest.read_text().replace('"name": "v0"', '"name": "v2"'))
        expect(findings_of(folder / "out") == {"release-name", "release-checksums"}, "a changed manifest")


def replace_file(release, role, contents):
    """With the manifest and the list changed as if the file had always been so."""
    path = next(release.glob(f"{role}-*"))
    old, new = (hashlib.sha256(some).hexdigest() for some in (path.read_bytes(), contents))
    text = (release / "manifest.json").read_text().replace(old, new).replace(old[:12], new[:12])
    path.rename(release / path.name.replace(old[:12], new[:12])).write_bytes(contents)
    (release / "manifest.json").write_text(text)


def check_files_that_were_never_right():
    """Which their hashes do not tell."""
    with small_release() as folder:
        shared = next((folder / "out").glob("shared-*")).read_bytes()
        replace_file(folder / "out", "shared", b"x" * len(shared))
        expect("release-file-damaged" in findings_of(folder / "out"), "a data file of x")
    with small_release() as folder:
        program = (DATA / "f01_add.pte").read_bytes()
        size = next((folder / "out").glob("shared-*")).stat().st_size
        replace_file(folder / "out", "shared", program + bytes(size - len(program)))
        expect("release-variant" in findings_of(folder / "out"), "a program for a data file")


def check_prune():
    with small_release() as folder:
        out = folder / "out"
        old = set(contents_of(out))
        output_of("ptepack", "create", f"base={DATA}/f08/b_xnn_base.pte", "-o", out, "-f")
        new = {*json.loads((out / "manifest.json").read_text())["variants"][0]["files"], "manifest.json", "SHA256SUMS"}
        others = {"notes.txt", ".hidden", "shared.ptd", "program-1.pte", ".notes.partial"}
        begun = {".shared-0123456789ab.ptd.partial"}
        (out / ".shared-0123456789ab.ptd.partial").write_text("begun")
        for name in others:
            (out / name).write_text("mine")
        (out / "program-000000000000.pte").symlink_to("notes.txt")
        (out / "shared-000000000000.ptd").mkdir()
        kept = new | others | {"program-000000000000.pte", "shared-000000000000.ptd"}
        dry = json.loads(output_of("ptepack", "prune", out, "-n", "--json"))
        check_schema("release", dry, "prune")
        expect({pathlib.Path(row["file"]).name for row in dry["removed"]} == (old | begun) - new, "a dry run")
        expect(set(os.listdir(out)) == kept | old | begun, "a dry run removes")
        output_of("ptepack", "prune", out)
        expect(set(os.listdir(out)) == kept, "what is left", os.listdir(out))
        output_of("ptepack", "create", folder / "family", "-o", folder / "second")
        output_of("ptepack", "prune", out, folder / "second")
        expect(set(os.listdir(folder / "second")) == old, "what is left of the second folder")
        (folder / "second/manifest.json").unlink()
        done = run("ptepack", "prune", out, folder / "second")
        expect(done.returncode == 4 and set(os.listdir(folder / "second")) == old - {"manifest.json"}, "no manifest", done)


def members_of(archive):
    """The contents of each member, which Python finds whole, stored and at a multiple of 16 KiB."""
    contents = {}
    with zipfile.ZipFile(archive) as opened, archive.open("rb") as raw:
        expect(opened.testzip() is None, archive.name, "a checksum is wrong")
        for member in opened.infolist():
            raw.seek(member.header_offset + 26)
            name_size, extra_size = struct.unpack("<HH", raw.read(4))
            begin = member.header_offset + 30 + name_size + extra_size
            expect(member.compress_type == zipfile.ZIP_STORED and begin % 16384 == 0, member.filename, "at", begin)
            contents[member.filename] = opened.read(member)
    return contents


def check_archives():
    with small_release() as folder:
        command = ["ptepack", "create", folder / "family", "-o", folder / "more", "--include", f"tokenizer:{DATA}/manifest.json"]
        output_of(*command)
        report = json.loads(output_of("ptepack", "etm", folder / "more", "-o", folder / "all.etm", "--json"))
        check_schema("rewrite", report, "etm")
        expect(report["bytes_after"] == (folder / "all.etm").stat().st_size, "etm", "another size than reported")
        expect(members_of(folder / "all.etm") == contents_of(folder / "more"), "an archive is not the folder")
        manifest = json.loads((folder / "more/manifest.json").read_text())
        for variant in manifest["variants"]:
            check_archive_of(variant, folder)
        done = run("ptepack", "etm", f"{folder}/more:v2", "-o", folder / "x.etm")
        expect(done.returncode == 2 and b"there is no variant 'v2'" in done.stderr, "an unknown variant", done)
        change_bit(next((folder / "more").glob("shared-*")))
        done = run("ptepack", "etm", f"{folder}/more:v0", "-o", folder / "x.etm")
        expect(done.returncode == 3 and b"has the SHA-256" in done.stderr, "a changed file", done)
        expect(not (folder / "x.etm").exists(), "an archive of a changed file is written")


def check_archive_of(variant, folder):
    for name in ("once.etm", "again.etm"):
        output_of("ptepack", "etm", f"{folder}/more:{variant['name']}", "-o", folder / name, "-f")
    expect((folder / "once.etm").read_bytes() == (folder / "again.etm").read_bytes(), "an archive is not always the same")
    members = members_of(folder / "once.etm")
    program, *data = variant["files"][: 1 + variant["data_files"]]
    expected = {"model.pte": program, "tokenizer.json": variant["files"][-1], **{f"weights/{file}": file for file in data}}
    manifest = json.loads(members.pop("manifest.json"))
    check_schema("manifest", manifest, "etm")
    expect(manifest["variants"] == [variant], variant["name"], "another variant in the archive")
    expect(members == {name: (folder / "more" / file).read_bytes() for name, file in expected.items()}, variant["name"], "members")


def check_packs():
    """A store's packs: nothing in one that a variant with it does not need, none too large, every file in one."""
    with small_release() as folder:
        token, most = f"tokenizer:{DATA}/f01_add.pte", 55000
        output_of("ptepack", "create", folder / "family", "-o", folder / "packs", "--include", token, "--packs", most)
        manifest = json.loads((folder / "packs/manifest.json").read_text())
        check_schema("manifest", manifest, "packs")
        sizes = {file["file"]: file["bytes"] for file in manifest["files"]}
        packs = {pack["name"]: pack for pack in manifest["packs"]}
        expect(sorted(name for pack in packs.values() for name in pack["files"]) == sorted(sizes), "not every file is in one pack")
        for pack in packs.values():
            expect(pack["bytes"] == sum(sizes[name] for name in pack["files"]) <= most, pack["name"], "bytes")
        for variant in manifest["variants"]:
            held = sorted(name for pack in variant["packs"] for name in packs[pack]["files"])
            expect(held == sorted(variant["files"]), variant["name"], "gets other files than it needs", held)
        expect(len(packs) == 4, "packs", packs)  # what all have, and one for each variant
        expect(findings_of(folder / "packs") == set(), "a release in packs")
        expect(b"pack-1" in output_of("ptepack", "list", folder / "packs"), "list shows no packs")
        done = run("ptepack", "create", folder / "family", "-o", folder / "none", "--packs", "50000")
        expect(done.returncode == 1 and b"over the size of packs, 50000" in done.stderr, "a file larger than packs", done)
        expect(not (folder / "none").exists(), "a release is written where a file is too large")
        archive = output_of("ptepack", "etm", f"{folder}/packs:v0", "-o", "-")
        (folder / "v0.etm").write_bytes(archive)
        expect("packs" not in json.loads(members_of(folder / "v0.etm")["manifest.json"]), "an archive has packs")


def unpacked(path):
    return subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout


def check_compressed():
    """Each file a second time as stock zstd reads it: another form of the same release."""
    with small_release() as folder:
        command = ["ptepack", "create", folder / "family", "--include", f"tokenizer:{DATA}/manifest.json", "-o"]
        output_of(*command, folder / "plain")
        report = json.loads(output_of(*command, folder / "packed", "--compress", "--threads", "1", "--json"))
        check_schema("rewrite", report, "compress")
        dry = json.loads(output_of(*command, folder / "none", "--compress", "-n", "--json"))
        expect(not (folder / "none").exists() and dry["bytes_after"] < report["bytes_after"], "a dry run of --compress")
        output_of(*command, folder / "again", "--compress=3", "--threads", "5")
        packed, plain = contents_of(folder / "packed"), contents_of(folder / "plain")
        expect(packed == contents_of(folder / "again"), "threads change what is compressed")
        manifest = json.loads(packed["manifest.json"])
        check_schema("manifest", manifest, "compressed")
        expect(manifest["release"] == json.loads(plain["manifest.json"])["release"], "compressing makes another release")
        rows = [file for file in manifest["files"] if "compressed" in file]
        expect(len(rows) == len(manifest["files"]), "not everything is compressed", rows)
        for row in rows:
            expect(unpacked(folder / "packed" / row["compressed"]["file"]) == plain[row["file"]], row, "unpacks to something else")
            expect(row["compressed"]["bytes"] == len(packed[row["compressed"]["file"]]), row, "size")
        for variant in manifest["variants"]:
            download = sum(row["compressed"]["bytes"] for row in rows if row["file"] in variant["files"])
            expect(variant["download_bytes"] == download, variant["name"], "download_bytes", download)
            archives = [output_of("ptepack", "etm", f"{folder}/{of}:{variant['name']}", "-o", "-") for of in ("plain", "packed")]
            expect(archives[0] == archives[1], variant["name"], "the archive of a compressed release differs")
        output_of("ptepack", "etm", folder / "packed", "-o", folder / "all.etm")
        expect(members_of(folder / "all.etm") == packed, "an archive is not the compressed folder")
        output_of("ptepack", "prune", folder / "packed")
        expect(contents_of(folder / "packed") == packed, "prune removes compressed files")
        check_damaged_frames(folder / "packed", rows[0])
        check_delta_of_compressed(folder)


def check_damaged_frames(release, row):
    path = release / row["compressed"]["file"]
    right = path.read_bytes()
    change_bit(path)
    expect(findings_of(release) == {"release-file-changed"}, "a changed frame")
    path.unlink()
    done = run("ptepack", "verify", release)
    expect(done.returncode == 0 and b"warning release-compressed" in done.stdout, "a frame that is not there", done)
    path.write_bytes(right)
    other = subprocess.run(["zstd", "-c"], input=b"other bytes", check=True, capture_output=True).stdout
    other += bytes(len(right) - len(other))
    for contents in (right[:-1] + b"x", other):
        replaced = release.parent / "replaced"
        shutil.copytree(release, replaced)
        old, new = (hashlib.sha256(some).hexdigest() for some in (right, contents))
        manifest = (replaced / "manifest.json").read_text().replace(old, new).replace(old[:12], new[:12])
        (replaced / path.name).rename(replaced / path.name.replace(old[:12], new[:12])).write_bytes(contents)
        (replaced / "manifest.json").write_text(manifest)
        expect(findings_of(replaced) == {"release-compressed", "release-checksums"}, "another frame", findings_of(replaced))
        shutil.rmtree(replaced)


def check_delta_of_compressed(folder):
    """What a device gets by it is the release without compressed files, whatever it kept of the old one's manifest."""
    members = [f"{name}={DATA}/f08/b_xnn_{file}.pte" for name, file in (("base", "base"), ("v0", "v2"), ("v1", "v1"))]
    output_of("ptemerge", *members, "-o", folder / "later", "--variant-data", "ptd")
    for name, options in (("next", ["--compress"]), ("next-plain", [])):
        output_of("ptepack", "create", folder / "later", "-o", folder / name, *options)
    output_of("ptepack", "delta", folder / "packed", folder / "next", "-o", folder / "delta")
    shutil.copytree(folder / "plain", folder / "phone")
    shutil.copy(folder / "packed/manifest.json", folder / "phone")
    for old in ("plain", "packed", "phone"):
        output_of("ptepack", "apply", folder / "delta", "--from", folder / old, "-o", folder / "made")
        expect(contents_of(folder / "made") == contents_of(folder / "next-plain"), "a delta of compressed releases from", old)
        shutil.rmtree(folder / "made")


def check_archive_as_program():
    """Every tool takes it for the program with the data files in it."""
    with small_release() as folder:
        for name in ("base", "v0"):
            output_of("ptepack", "etm", f"{folder}/out:{name}", "-o", folder / f"{name}.etm")
        archive, original = folder / "v0.etm", DATA / "f08/b_xnn_v0.pte"
        with zipfile.ZipFile(archive) as opened:
            data = [f"{archive}!{name}" for name in opened.namelist() if name.startswith("weights/")]
        files = [file["file"] for file in json.loads(output_of("pteinspect", "--verify", "--json", archive))]
        expect(files == [str(archive), *data] and len(data) == 2, "an archive is shown as", files)
        for words in ([archive, "--same", original], [original, "--same", archive], [archive, "--same", archive]):
            expect(output_of("pteinspect", *words) == b"same\n", words, "differ")
        old, new = (",".join(words) for words in ([str(folder / "base.etm")], [str(archive), *data]))
        expect(run("pteinspect", archive, "--diff", new).returncode == 0, "a diff with its own files")
        expect(b"base.etm!weights/" in run("pteinspect", archive, "--diff", old).stdout, "a diff without the data inside")
        expect(run("pteinspect", "--max-size", "60KB", archive).returncode == 1, "--max-size counts the program alone")
        expect(output_of("pteinspect", "--csv", "--segments", archive).startswith(b"Index,"), "CSV is no single table")
        output_of("ptesplit", archive, "--join", "-o", folder / "whole.pte")
        expect(output_of("pteinspect", folder / "whole.pte", "--same", original) == b"same\n", "a joined archive differs")
        output_of("ptestrip", archive, "-o", folder / "stripped.pte")
        output_of("ptestrip", data[0], "-o", folder / "stripped.ptd")
        output_of("ptemerge", archive, folder / "base.etm", "-o", folder / "merged")
        expect({path.name for path in (folder / "merged").iterdir()} == {"shared.ptd", "v0.pte", "base.pte"}, "merged archives")
        output_of("ptepack", "create", archive, folder / "base.etm", f"v1={folder}/family/v1/b_xnn_v1.pte,{folder}/family/shared.ptd,"
                  f"{folder}/family/v1/b_xnn_v1.ptd", "-o", folder / "again")
        expect(contents_of(folder / "again") == contents_of(folder / "out"), "a release of archives differs")
        for words in (["ptesplit", archive, "-d", folder / "x.ptd"], ["ptestrip", data[0]], ["ptestrip", archive]):
            done = run(*words, "-o", archive, "-f")
            expect(done.returncode == 2 and b"is the input" in done.stderr, words, "writes over its input", done)


def check():
    for family in FAMILIES:
        check_family(family)
    check_folder_of_ptemerge()
    check_damage()
    check_files_that_were_never_right()
    check_prune()
    check_shards()
    check_archives()
    check_packs()
    check_compressed()
    check_archive_as_program()
