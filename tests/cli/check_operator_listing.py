"""Checks that pteinspect --requirements --yaml prints what the exporter's own tool writes, byte for byte.

Its listings are in tests/data/requirements, see tests/models/operator_listings.py; a program without one of its own has
the listing of another, but for the program's name in it.
"""

from checks import DATA, expect, run


def check():
    listings = {}
    for path in (DATA / "requirements").glob("*.yaml"):
        listings[path.stem.replace("-", "/", 1)] = path.read_bytes()
    nameless = {listing.replace(program.encode(), b"") for program, listing in listings.items()}
    programs = sorted(path.relative_to(DATA).as_posix() for path in DATA.rglob("*pte"))
    for program in programs:
        done = run("pteinspect", "--requirements", "--yaml", program, cwd=DATA)
        same = (done.stdout == listings[program] if program in listings
                else done.stdout.replace(program.encode(), b"") in nameless)
        expect(done.returncode == 0 and same, f"{program}: exit code {done.returncode}, or another listing than expected")
    expect(listings and set(listings) <= set(programs), "listings of no program", set(listings) - set(programs))
