"""The checks on dumps that the real runtime writes now: what pteprof reads of them is what the program did.

The runtime logs under the numbers of the program's instructions, pteinspect lists these, and the runner tells how often
it called what and the digests of all outputs; so the three can be held against each other.
"""

import collections
import json

from processes import CheckFailed, Unsupported, inspect, profile, run_process

ROUNDS = 3
DEFAULT, EXECUTE = "Default", "Execute"  # blocks of loads and of calls
# Logged around instructions, not for one.
FRAMEWORK = ("Method::init", "Program::load_method", "Method::execute")
# The event that ends an instruction of a kind.
ENDINGS = {"kernel": "OPERATOR_CALL", "delegate": "DELEGATE_CALL", "move": "MOVE_CALL", "jump": "JF_CALL", "free": "FREE_CALL"}
# The runtime cannot log values of types of 16 bits, and leaves dumps that nobody can read, the Inspector neither.
NOT_LOGGED = ("f12_bfloat16", "f12_bfloat16_xnn", "f12_float16", "f12_float16_xnn", "f12_zoo", "f12_zoo_ext",
              "f15_conflict_3")


def record_dump(runner, files, calls, dump, rounds=ROUNDS, debug_buffer=None):
    """Runs a program and its data files and writes a dump. Returns the digests of outputs by method.

    Without `calls` each method is called once a round, on inputs after its own description. With `debug_buffer` values
    are logged too, and digests are of the bytes alone.
    """
    options = ["--repeat", rounds, "--etdump", dump]
    options += ["--calls", calls] if calls else []
    options += ["--debug-buffer", debug_buffer, "--hash-bytes"] if debug_buffer else []
    code, output, last_line = run_process([runner, *options, *files])
    if code != 0:
        raise CheckFailed(f"pterun ended with {code}: {output.strip() or last_line}")
    return json.loads(output)["methods"]


class DumpChecks:
    """Runs the checks on one entry of the manifest."""

    def __init__(self, context, entry, folder):
        self._context = context
        self._entry = entry
        self._files = [context.data / file for file in (entry["pte"], *entry["data"])]
        self._folder = folder
        self._calls = folder / "calls.json"
        self._calls.write_text(json.dumps(entry["calls"]))
        self.dump = folder / "new.etdp"

    def run(self):
        """Checks a dump of several rounds, then one with values. Raises CheckFailed."""
        record_dump(self._context.runner, self._files, self._calls, self.dump)
        report = profile(self._context.bin, self.dump, self._files[0])
        blocks = report["event_blocks"]
        self._check_runs(blocks)
        [program] = inspect(self._context.bin, "--instructions", "--delegates", self._files[0])
        for block in blocks:
            check_times(block)
            if block["name"] == EXECUTE and len(block["methods"]) == 1:
                check_events(block, program)
        self._check_values()

    def _check_runs(self, blocks):
        """Each call is a run of its method, and each load one of the block of loads."""
        calls = collections.Counter(call["method"] for call in self._entry["calls"])
        runs = collections.Counter()
        for block in blocks:
            counts = {len(event["perf"]["raw"]) for event in block["events"] if event["name"] in FRAMEWORK}
            if len(counts) != 1:
                raise CheckFailed(f"block '{block['name']}' has events of {sorted(counts)} runs")
            [count] = counts
            if block["name"] == EXECUTE:
                runs[self._method_of(block, calls)] += count
            elif count != len(calls):
                raise CheckFailed(f"{count} methods are loaded, expected {len(calls)}")
        if sum(runs.values()) != sum(calls.values()) * ROUNDS:
            raise CheckFailed(f"{sum(runs.values())} runs, expected {sum(calls.values()) * ROUNDS}")
        for method, count in runs.items():
            if method is not None and count != calls[method] * ROUNDS and None not in runs:
                raise CheckFailed(f"{count} runs of '{method}', expected {calls[method] * ROUNDS}")

    @staticmethod
    def _method_of(block, calls):
        """None where methods look alike."""
        if not any(event["name"] in ENDINGS.values() for event in block["events"]):
            return None  # of methods without instructions
        if not set(block["methods"]) & set(calls):
            raise CheckFailed(f"a block is of {block['methods']}, none of which was called")
        return block["methods"][0] if len(block["methods"]) == 1 else None

    def _check_values(self):
        """The outputs of a block's first run, as logged, are those that the runner got of a call of its method."""
        values, dump = self._folder / "values.bin", self._folder / "values.etdp"
        digests = record_dump(self._context.runner, self._files, self._calls, dump, 1, values)
        try:
            report = profile(self._context.bin, dump, self._files[0], "--debug-buffer", values)
        except Unsupported:
            if self._entry["name"] in NOT_LOGGED:
                return
            raise
        calls = collections.Counter(call["method"] for call in self._entry["calls"])
        for block in report["event_blocks"]:
            if block["name"] == EXECUTE and len(block["methods"]) == 1:
                [method] = block["methods"]
                count = len(digests[method]) // calls[method]
                possible = [digests[method][i : i + count] for i in range(0, len(digests[method]), count)]
                check_output(block["run_output"], possible)


def check_output(output, possible):
    """Logged values are the outputs of one of the calls; what is no tensor is not looked at."""
    found = [value["sha256"] if isinstance(value, dict) else None for value in output]
    if not any(found):
        raise CheckFailed("no output was logged")
    for digests in possible:
        if len(digests) == len(found) and all(own in (None, digest) for own, digest in zip(found, digests)):
            return
    raise CheckFailed(f"the logged outputs {output} are not those of a call")


def check_times(block):
    """Events of a run take no longer than the run, and the run takes some time."""
    whole = [event for event in block["events"] if event["name"] == "Method::execute"]
    if block["name"] == EXECUTE and len(whole) != 1:
        raise CheckFailed(f"{len(whole)} events are called 'Method::execute', expected one")
    for event in block["events"]:
        if event["perf"] is None:
            continue
        if min(event["perf"]["raw"]) < 0 or (event["name"] in FRAMEWORK and min(event["perf"]["raw"]) == 0):
            raise CheckFailed(f"'{event['name']}' takes {min(event['perf']['raw'])} ms")
    if not whole:
        return
    endings = [event["perf"]["raw"] for event in block["events"] if event["name"] in ENDINGS.values()]
    for run, taken in enumerate(whole[0]["perf"]["raw"]):
        if sum(times[run] for times in endings) > taken:
            raise CheckFailed(f"the instructions of run {run} take longer than the run")


def check_events(block, program):
    """The events of an instruction are those of its kind, kernel and backend."""
    instructions = {one["index"]: one for one in program["instructions"] if one["method"] == block["methods"][0]}
    backends = {one["name"]: one["backend"] for one in program["delegates"]}
    for event in block["events"]:
        if event["name"] in FRAMEWORK or event["perf"] is None:
            continue
        instruction = instructions.get(event["instruction_id"])
        if instruction is None:
            raise CheckFailed(f"'{event['name']}' is of instruction {event['instruction_id']}, which the program has not")
        kind, target = instruction["kind"], instruction["target"]
        backend = backends[target] if kind == "delegate" else None
        if event["delegate_backend_name"] != backend:
            raise CheckFailed(f"'{event['name']}' is of backend {event['delegate_backend_name']}, expected {backend}")
        allowed = {ENDINGS[kind]}
        if kind == "kernel":
            allowed.add("native_call_" + target.split("::")[-1])
        if event["name"] not in allowed and not event["is_delegated_op"]:
            raise CheckFailed(f"instruction {instruction['index']} ({kind} {target}) has the event '{event['name']}'")
    run = {event["instruction_id"] for event in block["events"] if event["name"] in ENDINGS.values()}
    if not run:
        raise CheckFailed("no instruction has an event")
