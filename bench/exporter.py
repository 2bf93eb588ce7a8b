"""The exporter's Python beside the tools, on the same jobs."""

import pathlib
import statistics
import subprocess

from families import GB, write_whole
from measuring import measure, remove

ROUNDS = 3
JOB = pathlib.Path(__file__).resolve().parent / "exporter_job.py"


def beside_exporter(python, tools, folder):
    """Rows, none without a Python that has the exporter. Its seconds are without those for imports."""
    if python is None:
        return
    whole, out = folder / "whole.pte", folder / "out.pte"
    write_whole(whole, GB)
    for name, theirs, ours in (("list", ["list", whole], ["pteinspect", whole]),
                               ("align", ["align", whole, out], ["ptestrip", "--align", "4096", whole, "-o", out])):
        seconds, peaks, runs = [], [], []
        for _ in range(ROUNDS):
            remove([out])
            words = ["time", "-f", "%M", python, JOB, *theirs]
            done = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            seconds.append(float(done.stdout))
            peaks.append(int(done.stderr.split()[-1]) / 1024)
            remove([out])
            runs.append(measure([tools / ours[0], *ours[1:]]))
        yield {"job": name, "bytes": GB, "exporter_seconds": statistics.median(seconds), "exporter_peak_mib": max(peaks),
               "seconds": statistics.median(run[0] for run in runs), "peak_mib": max(run[1] for run in runs)}
    remove([whole, out])
