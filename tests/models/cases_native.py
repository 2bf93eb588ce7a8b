"""Packages of the native backend (.ptn): no programs, so the manifest has no entries of them."""

import os
import tempfile
from unittest import mock

import torch
from executorch.exir.native import to_native

from suite import group

MIDNIGHT = (1980, 1, 1, 0, 0, 0, 1, 1, 0)


class TwoMethods(torch.nn.Module):
    """Two layers of equal weights, one that reads them too, and a counter."""

    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(8, 16)
        self.down = torch.nn.Linear(16, 4)
        self.copy = torch.nn.Linear(8, 16)
        self.copy.load_state_dict(self.up.state_dict())
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x):
        self.seen.add_(1.0)
        return self.down(torch.relu(self.up(x)) + self.copy(x)) + self.seen


class Encode(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.up = model.up

    def forward(self, x):
        return torch.relu(self.up(x))


def package_of(model, with_encode=True):
    """The bytes that the exporter writes, of no time of day."""
    inputs = (torch.ones(2, 8),)
    programs = {"forward": torch.export.export(model.eval(), inputs)}
    if with_encode:
        programs["encode"] = torch.export.export(Encode(model).eval(), inputs)
    with tempfile.TemporaryDirectory() as folder, mock.patch("zipfile.time.localtime", lambda *_: MIDNIGHT):
        path = os.path.join(folder, "model.ptn")
        to_native(programs).save(path)
        with open(path, "rb") as file:
            return file.read()


@group("native")
def native(suite):
    """packages of the native backend: a model, the same tuned, and one without weights"""
    model = TwoMethods()
    suite.write_bytes("native/two_methods.ptn", package_of(model))
    model.down.weight += 0.25
    suite.write_bytes("native/tuned.ptn", package_of(model, with_encode=False))

    class Sum(torch.nn.Module):
        def forward(self, x):
            return x + x

    suite.write_bytes("native/no_weights.ptn", package_of(Sum(), with_encode=False))
