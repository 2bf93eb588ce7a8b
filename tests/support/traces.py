"""Traces that pteprof writes, held against the rules of the Trace Event Format that Perfetto and chrome://tracing read."""

import math

ROUNDING = 1e-6  # of microseconds


def slices_of(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


def problems_of(trace):
    """Yields what a viewer would draw otherwise or drop: a line each."""
    events = trace["traceEvents"]
    named = {(event["pid"], event["tid"]) for event in events if (event["ph"], event["name"]) == ("M", "thread_name")}
    tracks = {}
    for event in events:
        if event["ph"] not in "XCM":
            yield f"phase '{event['ph']}'"
        times = [event[member] for member in ("ts", "dur") if member in event]
        if not all(isinstance(time, (int, float)) and math.isfinite(time) and time >= 0 for time in times):
            yield f"times {times} of {event['name']}"
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append(event)
        if event["ph"] == "C" and not all(isinstance(value, int) for value in event["args"].values()):
            yield f"counter {event['name']} counts {event['args']}"
    for track in tracks.keys() - named:
        yield f"track {track} has no name"
    for track, found in tracks.items():
        yield from (f"track {track}: {problem}" for problem in nesting_problems(found))


def nesting_problems(found):
    """Of the slices of one track, which come by their starts, the outer one first."""
    if any(one["ts"] > other["ts"] for one, other in zip(found, found[1:])):
        yield "slices are not ordered by their starts"
    ends = []
    for one in found:
        end = one["ts"] + one["dur"]
        while ends and ends[-1] <= one["ts"] + ROUNDING:
            ends.pop()
        if ends and end > ends[-1] + ROUNDING:
            yield f"{one['name']} at {one['ts']} ends behind what it is in"
        ends.append(end)
