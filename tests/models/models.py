"""The small models that most groups export."""

import torch
from torch import nn


class Add(nn.Module):
    def forward(self, x, y):
        return x + y


class Linear(nn.Module):
    """One linear layer under the name fc."""

    def __init__(self, width_in=8, width_out=4):
        super().__init__()
        self.fc = nn.Linear(width_in, width_out)

    def forward(self, x):
        return self.fc(x)


class Mlp(nn.Module):
    """Linear layers with ReLU between them."""

    def __init__(self, widths=(16, 32, 32, 4)):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


class Method(nn.Module):
    """Shows one method of a model as forward, which is what the exporter captures."""

    def __init__(self, model, name):
        super().__init__()
        self.model = model
        self.name = name

    def forward(self, *inputs):
        return getattr(self.model, self.name)(*inputs)


class PrefillDecode(nn.Module):
    """Two methods that share an embedding, a layer and a head; each has a weight of its own too."""

    def __init__(self, vocabulary=64, width=24):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.mix = nn.Linear(width, width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.prefill_only = nn.Linear(width, width)
        self.decode_scale = nn.Parameter(torch.randn(width))

    def prefill(self, ids):
        hidden = torch.tanh(self.mix(self.embedding(ids)))
        return self.head(self.prefill_only(hidden))

    def decode(self, ids):
        hidden = torch.tanh(self.mix(self.embedding(ids))) * self.decode_scale
        return self.head(hidden)


class DelegateAndPortable(nn.Module):
    """A linear layer for a delegate, and a constant behind an operator that XNNPACK leaves alone."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)
        self.steps = nn.Parameter(torch.randn(2, 16))

    def forward(self, x):
        return torch.cumsum(self.linear(x), 1) + torch.erf(torch.cumsum(self.steps, 0))
