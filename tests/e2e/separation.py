"""Compares what we separate after export with what the exporter separates, on the LoRA family of the test data.

The exporter's program without its weights is the measure: ours may be 5 % larger, and 40 bytes more for each key,
because our keys are longer than the exporter's.
"""

from processes import CheckFailed, inspect, run_tool

PAIRS = [
    (f"f08{ours}_{kind}_{member}", f"f08c_{kind}_{member}")
    for ours, kind in (("a", "portable"), ("b", "xnn"))
    for member in ("base", "v0", "v1", "v2")
]
TOLERANCE_PERCENT = 5
BYTES_PER_KEY = 40


def check_separation(context, whole, separated, folder):
    """Splits the program of one entry and compares its size with another entry's. Returns a line with the figures."""
    program, data = folder / f"{whole['name']}.pte", folder / f"{whole['name']}.ptd"
    run_tool(context.bin / "ptesplit", context.data / whole["pte"], "-o", program, "-d", data)
    if not data.exists():
        raise CheckFailed("ptesplit moved nothing")
    [report] = inspect(context.bin, "--named-data", data)
    keys = len(report["named_data"])
    ours = program.stat().st_size
    theirs = (context.data / separated["pte"]).stat().st_size
    limit = theirs * (100 + TOLERANCE_PERCENT) // 100 + BYTES_PER_KEY * keys
    figures = f"{ours} bytes, exporter's {theirs} bytes, {keys} keys, limit {limit} bytes"
    if ours > limit:
        raise CheckFailed(figures)
    return figures
