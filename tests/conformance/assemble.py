#!/usr/bin/env python3
"""Makes a .pte, .ptd or .bpte file of its text. README.md beside this tells the text.

    assemble.py TEXT -o FILE [--files FOLDER]

Exits with 0; with 1 and one line on standard error where the text is wrong. Needs Python 3.8 and nothing else.
"""

import argparse
import pathlib
import re
import struct
import sys

NUMBERS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
WIDTHS = {name: struct.calcsize("<" + letter) for name, letter in NUMBERS.items()}
TOKEN = re.compile(r'\s*(?:(#.*)|("(?:[^"\\]|\\.)*")|([^\s"#]+))')
CONTENTS = ("ref", "text", "hex", "zeros", "random", "file", "assemble")
CASE_WORDS = {"title", "finding", "warning", "load", "note", "data", "tried"}  # what a case says of itself


class Mistake(Exception):
    """What is wrong with a text."""


def words_of(line):
    """Splits a line; what is in quotes becomes bytes."""
    words, at = [], 0
    while at < len(line):
        found = TOKEN.match(line, at)
        if not found:
            if line[at:].strip():
                raise Mistake(f"cannot read {line[at:].strip()!r}")
            break
        at = found.end()
        if found.group(2):
            words.append(unquoted(found.group(2)[1:-1]))
        elif found.group(3):
            words.append(found.group(3))
    return words


def unquoted(text):
    plain = re.sub(rb"\\(?:x([0-9a-f]{2})|(.))", lambda m: bytes([int(m.group(1), 16)]) if m.group(1) else m.group(2), text.encode())
    return plain


def quoted(word):
    if not isinstance(word, bytes):
        raise Mistake(f"{word}: quotes expected")
    return word.decode()


def number_of(word):
    return int(word, 0)


def is_number(word):
    return isinstance(word, str) and re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", word) is not None


class Piece:
    """A statement with the lines below it: a table, vector, list of references, string, run of bytes, or a label."""

    def __init__(self, kind, label, options, operands, where):
        self.kind, self.label, self.options, self.operands, self.where = kind, label, options, operands, where
        self.lines = []  # of a table or bytes: lists of words


KINDS = ("table", "vector", "refs", "string", "bytes", "label", "zeros", "align")
FLAGS = {"unaligned": 0, "align": 1, "slots": 1, "size": 1, "vtable_size": 1, "like": 1, "vtable": 1, "count": 1}


def piece_of(words, where):
    """The piece that a line begins."""
    kind = words[0]
    if kind == "zeros":
        return Piece("bytes", "", {}, words, where)
    if kind == "align":
        return Piece("bytes", "", {"align": words[1:2]}, [], where)
    if kind != "bytes" and len(words) == 1:
        raise Mistake(f"{kind}: a label expected")
    has_label = len(words) > 1 and (kind != "bytes" or words[1] not in FLAGS)
    rest, options = words[2 if has_label else 1 :], {}
    element = rest.pop(0) if kind == "vector" else None
    while rest and isinstance(rest[0], str) and rest[0] in FLAGS:
        flag = rest.pop(0)
        options[flag] = [rest.pop(0) for _ in range(FLAGS[flag])]
    if element:
        options["element"] = element
    return Piece(kind, words[1] if has_label else "", options, rest, where)


class Text:
    """The pieces of a text, in order, with the edits of a case done."""

    def __init__(self):
        self.pieces, self.by_label, self.patches, self.cuts, self.facts = [], {}, [], [], {}

    def add(self, piece, before=None):
        if piece.label:
            if piece.label in self.by_label:
                raise Mistake(f"label {piece.label!r} is there twice")
            self.by_label[piece.label] = piece
        self.pieces.insert(len(self.pieces) if before is None else self.pieces.index(before), piece)

    def piece(self, label):
        if label not in self.by_label:
            raise Mistake(f"there is no {label!r}")
        return self.by_label[label]


class Reader:
    """Reads a text; `path` is where it lies, for those that it takes up."""

    def __init__(self, path, depth=0):
        self.path, self.depth, self.text = pathlib.Path(path), depth, Text()
        self.place, self.current = None, None  # before which label new pieces go; whose lines come

    def read(self):
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise Mistake(f"{self.path}: {error.strerror}") from error
        for number, line in enumerate(lines, 1):
            try:
                words = words_of(line)
                if words:
                    self.statement(words, line[0] in " \t", f"{self.path.name}:{number}")
            except IndexError as mistake:
                raise Mistake(f"{self.path}:{number}: something is missing") from mistake
            except (Mistake, ValueError, struct.error) as mistake:
                raise Mistake(f"{self.path}:{number}: {mistake}") from mistake
        return self.text

    def statement(self, words, is_below, where):
        if is_below:
            if self.current is None:
                raise Mistake("a line that belongs to nothing")
            if words[0] == "assemble":  # from where this text lies, whichever takes it up
                words[1] = str(self.path.parent / quoted(words[1])).encode()
            self.current.lines.append(words)
            return
        self.current = None
        if isinstance(words[0], bytes):
            raise Mistake("a statement expected, not a text in quotes")
        if words[0] in KINDS:
            self.current = piece_of(words, where)
            self.text.add(self.current, self.text.piece(self.place) if self.place else None)
        elif words[0] in CASE_WORDS:
            self.text.facts.setdefault(words[0], []).append([one.decode() if isinstance(one, bytes) else one for one in words[1:]])
        else:
            getattr(self, "do_" + words[0], self.unknown)(words[1:])

    @staticmethod
    def unknown(_):
        raise Mistake("an unknown statement")

    def do_from(self, words):
        """Begins with another text."""
        if self.depth > 8:
            raise Mistake("texts take each other up")
        facts, self.text = self.text.facts, Reader(self.path.parent / quoted(words[0]), self.depth + 1).read()
        self.text.facts = facts
        self.place = "tables_end" if "tables_end" in self.text.by_label else None

    def do_at(self, words):
        """New pieces go before this label, at "end" to the end."""
        self.place = None if words[0] == "end" else words[0]

    def do_patch(self, words):
        """Other bytes in the finished file: PLACE TYPE VALUE, where a place is a sum of numbers and labels."""
        kind = next((i for i, word in enumerate(words) if word in NUMBERS or word in CONTENTS), None)
        if not kind:
            raise Mistake("a place and a kind of bytes expected")
        self.text.patches.append((words[:kind], words[kind], words[kind + 1 :]))

    def do_cut(self, words):
        self.text.cuts.append(words)

    def do_set(self, words):
        """A field's value, or what is in a vector, list or string; a number's words after its type."""
        if words[0] in self.text.by_label:
            piece = self.text.piece(words[0])
            operands = words[1:]
            while operands and isinstance(operands[0], str) and operands[0] in FLAGS:
                flag = operands.pop(0)
                piece.options[flag] = [operands.pop(0) for _ in range(FLAGS[flag])]
            is_content = piece.kind == "bytes" or (piece.kind == "vector" and operands and operands[0] in CONTENTS)
            if piece.kind != "table":
                piece.operands, piece.lines = ([], [operands]) if is_content else (operands, [])
            return
        line = self.field(words[0])
        line[2:] = words[1:]

    def do_refer(self, words):
        """A field's reference to something else."""
        self.field(words[0])[2:] = words[1:]

    def do_add(self, words):
        """A field behind the last of a table: LABEL NAME:SLOT TYPE VALUE."""
        self.own(words[0]).lines.append(words[1:])

    def do_remove(self, words):
        """A field, or what has the label and is no field's."""
        label, _, name = words[0].rpartition(".")
        piece = self.text.by_label.get(label or "root")
        if piece is None or not any(one[0].partition(":")[0] == name for one in piece.lines):
            self.text.pieces.remove(self.text.piece(words[0]))
            del self.text.by_label[words[0]]
            return
        line = self.field(words[0])
        piece = self.own(label or "root")
        # What follows stays aligned, since padding is put in again.
        piece.lines = [one for one in piece.lines if one is not line and one[0] != "zeros"]

    def own(self, label):
        """A table that is to be changed: with a vtable of its own, and apart from those that share its old one."""
        piece = self.text.piece(label)
        if piece.kind != "table":
            raise Mistake(f"{label!r} is no table")
        piece.options.pop("like", None)
        followers = [one for one in self.text.pieces if one.options.get("like") == [label]]
        for one in followers:
            one.options["like"] = [followers[0].label]
        if followers:
            del followers[0].options["like"]
        return piece

    def field(self, name):
        label, _, field = name.rpartition(".")
        piece = self.text.piece(label or "root")
        for line in piece.lines:
            if isinstance(line[0], str) and line[0].partition(":")[0] == field:
                return line
        raise Mistake(f"{label or 'root'!r} has no field {field!r}")


def up(at, unit, ahead=0):
    return at + -(at + ahead) % unit


class Assembler:
    """Gives every piece its place, then writes the bytes."""

    def __init__(self, text, files):
        self.text, self.files = text, files
        self.places, self.vtables, self.output = {}, {}, bytearray()
        self.end = 0

    def bytes(self):
        for patched in (False, True):  # the first time to know the places
            self.output, self.is_final = bytearray(), patched
            for piece in self.text.pieces:
                try:
                    getattr(self, "put_" + piece.kind)(piece)
                except IndexError as mistake:
                    raise Mistake(f"{piece.where}: something is missing") from mistake
                except (Mistake, ValueError, struct.error, OverflowError) as mistake:
                    raise Mistake(f"{piece.where}: {mistake}") from mistake
            self.end = len(self.output)
        for place, kind, values in self.text.patches:
            at = self.value(place)
            content = self.content([kind, *values], at)
            if at + len(content) > self.end:
                raise Mistake(f"patch {' '.join(place)}: ends behind the file")
            self.output[at : at + len(content)] = content
        for cut in self.text.cuts:
            del self.output[self.value(cut) :]
        return bytes(self.output)

    # Numbers.

    def place_of(self, label):
        if label == "end":
            return self.end
        if label in self.places:
            return self.places[label]
        if self.is_final:
            raise Mistake(f"there is no {label!r}")
        return 0

    def value(self, words):
        """A number, or a sum of numbers and labels."""
        total, sign, expects = 0, 1, True
        for word in words:
            if word in ("+", "-") and not expects:
                sign, expects = (1 if word == "+" else -1), True
                continue
            if not expects:
                raise Mistake(f"'+' or '-' expected before {word!r}")
            total += sign * (number_of(word) if is_number(word) else self.place_of(word))
            expects = False
        return total

    def number(self, kind, words):
        letter = "<" + NUMBERS[kind]
        if kind[0] == "f" and not words[0].startswith("0x"):
            return struct.pack(letter, float(words[0]))
        value = self.value(words)
        if kind[0] == "f":
            return struct.pack("<" + {"f32": "I", "f64": "Q"}[kind], value)
        if not self.is_final:
            value = 0
        return struct.pack(letter, value)

    def reference(self, words, own, at):
        """LABEL, @PLACE, or =NUMBER; nothing: the label of its own."""
        target = words[0] if words else own
        if target.startswith("="):
            return struct.pack("<I", number_of(target[1:]))
        if not self.is_final:
            return bytes(4)
        place = number_of(target[1:]) if target.startswith("@") else self.place_of(target)
        return struct.pack("<I", (place - at) % 2**32)

    def content(self, words, at):
        """What a line of bytes stands for."""
        kind = words[0]
        if kind in NUMBERS:
            if any(word in ("+", "-") for word in words):
                return self.number(kind, words[1:])
            return b"".join(self.number(kind, [word]) for word in words[1:])
        if kind == "ref":
            return self.reference(words[1:], "", at)
        if kind == "text":
            return words[1] if isinstance(words[1], bytes) else quoted(words[1])
        if kind == "hex":
            return bytes.fromhex("".join(words[1:]))
        if kind == "zeros":
            return bytes(number_of(words[1]))
        if kind == "random":
            return random_bytes(number_of(words[1]), number_of(words[2]))
        if kind == "file":
            return self.file_bytes(quoted(words[1]), *(number_of(word) for word in words[2:]))
        if kind == "assemble":
            return assemble(quoted(words[1]), self.files)
        raise Mistake(f"{kind!r} is no kind of bytes")

    def file_bytes(self, name, offset=0, size=None):
        whole = pathlib.Path(name)
        if self.files is not None:
            whole = pathlib.Path(self.files) / whole.name
        try:
            with open(whole, "rb") as file:
                file.seek(offset)
                content = file.read() if size is None else file.read(size)
        except OSError as error:
            raise Mistake(f"{whole}: {error.strerror}") from error
        if size is not None and len(content) != size:
            raise Mistake(f"{whole} has no {size} bytes at {offset}")
        return content

    # Pieces.

    def pad(self, piece, unit, ahead=0):
        """Zeros in front of a piece, so that what is `ahead` of its begin lies at a multiple of `unit`; `align` is of what is behind
        the count."""
        if "unaligned" in piece.options:
            return
        for each, further in ((number_of(piece.options.get("align", ["1"])[0]), 0 if piece.kind == "bytes" else 4), (unit, ahead)):
            self.output += bytes(up(len(self.output), each, further) - len(self.output))

    def mark(self, piece, at):
        if piece.label:
            self.places[piece.label] = at

    def put_label(self, piece):
        self.mark(piece, len(self.output))

    def put_bytes(self, piece):
        self.pad(piece, 1)
        self.mark(piece, len(self.output))
        for words in ([piece.operands] if piece.operands else []) + piece.lines:
            self.output += self.content(words, len(self.output))

    def put_string(self, piece):
        self.pad(piece, 4)
        self.mark(piece, len(self.output))
        if len(piece.operands) != 1 or not isinstance(piece.operands[0], bytes):
            raise Mistake(f"string {piece.label}: one text in quotes expected")
        content = piece.operands[0]
        self.output += struct.pack("<I", len(content)) + content + b"\0"

    def put_refs(self, piece):
        self.pad(piece, 4)
        at = len(self.output)
        self.mark(piece, at)
        targets = []
        words = piece.operands + [word for line in piece.lines for word in line]
        for i, word in enumerate(words):
            if word == "*" or i > 0 and words[i - 1] == "*":  # LABEL * TIMES
                targets += targets[-1:] * (number_of(word) - 1) if word != "*" else []
                continue
            first, dots, last = word.partition("..")
            if dots or is_number(word):
                targets += [f"{piece.label}[{i}]" for i in range(number_of(first), number_of(last or first) + 1)]
            else:
                targets.append(word)
        self.output += struct.pack("<I", len(targets))
        for target in targets:
            self.output += self.reference([target], "", len(self.output))

    def put_vector(self, piece):
        kind = piece.options["element"]
        self.pad(piece, max(4, WIDTHS[kind]), 4)
        at = len(self.output)
        self.mark(piece, at)
        content = b"".join(self.number(kind, [word]) for word in piece.operands)
        for words in piece.lines:
            if words[0] in NUMBERS or not re.match(r"[-\d]|inf|nan", words[0]):
                content += self.content(words, at + 4 + len(content))
            else:
                content += b"".join(self.number(kind, [word]) for word in words)
        count = number_of(piece.options["count"][0]) if "count" in piece.options else len(content) // WIDTHS[kind]
        self.output += struct.pack("<I", count) + content

    def put_table(self, piece):
        fields, size, eight = self.fields(piece)
        options = piece.options
        has_own = "like" not in options and "vtable" not in options
        vtable = self.vtable(piece, fields, size) if has_own or "like" in options else b""
        self.vtables[piece.label] = vtable
        if not has_own and "like" in options and self.is_final and self.vtables.get(options["like"][0]) != vtable:
            raise Mistake(f"the fields are not those of {options['like'][0]!r}; leave 'like' away")
        self.pad(piece, 4 if eight is None else 8, (len(vtable) if has_own else 0) + (eight or 0))
        if has_own:
            self.places[piece.label + ".vtable"] = len(self.output)
            self.output += vtable
        at = len(self.output)
        self.mark(piece, at)
        self.output += self.way_to_vtable(piece, at)
        for offset, words in fields:
            self.output += bytes(at + offset - len(self.output))
            self.output += self.field(piece, words, at + offset)

    def way_to_vtable(self, piece, at):
        options = piece.options
        if "vtable" in options and options["vtable"][0].startswith("="):
            return struct.pack("<i", number_of(options["vtable"][0][1:]))
        if "vtable" in options:
            word = options["vtable"][0]
            target = number_of(word[1:]) if word.startswith("@") else self.place_of(word)
        else:
            target = self.place_of((options["like"][0] if "like" in options else piece.label) + ".vtable")
        return struct.pack("<i", at - target if self.is_final else 0)

    def field(self, piece, words, at):
        if ":" not in words[0]:  # padding
            return self.content(words, at)
        name = words[0].partition(":")[0]
        if words[1] == "ref":
            own = name if piece.label == "root" else f"{piece.label}.{name}"
            return self.reference(words[2:], own, at)
        return self.content(words[1:], at) if words[1] not in NUMBERS else self.number(words[1], words[2:])

    def fields(self, piece):
        """Lines with their places in the table, its size, and where the first number of 8 bytes is."""
        placed, at, eight = [], 4, None
        for words in piece.lines:
            is_field = ":" in words[0]
            kind = words[1] if is_field else words[0]
            width = 4 if kind == "ref" else WIDTHS[kind] if kind in NUMBERS and is_field else None
            if "unaligned" not in piece.options and width is not None:
                at = at + (eight - at) % 8 if width == 8 and eight is not None else up(at, min(width, 4))
            if width == 8 and eight is None:
                eight = at
            placed.append((at, words))
            at += len(self.content(words[1:] if is_field else words, 0)) if width is None else width
        return placed, at, eight

    def vtable(self, piece, fields, size):
        slots = {int(words[0].partition(":")[2]): offset for offset, words in fields if ":" in words[0]}
        count = number_of(piece.options["slots"][0]) if "slots" in piece.options else max(slots, default=-1) + 1
        size = number_of(piece.options["size"][0]) if "size" in piece.options else size
        own = number_of(piece.options["vtable_size"][0]) if "vtable_size" in piece.options else 4 + 2 * count
        return struct.pack(f"<{2 + count}H", own, size, *(slots.get(slot, 0) for slot in range(count)))


def random_bytes(seed, count):
    """The low bytes of x = (1103515245 x + 12345) mod 2^31, shifted by 16, from x = seed on: any language can do that."""
    out, state = bytearray(), seed
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        out.append(state >> 16 & 255)
    return bytes(out)


def assemble(path, files=None):
    """Returns the bytes of the text at `path`. `files` is the folder of the files that it names."""
    return Assembler(Reader(path).read(), files).bytes()


def facts_of(path):
    """What a case says of itself: lists of words by "title", "finding", "load" and so on."""
    return Reader(path).read().facts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--files", type=pathlib.Path, help="folder of the files that the text names (default: as it names them)")
    given = parser.parse_args()
    try:
        given.output.write_bytes(assemble(given.text, given.files))
    except (Mistake, OSError) as mistake:
        print(f"assemble.py: error: {mistake}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
