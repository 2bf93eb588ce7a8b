"""At the end of an export script, in the place of `exec_prog.save("model.pte")`:

    import pteedit.executorch

    pteedit.executorch.save(exec_prog, "model.pte", metadata={"general.name": "Llama"}, strip=True, split={"min_size": 4096})

Does not import torch.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any, List, Mapping, Union

from pteedit import rewrite
from pteedit._constant_names import contents_of
from pteedit._inputs import File, Opener, Path
from pteedit._pteedit import ContentNames
from pteedit.ptetools import ProgramWriter, write_tensor_data
from pteedit.rewrite import MetadataValue, Progress, Rewrite

__all__ = ["save"]

Options = Union[bool, Mapping[str, Any]]


def save(
    exec_prog: ProgramWriter,
    path: Path,
    *,
    metadata: Mapping[str, MetadataValue] = {},
    strip: Options = False,
    split: Options = False,
    replace: bool = False,
    progress: Progress = None,
) -> List[str]:
    """Writes the program of an ExecutorchProgramManager, edited in this order, and its tensor data files beside it; returns
    the paths, the program last.

    `metadata`: facts as for `pteedit.copy(set_metadata=...)`. `strip`, `split`: True, or the options of the function of this
    name. What splitting moves goes into a data file beside the program, "model.ptd" for "model.pte"; in its options and
    errors constants are called as in the exported programs. Keys are these names where the exporter wrote them
    (`external_constants=True`), else they tell the content; with `split={"name_keys": True}` they are these names, too. What
    a backend took into its blob has the key that the blob asks for, and what the exporter made anew (folded, packed or
    quantized) has no name: its key tells the content. OSError where something cannot be written or, without
    `replace`, is there; ValueError where an edit is refused. Then the program is not written.
    """
    folder = os.path.dirname(os.fspath(path))
    with tempfile.TemporaryDirectory(prefix=".pteedit-", dir=folder or ".") as temporary:
        exported = os.path.join(temporary, "program.pte")
        with open(exported, "wb") as file:
            exec_prog.write_to_file(file)
        data = dict(write_tensor_data(exec_prog, os.path.join(temporary, "data")))
        program: File = exported
        if metadata:
            program = rewrite.copy(program, set_metadata=metadata).open()
        if strip:
            program = rewrite.strip(program, **_options(strip)).open()
        program = Opener()(program).named(ContentNames(contents=contents_of(exec_prog)))
        planned = rewrite.split(program, list(data.values()), **_options(split)) if split else _as_it_is(program)
        paths = [path, os.path.splitext(path)[0] + ".ptd"][: len(planned.report.outputs)]
        written = [
            saved
            for name, source in data.items()
            for saved in _as_it_is(source).save(os.path.join(folder, name), replace=replace)
        ]
        return written + planned.save(*paths, replace=replace, progress=progress)


def _options(given: Options) -> Mapping[str, Any]:
    return {} if isinstance(given, bool) else given


def _as_it_is(file: File) -> Rewrite:
    return rewrite.strip(file, debug=False, unreferenced=False)
