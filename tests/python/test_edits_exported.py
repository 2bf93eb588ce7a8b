"""What ptecopy makes of a real export, beside a fresh export of the same; skipped where there is no exporter."""

import importlib.util
import json
import pathlib
import struct
import sys
import tempfile
import unittest

HAS_EXPORTER = all(importlib.util.find_spec(name) is not None for name in ("torch", "executorch", "torchao"))

from common import PROJECT, run_tool

if HAS_EXPORTER:
    sys.path.insert(0, str(PROJECT / "tests" / "models"))
    import torch
    from cases_basic import CONSTANT_METHODS, DECODE, PREFILL
    from cases_lora import INPUTS
    from executorch.runtime import Runtime
    from exporting import export, lower, xnnpack
    from inputs import floats, make_tensors
    from lora import make_lora
    from models import Method, Mlp, PrefillDecode

MOST_GROWTH = 1.02  # beside a fresh export


def outputs_of(path, method, inputs):
    return Runtime.get().load_program(path).load_method(method).execute(make_tensors(inputs))


def write_checkpoint(path, model):
    """The model's parameters as .safetensors."""
    header, data = {}, b""
    for name, tensor in model.state_dict().items():
        content = tensor.detach().contiguous().numpy().tobytes()
        place = [len(data), len(data) + len(content)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": place}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


@unittest.skipUnless(HAS_EXPORTER, "torch and executorch are not installed")
class Exported(unittest.TestCase):
    def families(self):
        """Name, programs by method as they were exported, partitioners by method, inputs by method."""
        model = PrefillDecode()
        pair = {"prefill": PREFILL, "decode": DECODE}
        both = {"forward": INPUTS, "lora_forward": INPUTS}
        on_xnnpack = {"prefill": xnnpack(), "decode": xnnpack()}
        mixed = {"prefill": xnnpack(), "decode": []}
        of_pair = lambda: {name: export(Method(model, name), inputs) for name, inputs in pair.items()}
        of_lora = lambda: {"forward": export(make_lora(None), INPUTS), "lora_forward": export(make_lora(1), INPUTS)}
        yield "portable", of_pair, None, pair
        yield "XNNPACK", of_pair, on_xnnpack, pair
        yield "mixed", of_pair, mixed, pair
        yield "LoRA, portable", of_lora, None, both
        yield "LoRA, XNNPACK", of_lora, {name: xnnpack() for name in both}, both

    def test_a_kept_method_is_as_small_as_a_fresh_export_and_answers_alike(self):
        for family, programs, partitioners, inputs in self.families():
            for method in inputs:
                with self.subTest(family=family, method=method), tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    lower(programs(), partitioners).save(str(folder / "whole.pte"))
                    alone = {method: partitioners[method]} if partitioners else None
                    lower({method: programs()[method]}, alone).save(str(folder / "fresh.pte"))
                    copied = run_tool(
                        "ptecopy", folder / "whole.pte", "-o", folder / "kept.pte", "--keep-method", method
                    )
                    self.assertEqual(copied.returncode, 0, copied.stderr)
                    kept, fresh = ((folder / file).stat().st_size for file in ("kept.pte", "fresh.pte"))
                    self.assertLessEqual(kept, fresh * MOST_GROWTH)
                    answers = [outputs_of(folder / file, method, inputs[method]) for file in ("kept.pte", "fresh.pte")]
                    for one, other in zip(*answers, strict=True):
                        self.assertTrue(torch.equal(one, other))

    def test_refitted_with_other_weights_it_is_the_export_with_them(self):
        for family, partitioner in (("portable", None), ("XNNPACK", xnnpack())):
            with self.subTest(family=family), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                for weights in ("old", "new"):
                    model = Mlp()
                    write_checkpoint(folder / f"{weights}.safetensors", model)
                    lower(export(model, [floats(2, 16)]), partitioner).save(str(folder / f"{weights}.pte"))
                names = ["--refit", folder / "new.safetensors", "--names", folder / "old.safetensors"]
                copied = run_tool("ptecopy", folder / "old.pte", "-o", folder / "refitted.pte", *names)
                self.assertEqual(copied.returncode, 0, copied.stderr)
                same = run_tool("pteinspect", folder / "refitted.pte", "--same", folder / "new.pte")
                self.assertEqual((same.returncode, same.stdout), (0, b"same\n"))

    def test_constant_methods_are_set_as_the_exporter_writes_them(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model = PrefillDecode()
            program = lambda: {"decode": export(Method(model, "decode"), DECODE)}
            lower(program()).save(str(folder / "plain.pte"))
            lower(program(), constant_methods=CONSTANT_METHODS).save(str(folder / "exported.pte"))
            values = ["get_vocab_size=64", "get_name=pd", "get_eos=[1,2]", "use_kv=false", "scale=0.5"]
            words = [word for value in values for word in ("--set-method", value)]
            copied = run_tool("ptecopy", folder / "plain.pte", "-o", folder / "set.pte", *words)
            self.assertEqual(copied.returncode, 0, copied.stderr)
            same = run_tool("pteinspect", folder / "set.pte", "--same", folder / "exported.pte")
            self.assertEqual((same.returncode, same.stdout), (0, b"same\n"))


if __name__ == "__main__":
    unittest.main()
