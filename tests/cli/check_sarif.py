"""Checks what --verify --sarif prints: that it is SARIF 2.1.0, as far as its schema asks for members and forms of what we write, and
that it says what --json says."""

import json
import pathlib
import re
import sys
import tempfile
import unittest
import urllib.parse

from checks import DATA, ROOT, can_validate, expect, expect_none, output_of, run

sys.path.append(str(ROOT / "tests/conformance"))

import index  # noqa: E402

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}, "markdown": {"type": "string"}},
        "additionalProperties": False}
URI = {"type": "object", "required": ["uri"], "additionalProperties": False,
       "properties": {"uri": {"type": "string", "format": "uri-reference"}, "index": {"type": "integer", "minimum": 0}}}
INDEX = {"type": "integer", "minimum": -1}
BYTES = {"type": "object", "required": ["byteOffset", "byteLength"], "additionalProperties": False,
         "properties": {"byteOffset": INDEX, "byteLength": {"type": "integer", "minimum": 0}}}
PLACE = {"type": "object", "required": ["physicalLocation"], "additionalProperties": False, "properties": {
    "physicalLocation": {"type": "object", "required": ["artifactLocation"], "additionalProperties": False,
                         "properties": {"artifactLocation": URI, "region": BYTES}},
    "logicalLocations": {"type": "array", "items": {"type": "object", "required": ["fullyQualifiedName"], "additionalProperties": False,
                                                    "properties": {"fullyQualifiedName": {"type": "string"}}}}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = {"type": "object", "required": ["id", "shortDescription", "help"], "additionalProperties": False,
        "properties": {"id": {"type": "string"}, "shortDescription": TEXT, "help": TEXT}}
RESULT = {"type": "object", "required": ["ruleId", "ruleIndex", "level", "message", "locations"], "additionalProperties": False,
          "properties": {"ruleId": {"type": "string"}, "ruleIndex": INDEX, "level": LEVEL, "message": TEXT,
                         "locations": {"type": "array", "items": PLACE, "minItems": 1}}}
NOTICE = {"type": "object", "required": ["message"], "additionalProperties": False,
          "properties": {"level": LEVEL, "message": TEXT, "locations": {"type": "array", "items": PLACE}}}
CALL = {"type": "object", "required": ["executionSuccessful"], "additionalProperties": False,
        "properties": {"executionSuccessful": {"type": "boolean"}, "toolExecutionNotifications": {"type": "array", "items": NOTICE}}}
DRIVER = {"type": "object", "required": ["name"], "additionalProperties": False, "properties": {
    "name": {"const": "pteinspect"}, "version": {"type": "string"}, "rules": {"type": "array", "items": RULE, "uniqueItems": True}}}
RUN = {"type": "object", "required": ["tool", "results"], "additionalProperties": False, "properties": {
    "tool": {"type": "object", "required": ["driver"], "properties": {"driver": DRIVER}, "additionalProperties": False},
    "invocations": {"type": "array", "items": CALL, "uniqueItems": True},
    "artifacts": {"type": "array", "uniqueItems": True, "items": {"type": "object", "properties": {"location": URI}}},
    "results": {"type": "array", "items": RESULT}}}
# Members that the schema of SARIF 2.1.0 requires, and the forms of those that are written; no others.
SCHEMA = {"type": "object", "required": ["version", "runs"], "additionalProperties": False, "properties": {
    "$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN, "minItems": 1, "maxItems": 1}}}


def sarif_of(*words):
    import jsonschema

    log = json.loads(run("pteinspect", "--verify", "--sarif", *words).stdout)
    expect_none((f"{error.json_path}: {error.message[:200]}" for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(log)), words)
    return log["runs"][0]


def path_of(uri):
    expect(re.fullmatch(r"[A-Za-z0-9._~/!%:-]*", uri), "no URI", uri)
    return urllib.parse.unquote(uri.removeprefix("file://"))


def told(one):
    """File, id, severity and text of each result, in order."""
    rules = one["tool"]["driver"]["rules"]
    for result in one["results"]:
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        expect(rules[result["ruleIndex"]]["id"] == result["ruleId"], "a rule of another id", result)
        expect(one["artifacts"][place["index"]]["location"]["uri"] == place["uri"], "an artifact of another name", result)
        yield path_of(place["uri"]), result["ruleId"], result["level"], result["message"]["text"]


def as_json(*words):
    for file in json.loads(run("pteinspect", "--verify", "--json", *words).stdout):
        for finding in file["findings"]:
            yield file["file"], finding["id"], finding["severity"], f"{finding['where']} {finding['message']}".strip()


def check_places(folder):
    """Findings of a segment or key say where its bytes are, also in a bundle; others only which file."""
    shared = folder / "cut #1.pte"
    content = (DATA / "f03_mlp_xnn.pte").read_bytes()
    [listed] = json.loads(output_of("pteinspect", "--json", "--segments", DATA / "f03_mlp_xnn.pte"))
    last = listed["segments"][-1]
    shared.write_bytes(content[:last["offset"]] + bytes(last["bytes"]) + content[last["offset"] + last["bytes"]:])
    [result] = sarif_of(shared)["results"]
    place = result["locations"][0]["physicalLocation"]
    expect(result["ruleId"] == "key-hash" and path_of(place["artifactLocation"]["uri"]) == str(shared), "another finding", result)
    expect(place.get("region") == {"byteOffset": last["offset"], "byteLength": last["bytes"]}, "other bytes than the key's", place, last)


def check():
    if not can_validate():
        raise unittest.SkipTest(f"{sys.executable} has no module jsonschema")
    import pathlib

    with tempfile.TemporaryDirectory(prefix="sarif ü") as name:
        folder = pathlib.Path(name)
        paths = sorted(index.write_files(case, folder)[0] for case in index.all_cases() if case["case"].startswith("damaged/"))
        log = sarif_of(*paths)
        expect(sorted(told(log)) == sorted(as_json(*paths)), "SARIF and JSON differ")
        expect(len(log["tool"]["driver"]["rules"]) >= 15 and log["invocations"][0]["executionSuccessful"], "too few rules")
        page = (ROOT / "docs/findings.md").read_text(encoding="utf-8")
        expect_none(f"{rule['id']}: help is not that of the page" for rule in log["tool"]["driver"]["rules"]
                    if rule["shortDescription"]["text"] not in page)
        check_places(folder)
        clean = sarif_of(DATA / "f02_linear.pte")
        expect(clean["results"] == [] and clean["tool"]["driver"]["rules"] == [], "a clean file has results", clean)
        missing = run("pteinspect", "--verify", "--sarif", folder / "no such file.pte", DATA / "f02_linear.pte")
        one = json.loads(missing.stdout)["runs"][0]
        expect(missing.returncode == 4 and not one["invocations"][0]["executionSuccessful"], "a missing file is no failure", one)
        expect(len(one["invocations"][0]["toolExecutionNotifications"]) == 1, "no notification", one)
