"""Programs to measure on, of any size, made without the exporter: the same bytes in every run, no two tensors equal."""

import array
import hashlib
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from flat_parts import DELEGATE_CALL, KERNEL_CALL, call, delegate, key, offsets, operator, plan, program, tensor  # noqa: E402

GB = 10**9
FLOAT_BYTES = 4
ALIGNMENT = 128
SEGMENT_BYTES_AT = 32  # in the header
TENSORS = 24
OWN = 3  # of them, in each variant
BLOCK = random.Random(1).randbytes(1 << 24)  # does not compress
STEP = 8  # no two pieces begin at one place of the block
FLOATS = 1 << 20  # of a block, which is longer than what zstd looks back at its default level
SCALE = 0.02  # of weights as networks have them


def pieces_of(number, size):
    """The bytes of a tensor."""
    for piece in range(-(-size // len(BLOCK))):
        start = (number * 1024 + piece) * STEP % len(BLOCK)
        yield memoryview(BLOCK[start:] + BLOCK[:start])[: size - piece * len(BLOCK)]


def key_of(number, size):
    """As the exporter names weights of XNNPACK."""
    digest = hashlib.sha256()
    for piece in pieces_of(number, size):
        digest.update(piece)
    return digest.hexdigest()


def write_file(path, tables, size, places, contents):
    """Tables with empty segments, and what lies where in those, in pieces; the rest is a hole."""
    tables = bytearray(tables)
    struct.pack_into("<Q", tables, SEGMENT_BYTES_AT, size)
    with open(path, "wb") as file:
        file.write(tables)
        file.truncate(len(tables) + size)
        for place, pieces in zip(places, contents):
            file.seek(len(tables) + place)
            for piece in pieces:
                file.write(piece)


def write_constants(path, each, contents):
    """A program of constants of `each` bytes, each read by one call."""
    padded, count = -(-each // ALIGNMENT) * ALIGNMENT, len(contents)
    places = [padded * i for i in range(count)]
    values = [*(tensor(buffer=i + 1, sizes=(each // FLOAT_BYTES,)) for i in range(count)), tensor()]
    calls = [call(KERNEL_CALL, 0, [i, count]) for i in range(count)]
    method = plan("forward", values, [count], [count], calls, [operator("aten::add")])
    size = padded * count
    write_file(path, program([method], [(0, size)], b"", offsets(0, [0, *places])), size, places, contents)


def write_keyed(path, each, contents, keys):
    """A program whose one delegate has its weights under keys."""
    padded, blob = -(-each // ALIGNMENT) * ALIGNMENT, "".join(keys).encode()
    first = -(-len(blob) // ALIGNMENT) * ALIGNMENT
    places = [first + padded * i for i in range(len(keys))]
    size = first + padded * len(keys)
    method = plan("forward", [tensor()], [0], [0], [call(DELEGATE_CALL, 0, [0])], [], [delegate("SomeBackend", 0)])
    extents = [(0, len(blob)), *((place, each) for place in places), (size, 0)]
    named = [key(text, i + 1) for i, text in enumerate(keys)]
    tables = program([method], extents, b"", offsets(len(extents) - 1, [0]), keys=named)
    write_file(path, tables, size, [0, *places], [[blob], *contents])


def bytes_of_each(size):
    return size // TENSORS // FLOAT_BYTES * FLOAT_BYTES


def write_family(folder, count, size):
    """Programs of a delegate that share all weights but some; returns their paths."""
    each, paths, keys = bytes_of_each(size), [], {}
    for variant in range(count):
        numbers = [*range(TENSORS - OWN), *range(TENSORS + OWN * variant, TENSORS + OWN * (variant + 1))]
        for number in numbers:
            if number not in keys:
                keys[number] = key_of(number, each)
        paths.append(folder / f"v{variant}.pte")
        write_keyed(paths[-1], each, [pieces_of(number, each) for number in numbers], [keys[number] for number in numbers])
    return paths


def write_whole(path, size):
    each = bytes_of_each(size)
    write_constants(path, each, [pieces_of(number, each) for number in range(TENSORS)])


def write_floats(path, size):
    """Weights as networks have them, of which zstd saves little; no program."""
    chance = random.Random(2)
    block = array.array("f", (chance.gauss(0, SCALE) for _ in range(FLOATS))).tobytes()
    with open(path, "wb") as file:
        for done in range(0, size, len(block)):
            file.write(block[: size - done])


def write_hole(path, size):
    """A program to look at, which takes no space on the disk."""
    write_constants(path, bytes_of_each(size), [[]] * TENSORS)
