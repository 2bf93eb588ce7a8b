#!/usr/bin/env python3
"""Tells what is in blobs of a backend, here eight bytes of magic and a table: pteinspect --delegates model.pte
--decoder 'OpaqueBackend=python3 decoder.py', or pteedit.register_decoder("OpaqueBackend", decoder.decode)."""
import json
import os
import sys

MAGIC = b"OPAQUE\0\0"


def decode(blob, backend_id, compile_specs):
    if not blob.startswith(MAGIC):
        raise ValueError(f"a blob of {backend_id} begins with {MAGIC!r}, not {blob[:8]!r}")
    rest = len(blob) - len(MAGIC)
    table = {"name": "table", "dtype": "uint8", "sizes": [rest], "bytes": rest, "offset": len(MAGIC)}
    parts = [{"name": "magic", "size": len(MAGIC)}, {"name": "table", "size": rest}]
    facts = {key: repr(value) for key, value in compile_specs}
    return {"operators": ["look_up"], "constants": [table], "parts": parts, "facts": facts}


if __name__ == "__main__":
    told = json.loads(os.environ["PTEEDIT_COMPILE_SPECS"])
    specs = [(spec["key"], bytes.fromhex(spec["hex"] or "")) for spec in told]
    print(json.dumps(decode(sys.stdin.buffer.read(), os.environ["PTEEDIT_BACKEND"], specs)))
