"""Holds docs/upstream: each page has the texts of its case as they are, says of what was tried what the case says, and proposes a check
and a test; its README.md lists each page with what the page says."""

import json
import re

from checks import ROOT, expect

PAGES = ROOT / "docs/upstream"
CORPUS = ROOT / "tests/conformance"
TRIED = re.compile(r"^    \$ reproduce damaged_(\w+)\.pte(?: data_(\w+)\.ptd)?\n    (.*)$", re.MULTILINE)
WORDS = {"ran, with another answer": ("run", "differs"), "ran, with the right answer by chance": ("run", "ok"),
         "crashes (signal 11)": ("run", "crashes"), "crashes (signal 6)": ("run", "crashes"),
         "load: Error::InvalidArgument": ("minimal", "refused")}


def check_page(path, cases, listed):
    page = path.read_text(encoding="utf-8")
    title = page.splitlines()[0].lstrip("# ")
    [(name, data, came)] = TRIED.findall(page)
    expect(name == path.stem and f"damaged/{name}" in cases, path.name, "is no case", name)
    case = cases[f"damaged/{name}"]
    way, word = WORDS[came]
    expect(case["tried"]["1.5.1"][way] == word, path.name, f"says {came!r}, and the case", case["tried"])
    expect([f"data/{data}"] * bool(data) == case["data"], path.name, "has other data files than the case", case["data"])
    texts = dict(re.findall(r"^`([^`]*)\.txt`:\n\n```text\n(.*?)```$", page, re.MULTILINE | re.DOTALL))
    for part in [case["case"], *case["data"]]:
        text = (CORPUS / (part + ".txt")).read_text(encoding="utf-8")
        expect(texts.get(part) == text or f"tests/conformance/{part}.txt" in page, path.name, "has another text than", part)
    expect("\n## Proposed\n" in page and "TEST(" in page, path.name, "proposes nothing")
    expect(f"| [{title}]({path.name}) | {came} |" in listed, path.name, "README.md does not say so")
    expect(len(page.splitlines()) <= 70, path.name, "is long", len(page.splitlines()))


def check():
    cases = {case["case"]: case for case in json.loads((CORPUS / "cases.json").read_text(encoding="utf-8"))["cases"]}
    listed = (PAGES / "README.md").read_text(encoding="utf-8").splitlines()
    pages = [path for path in sorted(PAGES.glob("*.md")) if path.name != "README.md"]
    expect(len(pages) >= 15, "hardly any page was found", len(pages))
    expect(sum(line.startswith("| [") for line in listed) == len(pages), "README.md lists other pages")
    for path in pages:
        check_page(path, cases, listed)
