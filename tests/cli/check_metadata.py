"""Checks of every test file that what pteinspect knows of blobs is what docs/schemas/delegate_metadata.schema.json
promises, and that a file of it changes no view. Without jsonschema only the latter."""

import json
import pathlib
import tempfile

from checks import can_validate, expect, expect_none, model_files, output_of, schema_problems


def check():
    files = model_files()
    metadata = output_of("pteinspect", "--emit-metadata-json", "-", *files)
    if can_validate():
        expect_none(schema_problems("delegate_metadata", json.loads(metadata)))
    expect(len(json.loads(metadata)["delegates"]) >= 40, "hardly any blobs were decoded")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "metadata.json"
        path.write_bytes(metadata)
        views = ["pteinspect", "--json", "--delegates"]
        expect(output_of(*views, *files) == output_of(*views, "--metadata-json", path, *files),
               "blobs are shown otherwise with what was written about them")
