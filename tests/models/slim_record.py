#!/usr/bin/env python3
"""Copies an ETRecord without its weights: what torch.save wrote is left out, the JSON is deflated.

    slim_record.py etrecord.bin slim.etrecord

What --delegation and --graph of pteinspect read of a record stays byte for byte: the maps of instructions and the
programs in the edge dialect, lowered modules in them included, but of these the processed blobs and weights.
"""

import json
import sys
import zipfile

SAVED = ("_state_dict", "_constants", "_example_inputs")
NOT_READ = ("exported_program", "reference_outputs", "representative_inputs")
IN_MODULES = ("processed_bytes", "original_state_dict", "original_constants", "named_data_store")


def slim_modules(program):
    """Empties what is large in the lowered modules, which are programs as text in an argument of their call."""
    for node in program["graph_module"]["graph"]["nodes"]:
        if not node["target"].endswith("executorch_call_delegate"):
            continue
        argument = node["inputs"][0]["arg"]
        module = json.loads(argument["as_string"])
        for name in IN_MODULES:
            module[name] = ""
        argument["as_string"] = json.dumps(module)
    return program


def main():
    source, target = sys.argv[1:]
    with zipfile.ZipFile(source) as record, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as slim:
        for entry in record.infolist():
            if entry.filename.endswith(SAVED) or entry.filename in NOT_READ:
                continue
            contents = record.read(entry)
            if b"executorch_call_delegate" in contents:
                contents = json.dumps(slim_modules(json.loads(contents))).encode()
            # One date for all, so that the same record gives the same bytes.
            slim.writestr(zipfile.ZipInfo(entry.filename), contents, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
