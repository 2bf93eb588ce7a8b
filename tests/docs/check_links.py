"""Checks that each relative link in a Markdown file of the project leads to a file, and its anchor to a heading of that file.

Anchors are made of headings as GitHub makes them; code is no text. Every page of docs is in the index, docs/README.md.
"""

import re

from checks import ROOT, expect, expect_none

FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
NOT_OURS = ("build", "node_modules")


def documents():
    parts = ((path, path.relative_to(ROOT).parts) for path in sorted(ROOT.rglob("*.md")))
    return [path for path, names in parts if names[0] not in NOT_OURS and not any(name.startswith(".") for name in names)]


def anchors_of(path):
    """One for each heading, the second of a name with -1 behind it."""
    found = []
    for heading in HEADING.findall(FENCED.sub("", path.read_text())):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        twins = sum(name == slug or re.fullmatch(re.escape(slug) + r"-\d+", name) is not None for name in found)
        found.append(f"{slug}-{twins}" if twins else slug)
    return found


def links_of(path):
    links = LINK.findall(INLINE.sub("", FENCED.sub("", path.read_text())))
    return [link for link in links if not re.match(r"[a-z]+:", link)]


def problem_of(path, link):
    name, _, anchor = link.partition("#")
    target = path.parent / name if name else path
    if not target.exists():
        return f"{link} leads to no file"
    if anchor and target.suffix == ".md" and anchor not in anchors_of(target):
        return f"{link} leads to no heading"
    return None


def check():
    found = documents()
    links = [(path, link) for path in found for link in links_of(path)]
    expect(links, "no document has a link")
    expect_none(f"{path.relative_to(ROOT)}: {problem}" for path, link in links if (problem := problem_of(path, link)))
    index = ROOT / "docs/README.md"
    listed = {(index.parent / link.partition("#")[0]).resolve() for link in links_of(index)}
    expect_none(f"docs/README.md does not list {page.name}" for page in (ROOT / "docs").glob("*.md") if page != index and page not in listed)
