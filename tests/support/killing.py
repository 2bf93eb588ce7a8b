"""Processes that die by SIGKILL at random moments."""

import os
import random
import select
import signal
import time


class RandomKills:
    """Of runs that take some seconds: fewer than was thought, where one is found to have ended by itself."""

    def __init__(self, seed, seconds):
        self.chance, self.seconds, self.killed = random.Random(seed), seconds, 0

    def kill(self, pid):
        """The child has ended then, whether by this or not, and nobody has waited for it."""
        begin = time.monotonic()
        ended = os.pidfd_open(pid)
        try:
            has_ended = select.select([ended], [], [], self.chance.uniform(0, self.seconds))[0]
        finally:
            os.close(ended)
        if has_ended:
            self.seconds = (self.seconds + time.monotonic() - begin) / 2
        os.kill(pid, signal.SIGKILL)
        self.killed += os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT).si_code == os.CLD_KILLED
