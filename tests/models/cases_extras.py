"""f10 and f11: what a program may carry beside the model: stack traces, bundled test cases."""

from exporting import backend_config, export, lower, xnnpack
from inputs import call, floats, make_tensors
from models import Mlp
from suite import group

BACKENDS = {"portable": None, "xnn": xnnpack}


@group("f10_stacktrace")
def stack_traces(suite):
    """stack traces of the instructions"""
    inputs = [floats(2, 16)]
    for backend, name in (("portable", "f10_stacktrace"), ("xnn", "f10_stacktrace_xnn")):
        partitioner = BACKENDS[backend] and BACKENDS[backend]()
        suite.write(
            name, f"{name}.pte", lower(export(Mlp(), inputs), partitioner, backend_config(emit_stacktrace=True)),
            [call(*inputs)], f"emit_stacktrace=True, {backend}",
            "frames with file names and source lines" if backend == "portable" else "a delegate call has no frames",
        )


@group("f11_bundled")
def bundled(suite):
    """bundled programs: a program with inputs and expected outputs in one file"""
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer

    descriptions = [[floats(2, 16, seed=seed)] for seed in (1, 2)]
    for backend, partitioner in BACKENDS.items():
        model = Mlp().eval()
        program = lower(export(model, descriptions[0]), partitioner and partitioner())
        cases = [
            MethodTestCase(inputs=tensors, expected_outputs=(model(*tensors),))
            for tensors in map(make_tensors, descriptions)
        ]
        bundle = BundledProgram(program, [MethodTestSuite(method_name="forward", test_cases=cases)])
        path = suite.write_bytes(f"f11_bundled_{backend}.bpte", serialize_from_bundled_program_to_flatbuffer(bundle))
        suite.add(
            f"f11_bundled_{backend}", path, [], [call(*inputs) for inputs in descriptions],
            f"BundledProgram, {backend}", "a BP08 flatbuffer with the program inside",
        )
