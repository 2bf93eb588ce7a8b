#!/usr/bin/env python3
"""Checks that the JSON of pteprof for every dump and record of the tests is what docs/schemas/pteprof.schema.json promises.

Exits with 77, "skipped", where the interpreter has no jsonschema.
"""

import json
import subprocess
import sys

from check_schema import parse_arguments, validator_for


def requests(data):
    """The command lines to try, without --json."""
    baseline = data / "inspector/mlp_portable/etdump.etdp"
    for dump in sorted((data / "inspector").glob("*/*.etdp")):
        record, buffer = dump.parent / "etrecord.bin", dump.parent / "debug_buffer.bin"
        has_record = record.exists() and dump.parent.name != "two_methods"
        base = [dump, "--etrecord", record] if has_record else [dump]
        for options in ([], ["--dataframe"], ["--by-type"], ["--by-operator"], ["--baseline", baseline]):
            yield base + options
        if has_record:
            yield base + ["--module", "a", "--module-path", "b", "--by-type"]
        if dump.stem == "etdump_debug":
            yield base + ["--debug-buffer", buffer]
            yield base + ["--debug-buffer", buffer, "--gap", "%s,%s" % (dump, buffer)]
    for record in sorted((data / "delegation").glob("*.etrecord")):
        yield [record, "--exported-program"]
    yield [data / "f02_linear.pte"]


def main():
    arguments = parse_arguments(__doc__)
    validator = validator_for(arguments.schema)
    if validator is None:
        return 77
    tried = wrong = 0
    for request in requests(arguments.data):
        command = [arguments.tool, "--json", *map(str, request)]
        done = subprocess.run(command, capture_output=True)
        if not done.stdout:
            print("no JSON: %s: %s" % (command, done.stderr.decode()))
            wrong += 1
            continue
        tried += 1
        for error in validator.iter_errors(json.loads(done.stdout)):
            print("%s: %s: %s" % (command, error.json_path, error.message[:300]))
            wrong += 1
    return 1 if wrong or tried < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
