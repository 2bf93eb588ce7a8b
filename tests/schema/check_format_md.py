"""Checks schema/FORMAT.md.

Every rule (a MUST with a number) has a row in the last table, the numbers are in order without gaps, and each test that
a row names exists in the named file. The field lists are those of the .fbs files; --fields prints what they should be.
"""

import re

from checks import ROOT, expect, expect_none, given

SCHEMAS = sorted((ROOT / "schema").glob("*.fbs"))
RULE = re.compile(r"^\*M(\d+)\*: ", re.MULTILINE)
ROW = re.compile(r"^\| M(\d+) \| `([^`]+)` \| (.+) \|$", re.MULTILINE)
NAME = re.compile(r"`([^`]+)`")
LIST = re.compile(r"<!-- fields of (\S+) -->\n```\n(.*?)```\n", re.DOTALL)

TABLE = re.compile(r"^table (\w+) \{(.*?)\}", re.MULTILINE | re.DOTALL)
UNION = re.compile(r"^union (\w+) \{(.*?)\}", re.MULTILINE | re.DOTALL)
ENUM = re.compile(r"^enum (\w+) : (\w+) \{(.*?)\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"(\w+): *([\[\]\w.]+)[^;]*;")
WIDTHS = {"uint8": "u8", "ubyte": "u8", "byte": "i8", "int": "i32", "int32": "i32", "uint": "u32", "uint32": "u32",
          "long": "i64", "int64": "i64", "uint64": "u64", "double": "f64",
          "short": "i16", "ushort": "u16", "float": "f32"}  # fmt: skip


def add_arguments(parser):
    parser.add_argument("--fields", action="store_true", help="print what the lists should be")


def field_list(schema):
    """The tables, enumerations and unions of a .fbs file, one a line with field numbers."""
    text = re.sub(r"//.*", "", schema.read_text())
    unions = {name: [member.strip() for member in members.split(",")] for name, members in UNION.findall(text)}
    lines = []
    for name, body in TABLE.findall(text):
        fields, number = [], 0
        for field, kind in FIELD.findall(body):
            vector = kind.startswith("[")
            kind = kind.strip("[]").split(".")[-1]
            if kind in unions:
                fields.append(f"{number} {field}_type u8")
                number += 1
            kind = WIDTHS.get(kind, kind)
            fields.append(f"{number} {field} " + (f"[{kind}]" if vector else kind))
            number += 1
        lines.append(f"{name}: " + (", ".join(fields) or "no fields"))
    for name, members in unions.items():
        lines.append(f"union {name}: " + ", ".join(f"{tag} {member}" for tag, member in enumerate(members, 1)))
    for name, width, body in ENUM.findall(text):
        values = re.findall(r"(\w+) = (\d+)", body)
        lines.append(f"enum {name} {WIDTHS[width]}: " + ", ".join(f"{value} {label}" for label, value in values))
    return "".join(line + "\n" for line in lines)


def check_rules(text):
    rules = [int(number) for number in RULE.findall(text)]
    if rules != list(range(1, len(rules) + 1)) or not rules:
        yield f"rules are numbered {rules}, 1 to {len(rules)} in order expected"
    rows = [int(number) for number, _, _ in ROW.findall(text)]
    for number in rules:
        if rows.count(number) == 0:
            yield f"M{number} has no row in the last table"
    for number in rows:
        if number not in rules:
            yield f"row M{number} has no rule"


def has_test(source, name):
    """A gtest 'Suite.Test', or a word of any other source."""
    if "." in name and source.suffix == ".cc":
        suite, test = name.split(".")
        return re.search(rf"TEST(_F|_P)?\(\s*{suite}\s*,\s*{test}\s*\)", source.read_text()) is not None
    return name in source.read_text()


def check_tests(text):
    for number, file, names in ROW.findall(text):
        source = ROOT / file
        if not source.exists():
            yield f"M{number}: {file} does not exist"
            continue
        for name in NAME.findall(names):
            if not has_test(source, name):
                yield f"M{number}: {file} has no test {name}"


def check_fields(text):
    lists = dict(LIST.findall(text))
    for schema in SCHEMAS:
        if schema.name not in lists:
            yield f"the fields of {schema.name} are not listed"
        elif lists[schema.name] != field_list(schema):
            yield f"the fields of {schema.name} are listed wrongly, run with --fields to see the right list"


def check():
    if given.fields:
        for schema in SCHEMAS:
            print(f"<!-- fields of {schema.name} -->\n```\n{field_list(schema)}```\n")
    text = (ROOT / "schema/FORMAT.md").read_text()
    expect(SCHEMAS, "there is no schema")
    for part in (check_rules, check_tests, check_fields):
        expect_none(part(text), "FORMAT.md")
