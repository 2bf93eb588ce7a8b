"""The exporter's way to tell what is in a program, or to lay it out anew: exporter_job.py list|align PROGRAM [OUT]. Prints the
seconds that it took, without those for imports."""

import sys
import time

from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary

ALIGNMENT = 4096


def main():
    job, path, *out = sys.argv[1:]
    began = time.monotonic()
    with open(path, "rb") as file:
        program = deserialize_pte_binary(file.read())
    if job == "list":
        sizes = [len(buffer.storage) for buffer in program.program.constant_buffer]
        assert sum(sizes), "nothing is in it"
    else:
        with open(out[0], "wb") as file:
            serialize_pte_binary(program, segment_alignment=ALIGNMENT).write_to_file(file)
    print(time.monotonic() - began)


main()
