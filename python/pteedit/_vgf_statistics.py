"""Statistics of Arm's neural accelerators, which the VGF backend logs as metadata of its calls: JSON of a known schema."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, Dict, List, Sequence, Union

_SCHEMA = "executorch.vgf.neural_statistics"
_VERSION = 1
_BLOBS = ("debug_database", "statistics_info", "statistics_memory")

Metadata = Union[bytes, bytearray, str]


def parse_vgf_neural_statistics_metadata(metadata: Metadata) -> Dict[str, Any]:
    """One record, its blobs also as bytes, in `raw_data`. ValueError where it is of another schema or damaged."""
    record = json.loads(_bytes_of(metadata).decode("utf-8"))
    if record.get("schema") != _SCHEMA:
        raise ValueError(f"Not VGF neural statistics metadata: {record.get('schema')}")
    if record.get("schema_version") != _VERSION:
        raise ValueError(f"Unsupported VGF neural statistics metadata schema version: {record.get('schema_version')}")
    return {**record, "segments": [_with_bytes(segment) for segment in record.get("segments", [])]}


def parse_vgf_neural_statistics_delegate_metadata(metadata_by_run: Sequence[Metadata]) -> List[Dict[str, Any]]:
    """The records among what delegates logged. ValueError where one is damaged; what others logged is left out."""
    records = []
    for metadata in metadata_by_run:
        if not metadata or not isinstance(metadata, (bytes, bytearray, str)):
            continue
        text = _bytes_of(metadata)
        try:
            record = json.loads(text.decode("utf-8"))
        except ValueError as error:
            if _SCHEMA.encode() in text:
                raise ValueError("Malformed VGF neural statistics delegate metadata") from error
            continue
        if isinstance(record, dict) and record.get("schema") == _SCHEMA:
            records.append(parse_vgf_neural_statistics_metadata(text))
    return records


def _bytes_of(metadata: Metadata) -> bytes:
    return metadata.encode("utf-8") if isinstance(metadata, str) else bytes(metadata)


def _with_bytes(segment: Dict[str, Any]) -> Dict[str, Any]:
    blobs = {name: _decoded(segment[name]) for name in _BLOBS if isinstance(segment.get(name), dict)}
    return {**segment, **blobs}


def _decoded(blob: Dict[str, Any]) -> Dict[str, Any]:
    if not blob.get("available", False):
        return {"raw_data": b"", **blob}
    if blob.get("encoding") != "base64":
        raise ValueError(f"Unsupported VGF neural statistics blob encoding: {blob.get('encoding')}")
    try:
        return {**blob, "raw_data": base64.b64decode(blob.get("data", ""), validate=True)}
    except (binascii.Error, TypeError) as error:
        raise ValueError("Malformed base64 data in VGF neural statistics blob") from error
