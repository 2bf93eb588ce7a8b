"""Checks that the JSON of pteprof for every dump and record of the tests is what docs/schemas/pteprof.schema.json promises."""

import json

from checks import DATA, expect, expect_none, run, schema_problems


def requests():
    """The command lines to try, without --json."""
    baseline = DATA / "inspector/mlp_portable/etdump.etdp"
    for dump in sorted((DATA / "inspector").glob("*/*.etdp")):
        record, buffer = dump.parent / "etrecord.bin", dump.parent / "debug_buffer.bin"
        has_record = record.exists() and dump.parent.name != "two_methods"
        base = [dump, "--etrecord", record] if has_record else [dump]
        for options in ([], ["--dataframe"], ["--by-type"], ["--by-operator"], ["--baseline", baseline]):
            yield base + options
        if has_record:
            yield base + ["--module", "a", "--module-path", "b", "--by-type"]
        if dump.stem == "etdump_debug":
            yield base + ["--debug-buffer", buffer]
            yield base + ["--debug-buffer", buffer, "--gap", f"{dump},{buffer}"]
    for record in sorted((DATA / "delegation").glob("*.etrecord")):
        yield [record, "--exported-program"]
    yield [DATA / "f02_linear.pte"]


def check():
    answers = 0
    for request in requests():
        done = run("pteprof", "--json", *request)
        expect(done.stdout, done.args, "no JSON", done.stderr)
        if done.stdout:
            answers += 1
            expect_none(schema_problems("pteprof", json.loads(done.stdout)), done.args)
    expect(answers >= 100, "hardly any answers", answers)
