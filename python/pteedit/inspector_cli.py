"""The exporter's inspector_cli without torch: python -m pteedit.inspector_cli --etdump_path run.etdp

Same options, table and file. With --compare_results it prints, instead of plots, how far each block called Execute is
from the reference outputs of the record. Exit codes are those of the tools: 2 usage, 3 malformed input, 4 input or
output that fails.
"""

import argparse
import sys
from typing import Optional, Sequence

from pteedit._comparison import compare_results
from pteedit.inspector import Inspector, TimeScale

_SCALES = [scale.value for scale in TimeScale]
_PROGRAM = "inspector_cli"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        _show(options)
    except RuntimeError as error:
        return _fail(error, 2)
    except ValueError as error:
        return _fail(error, 3)
    except OSError as error:
        return _fail(error, 4)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROGRAM, description="Show what a dump of the runtime measured.")
    parser.add_argument("--etdump_path", required=True, help="the dump")
    for name, default in (("source", TimeScale.NS), ("target", TimeScale.MS)):
        flag, text = f"--{name}_time_scale", "%(default)s by default"
        parser.add_argument(flag, choices=_SCALES, default=default.value, help=text)
    parser.add_argument("--etrecord_path", help="the exporter's record of the program")
    parser.add_argument("--debug_buffer_path", help="the tensors that were logged")
    parser.add_argument("--tsv_path", help="write the table to this file too, separated by tabs")
    parser.add_argument("--compare_results", action="store_true", help="compare outputs with those of the record")
    return parser


def _show(options: argparse.Namespace) -> None:
    inspector = Inspector(
        etdump_path=options.etdump_path,
        etrecord=options.etrecord_path,
        debug_buffer_path=options.debug_buffer_path,
        source_time_scale=TimeScale(options.source_time_scale),
        target_time_scale=TimeScale(options.target_time_scale),
    )
    inspector.print_data_tabular()
    if options.tsv_path:
        inspector.save_data_to_tsv(options.tsv_path)
    if not options.compare_results:
        return
    for block in inspector.event_blocks:
        if block.name != "Execute":
            continue
        if block.reference_output is None:
            raise ValueError("nothing to compare with: there is no record, or it has no reference outputs")
        compare_results(block.reference_output, block.run_output or [])


def _fail(error: Exception, code: int) -> int:
    print(f"{_PROGRAM}: error: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
