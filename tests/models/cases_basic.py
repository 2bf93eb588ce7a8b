"""f01 to f06: programs without and with constants, external constants, XNNPACK, several methods."""

from exporting import backend_config, export, lower, tag_delegate_constants, xnnpack
from inputs import call, floats, integers
from models import Add, DelegateAndPortable, Linear, Method, Mlp, PrefillDecode
from suite import group

PREFILL = [integers(1, 6, high=64)]
DECODE = [integers(1, 1, high=64, seed=3)]
METHOD_CALLS = [call(*PREFILL, method="prefill"), call(*DECODE, method="decode"), call(*PREFILL, method="prefill")]
CONSTANT_METHODS = {"get_vocab_size": 64, "get_name": "pd", "get_eos": [1, 2], "use_kv": False, "scale": 0.5}


@group("f01_add")
def add(suite):
    """add without constants"""
    inputs = [floats(2, 3), floats(2, 3, seed=2)]
    suite.write(
        "f01_add", "f01_add.pte", lower(export(Add(), inputs)), [call(*inputs)],
        "portable", "no constants: the constant segment has its placeholder only, no extended header",
    )


@group("f02_linear")
def linear(suite):
    """portable linear layer"""
    inputs = [floats(2, 8)]
    suite.write(
        "f02_linear", "f02_linear.pte", lower(export(Linear(), inputs)), [call(*inputs)],
        "portable", "a constant segment with two buffers",
    )


@group("f03_mlp_xnn")
def mlp_xnnpack(suite):
    """MLP on XNNPACK"""
    inputs = [floats(2, 16)]
    suite.write(
        "f03_mlp_xnn", "f03_mlp_xnn.pte", lower(export(Mlp(), inputs), xnnpack()), [call(*inputs)],
        "XnnpackPartitioner()", "a delegate segment and named data with SHA-256 keys",
    )


@group("f04_linear_ext")
def external(suite):
    """portable constants in one .ptd, in two, and in part"""
    inputs = [floats(2, 8)]
    suite.write(
        "f04_linear_ext", "f04/linear.pte",
        lower(export(Linear(), inputs), config=backend_config(external_constants=True)), [call(*inputs)],
        "external_constants=True", "all constants in one .ptd, keyed by their full name",
    )
    weights_only = backend_config(external_constants=lambda node: "w" if "weight" in node.name else None)
    suite.write(
        "f04_linear_ext_partial", "f04/linear_partial.pte", lower(export(Linear(), inputs), config=weights_only),
        [call(*inputs)], "external_constants=callable: the weight outside, the bias inside",
        "constant segment and .ptd together",
    )
    inputs = [floats(2, 16)]
    two_tags = backend_config(external_constants=lambda node: "odd" if "layers_1" in node.name else "even")
    suite.write(
        "f04_mlp_two_ptd", "f04/mlp_two.pte", lower(export(Mlp(), inputs), config=two_tags), [call(*inputs)],
        "external_constants=callable with two tags", "two .ptd files needed at once",
    )


@group("f05_mlp_xnn_ext")
def external_xnnpack(suite):
    """weights of XNNPACK in one .ptd, in two, in part; mixed with portable constants"""
    inputs = [floats(2, 16)]
    tags = {
        "one": lambda node: "model",
        "two": lambda node: "odd" if "1" in str(node.target) else "even",
        "partial": lambda node: "w" if "weight" in str(node.target) else None,
    }
    for form, tag in tags.items():
        program = tag_delegate_constants(export(Mlp(), inputs), inputs, tag)
        suite.write(
            f"f05_mlp_xnn_ext_{form}", f"f05/mlp_xnn_{form}.pte", lower(program, xnnpack()), [call(*inputs)],
            "tagged delegate constants, XnnpackPartitioner()", f"named data in .ptd ({form})", f"{form}_",
        )
    program = tag_delegate_constants(export(DelegateAndPortable(), inputs), inputs, lambda node: "shared")
    config = backend_config(external_constants=lambda node: "shared")
    suite.write(
        "f05_mixed_ext", "f05/mixed.pte", lower(program, xnnpack(), config), [call(*inputs)],
        "tagged delegate constants and external_constants=callable give one tag",
        "one .ptd with entries with and without a tensor layout", "mixed_",
    )


def _export_prefill_decode(model, tag=None):
    """Exports both methods of the model; with a tag, the delegate's weights go to that .ptd."""
    programs = {}
    for name, inputs in (("prefill", PREFILL), ("decode", DECODE)):
        program = export(Method(model, name), inputs)
        programs[name] = tag_delegate_constants(program, inputs, lambda node: tag) if tag else program
    return programs


@group("f06_multimethod")
def multi_method(suite):
    """prefill and decode with shared weights: portable, external, XNNPACK, mixed"""
    model = PrefillDecode()
    shared = backend_config(external_constants=lambda node: "shared")
    both = {"prefill": xnnpack(), "decode": xnnpack()}
    suite.write(
        "f06_portable", "f06/portable.pte", lower(_export_prefill_decode(model)), METHOD_CALLS,
        "a dictionary of programs", "two methods, equal constants once in the constant segment",
    )
    getters = [call(method=name) for name in ("get_vocab_size", "use_kv", "scale")]
    suite.write(
        "f06_portable_const_methods", "f06/portable_cm.pte",
        lower(_export_prefill_decode(model), constant_methods=CONSTANT_METHODS), METHOD_CALLS + getters,
        "constant_methods of type int, str, list, bool and float", "methods without instructions",
    )
    suite.write(
        "f06_portable_ext", "f06/portable_ext.pte", lower(_export_prefill_decode(model), config=shared), METHOD_CALLS,
        "external_constants=callable, one tag", "two methods, one .ptd",
    )
    suite.write(
        "f06_xnn", "f06/xnn.pte", lower(_export_prefill_decode(model), both), METHOD_CALLS,
        "a partitioner for each method", "named data shared by the methods' delegates",
    )
    suite.write(
        "f06_xnn_ext", "f06/xnn_ext.pte", lower(_export_prefill_decode(model, "shared"), both), METHOD_CALLS,
        "tagged delegate constants, two methods", "several methods and a .ptd", "xnn_",
    )
    suite.write(
        "f06_mixed", "f06/mixed.pte", lower(_export_prefill_decode(model), {"prefill": xnnpack(), "decode": []}),
        METHOD_CALLS, "prefill on XNNPACK, decode portable",
        "the same weight in the constant segment and in named data",
    )
