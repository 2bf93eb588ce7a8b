"""Names are whatever somebody wrote into a file. Wherever a name can stand, and whatever is in it, text has no control byte, JSON is
valid, no cell of CSV is a formula, tables of Markdown keep their columns, a page has no element of a name's, and nothing is written
outside the output."""

import csv
import io
import json
import pathlib
import re
import shutil
import tempfile
import zipfile
from html.parser import HTMLParser

from checks import expect, given, run
from flat_parts import (DELEGATE_CALL, KERNEL_CALL, STRING_VALUE, References, Table, Text, Vector, call, data_file, delegate, dump, key, node,
                        offsets, operator, plan, program, record, run as run_of, spec, tensor, tensor_key, timed, value)

FORMULA = b"=HYPERLINK(\"//x\",1)"
NAMES = {
    "plain": b"plain",
    "control": b"a\x1b[2J\x07\r\x08\x7fb",
    "lines": b"a\nb\r\nc\td",
    "c1": "a\x9b31mb".encode(),
    "invalid": b"a\xff\xfe\xc0\xaf\xed\xa0\x80b",
    "zero": b"a\0b",
    "up": b"../../../up",
    "absolute": b"/tmp/absolute",
    "long": b"n" * 1_000_000,
    "html": b"</script><script>document.title=1</script><img src=x onerror=alert(1)>\"'&lt;",
    "formula": FORMULA,
    "plus": b"+1+cmd|' /C calc'!A0",
    "minus": b"-2+3",
    "at": b"@SUM(1+1)",
    "markdown": b"a|b\n|---|---|\n`c` [x](javascript:alert(1)) <b> *_#>~ \\| end",
    "quotes": b"\"',;\\%s%n{}@REPORT@",
    "empty": b"",
}
VIEWS = """-l -h --methods --tensors --segments --named-data --delegates --operators --instructions --memory --metadata --requirements
--delegation --graph --advise --leaks --stack-traces --hash --verify --duplicates""".split()
csv.field_size_limit(10_000_000)
OURS = ("names.etdp", "names.etrecord", "names.safetensors", "names.etm", "blobs.json")
NUMBER = re.compile(r"[-+][0-9.]+( %)?|-")
FORMULA_START = re.compile(r"[=+\-@\t\r]")


def with_name(tensor_value, name):
    """A tensor value whose exporter called it by a name."""
    [(_, _, kind), (_, _, table)] = tensor_value.fields
    return value(kind, Table(*[field for field in table.fields if field[0] != 9], (9, "ref", Table((1, "ref", Text(name))))))


def program_of(name):
    """Methods, operators, backends, compile specs, constants, keys, metadata, texts and source lines called so."""
    values = [tensor(planned=True), with_name(tensor(buffer=1), name), value(STRING_VALUE, Table((0, "ref", Text(name))))]
    calls = [call(KERNEL_CALL, 0, [0, 1, 2]), call(DELEGATE_CALL, 0, [0])]
    frame = Table((0, "ref", Text(name)), (1, "i", 7), (2, "ref", Text(name)), (3, "ref", Text(name)))
    traces = [Table((0, "ref", References([frame])))] * 2
    one = delegate(Text(name), 1, References([spec(name, name[:1000])]))
    blob = b"blob " + name[:1000]
    plans = [plan(Text(name), values, [0], [0], calls, [operator(name)], [one], traces),
             plan(Text(b"get_" + name), [values[2]], outputs=[0])]
    for one in plans:
        one.fields = [*(field for field in one.fields if field[0] != 8), (8, "ref", Vector("q", [0, 64]))]
    keys = [key(name, 2), key(b"metadata." + name, 2)]
    segments = bytes(range(16)) + blob + b"text"
    return program(plans, [(0, 16), (16, len(blob)), (16 + len(blob), 4)], segments, offsets(0, [0, 0]), keys=keys)


def control_in(text):
    """Where a terminal would obey, or no text is."""
    try:
        letters = text.decode()
    except UnicodeDecodeError as error:
        return str(error)
    found = re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", letters)
    return f"{found[0]!r} at {found.start()}" if found else ""


def csv_problem(text):
    rows = list(csv.reader(io.StringIO(text.decode())))
    cells = [cell for row in rows for cell in row if FORMULA_START.match(cell) and not NUMBER.fullmatch(cell)]
    return f"a formula: {cells[0][:50]}" if cells else "rows differ in length" if len({len(row) for row in rows}) > 1 else ""


def markdown_problem(text):
    columns = None
    for line in re.sub(r"\\.", "", text.decode()).splitlines():
        if re.search("[<`]", line):
            return f"markup: {line[:80]}"
        count = line.count("|") if line.startswith("|") else None
        if columns is not None and count is not None and count != columns:
            return f"{count} columns, not {columns}: {line[:80]}"
        columns = count
    return ""


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, [name for name, _ in attrs]))


def page_problem(text):
    known = {"html", "head", "meta", "title", "style", "body", "script", "noscript", "h1", "table", "tr", "td", "p", "div", "main", "header"}
    found = Elements(text.decode()).found
    odd = [tag for tag, attrs in found if tag not in known or any(one.startswith("on") for one in attrs)]
    scripts = sum(tag == "script" for tag, _ in found)
    return f"elements {odd}" if odd else f"{scripts} scripts" if scripts != 2 else ""


def dot_problem(text):
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', "", text.decode())
    return control_in(text) or next((line for line in rest.splitlines() if re.search(r"[^a-z\[\]{}=,;> -]", line)), "")


def json_problem(text):
    json.loads(text)
    return control_in(text)


def ran(problem_of, tool, *words, page=None):
    done = run(tool, *words)
    told = f"{tool} {' '.join(str(word)[-60:] for word in words)}"
    expect(done.returncode in ((0, 1) if "/plain/names.pte" in told else (0, 1, 2, 3, 4)), told, f"exit code {done.returncode}", done.stderr[-300:])
    if done.returncode in (2, 4):  # one sentence: a name that cannot be asked for so
        expect(not done.stdout and done.stderr.count(b"\n") == 1, told, done.stderr[:300])
    expect(not control_in(done.stderr), told, control_in(done.stderr))
    output = page.read_bytes() if page and page.exists() else done.stdout
    if output:
        problem = problem_of(output)
        expect(not problem, told, problem)
    if page:
        page.unlink(missing_ok=True)
    return done.returncode


def look(path, out):
    ran(control_in, "pteinspect", *VIEWS, path)
    ran(markdown_problem, "pteinspect", *VIEWS, "--markdown", path)
    for view in VIEWS:  # tables of as many columns each
        ran(csv_problem, "pteinspect", view, "--csv", path)
    ran(dot_problem, "pteinspect", "--graph", "--dot", path)
    ran(json_problem, "pteinspect", "--graph", "--model-explorer", path)
    ran(json_problem, "pteinspect", "--graph", "--node-data", "macs", path)
    ran(json_problem, "pteinspect", "--json", *VIEWS, path)
    ran(json_problem, "pteinspect", "--verify", "--sarif", path)
    ran(json_problem, "pteinspect", "--emit-metadata-json", "-", path)
    ran(control_in, "pteinspect", "--requirements", "--yaml", path)
    ran(page_problem, "pteinspect", "--html", out / "page.html", path, page=out / "page.html")


FORMS = (((), control_in), (("--csv",), csv_problem), (("--markdown",), markdown_problem), (("--json",), json_problem))


def compare(path, plain):
    for form, problem_of in FORMS:
        ran(problem_of, "pteinspect", "--diff", plain, *form, path)
        ran(problem_of, "pteinspect", "--duplicates", *form, path)


def rewrite(path, text, out):
    """With the name inside, and as a word of the command line."""
    twin = out / "twin.pte"
    shutil.copyfile(path, twin)
    for form, problem_of in (((), control_in), (("--json",), json_problem)):
        ran(problem_of, "ptesplit", path, "--min-size", "1", "-o", out / "small.pte", "-d", out / "weights.ptd", "-f", *form)
        ran(problem_of, "ptestrip", "--all", path, "-o", out / "stripped.pte", "-f", *form)
        ran(problem_of, "ptecopy", path, "-o", out / "copied.pte", "-f", *form)
        ran(problem_of, "ptemerge", f"a={path}", f"b={twin}", "-o", out / "merged", "-f", *form)
        if text is not None:
            ran(problem_of, "ptecopy", path, "--add-data", f"x{text}={path}", "--set-metadata", f"{text}={text}", "-o", out / "named.pte", "-f", *form)
            ran(problem_of, "ptepack", "create", f"{text}={path}", "-o", out / "release", "-f", *form)
            shutil.rmtree(out / "release", ignore_errors=True)
            ran(problem_of, "ptepack", "create", f"a={path}", "--label", f"a={text}:{text}", "-o", out / "release", "-f", *form)
            if (out / "release").exists():
                ran(problem_of, "ptepack", "verify", out / "release", *form)
                ran(problem_of, "ptepack", "list", out / "release", *form)
            shutil.rmtree(out / "release", ignore_errors=True)
        ran(problem_of, "pteinspect", "--extract", text or "x", "-o", out / "extracted", "-f", path)


def other_files(path, name, folder, out):
    """Names in a checkpoint, in an archive, in what is told of blobs, and in the manifest of a release."""
    letters, content = name.decode(errors="replace"), bytes(range(16))
    checkpoint, archive, told = folder / "names.safetensors", folder / "names.etm", folder / "blobs.json"
    header = json.dumps({letters: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    checkpoint.write_bytes(len(header).to_bytes(8, "little") + header + content[:4])
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr(zipfile.ZipInfo((letters + ".pte")[-60_000:]), path.read_bytes())
    ran(control_in, "pteinspect", "--emit-metadata-json", told, "-f", path)
    for form, problem_of in FORMS:
        ran(problem_of, "pteinspect", "--tensors", "--names", checkpoint, *form, path)
        ran(problem_of, "pteinspect", "--delegates", "--metadata-json", told, *form, path)
        ran(problem_of, "pteinspect", "--segments", *form, archive)
    ran(control_in, "ptepack", "create", f"a={folder}/other program.pte", "--label", "a=region:LABEL", "-o", out / "release", "-f")
    manifest = out / "release/manifest.json"
    manifest.write_text(manifest.read_text().replace("LABEL", json.dumps(letters)[1:-1]).replace("region", json.dumps(letters)[1:-1]))
    for form, problem_of in (((), control_in), (("--json",), json_problem)):
        ran(problem_of, "ptepack", "verify", out / "release", *form)
        ran(problem_of, "ptepack", "list", out / "release", *form)
    shutil.rmtree(out / "release")


def profile(name, folder, out):
    path, archive = folder / "names.etdp", folder / "names.etrecord"
    path.write_bytes(dump([run_of([timed(Text(name), i, Text(name)) for i in range(3)], name=name)]))
    letters = name.decode(errors="replace")
    archive.write_bytes(record([node(letters, 1, letters, modules=letters)], {"0": [1]}))
    for view in ("--by-operator", "--by-type"):
        ran(control_in, "pteprof", path, view)
        ran(csv_problem, "pteprof", path, view, "--csv")
        ran(markdown_problem, "pteprof", path, view, "--markdown")
    ran(control_in, "pteprof", path)
    ran(json_problem, "pteprof", path, "--json")
    ran(json_problem, "pteprof", path, "--trace", "-")
    ran(page_problem, "pteprof", path, "--html", out / "page.html", page=out / "page.html")
    ran(control_in, "pteprof", path, "--etrecord", archive)
    ran(control_in, "pteprof", archive, "--exported-program")
    ran(control_in, "pteinspect", "-l", "--leaks", "--verify", path, archive)


def below(folder):
    return {path for path in folder.rglob("*") if path.is_file()}


def check_name(called, name, folder):
    out, plain = folder / "out", folder / "other program.pte"
    out.mkdir(parents=True)
    plain.write_bytes(program_of(b"plain"))
    path, data = folder / "names.pte", folder / "names.ptd"
    path.write_bytes(program_of(name))
    data.write_bytes(data_file([tensor_key(name)], [(0, 4)], bytes(4)))
    before = below(folder)
    for one in (path, data):
        look(one, out)
    compare(path, plain)
    rewrite(path, None if b"\0" in name or len(name) > 1000 else name.decode(errors="surrogateescape"), out)
    if b"\0" not in name and 0 < len(name) < 200 and b"/" not in name:
        called_so = pathlib.Path(folder, name.decode(errors="surrogateescape") + ".pte")
        shutil.copyfile(path, called_so)
        look(called_so, out)
        called_so.unlink()
    profile(name, folder, out)
    other_files(path, name, folder, out)
    made = below(folder) - before - below(out) - {folder / one for one in OURS}
    expect(not made, called, f"made {made}")


def check_list():
    """An empty name has its place among others."""
    calls = [call(KERNEL_CALL, 0, [0, 0])]
    with tempfile.NamedTemporaryFile(suffix=".pte") as file:
        file.write(program([plan(name, [tensor()], [0], [0], calls, [operator("aten::neg")]) for name in ("", "b")]))
        file.flush()
        done = run("pteinspect", "--operators", "--csv", file.name)
    expect(b'\naten::neg.out,2,", b"' in done.stdout, "--operators", done.stdout, done.stderr)


def add_arguments(parser):
    parser.add_argument("names", nargs="*", help="only these of NAMES")


def check():
    check_list()
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        for called, name in NAMES.items():
            if not given.names or called in given.names:
                check_name(called, name, pathlib.Path(folder) / called)
        outside = {path.name for path in pathlib.Path(folder).iterdir()} - NAMES.keys()
        expect(not outside, f"made {outside}")
