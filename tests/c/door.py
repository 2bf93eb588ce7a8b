"""pteedit.h by ctypes: what the checks of the C door call it with."""

import ctypes
import re

from checks import ROOT

HEADER = ROOT / "libpteedit/include/pteedit.h"
OK, MALFORMED, UNSUPPORTED, INVALID_ARGUMENT, EXISTS, IO, CANCELLED = range(7)

Handle = ctypes.c_void_p
Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)


def struct(name, *fields):
    kinds = {"text": ctypes.c_char_p, "bytes": ctypes.c_uint64, "count": ctypes.c_size_t, "flag": ctypes.c_int}
    return type(name, (ctypes.Structure,), {"_fields_": [(field, kinds[kind]) for field, kind in fields]})


Variant = struct("Variant", ("name", "text"), ("min_runtime", "text"), ("files", "count"), ("data_files", "count"),
                 ("download_bytes", "bytes"), ("installed_bytes", "bytes"), ("largest_file_bytes", "bytes"))
File = struct("File", ("file", "text"), ("role", "text"), ("name", "text"), ("bytes", "bytes"), ("sha256", "text"))
Fetch = struct("Fetch", ("of_delta", "flag"), ("file", "text"), ("offset", "bytes"), ("bytes", "bytes"), ("sha256", "text"))


def declarations():
    """Of each function in the header its name, what it returns and the types of its parameters, as they are written."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = {}
    for kind, name, parameters in re.findall(r"PTEEDIT_C_API\s+([\w\s*]+?)(pteedit_\w+)\(([^)]*)\)", text):
        types = [re.sub(r"\s*\w+$", "", one.strip()) for one in parameters.split(",") if one.strip() != "void"]
        found[name] = (kind.strip(), types)
    return found


SIMPLE = {"size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64, "const char *": ctypes.c_char_p, "pteedit_progress": Progress,
          "pteedit_status": ctypes.c_int, "void": None}


class Door:
    """Calls the library; a status that is not OK is an Failed, texts and handles are answers."""

    class Failed(Exception):
        def __init__(self, status, line, file):
            super().__init__(line)
            self.status, self.line, self.file = status, line, file

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for name, (returns, types) in declarations().items():
            function = getattr(self.library, name)
            function.restype = SIMPLE.get(returns, Handle)
            function.argtypes = [SIMPLE.get(kind, Handle) for kind in types]

    def __getattr__(self, name):
        return getattr(self.library, f"pteedit_{name}")

    def check(self, status):
        if status != OK:
            raise Door.Failed(status, self.last_error().decode(), self.last_error_file().decode())

    def give(self, name, *arguments, kind=Handle):
        """What a function puts where its last pointer leads."""
        out = kind()
        self.check(getattr(self, name)(*arguments, ctypes.addressof(out)))
        return out

    def text(self, name, handle):
        out = self.give(name, handle)
        text = ctypes.string_at(out.value).decode()
        self.free(out)
        return text

    def open(self, path, data=()):
        paths = (ctypes.c_char_p * len(data))(*(str(one).encode() for one in data))
        return self.give("library_open", str(path).encode(), ctypes.addressof(paths) if data else None, len(data))

    def library_open(self, *arguments):
        return self.library.pteedit_open(*arguments)

    def plan(self, release, delta, installed, variant):
        words = [str(word).encode() if word is not None else None for word in (release, delta, installed, variant)]
        return self.give("update_plan", *words)

    def fetches(self, update):
        return [self.give("update_fetch_of", update, i, kind=Fetch) for i in range(self.update_fetch_count(update))]

    def apply(self, update, to=None, progress=None):
        report = Progress(progress) if progress else Progress()
        self.check(self.update_apply(update, str(to).encode() if to else None, report, None))

    def check_release(self, folder, variant=None, progress=None):
        release = self.give("release_open", str(folder).encode())
        try:
            self.check(self.release_check(release, variant.encode() if variant else None,
                                          Progress(progress) if progress else Progress(), None))
        finally:
            self.release_close(release)
