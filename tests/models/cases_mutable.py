"""f09: mutable buffers with and without stored state and names, several methods, training graphs."""

import torch
from torch import nn
from torch.nn import functional

from exporting import backend_config, edge_config, export, lower, xnnpack
from inputs import call, floats, integers, literal, make_tensors
from models import Method
from suite import group

INPUTS = [floats(1, 8), literal([0])]
# Six steps fill the cache, so that what an uninitialized buffer held before cannot show in the last outputs.
STEPS = [call(floats(1, 8, seed=10 + position), literal([position])) for position in range(6)]
STATEFUL = ["k_cache", "v_cache", "_n", "acc"]


class KvCache(nn.Module):
    """One step of attention over a cache of earlier keys and values."""

    def __init__(self, width=8, length=6):
        super().__init__()
        self.wk = nn.Linear(width, width, bias=False)
        self.wv = nn.Linear(width, width, bias=False)
        self.register_buffer("k_cache", torch.arange(length * width, dtype=torch.float32).reshape(length, width) / 50)
        self.register_buffer("v_cache", torch.ones(length, width))

    def forward(self, x, position):
        self.k_cache.index_copy_(0, position, self.wk(x))
        self.v_cache.index_copy_(0, position, self.wv(x))
        return functional.softmax(x @ self.k_cache.t(), -1) @ self.v_cache


class Counter(nn.Module):
    """Counts its runs from 7 and multiplies by the count, so that lost state shows in the output."""

    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.full((1,), 7.0))

    def forward(self, x):
        self.n.add_(1)
        return x * self.n


class Accumulator(nn.Module):
    """Two methods over one state."""

    def __init__(self):
        super().__init__()
        self.register_buffer("acc", torch.zeros(4))
        self.w = nn.Parameter(torch.randn(4))

    def push(self, x):
        self.acc.add_(x * self.w)
        return x + 1

    def read(self, x):
        self.acc.add_(0.0)
        return self.acc * x


class Classifier(nn.Module):
    """A linear layer with its loss, to train."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 3)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x, label):
        prediction = self.net(x)
        return self.loss(prediction, label), prediction.detach().argmax(dim=1)


def _store_state():
    """The passes that put the initial state of the mutable buffers into the file."""
    from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

    return [InitializedMutableBufferPass(STATEFUL)]


def _plan_memory(**options):
    from executorch.exir.passes import MemoryPlanningPass

    return MemoryPlanningPass(**options)


def _write_cache(suite, form, how, exercises, partitioner=None, data_prefix="", file=None, runnable=True, **options):
    program = lower(export(KvCache(), INPUTS), partitioner, backend_config(**options))
    suite.write(
        f"f09_kv_{form}", f"f09/{file or 'kv_' + form}.pte", program, STEPS, how, exercises, data_prefix, runnable
    )


@group("f09_kv")
def cache(suite):
    """key/value cache: without and with state, names, external constants, XNNPACK, unplanned memory"""
    _write_cache(suite, "noinit", "default", "mutable buffers without stored state")
    _write_cache(suite, "init", "InitializedMutableBufferPass", "a mutable data segment", passes=_store_state())
    _write_cache(
        suite, "names", "emit_mutable_buffer_names=True", "names of planned mutable buffers",
        emit_mutable_buffer_names=True,
    )
    _write_cache(
        suite, "init_names", "both", "a mutable data segment and names", passes=_store_state(),
        emit_mutable_buffer_names=True,
    )
    _write_cache(
        suite, "init_names_ext", "both and external_constants=True", "a mutable data segment, names and a .ptd",
        data_prefix="kvx_", passes=_store_state(), emit_mutable_buffer_names=True, external_constants=True,
    )
    _write_cache(
        suite, "xnn_init", "XnnpackPartitioner(), InitializedMutableBufferPass",
        "constant, mutable, delegate and named segments together", partitioner=xnnpack(), passes=_store_state(),
    )
    _write_cache(
        suite, "unplanned", "MemoryPlanningPass(alloc_mutable_buffers=False), emit_mutable_buffer_names=True",
        "named buffers whose memory the caller must supply, which the Python runtime does not", runnable=False,
        memory_planning_pass=_plan_memory(alloc_mutable_buffers=False), emit_mutable_buffer_names=True,
    )
    _write_cache(
        suite, "unplanned_io", "MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)",
        "inputs and outputs without a place in an arena", file="kv_noio",
        memory_planning_pass=_plan_memory(alloc_graph_input=False, alloc_graph_output=False),
    )


@group("f09_state")
def state(suite):
    """a counter, and two methods with separate and with shared state"""
    inputs = [floats(3)]
    suite.write(
        "f09_counter_init", "f09/counter_init.pte",
        lower(export(Counter(), inputs), config=backend_config(passes=_store_state())), [call(*inputs)] * 3,
        "InitializedMutableBufferPass", "the initial state shows in the output",
    )
    model = Accumulator()
    calls = [
        call(floats(4, seed=1), method="push"), call(floats(4, seed=2), method="push"),
        call(floats(4, seed=3), method="read"),
    ]
    forms = {
        "separate": {},
        "shared": {"memory_planning_pass": _plan_memory(share_mutable_buffers=True)},
    }
    for form, options in forms.items():
        programs = {name: export(Method(model, name), [floats(4)]) for name in ("push", "read")}
        suite.write(
            f"f09_two_{form}", f"f09/two_{form}.pte",
            lower(programs, config=backend_config(passes=_store_state(), **options)), calls,
            f"two methods, {form} state", "a mutable data segment and two methods",
        )


@group("f09_train")
def training(suite):
    """training graph with its weights inside and in a .ptd"""
    from executorch.exir import to_edge
    from torch.export.experimental import _export_forward_backward

    inputs = [floats(2, 4), integers(2, high=3)]
    forms = {
        "in": {},
        "extmut": {"external_mutable_weights": True},
        "extboth": {"external_constants": True, "external_mutable_weights": True},
    }
    for form, options in forms.items():
        torch.manual_seed(92)
        with torch.enable_grad():
            joint = _export_forward_backward(torch.export.export(Classifier(), make_tensors(inputs), strict=True))
            program = to_edge(joint, compile_config=edge_config()).to_executorch(backend_config(**options))
        suite.write(
            f"f09_train_{form}", f"f09/train_{form}.pte", program, [call(*inputs)],
            f"_export_forward_backward, {options}", "training graph: getter methods, mutable weights", f"train_{form}_",
        )
