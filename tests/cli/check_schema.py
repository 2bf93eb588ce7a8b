"""Checks that the JSON of pteinspect for every test file is what docs/schemas/pteinspect.schema.json promises."""

import json

from checks import DATA, ROOT, expect, expect_none, model_files, run, schema_problems

VIEWS = ["-h", "--methods", "--tensors", "--segments", "--named-data", "--delegates", "--operators", "--instructions",
         "--memory", "--metadata", "--requirements", "--delegation", "--graph", "--retained", "--advise", "--leaks", "--stack-traces",
         "--at", "12", "--by", "method,component", "--hash", "--max-size", "1K"]
BAD_FILES = [ROOT / "docs/schemas/pteinspect.schema.json", DATA / "no such file.pte"]


def check_answer(options, files, exit_code):
    """Gives back the answer."""
    done = run("pteinspect", "--json", *options, *files)
    expect(done.returncode == exit_code, options, f"exit code {done.returncode}, {exit_code} expected")
    answer = json.loads(done.stdout)
    expect_none(schema_problems("pteinspect", answer), options)
    return answer


def check_views_of_each_file():
    profiles = sorted((DATA / "profile").iterdir())
    for options in ([], VIEWS, ["--verify"], ["--compressed=1"]):
        files = [*model_files(), *(profiles if options != VIEWS else []), *BAD_FILES]
        answer = check_answer(options, files, 4)
        expect([entry["file"] for entry in answer] == [str(path) for path in files], options, "a file is missing")


def check_views_across_files():
    """Which are only there where all files can be read."""
    programs = sorted((DATA / "f08").glob("a_*.pte"))
    one, other = programs[:2]
    for option, files, exit_code in (("--duplicates", programs, 0), ("--same", [one, one], 0), ("--same", [one, other], 1),
                                     ("--same", [BAD_FILES[0], one], 3), ("--diff", [one, other], 1)):
        answer = check_answer([option], files, exit_code)
        expect(answer[-1]["file"] is None, option, "the last object is for a file")


def check():
    check_views_of_each_file()
    check_views_across_files()
