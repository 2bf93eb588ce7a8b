#!/usr/bin/env python3
"""Exports a GPT with its ETRecord and runs it with an ETDump, as big as real ones: make_profile.py --out DIR.

By default 12 layers of width 768, 162 million parameters: a program of 0.65 GB, a record of 1.3 GB, a dump of 20 runs.
Needs torch and executorch, 3 GB of memory and some minutes. Writes gpt.pte, gpt.etrecord and gpt.etdp.
"""

import argparse
import importlib.util
import pathlib
import sys

SKIPPED = 77


def export(model, ids, folder):
    import torch
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower

    with torch.no_grad():
        program = torch.export.export(model.eval(), (ids,), strict=False)
    config = EdgeCompileConfig(_check_ir_validity=False)
    manager = to_edge_transform_and_lower(program, compile_config=config, generate_etrecord=True).to_executorch()
    manager.get_etrecord().save(str(folder / "gpt.etrecord"))
    with open(folder / "gpt.pte", "wb") as file:
        manager.write_to_file(file)


def run(ids, folder, runs):
    from executorch.extension.pybindings import portable_lib

    module = portable_lib._load_for_executorch(str(folder / "gpt.pte"), enable_etdump=True)
    for _ in range(runs):
        module.run_method("forward", [ids])
    module.write_etdump_result_to_file(str(folder / "gpt.etdp"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--vocabulary", type=int, default=50304)
    parser.add_argument("--tokens", type=int, default=8)
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    missing = [name for name in ("torch", "executorch") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"make_profile.py: skipped: {' and '.join(missing)} not installed", file=sys.stderr)
        return SKIPPED
    import torch
    from gpt import Gpt

    torch.manual_seed(0)
    arguments.out.mkdir(parents=True, exist_ok=True)
    model = Gpt(arguments.vocabulary, 128, arguments.layers, arguments.width // 64, arguments.width)
    model.transformer.wte.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight))  # not tied to the head
    ids = torch.arange(arguments.tokens).unsqueeze(0)
    export(model, ids, arguments.out)
    del model
    run(ids, arguments.out, arguments.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
