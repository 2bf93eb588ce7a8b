"""A small language model in the manner of GPT-2: causal self-attention, pre-norm blocks, tied embedding and head."""

import math

import torch
from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.register_buffer("bias", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        batch, tokens, width = x.shape
        shape = (batch, tokens, self.heads, width // self.heads)
        query, key, value = (part.view(shape).transpose(1, 2) for part in self.c_attn(x).split(width, dim=2))
        scores = (query @ key.transpose(-2, -1)) / math.sqrt(shape[3])
        scores = scores.masked_fill(self.bias[:, :, :tokens, :tokens] == 0, float("-inf"))
        mixed = functional.softmax(scores, dim=-1) @ value
        return self.c_proj(mixed.transpose(1, 2).contiguous().view(batch, tokens, width))


class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = Attention(width, heads, length)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)})

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp["c_proj"](functional.gelu(self.mlp["c_fc"](self.ln_2(x))))


class Gpt(nn.Module):
    """Returns the logits of the last position. The modules have the names that GPT-2 checkpoints use."""

    def __init__(self, vocabulary=160, length=32, layers=2, heads=2, width=32):
        super().__init__()
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(vocabulary, width),
                "wpe": nn.Embedding(length, width),
                "h": nn.ModuleList(Block(width, heads, length) for _ in range(layers)),
                "ln_f": nn.LayerNorm(width),
            }
        )
        self.lm_head = nn.Linear(width, vocabulary, bias=False)
        self.transformer.wte.weight = self.lm_head.weight

    def forward(self, ids):
        positions = torch.arange(0, ids.size(1), dtype=torch.long)
        x = self.transformer.wte(ids) + self.transformer.wpe(positions)
        for block in self.transformer.h:
            x = block(x)
        return self.lm_head(self.transformer.ln_f(x)[:, [-1], :])
