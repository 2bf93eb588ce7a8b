"""What holds for the JSON reports of all tools that rewrite."""

import json
import pathlib

from checks import can_validate, expect, expect_none, output_of, schema_problems


def differences(dry, real):
    """Yields in what the reports of a dry and a real run differ, but for what a dry run cannot know."""
    for report in (dry, real):
        report.pop("dry_run")
        for output in report["outputs"]:
            output.pop("sha256")
    if dry != real:
        yield "the dry run reports something else"


def wrong_sums(report, kept):
    """`kept` are inputs that stay beside the outputs."""
    before = sum(file["bytes"] for file in report["inputs"])
    after = sum(file["bytes"] for file in [*kept, *report["outputs"]])
    if (before, after, before - after) != (report["bytes_before"], report["bytes_after"], report["saved_bytes"]):
        yield f"sums are {before}, {after}, {before - after}"


def wrong_sizes(report):
    for output in report["outputs"]:
        size = pathlib.Path(output["file"]).stat().st_size
        if size != output["bytes"]:
            yield f"{output['file']} has {size} bytes, {output['bytes']} reported"


def check_reports(command, folder, keeps_data, *where):
    """Of a command that writes into a folder, which is empty."""
    dry = json.loads(output_of(*command, "--json", "--sha256", "--dry-run"))
    expect(not any(folder.iterdir()), *where, "a dry run wrote something")
    real = json.loads(output_of(*command, "--json", "--sha256"))
    if can_validate():
        expect_none([*schema_problems("rewrite", dry), *schema_problems("rewrite", real)], *where)
    expect_none(wrong_sums(real, real["inputs"][1:] if keeps_data else []), *where)
    expect_none([*wrong_sizes(real), *differences(dry, real)], *where)
