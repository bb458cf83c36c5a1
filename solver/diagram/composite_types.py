"""Types that `type:` names: a registered block, or another netlist that is itself a block (a composite)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ...blocks.block import Block
from ...blocks.errors import LuffError, NetlistError, Problem, did_you_mean
from ...blocks.expression_scope import Scope
from ...blocks.parameter_order import Ordered
from ...blocks.params import Param
from ...blocks.ports import Port
from ...blocks.registry import block_class, registered
from ...blocks.text.data_files import OUTSIDE, within
from ...blocks.text.quantity import coherent, written_unit
from ...blocks.text.raw_types import RawMap
from ...blocks.text.safe_read import regular_file, shown, whole_path
from ..netlist.library_paths import LIBRARY as LIBRARY
from .partial_ports import exposed_input_port

APART = (
    "templates",
    "studies",
    "assessments",
    "plans",
    "benchmarks",
    "factors",
)  # folders of the library that hold no netlists to name


class OpenedComposite(Protocol):
    """Diagram of a composite, as far as it is used here.

    Its `path` is a Path or None, `allow_code` a bool, `files` a tuple of Path; levels share them by a descriptor, which
    a protocol cannot say.
    """

    @property
    def path(self) -> Any: ...
    @property
    def allow_code(self) -> Any: ...
    @property
    def files(self) -> Any: ...
    @property
    def doc(self) -> str: ...
    @property
    def blocks(self) -> dict[str, RawMap]: ...
    @property
    def connections(self) -> list[str]: ...
    @property
    def parameters(self) -> RawMap: ...
    @property
    def inputs(self) -> RawMap: ...
    @property
    def outputs(self) -> dict[str, str]: ...
    def comment(self, path: str) -> str: ...
    def scope(self, defaults: bool = False) -> Scope: ...
    @property
    def ports(self) -> dict[str, str]: ...
    def block_class(
        self, name: str, chain: tuple[Path, ...] | None = None
    ) -> type[Block] | CompositeType: ...
    def block_ports(self, name: str, chain: tuple[Path, ...] | None = None) -> dict[str, Port]: ...


class CompositeType(Ordered):
    """A netlist used as a block; shaped like a block class where canvas and property panel look.

    `in_place` marks a subsystem that is written in the netlist itself: it has no file of its own.
    """

    family = "composites"

    def __init__(
        self,
        type_name: str,
        diagram: OpenedComposite,
        chain: tuple[Path, ...],
        params: Mapping[str, Param],
        in_place: bool = False,
    ):
        self.type_name, self.diagram, self.chain, self.params = type_name, diagram, chain, {**params}
        self.in_place = in_place
        self.path: Path | None = None if in_place else diagram.path
        self.doc = diagram.doc

    @property
    def class_ports(self) -> dict[str, Port]:
        """The ports as they are before any parameter is overridden."""
        declared: dict[str, Port] = {}
        inside: dict[str, dict[str, Port]] = {}
        for name, inner in {**self.diagram.ports, **self.diagram.outputs}.items():
            block, _, port = str(inner).rpartition(".")
            if block not in inside:
                inside[block] = self.diagram.block_ports(block, self.chain)
            ports = inside[block]
            if port in ports:
                declared[name] = ports[port].named(name)
        given = self.diagram.inputs
        return declared | {name: exposed_input_port(name, given, self.diagram.scope()) for name in given}


def _param(name: str, diagram: OpenedComposite) -> Param:
    """Parameter of the inner netlist: its default says which unit is asked for, the comment behind it what it is."""
    try:
        dimension = diagram.scope(defaults=True).parameter(name).dimension
    except LuffError:
        dimension = None  # told where the inner netlist is checked
    raw = diagram.parameters[name]
    written = written_unit(raw) if isinstance(raw, str) else ""
    param = Param(
        raw, coherent(written, dimension) if dimension else "", doc=diagram.comment(f"parameters.{name}")
    )
    param.name = name
    return param


SUBSYSTEM = "subsystem"  # type in words of a block whose netlist is written in place


def type_in_words(raw: object) -> str:
    """Type of a block's entry as one word: the name or file that it gives, `subsystem` for one in place."""
    kind = raw.get("type", "") if isinstance(raw, Mapping) else ""
    return SUBSYSTEM if isinstance(kind, Mapping) else str(kind)


def subsystem_type(name: str, diagram: OpenedComposite, chain: tuple[Path, ...]) -> CompositeType:
    """Type of a subsystem in place, from the netlist inside."""
    params = {key: _param(key, diagram) for key in diagram.parameters}
    return CompositeType(SUBSYSTEM, diagram, chain, params, in_place=True)


def is_file(type_name: str) -> bool:
    return "/" in type_name or "\\" in type_name or type_name.endswith((".yaml", ".yml"))


@cache
def library() -> dict[str, Path]:
    """The netlists that come with luff, by name."""
    return {path.stem: path for path in sorted(LIBRARY.rglob("*.yaml")) if path.parent.name not in APART}


def known_types() -> list[str]:
    return [*registered(), *library()]


def find_type(
    type_name: object,
    base: Path | None,
    chain: tuple[Path, ...] = (),
    allow_code: bool = False,
    files: tuple[Path, ...] = (),
    load: Callable[..., OpenedComposite] | None = None,
) -> type[Block] | CompositeType:
    """The block class or composite of a `type:` entry.

    `chain` lists the netlists that are being opened, `load` opens the next.
    """
    if not isinstance(type_name, str) or not type_name:
        raise NetlistError(f"found the type {type_name!r}, expected the name of a block or a file")
    if not is_file(type_name):
        cls = block_class(type_name)
        if cls is not None:
            return cls
        path = library().get(type_name)
        if path is None:
            raise NetlistError(
                f'there is no block type "{type_name}"', fix=did_you_mean(type_name, known_types())
            )
    else:
        path = _resolve(type_name, base, files)
        # what it names in turn may lie wherever this netlist may read
        files = (base, *files) if base is not None else files
    assert load is not None, f"{type_name} is a netlist, which cannot be opened here"
    return _open(type_name, path, chain, allow_code, files, load)


def _resolve(type_name: str, base: Path | None, files: tuple[Path, ...]) -> Path:
    if type_name.startswith(("/", "~", "\\")) or type_name[1:2] == ":":
        raise NetlistError(
            f"found the absolute path {shown(type_name)}",
            fix="give the path from this netlist's folder: ./boom.yaml",
        )
    if base is None:
        raise NetlistError(
            f"cannot look for {type_name}: this netlist has no folder yet", fix="save it first"
        )
    path = whole_path(base, type_name.replace("\\", "/"))
    status = regular_file(path, "a netlist")
    if not within(path, (base, LIBRARY, *files)):
        outside = f"{shown(type_name)} lies outside of the netlist's folder"
        raise NetlistError(Problem(outside, fix=OUTSIDE, wants=str(path.parent)))
    if status is None:
        near = [other.name for other in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
        raise NetlistError(
            f"there is no file {shown(path)} for the type {shown(type_name)}",
            fix=did_you_mean(path.name, near),
        )
    return path


_opened: dict[Path, tuple[tuple[int, int], OpenedComposite, dict[str, Param]]] = {}


def _open(
    type_name: str,
    path: Path,
    chain: tuple[Path, ...],
    allow_code: bool,
    files: tuple[Path, ...],
    load: Callable[..., OpenedComposite],
) -> CompositeType:
    path = path.resolve()
    if path in chain:
        names = " -> ".join(other.name for other in [*chain[chain.index(path) :], path])
        raise NetlistError(Problem(f"netlists contain each other in a circle: {names}"))
    stat = path.stat()
    stamp = (stat.st_mtime_ns, stat.st_size)
    known = _opened.get(path)
    if known is None or known[0] != stamp or (known[1].allow_code, known[1].files) != (allow_code, files):
        inner = load(path, allow_code, files, nested=True)
        params = {name: _param(name, inner) for name in inner.parameters}
        _opened[path] = known = (stamp, inner, params)
    return CompositeType(type_name, known[1], (*chain, path), known[2])
