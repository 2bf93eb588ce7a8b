# The compiled module. Text that is not UTF-8 in a file has lone surrogates here, as in Python's file names.
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from pteedit._decoders import Decoder

__version__: str

class Error(ValueError):
    """A file that is malformed or not fully understood, or a call that makes no sense."""

    code: str  # "malformed", "unsupported" or "invalid-argument"
    file: Optional[str]  # its name
    finding: Optional[str]  # the id under which verification lists it, see docs/findings.md

class Extent:
    """`size` bytes from byte `offset` of the file on."""

    def __init__(self, offset: int, size: int) -> None: ...
    @property
    def offset(self) -> int: ...
    @property
    def size(self) -> int: ...

class TensorLayout:
    """Sizes are elements per dimension; dim_order[i] is the dimension that is i-th from outermost in memory."""

    @property
    def dtype(self) -> str: ...
    @property
    def scalar_type(self) -> int: ...
    @property
    def sizes(self) -> List[int]: ...
    @property
    def dim_order(self) -> List[int]: ...

class SizeNode:
    """`size` in bytes is the sum over `components` wherever there are any."""

    class Reference:
        @property
        def key(self) -> str: ...
        @property
        def bytes(self) -> int: ...
        @property
        def name(self) -> str:
            """Of the bytes; empty where they have none but the key."""


    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def components(self) -> List[SizeNode]: ...
    @property
    def aliases(self) -> List[str]: ...
    @property
    def note(self) -> str: ...
    @property
    def dtype(self) -> str:
        """Of weights, "float32" whatever the backend calls it; empty where it is not known."""

    @property
    def module(self) -> str:
        """"layers.3.attention" of what the model calls "layers.3.attention.weight"."""

    @property
    def refers_to(self) -> List[Reference]: ...

_TestValue = Tuple[Optional[TensorLayout], Extent, Union[None, bool, int, float]]

class ValueDescription:
    @property
    def value(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def layout(self) -> Optional[TensorLayout]: ...

class MethodDescription:
    @property
    def name(self) -> str: ...
    @property
    def inputs(self) -> List[ValueDescription]: ...
    @property
    def outputs(self) -> List[ValueDescription]: ...
    @property
    def instructions(self) -> int: ...
    @property
    def kernel_calls(self) -> int: ...
    @property
    def delegate_calls(self) -> int: ...
    @property
    def planned_bytes(self) -> int: ...

class OperatorDescription:
    @property
    def name(self) -> str: ...
    @property
    def calls(self) -> int: ...
    @property
    def methods(self) -> List[str]: ...

class TensorDescription:
    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> List[str]: ...
    @property
    def method(self) -> str: ...
    @property
    def value(self) -> int: ...
    @property
    def layout(self) -> TensorLayout: ...
    @property
    def bytes(self) -> Optional[int]: ...
    @property
    def store(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def extent(self) -> Optional[Extent]: ...

class SegmentDescription:
    @property
    def index(self) -> int: ...
    @property
    def extent(self) -> Extent: ...
    @property
    def alignment(self) -> int: ...
    @property
    def users(self) -> List[str]: ...

class NamedDataDescription:
    @property
    def key(self) -> str: ...
    @property
    def names(self) -> List[str]: ...
    @property
    def bytes(self) -> int: ...
    @property
    def layout(self) -> Optional[TensorLayout]: ...
    @property
    def sharers(self) -> int: ...
    @property
    def extent(self) -> Extent: ...

class Description:
    @property
    def methods(self) -> List[MethodDescription]: ...
    @property
    def tensors(self) -> List[TensorDescription]: ...
    @property
    def segments(self) -> List[SegmentDescription]: ...
    @property
    def named_data(self) -> List[NamedDataDescription]: ...
    @property
    def operators(self) -> List[OperatorDescription]: ...

class ContentNames:
    def __init__(
        self,
        files: Sequence[Union[str, "os.PathLike[str]"]] = (),
        contents: Sequence[Tuple[str, int, str]] = (),
    ) -> None:
        """What contents are called in `files` (checkpoints, records, metadata), and in `contents`: name, bytes and SHA-256
        in hex. OSError where a file cannot be read, ValueError where it is none of these or damaged."""

class Source:
    """Bytes, whatever they are. OSError where they cannot be read."""

    @staticmethod
    def open_file(path: Union[str, os.PathLike[str]]) -> Source:
        """Also "model.etm!weights/w.ptd", a member of an archive, which alone is its program."""

    @staticmethod
    def open_bytes(data: bytes, name: str) -> Source: ...
    @staticmethod
    def open_callback(read: Callable[[int, int], bytes], size: int, name: str) -> Source: ...
    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def content(self) -> Optional[bytes]:
        """What it was opened with, where that were the bytes."""

    @property
    def place(self) -> Optional[Tuple[int, int]]:
        """Descriptor of the open file and where the bytes begin in it, where they lie in one."""

    def read(self, offset: int, size: int) -> bytes: ...

def verify(file: Source, data: List[Source], hash_keys: bool) -> List[Tuple[str, List[Dict[str, Any]]]]:
    """The findings of each file, behind its name."""

def with_hashes(source: Source, hashes: List[Tuple[int, int, bytes]]) -> Source: ...
def write_pieces(
    path: Union[str, os.PathLike[str]], pieces: List[Tuple[Optional[Source], int, int]]
) -> str: ...
def parse_set(word: str) -> Tuple[str, List[str]]: ...
def inspect(words: List[str]) -> int: ...
def is_archive(path: Union[str, os.PathLike[str]]) -> bool: ...
def data_inside(path: Union[str, os.PathLike[str]]) -> List[str]: ...

class Container:
    """An opened and checked file. OSError where it cannot be read, ValueError where it is malformed or of no known kind.

    Opening reads the tables and leaves the weights where they are.
    """

    @staticmethod
    def open(source: Source) -> Container: ...
    @staticmethod
    def open_to_look(source: Source) -> Container:
        """Also a package of the native backend, of which no method here but `describe`, `measure_sizes`, `diff`,
        `first_difference` and `page` knows anything."""

    @staticmethod
    def open_file(path: Union[str, bytes, os.PathLike[str]]) -> Container: ...
    @staticmethod
    def open_bytes(data: bytes, name: str) -> Container:
        """Looks at `data` without copying it. `name` is what errors call it, here and below."""

    @staticmethod
    def open_callback(read: Callable[[int, int], bytes], size: int, name: str) -> Container:
        """`read(offset, size)` answers with exactly `size` bytes; what it raises is raised on. Called from any thread."""

    @property
    def kind(self) -> str:
        """'pte', 'ptd' or 'bpte'; 'ptn' of what was opened to look."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def source(self) -> Source: ...
    def measure_sizes(self, look_inside: bool = False, decoders: Dict[str, Decoder] = {}) -> SizeNode:
        """`decoders`: functions by backend id, as register_decoder takes them."""

    def delegates(
        self, data: List[Container], decoders: Dict[str, Decoder]
    ) -> List[Tuple[Dict[str, Any], int]]:
        """What is in each, as `pteinspect --json --delegates` has it, with the offset of its blob in the file."""

    def requirements(self, data: List[Container], decoders: Dict[str, Decoder]) -> Dict[str, Any]: ...
    def first_difference(
        self, other: Container, data: List[Container], other_data: List[Container], stack_traces: bool
    ) -> Optional[Tuple[str, str]]:
        """Where, and what it is."""

    def sizes_by(
        self, axes: List[str], data: List[Container], decoders: Dict[str, Decoder]
    ) -> List[Tuple[List[str], int]]:
        """Names on the axes, and bytes."""

    def retained(
        self, data: List[Container], decoders: Dict[str, Decoder]
    ) -> List[Tuple[str, str, int, Dict[str, int]]]:
        """Kind, name, bytes and those of each component."""

    def page(self, data: List[Container], decoders: Dict[str, Decoder], options: List[str]) -> str: ...
    def instructions(self) -> List[List[Tuple[Any, ...]]]:
        """Of each method, in file order: chain, index, kind, target, values, jump."""

    def memory(self) -> List[Tuple[Any, ...]]:
        """Of each method, in file order: arenas, whether there are lifetimes, and value, arena, offset, bytes, first and
        last instruction of each tensor."""

    def count_values(self, method: int) -> int: ...
    def value(
        self, method: int, index: int
    ) -> Tuple[str, str, str, Optional[TensorLayout], str, List[int]]:
        """Type, name, store, layout, text and items."""

    def constant_methods(self) -> List[Tuple[str, List[Tuple[str, str]]]]:
        """Name, and type and text of each value."""

    def metadata(self) -> List[Tuple[str, Union[None, str, int, float, List[int], bytes]]]:
        """Key and value; None where it is long."""

    def test_cases(self) -> List[Tuple[str, List[_TestValue], List[_TestValue]]]:
        """Method, inputs and expected outputs."""

    def diff(
        self,
        before: Container,
        old_data: List[Container] = [],
        data: List[Container] = [],
        decoders: Dict[str, Decoder] = {},
    ) -> Dict[str, Any]:
        """What changed since `before`, each with its data files."""

    def named(self, names: ContentNames) -> Container:
        """The same file with the names, for all that is asked of it then: `measure_sizes`, `describe`, `delegates`, `diff`.

        Names of several files at once should come from one `ContentNames`, which reads each checkpoint once."""

    def describe(self) -> Description: ...

def escape_control(text: bytes) -> str:
    """`text` with control bytes and invalid UTF-8 written as \\xNN."""

def read_event_blocks(
    dump: Union[bytes, str, os.PathLike[str]],
    source_scale: str,
    target_scale: str,
    record: Optional[str] = None,
    debug_buffer: Optional[str] = None,
    graph: str = "",
) -> Tuple[List[Dict[str, Any]], str]:
    """The blocks of a dump, in its file or its bytes; and why outputs that the record expects are not there, or "".

    Tensors are tuples of type, sizes and offset in the buffer; of reference outputs, of type, sizes and bytes.
    """

def list_programs(record: str, graph: str) -> Dict[str, str]:
    """The listing of each program in a record that is called `graph` or `graph`/METHOD, by its name."""

def statistics(raw: Sequence[Union[int, float]]) -> Dict[str, float]:
    """p10, p50, p90 and avg of samples, to the last digit what numpy answers. ValueError where there are none."""

def grid_text(columns: List[str], rows: List[List[Any]]) -> str: ...
def tsv_text(columns: List[str], rows: List[List[Any]]) -> str: ...

def create_release(
    variants: Sequence[Tuple[str, Sequence[Union[str, os.PathLike[str]]], Dict[str, str]]],
    included: Sequence[Tuple[str, Union[str, os.PathLike[str]]]],
    folder: Union[str, os.PathLike[str]],
    level: Optional[int],
    pack_bytes: Optional[int],
    replace: bool,
    dry_run: bool,
    progress: Optional[Callable[[int, int], object]],
) -> str:
    """The manifest's text."""

def read_manifest(folder: Union[str, os.PathLike[str]]) -> str: ...
def verify_release(folder: Union[str, os.PathLike[str]]) -> Dict[str, Any]: ...
def check_release(
    folder: Union[str, os.PathLike[str]], variant: str, progress: Optional[Callable[[int, int], object]]
) -> None: ...
def create_delta(
    old: Union[str, os.PathLike[str]],
    new: Union[str, os.PathLike[str]],
    folder: Union[str, os.PathLike[str]],
    level: int,
    replace: bool,
    dry_run: bool,
    progress: Optional[Callable[[int, int], object]],
) -> Dict[str, Any]: ...
def apply_delta(
    delta: Union[str, os.PathLike[str]],
    old: Union[str, os.PathLike[str]],
    new: Union[str, os.PathLike[str]],
    replace: bool,
    dry_run: bool,
    progress: Optional[Callable[[int, int], object]],
) -> Dict[str, Any]: ...
def prune_releases(folders: Sequence[Union[str, os.PathLike[str]]], dry_run: bool) -> Dict[str, Any]: ...
def plan_update(
    release: Union[str, os.PathLike[str]],
    delta: Union[str, os.PathLike[str]],
    installed: Union[str, os.PathLike[str]],
    variant: str,
) -> Dict[str, Any]:
    """`fetches` are tuples, see pteedit.package.Fetch."""

def apply_update(
    release: Union[str, os.PathLike[str]],
    delta: Union[str, os.PathLike[str]],
    installed: Union[str, os.PathLike[str]],
    variant: str,
    to: Union[str, os.PathLike[str]],
    replace: bool,
    progress: Optional[Callable[[int, int], object]],
) -> Dict[str, Any]: ...

class SplitWords:
    """What moves, see pteedit.rewrite.split."""

    constants: bool
    named_data: bool
    mutables: bool
    name: List[str]
    methods: List[str]
    backends: List[str]
    min_size: Optional[int]
    max_size: Optional[int]
    bind: Optional[bool]
    name_keys: bool
    alignment: int

class CopyWords:
    """Edits, applied in the order of `ptecopy`."""

    def __init__(self, alignment: int) -> None: ...
    def keep_methods(self, names: List[str]) -> None: ...
    def remove_methods(self, names: List[str]) -> None: ...
    def rename_methods(self, names: List[Tuple[str, str]]) -> None: ...
    def set_method(self, method: Tuple[str, List[Union[bool, int, float, str]], bool]) -> None:
        """Its name, its items and whether they are a list."""

    def remove_metadata(self, key: str) -> None: ...
    def set_metadata(self, key: str, value: Union[str, int, float, Sequence[int], bytes]) -> None: ...
    def remove_data(self, expressions: List[str]) -> None: ...
    def rename_keys(self, names: List[Tuple[str, str]]) -> None: ...
    def add_data(self, key: str, data: bytes) -> None: ...
    def upgrade(self) -> None: ...
    def add_methods(self, program: Container, method: str, name: str) -> None: ...
    def add_names(self, path: Union[str, os.PathLike[str]]) -> None: ...
    def replace(self, name: str, data: bytes) -> None: ...
    def refit(self, path: Union[str, os.PathLike[str]]) -> None: ...
    def splat(self, seed: Optional[int]) -> None: ...

class Rewrite:
    """Planned outputs; see pteedit.rewrite."""

    @property
    def names(self) -> List[str]: ...
    def report(self) -> Dict[str, Any]: ...
    def to_bytes(self, output: int) -> bytes: ...
    def open(self, output: int) -> Container: ...
    def pieces(self, output: int) -> List[Tuple[Optional[str], int, int, Optional[bytes]]]: ...
    def save(
        self,
        path: Union[str, os.PathLike[str]],
        data_path: Optional[Union[str, os.PathLike[str]]],
        to_folder: bool,
        replace: bool,
        progress: Optional[Callable[[int, int], object]],
    ) -> List[str]: ...

def split(
    program: Container,
    data: List[Container],
    program_name: str,
    data_name: str,
    words: SplitWords,
    match: Tuple[List[Container], Optional[ContentNames]],
    not_match: Tuple[List[Container], Optional[ContentNames]],
    against: List[Container],
) -> Rewrite: ...
def join(program: Container, data: List[Container], program_name: str, alignment: int) -> Rewrite: ...
def strip(file: Container, name: str, words: List[str], programs: List[Container], alignment: int) -> Rewrite: ...
def merge(
    sets: List[Tuple[str, str, List[Container]]],
    shared_name: str,
    with_data: bool,
    min_size: Optional[int],
    max_size: Optional[int],
    bind: Optional[bool],
    alignment: int,
    match: Tuple[List[Container], Optional[ContentNames]],
    against: List[Container],
) -> Rewrite:
    """Of each set the names of its program and of its data, then the files, the program first."""

def merge_packages(packages: List[Tuple[str, Container]], name: str) -> Rewrite: ...
def copy(file: Container, name: str, words: CopyWords) -> Rewrite: ...

def data_tensors(file: Container) -> List[Tuple[str, Tuple[Optional[str], List[int], List[int]], int, int]]:
    """Of each tensor of a data file: key; element type (None: only a delegate understands the bytes), sizes and dim order;
    offset and size of the bytes in the file."""

def plan_data(
    tensors: Sequence[Tuple[bytes, Tuple[Optional[str], List[int], List[int]], Any]], name: str, alignment: int
) -> Rewrite:
    """Of each tensor: key; element type, sizes and dim order; a buffer in one piece."""

def to_safetensors(file: Container, name: str) -> Rewrite: ...
def from_safetensors(file: Union[bytes, str, os.PathLike[str]], name: str, alignment: int) -> Rewrite: ...
