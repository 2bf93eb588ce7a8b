"""f08: LoRA families in the forms that the exporter can write."""

from exporting import backend_config, export, lower, tag_delegate_constants, xnnpack
from inputs import call, integers
from lora import make_lora
from suite import group

INPUTS = [integers(1, 7, high=96)]
FAMILY = {"base": None, "v0": 0, "v1": 1, "v2": 2}


def _is_lora(node):
    """Whether a graph node is a LoRA weight: its full name is in the target or in the name, depending on the stage."""
    return "lora" in f"{node.target} {node.name}"


def _tag_both(node):
    return "lora" if _is_lora(node) else "foundation"


def _tag_foundation(node):
    return None if _is_lora(node) else "foundation"


def _lower_external(variant, tag, on_xnnpack):
    """Lowers a member of the family with its weights in the .ptd files that tag names."""
    program = export(make_lora(variant), INPUTS)
    config = backend_config(external_constants=tag)
    if not on_xnnpack:
        return lower(program, config=config)
    return lower(tag_delegate_constants(program, INPUTS, tag), xnnpack(), config)


@group("f08_lora")
def lora_family(suite):
    """base and three variants: inside, separated by the exporter, half separated, two methods"""
    calls = [call(*INPUTS)]
    for member, variant in FAMILY.items():
        suite.write(
            f"f08a_portable_{member}", f"f08/a_portable_{member}.pte", lower(export(make_lora(variant), INPUTS)),
            calls, "portable", "LoRA family, everything in the constant segment",
        )
        suite.write(
            f"f08b_xnn_{member}", f"f08/b_xnn_{member}.pte", lower(export(make_lora(variant), INPUTS), xnnpack()),
            calls, "XnnpackPartitioner()", "LoRA family, named data and a few portable constants",
        )
        suite.write(
            f"f08c_portable_{member}", f"f08/c_portable_{member}.pte", _lower_external(variant, _tag_both, False),
            calls, "external_constants by name: 'lora' or 'foundation'",
            "separated by the exporter: one program, the same keys in each variant's lora.ptd",
            f"c_portable_{member}_",
        )
        suite.write(
            f"f08c_xnn_{member}", f"f08/c_xnn_{member}.pte", _lower_external(variant, _tag_both, True), calls,
            "tagged delegate constants and external_constants by name",
            "separated by the exporter: the LoRA keys are hashes and differ in each variant", f"c_xnn_{member}_",
        )
    for member, variant in list(FAMILY.items())[1:]:
        suite.write(
            f"f08d_xnn_{member}", f"f08/d_xnn_{member}.pte", _lower_external(variant, _tag_foundation, True), calls,
            "the foundation outside, LoRA inside", "named data in the program and in a .ptd", f"d_xnn_{member}_",
        )


@group("f08e_multi")
def lora_methods(suite):
    """base and LoRA as two methods of one program"""
    calls = [call(*INPUTS), call(*INPUTS, method="lora_forward")]
    for backend in ("xnn", "portable"):
        programs = {"forward": export(make_lora(None), INPUTS), "lora_forward": export(make_lora(1), INPUTS)}
        partitioners = {name: xnnpack() for name in programs} if backend == "xnn" else None
        suite.write(
            f"f08e_multi_{backend}", f"f08/e_multi_{backend}.pte", lower(programs, partitioners), calls,
            "two methods", "base and LoRA in one program, the foundation once",
        )
