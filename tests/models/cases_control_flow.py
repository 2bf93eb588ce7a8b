"""f13: branches, loops and lists."""

import torch
from torch import nn

from exporting import backend_config, edge_config, export, lower, xnnpack
from inputs import call, floats, literal
from suite import group


class Branches(nn.Module):
    """One of two linear layers."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, condition, x):
        return torch.cond(condition, lambda t: self.a(t) + 1, lambda t: torch.sigmoid(self.b(t)), [x])


class Map(nn.Module):
    def forward(self, rows, y):
        from torch._higher_order_ops.map import map as map_rows

        return map_rows(lambda row, y: row * y + 1, rows, y)


class Scan(nn.Module):
    def forward(self, start, rows):
        from torch._higher_order_ops.scan import scan

        return scan(lambda carry, row: (carry + row, carry * row), start, rows)


class Lists(nn.Module):
    """Splits, stacks and indexes; the last output's size depends on the data."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        a, b, c = torch.split(x, [1, 2, 1], dim=0)
        stacked = torch.stack([a[0], b[0], c[0]]) @ self.weight
        return stacked, torch.ops.aten.index(x, [None, torch.tensor([0, 2])]), torch.nonzero(x[0] > 0)


@group("f13_cond")
def branches(suite):
    """torch.cond: portable, external, partitioned for XNNPACK"""
    from executorch.exir import to_edge

    inputs = [literal(True, "bool"), floats(2, 4)]
    calls = [call(literal(value, "bool"), floats(2, 4)) for value in (True, False)]
    model = Branches()
    for form, external in (("portable", False), ("ext", True)):
        suite.write(
            f"f13_cond_{form}", f"f13/cond_{form}.pte",
            lower(export(model, inputs), config=backend_config(external_constants=external)), calls,
            f"torch.cond, {form}", "jumps and moves; constants used inside branches", "cond_",
        )
    edge = to_edge(export(model, inputs), compile_config=edge_config()).to_backend(xnnpack()[0])
    suite.write(
        "f13_cond_xnn_branches", "f13/cond_xnn_branches.pte", edge.to_executorch(), calls,
        "torch.cond, to_backend(XnnpackPartitioner())", "the partitioner finds nothing inside branches: no delegate",
    )


@group("f13_loops")
def loops(suite):
    """map, scan, and lists of tensors"""
    cases = {
        "map": (Map(), [floats(3, 4), floats(4, seed=2)], "a loop that copies by index"),
        "scan": (Scan(), [floats(4), floats(3, 4, seed=2)], "a loop with a carried value"),
        "lists": (Lists(), [floats(4, 4)], "lists of tensors and of optional tensors, an unbounded output"),
    }
    for name, (model, inputs, exercises) in cases.items():
        suite.write(
            f"f13_{name}", f"f13/{name}.pte", lower(export(model, inputs)), [call(*inputs)], name, exercises
        )
