"""Runs whose truth is known, logged as the runtime does: what is inside of a call before the call, the whole last."""

from flat_parts import Text, run, timed

OVERHEAD = 10  # of each call of a kernel or delegate, and of the whole
KERNELS, CALLS, DELEGATE_CALLS, ROWS, WHOLE = LEVELS = ("kernels", "calls", "delegate calls", "rows", "whole")


class KnownRun:
    """By a clock in nanoseconds that stands at `start`; only `levels` are logged."""

    def __init__(self, start=1_000_000, levels=LEVELS):
        self.start = self.now = start
        self._levels = levels
        self._events = []

    def kernel(self, name, instruction, took):
        begin, self.now = self.now, self.now + took + OVERHEAD
        self._add(KERNELS, "native_call_" + name, instruction, begin, begin + took)
        self._add(CALLS, "OPERATOR_CALL", instruction, begin, self.now)

    def delegate(self, instruction, rows, clock=None):
        """`rows` are names and times, of a clock that stands at `clock` if it is the delegate's own."""
        begin = self.now
        at = begin if clock is None else clock
        for name, took in rows:
            self._add(ROWS, "", instruction, at, at + took, Text(name))
            at += took
        self.now += sum(took for _, took in rows) + OVERHEAD
        self._add(DELEGATE_CALLS, "DELEGATE_CALL", instruction, begin, self.now)

    def end(self, name="Execute"):
        self.now += OVERHEAD
        self._add(WHOLE, "Method::execute", 0, self.start, self.now, chain=-1)
        return run(self._events, name)

    def _add(self, level, name, instruction, start, end, text=None, chain=0):
        if level in self._levels:
            self._events.append(timed(name, instruction, text, start, end, chain))
