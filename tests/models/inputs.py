"""Descriptions of test inputs as plain JSON values, and the tensors they stand for.

A manifest entry lists the calls to make on a program; each input is one of these descriptions, so that a test needs
nothing but the manifest to run the program. Values come from NumPy's PCG64 stream and are the same on every machine.
"""

import numpy
import torch


def floats(*shape, seed=1, dtype="float32", channels_last=False):
    """Describes normally distributed numbers."""
    description = {"shape": list(shape), "dtype": dtype, "seed": seed}
    return {**description, "channels_last": True} if channels_last else description


def integers(*shape, high, low=0, seed=1, dtype="int64"):
    """Describes whole numbers of [low, high)."""
    return {"shape": list(shape), "dtype": dtype, "low": low, "high": high, "seed": seed}


def literal(value, dtype="int64"):
    """Describes a tensor by its written-out value: a number, or nested lists of numbers."""
    return {"value": value, "dtype": dtype}


def call(*inputs, method="forward"):
    """Describes one run of a method."""
    return {"method": method, "inputs": list(inputs)}


def make_tensor(description):
    """Makes the tensor that a description stands for."""
    dtype = getattr(torch, description["dtype"])
    if "value" in description:
        return torch.tensor(description["value"], dtype=dtype)
    random = numpy.random.Generator(numpy.random.PCG64(description["seed"]))
    shape = tuple(description["shape"])
    if dtype.is_floating_point:
        tensor = torch.from_numpy(random.standard_normal(shape).astype("float32")).to(dtype)
    else:
        tensor = torch.from_numpy(random.integers(description["low"], description["high"], shape)).to(dtype)
    if description.get("channels_last"):
        return tensor.to(memory_format=torch.channels_last)
    return tensor


def make_tensors(descriptions):
    return tuple(make_tensor(description) for description in descriptions)
