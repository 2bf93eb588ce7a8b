"""Writes the tensors that programs were lowered from, by the exporter's names, as a .safetensors file."""

import json
import struct

import torch

TYPES = {
    torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
    torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL",
}


def write_checkpoint(file, exported_programs):
    header, contents, end = {}, [], 0
    for program in exported_programs:
        for name, tensor in (*program.state_dict.items(), *program.constants.items()):
            is_plain = isinstance(tensor, torch.Tensor) and type(tensor.data) is torch.Tensor  # not one that quantizes itself
            if not is_plain or tensor.dtype not in TYPES or name in header:
                continue
            contents.append(tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes())
            place = [end, end + len(contents[-1])]
            header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": place}
            end = place[1]
    text = json.dumps(header).encode()
    file.write(struct.pack("<Q", len(text)) + text + b"".join(contents))
