"""Entries for the files of tests/data that generate.py does not export but finds there: see tests/data/README.md.

Other backends' exporters, older releases' exporters, and the files of assemble_old.py.
"""

import os

from inputs import call, floats, integers
from suite import group

MLP_INPUT = [floats(2, 16)]
IMAGE_INPUT = [floats(1, 3, 16, 16)]
LORA_INPUT = [integers(1, 7, high=96)]

# name: backend, inputs, file, data, what it exercises
BACKENDS = {
    "f15b_mlx_v0": ("MLX", LORA_INPUT, "f15/mlx_v0.pte", [], "a LoRA variant, keys are full names"),
    "f15b_mlx_v1": ("MLX", LORA_INPUT, "f15/mlx_v1.pte", [], "the keys of f15b_mlx_v0, LoRA bytes differ"),
    "f17_coreml": ("Core ML", MLP_INPUT, "f17/coreml.pte", [], "a blob that is a package archive"),
    "f17_ethosu": ("Ethos-U", MLP_INPUT, "f17/ethosu.pte", [], "everything in the blob, portable quantization"),
    "f17_mlx": ("MLX", MLP_INPUT, "f17/mlx.pte", [], "keys with a prefix for the graph"),
    "f17_openvino": ("OpenVINO", MLP_INPUT, "f17/openvino.pte", [], "everything in the blob"),
    "f17_vgf": ("VGF", MLP_INPUT, "f17/vgf.pte", [], "compile specs of text"),
    "f17_vulkan": ("Vulkan", MLP_INPUT, "f17/vulkan.pte", [], "a blob with its own header, named data"),
    "f17_vulkan_ext": (
        "Vulkan", MLP_INPUT, "f17/vulkan_ext.pte",
        ["f17/vk_vulkan_constants_0e1ad93c4ea306ba27e91344998ed1a93e332cd865595d74e499f3d1560a72e6.ptd"],
        "constants in a .ptd",
    ),
    "delegates/coreml_conv": ("Core ML", IMAGE_INPUT, None, [], "convolution"),
    "delegates/coreml_lin": ("Core ML", MLP_INPUT, None, [], "linear layers"),
    "delegates/ethosu55_conv": ("Ethos-U", IMAGE_INPUT, None, [], "convolution for Ethos-U55"),
    "delegates/ethosu85_ext": (
        "Ethos-U", IMAGE_INPUT, None, ["delegates/ethosu_weights.ptd"], "convolution for Ethos-U85, weights in a .ptd"
    ),
    "delegates/mlx_lin": ("MLX", MLP_INPUT, None, [], "linear layers"),
    "delegates/native_lin": (
        "native", MLP_INPUT, None, ["delegates/native_weights.ptd"], "linear layers, weights in a .ptd of another model"
    ),
    "delegates/ov_conv": ("OpenVINO", IMAGE_INPUT, None, [], "convolution"),
    "delegates/tosa_conv": ("TOSA", IMAGE_INPUT, None, [], "convolution"),
    "delegates/vgf_conv": ("VGF", IMAGE_INPUT, None, [], "convolution"),
    "delegates/vk_lin": ("Vulkan", MLP_INPUT, None, [], "linear layers"),
    "delegates/xnn_conv": ("XNNPACK", IMAGE_INPUT, None, [], "convolution"),
    "delegates/xnn_conv_q8": ("XNNPACK", IMAGE_INPUT, None, [], "convolution, 8 bits"),
    "delegates/xnn_lin": ("XNNPACK", MLP_INPUT, None, [], "linear layers"),
    "delegates/xnn_lin_dq8": ("XNNPACK", MLP_INPUT, None, [], "linear layers, dynamic 8 bits"),
}

OLD_RELEASES = ("0.4.0", "0.6.0", "1.0.1")
OLD_MODELS = {
    "add": ([floats(2), floats(2, seed=2)], "no constants"),
    "lin": ([floats(2, 8)], "a constant segment"),
    "lin_ext": ([floats(2, 8)], "constants in a .ptd"),
    "xnn": ([floats(2, 8)], "XNNPACK, the delegate as a segment"),
    "xnn_inline": ([floats(2, 8)], "XNNPACK, the delegate inline"),
}

ASSEMBLED = {
    "old/0.1_inline": "constants inline in the tables, no segments and no extended header",
    "old/0.1_inline_delegate": "a delegate inline in the tables, no segments and no extended header",
    "old/0.2_segment": "a constant segment, an extended header of 24 bytes, none of the later fields",
}

# The runtime's Python binding has portable kernels and XNNPACK only. It takes neither inline constants nor the .ptd
# layout of 0.6.
RUNNING = ("delegates/xnn", "old/")
NOT_RUNNING = ("old/0.1_inline", "old/0.1_inline_delegate", "old/0.6.0_lin_ext")


@group("kept")
def kept_files(suite):
    """entries for the files from other exporters"""
    for name, (backend, inputs, pte, data, exercises) in BACKENDS.items():
        _add(
            suite, name, pte, data, inputs, f"{backend} partitioner", exercises,
            f"exported with the {backend} exporter; see tests/data/README.md",
        )
    for release in OLD_RELEASES:
        for model, (inputs, exercises) in OLD_MODELS.items():
            name = f"old/{release}_{model}"
            data = [f"{name}__default_external_constant.ptd"] if model == "lin_ext" else []
            source = f"exported with executorch {release}; see tests/data/README.md"
            _add(suite, name, None, data, inputs, f"exporter of {release}", exercises, source)
    for name, exercises in ASSEMBLED.items():
        source = "assembled by tests/models/assemble_old.py"
        _add(suite, name, None, [], [floats(2, 8)], "assemble_old.py", exercises, source)


def _add(suite, name, pte, data, inputs, how, exercises, source):
    """Adds an entry, with the decoded contents where there are some, unless the folder lacks the file."""
    pte = pte or f"{name}.pte"
    if not os.path.exists(os.path.join(suite.folder, pte)):
        return
    decoded = f"{name}.json"
    more = {"decoded": decoded} if os.path.exists(os.path.join(suite.folder, decoded)) else {}
    runnable = name.startswith(RUNNING) and name not in NOT_RUNNING
    if name == "delegates/native_lin":
        more["lacks_keys"] = True
    suite.add(name, pte, data, [call(*inputs)], how, exercises, runnable, source, **more)
