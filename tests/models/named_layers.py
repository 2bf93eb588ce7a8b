"""Makes tests/data/names: a model whose weights XNNPACK stores in every form that it has, its checkpoint, and what they are called.

    python tests/models/named_layers.py tests/data/names     (torch, executorch, safetensors)
"""

import hashlib
import json
import pathlib
import sys
import zipfile

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from safetensors.torch import save_file


class Layers(torch.nn.Module):
    """Convolutions (stored channels last), a depthwise and a transposed one (transposed), matrices as they are and transposed."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.depthwise = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.up = torch.nn.ConvTranspose2d(8, 6, 2, stride=2)
        self.fc = torch.nn.Linear(6, 10)
        self.mix = torch.nn.Parameter(torch.randn(10, 7))

    def forward(self, x):
        x = self.up(self.depthwise(self.conv(x)).relu())
        return self.fc(x.mean((2, 3))) @ self.mix


def names_by_key(module):
    """What XNNPACK makes of each tensor, by an independent way: torch's own permutations."""
    def key(tensor):
        return hashlib.sha256(tensor.contiguous().numpy().tobytes()).hexdigest()

    found = {}
    for name, tensor in module.state_dict().items():
        forms = [tensor]
        if tensor.dim() == 4:
            forms += [tensor.permute(0, 2, 3, 1), tensor.permute(1, 2, 3, 0)]
        if tensor.dim() == 2:
            forms.append(tensor.t())
        for form in forms:
            found.setdefault(key(form), []).append(name)
    return found


def write_record(record, path):
    """Without folders of this machine, programs deflated, weights stored as the exporter does."""
    folders = [f"{pathlib.Path(torch.__file__).parent.parent}/", f"{pathlib.Path(__file__).resolve().parents[2]}/"]
    record.save(str(path))
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w") as archive:
        for name, contents in entries:
            is_saved = contents.startswith(b"PK")
            for place in folders if not is_saved else ():
                contents = contents.replace(place.encode(), b"")
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            archive.writestr(info, contents, zipfile.ZIP_STORED if is_saved else zipfile.ZIP_DEFLATED)


def main(folder):
    torch.manual_seed(0)
    model = Layers().eval()
    example = (torch.randn(1, 3, 6, 6),)
    save_file(model.state_dict(), folder / "layers.safetensors", {"format": "pt"})
    (folder / "layers.safetensors").chmod(0o644)
    exported = torch.export.export(model, example)
    for name, partitioner in (("portable", []), ("xnnpack", [XnnpackPartitioner()])):
        edge = to_edge_transform_and_lower(exported, partitioner=partitioner, generate_etrecord=True)
        program = edge.to_executorch()
        (folder / f"layers_{name}.pte").write_bytes(program.buffer)
    write_record(program.get_etrecord(), folder / "layers_xnnpack.etrecord")
    (folder / "layers.expected.json").write_text(json.dumps(names_by_key(model), indent=1) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
