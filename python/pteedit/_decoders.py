"""Functions that know what is in processed blobs of a backend."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

# Blob, backend id, compile specs as pairs of key and value; see register_decoder.
Decoder = Callable[[bytes, str, List[Tuple[str, bytes]]], Optional[Mapping[str, Any]]]

_registered: Dict[str, Decoder] = {}


def register_decoder(backend_id: str, function: Optional[Decoder]) -> None:
    """Lets `function(blob, backend_id, compile_specs)` say what is in processed blobs of a backend; None ends that.

    It answers with the metadata of that one blob, a dict as docs/schemas/delegate_metadata.schema.json describes it in
    $defs/blob, or with None where it does not know the blob. What it says stands before what the library finds. Where
    it raises, or says what cannot be, the blob is opaque and a RuntimeWarning tells why. Holds for everything of this
    package that looks into blobs, but for the command line tools: these have --decoder.
    """
    if function is None:
        _registered.pop(backend_id, None)
    else:
        _registered[backend_id] = function


def warn(text: str) -> None:
    """A RuntimeWarning at whoever called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("pteedit", "functools"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def registered_decoders() -> Dict[str, Decoder]:
    """A copy: what is registered later is for later operations."""
    return dict(_registered)
