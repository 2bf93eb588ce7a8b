"""How far the outputs of a run are from what was expected of them."""

from __future__ import annotations

import array
import math
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence

from pteedit._tensors import elements_of

Metric = Callable[[Sequence[float], Sequence[float]], float]
_DIGITS = 2


def compare_results(
    reference_output: Sequence[Any],
    run_output: Sequence[Any],
    metrics: Optional[Sequence[str]] = None,
    plot: bool = False,
) -> Dict[str, List[Optional[float]]]:
    """Compares outputs one by one, and prints the metrics: snr in decibels, mse, cosine_similarity, or those of `metrics`.

    Each is rounded to two digits, and None for what is no tensor. ValueError where tensors differ in shape.
    NotImplementedError for `plot`: this package draws nothing.
    """
    if plot:
        raise NotImplementedError("compare_results draws no plots, the exporter's Inspector does")
    results = {}
    for name, metric in _METRICS.items():
        if metrics is not None and name not in metrics:
            continue
        results[name] = [_rounded(metric, *pair) for pair in zip(reference_output, run_output)]
        print(name)
        print("-" * 20)
        for index, value in enumerate(results[name]):
            print(f"{index:<5}{value:>8.5f}" if value is not None else f"{index:<5}{'None':>8}")
        print("\n")
    return results


def _rounded(metric: Metric, reference: Any, value: Any) -> Optional[float]:
    if not (hasattr(reference, "shape") and hasattr(value, "shape")):
        return None
    if tuple(reference.shape) != tuple(value.shape):
        raise ValueError(f"an output has shape {list(value.shape)}, its reference {list(reference.shape)}")
    return round(metric(_single(elements_of(reference)), _single(elements_of(value))), _DIGITS)


def _single(values: Iterable[float]) -> List[float]:
    """In single precision, in which the exporter's Inspector calculates: it decides where two digits are a close call."""
    return array.array("f", values).tolist()


def _mean(values: Sequence[float]) -> float:
    return _single([_single([math.fsum(values)])[0] / len(values)])[0] if values else math.nan


def _mse(reference: Sequence[float], value: Sequence[float]) -> float:
    return _mean(_single(gap * gap for gap in _single(a - b for a, b in zip(reference, value))))


def _snr(reference: Sequence[float], value: Sequence[float]) -> float:
    signal, noise = _mean([a * a for a in reference]), _mse(reference, value)
    if noise == 0:
        return math.inf if signal != 0 else math.nan
    return 10 * math.log10(signal / noise) if signal != 0 else -math.inf


def _cosine_similarity(reference: Sequence[float], value: Sequence[float]) -> float:
    lengths = math.sqrt(math.fsum(a * a for a in reference)) * math.sqrt(math.fsum(b * b for b in value))
    return math.fsum(a * b for a, b in zip(reference, value)) / lengths if lengths else math.nan


_METRICS: Dict[str, Metric] = {"snr": _snr, "mse": _mse, "cosine_similarity": _cosine_similarity}
