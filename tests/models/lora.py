"""A LoRA family: one base model and variants that add small matrices to the same foundation."""

import zlib

import torch
from torch import nn
from torch.nn import functional

RANK = 4
FOUNDATION_SEED = 1234
VARIANT_SEED = 9000


class LoraLinear(nn.Module):
    """A linear layer plus, if rank is not 0, the product of two low-rank matrices."""

    def __init__(self, width_in, width_out, rank, alpha=8.0):
        super().__init__()
        self.linear = nn.Linear(width_in, width_out, bias=False)
        self.rank = rank
        if rank:
            self.lora_a = nn.Linear(width_in, rank, bias=False)
            self.lora_b = nn.Linear(rank, width_out, bias=False)
            self.scale = alpha / rank

    def forward(self, x):
        y = self.linear(x)
        return y + self.scale * self.lora_b(self.lora_a(x)) if self.rank else y


class LoraNet(nn.Module):
    """Embedding, residual blocks whose query and value layers carry LoRA, output head."""

    def __init__(self, rank, vocabulary=96, width=32, layers=2):
        super().__init__()
        self.tok = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(self._make_block(width, rank) for _ in range(layers))
        self.output = nn.Linear(width, vocabulary, bias=False)

    @staticmethod
    def _make_block(width, rank):
        return nn.ModuleDict(
            {
                "wq": LoraLinear(width, width, rank),
                "wv": LoraLinear(width, width, rank),
                "ffn": LoraLinear(width, width, 0),
                "norm": nn.LayerNorm(width),
            }
        )

    def forward(self, ids):
        x = self.tok(ids)
        for block in self.blocks:
            hidden = block["norm"](x)
            x = x + torch.sigmoid(block["wq"](hidden)) * block["wv"](hidden) + functional.relu(block["ffn"](hidden))
        return self.output(x)


def make_lora(variant):
    """Makes the base model (None) or a variant (0, 1, ...); the foundation's weights are the same in all."""
    model = LoraNet(rank=0 if variant is None else RANK)
    for name, parameter in sorted(model.named_parameters()):
        seed = VARIANT_SEED + variant if "lora" in name else FOUNDATION_SEED
        generator = torch.Generator().manual_seed(seed + zlib.crc32(name.encode()))
        parameter.data = torch.randn(parameter.shape, generator=generator) * 0.2
    return model
