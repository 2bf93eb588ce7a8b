"""The Inspector beside the exporter's own; skipped where there is no torch or executorch."""

import importlib.util
import io
import math
import unittest
import warnings

from common import DATA

HAS_EXPORTER = all(importlib.util.find_spec(name) is not None for name in ("torch", "executorch"))

if HAS_EXPORTER:
    import torch
    from executorch.devtools import Inspector as Genuine
    from executorch.devtools import parse_etrecord
    from executorch.devtools.inspector import TimeScale as GenuineTimeScale

from pteedit import Inspector

CASES = DATA / "inspector"
BOTH_OPEN = ("gpt_xnnpack", "mlp_portable", "mlp_q8_xnnpack", "single_run", "two_delegates")


def same(one, other):
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return one == other


@unittest.skipUnless(HAS_EXPORTER, "torch and executorch are not installed")
class Agreement(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def both(self, **arguments):
        return Inspector(**arguments), Genuine(**arguments)

    def check_frames(self, ours, genuine):
        self.assertEqual(list(ours.columns), list(genuine.columns))
        self.assertEqual([str(dtype) for dtype in ours.dtypes], [str(dtype) for dtype in genuine.dtypes])
        for column in ours.columns:
            for one, other in zip(ours[column].tolist(), genuine[column].tolist()):
                self.assertTrue(same(one, other), (column, one, other))

    def check_tables(self, ours, genuine):
        for options in ((True, False), (False, True)):
            texts = []
            for inspector in (ours, genuine):
                table, tsv = io.StringIO(), io.StringIO()
                inspector.print_data_tabular(table, *options)
                inspector.save_data_to_tsv(tsv, *options)
                texts.append((table.getvalue(), tsv.getvalue()))
            self.assertEqual(*texts)
            self.check_frames(ours.to_dataframe(*options), genuine.to_dataframe(*options))

    def test_frames_and_tables_with_records(self):
        for name in BOTH_OPEN:
            with self.subTest(case=name):
                folder = CASES / name
                files = {"etdump_path": str(folder / "etdump.etdp"), "etrecord": str(folder / "etrecord.bin")}
                ours, genuine = self.both(**files, target_time_scale=GenuineTimeScale.US)
                self.check_tables(ours, genuine)
                for block, other in zip(ours.event_blocks, genuine.event_blocks):
                    for event, wanted in zip(block.events, other.events):
                        self.assertEqual(event.debug_handles, wanted.debug_handles)
                        self.assertEqual(event.module_hierarchy, wanted.module_hierarchy)
                        self.assertEqual(event.asdict().keys(), wanted.asdict().keys())

    def test_metadata_of_delegates(self):
        path = str(CASES / "synth_delegate_metadata/etdump.etdp")
        ours, genuine = self.both(etdump_path=path)
        self.check_tables(ours, genuine)

        def parse(metadata):
            return {"count": len(metadata), "text": str(metadata[:1]), **({"more": 0.25} if metadata else {})}

        convert = lambda name, time: time / len(name)  # noqa: E731
        ours, genuine = self.both(
            etdump_path=path, delegate_metadata_parser=parse, delegate_time_scale_converter=convert
        )
        self.check_tables(ours, genuine)

    def test_values_are_tensors_of_torch(self):
        for name in ("mlp_portable", "single_run", "two_delegates"):
            folder = CASES / name
            files = {"etdump_path": str(folder / "etdump_debug.etdp"), "etrecord": str(folder / "etrecord.bin")}
            ours, genuine = self.both(**files, debug_buffer_path=str(folder / "debug_buffer.bin"))
            for block, other in zip(ours.event_blocks, genuine.event_blocks):
                self.check_values(block.run_output, other.run_output)
                for event, wanted in zip(block.events, other.events):
                    self.check_values(event.debug_data, wanted.debug_data)

    def check_values(self, ours, genuine):
        self.assertEqual(len(ours), len(genuine))
        for one, other in zip(ours, genuine):
            self.assertEqual((type(one), one.dtype, one.shape), (type(other), other.dtype, other.shape))
            self.assertTrue(torch.equal(one, other))

    def test_records_of_the_exporter(self):
        folder = CASES / "mlp_portable"
        record = parse_etrecord(str(folder / "etrecord.bin"))
        ours, genuine = self.both(etdump_path=str(folder / "etdump.etdp"), etrecord=record)
        self.check_tables(ours, genuine)
        self.assertIs(ours.get_exported_program(), record.edge_dialect_program)

    def test_programs_are_the_exporters(self):
        folder = CASES / "mlp_portable"
        inspector = Inspector(str(folder / "etdump.etdp"), etrecord=str(folder / "etrecord.bin"))
        self.assertIsInstance(inspector.get_exported_program(), torch.export.ExportedProgram)
        self.assertIsNone(inspector.get_exported_program("other"))


if __name__ == "__main__":
    unittest.main()
