"""A netlist as a document that can be edited and saved without losing a comment."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Generic, Self, TypeVar

from ...blocks.block import Block
from ...blocks.errors import (
    CODE,
    ConnectError,
    LuffError,
    NetlistError,
    Problem,
    RunError,
    did_you_mean,
    in_order,
)
from ...blocks.expression_scope import Scope
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import Inputs
from ...blocks.params import Param
from ...blocks.ports import Port
from ...blocks.registry import is_loaded, load_file
from ...blocks.text.quantity import Quantity
from ...blocks.text.raw_types import RawMap
from ...blocks.text.safe_read import regular_file, shown, whole_path
from ..netlist import Document, deep_copy, read_netlist, read_text, same_data
from ..netlist.library_paths import library_path
from ..netlist.section_structure import (
    FILES,
    Kind,
    check_structure,
    foreign_format,
    malformed_blocks,
    section,
    subsystem,
    well_formed_part,
)
from ..netlist.wire_syntax import End, parse_end, parse_wire
from .composite_types import CompositeType, find_type, subsystem_type
from .enabled import parameters_of
from .implicit_inputs import operated_inputs
from .netlist_edits import Edits
from .partial_ports import declared_ports, ports_of_inputs
from .port_compatibility import check_pair, wire_sign

Value = TypeVar("Value")


class OfRoot(Generic[Value]):
    """Attribute that all levels of a document share: that of the outermost netlist."""

    def __set_name__(self, owner: type[Netlist], name: str) -> None:
        self.key = f"_own_{name}"

    def __get__(self, netlist: Netlist, owner: type[Netlist]) -> Value:
        if netlist is None:  # asked of the class
            return self
        return getattr(netlist.root, self.key)

    def __set__(self, netlist: Netlist, value: Value) -> None:
        setattr(netlist.root, self.key, value)


class Netlist(Edits):
    """A netlist with its raw document (`data`), views of its sections, and its edits.

    The text that was loaded stays the base of every text written later: unchanged entries keep their very characters,
    and an edit undone gives back the identical file. A subsystem in place is a netlist too, by `at_level`: its data,
    text and file are those of the outermost one.
    """

    path = OfRoot[Path | None]()
    base = OfRoot[Path | None]()
    allow_code = OfRoot[bool]()
    files = OfRoot[tuple[Path, ...]]()  # folders beside its own from which it may read
    document = OfRoot[Document | None]()

    def __init__(self) -> None:
        super().__init__({"luff": 1, "blocks": {}, "connect": []})
        self.path = None
        self.base = None
        self.allow_code = False
        self.files = ()
        self.feeds: dict[str, RawMap] = {}  # of its inputs, those that a run takes from tables
        self.document = None
        self._broken: set[tuple[str, ...]] = set()  # paths of malformed blocks, while mistakes are collected
        self._malformed = False  # the text says more than `data`, which is nowhere else than in the text
        self._code_run: set[Path] = set()
        self._saved = deep_copy(self.data)
        self._bom = ""

    # text

    @classmethod
    def from_yaml(
        cls,
        text: str,
        file: str = "<text>",
        base: Path | None = None,
        allow_code: bool = False,
        files: Iterable[str | Path] = (),
        path: Path | None = None,
        nested: bool = False,
    ) -> Self:
        """Read a netlist from text.

        Parameters
        ----------
        text : str
            The netlist.
        file : str, optional
            Name of the file, for messages.
        base : Path, optional
            Folder in which the files that it names are looked for.
        allow_code : bool, optional
            Permission to run the Python files that it lists.
        files : iterable of str or Path, optional
            Further folders from which it may read.
        path : Path, optional
            File that holds it.
        nested : bool, optional
            It is a block of another netlist: only mistakes of form are raised.

        Returns
        -------
        Diagram
            The netlist as a document.

        Raises
        ------
        NetlistError
            It is not well formed; the error has all mistakes.
        """
        document = read_netlist(text, file)
        other = foreign_format(document)
        if other:
            raise NetlistError(other)
        problems = check_structure(document)
        diagram = cls()
        diagram.path, diagram.base, diagram.allow_code, diagram.document = path, base, allow_code, document
        diagram.files = tuple(map(Path, files))
        if problems:
            raw = document.root.raw if document.root else {}
            diagram._adopt(well_formed_part(raw))
            diagram._broken = set(malformed_blocks(raw, diagram.data))
            diagram._malformed = True
            if isinstance(raw, dict) and raw and not nested:
                problems += diagram.check()
            raise NetlistError(in_order(problems))
        data = document.data
        assert isinstance(data, dict)  # the check of form has refused all else
        diagram._adopt(data)
        diagram._bom = "\ufeff" if text.startswith("\ufeff") else ""
        return diagram

    def _adopt(self, data: RawMap) -> None:
        self.data.clear()
        self.data.update(data)
        self._saved = deep_copy(data)

    @classmethod
    def load(
        cls,
        path: str | Path,
        allow_code: bool = False,
        files: Iterable[str | Path] = (),
        nested: bool = False,
    ) -> Self:
        """Read a netlist file.

        Parameters
        ----------
        path : str or Path
            The file.
        allow_code : bool, optional
            Permission to run the Python files that it lists.
        files : iterable of str or Path, optional
            Further folders from which it may read.
        nested : bool, optional
            It is a block of another netlist: only mistakes of form are raised.

        Returns
        -------
        Diagram
            The netlist as a document.

        Raises
        ------
        NetlistError
            The file is not there or not well formed.
        """
        path = library_path(path)
        text = read_text(path)
        return cls.from_yaml(text, str(path), path.resolve().parent, allow_code, files, path, nested)

    def at_level(self, level: tuple[str, ...]) -> Self:
        """Netlist at a level of the nesting, which edits the same document.

        Parameters
        ----------
        level : tuple of str
            Subsystems in place from the outermost netlist inwards; none of them for that one itself.

        Returns
        -------
        Diagram
            The level; its sections are empty where there is no such subsystem.
        """
        if not level:
            return self.root
        inner = type(self)()
        inner._enter(self.root, level)
        return inner

    @property
    def broken(self) -> set[str]:
        """Blocks of this level that are too malformed to look at."""
        return {path[-1] for path in self.root._broken if path[:-1] == self.level}

    def copy(self) -> Self:
        """Copy the document; subscribers are not copied.

        Returns
        -------
        Diagram
            The copy, at the level of this one.
        """
        if self.level:
            return self.root.copy().at_level(self.level)
        other = type(self)()
        other.path, other.base, other.allow_code, other.files = (
            self.path,
            self.base,
            self.allow_code,
            self.files,
        )
        other.document, other._bom = self.document, self._bom
        other.feeds = {name: deep_copy(table) for name, table in self.feeds.items()}
        other._replace(self.data)
        other._saved = deep_copy(self._saved)
        return other

    def to_yaml(self) -> str:
        """Text of the netlist: that of the file, changed only where the data changed.

        Returns
        -------
        str
            YAML; of a level inside, that of the outermost netlist.
        """
        if self.level:
            return self.root.to_yaml()
        document = self.document or read_netlist("")
        if document.says(self.data):
            return self._bom + document.text
        from ..netlist.text_patch import patched_text

        return self._bom + patched_text(document, self.data)

    def save(self, path: str | Path | None = None) -> None:
        """Write the file, whole or not at all.

        Parameters
        ----------
        path : str or Path, optional
            The file; the one that was read by default.

        Raises
        ------
        NetlistError
            There is no file yet.
        RunError
            The file cannot be written; the old one is untouched.
        """
        if self.level:
            self.root.save(path)
            return
        target = Path(path) if path is not None else self.path
        if target is None:
            raise NetlistError("this netlist has no file yet", fix="save it under a name")
        write_whole(target, self.to_yaml())
        self.path, self.base = target, target.resolve().parent
        self._saved = deep_copy(self.data)

    def take_text(self, other: Self) -> None:
        """Write later edits into the text of another reading of the file.

        Parameters
        ----------
        other : Diagram
            The file as it is now.
        """
        root = self.root
        root.document, root._bom, root._saved = other.document, other._bom, deep_copy(other.data)

    @property
    def modified(self) -> bool:
        """True if the data differs from the saved one, at any level."""
        return not same_data(self.root.data, self.root._saved)

    def mark(self, path: str, key: bool = False):
        """Place of an entry in the file.

        Parameters
        ----------
        path : str
            The entry, `blocks.pin.axis`.
        key : bool, optional
            Place of its name, not of its value.

        Returns
        -------
        Mark or None
            File, line and column; None once the diagram differs from the file.
        """
        text = self.read_text()
        return None if text is None else text.mark(path, key)

    def read_text(self) -> Document | None:
        """Text of this level with the places of its entries.

        Returns
        -------
        Document or None
            None once the diagram differs from its file.
        """
        root = self.root
        document = root.document
        if document is None or document.root is None:
            return None
        if not (root._malformed or document.says(root.data)):
            return None
        steps = [step for name in self.level for step in ("blocks", name, "type")]
        return document.part(steps)

    # views

    def _view(self, name: str, kind: type[Kind]) -> Kind:
        return section(self.data, name, kind)

    def __repr__(self) -> str:
        from ..results.notebook_display import count_words

        counts = {"blocks": len(self.blocks), "wires": len(self._view("connect", list))}
        named = f' "{self.name}"' if self.name else ""
        source = f" of {self.path}" if self.path else ""
        return f"<Diagram{named}{source}: {count_words(counts)}>"

    @property
    def name(self) -> str:
        """Name of the netlist."""
        return str(self.data.get("name") or "")

    @property
    def doc(self) -> str:
        """Description of the netlist."""
        return str(self.data.get("doc") or "")

    @property
    def parameters(self) -> RawMap:
        """Raw section `parameters:`."""
        return self._view("parameters", dict)

    @property
    def blocks(self) -> dict[str, RawMap]:
        """Raw entries of the blocks; `world` only if it overrides something."""
        blocks = self._view("blocks", dict)
        return {name: raw if isinstance(raw, dict) else {} for name, raw in blocks.items() if name != FILES}

    @property
    def code_files(self) -> list[str]:
        """Python files that `blocks: {files: [...]}` lists."""
        files = section(self.root.data, "blocks", dict).get(FILES)
        return [file for file in files if isinstance(file, str)] if isinstance(files, list) else []

    @property
    def connections(self) -> list[str]:
        """Texts of the connections."""
        return [text for text in self._view("connect", list) if isinstance(text, str)]

    @property
    def initial(self) -> RawMap:
        """Raw section `initial:`."""
        return self._view("initial", dict)

    @property
    def simulation(self) -> RawMap:
        """Raw section `simulation:`."""
        return self._view("simulation", dict)

    @property
    def record(self) -> list[str]:
        """Globs of the recorded signals; all by default."""
        return self._view("record", list) if "record" in self.data else ["*"]

    @property
    def plots(self) -> list[RawMap]:
        """Raw section `plots:`."""
        return self._view("plots", list)

    @property
    def dashboard(self) -> list[RawMap]:
        """Raw section `dashboard:`."""
        return self._view("dashboard", list)

    @property
    def view(self) -> RawMap:
        """Raw section `view:`."""
        return self._view("view", dict)

    @property
    def layout(self) -> RawMap:
        """Raw section `layout:`."""
        return self._view("layout", dict)

    @property
    def ports(self) -> dict[str, str]:
        """Ports that the netlist has as a block: inner ports by name."""
        return self._view("ports", dict)

    @property
    def inputs(self) -> RawMap:
        """Raw section `inputs:`."""
        return self._view("inputs", dict)

    @property
    def all_inputs(self) -> RawMap:
        """Inputs that the netlist declares, and those of blocks that an operator drives."""
        return operated_inputs(self.data, self.scope()) | self.inputs

    @property
    def outputs(self) -> dict[str, str]:
        """Signals of `outputs:` by name."""
        return self._view("outputs", dict)

    # what the entries mean

    def scope(self, defaults: bool = False) -> Scope:
        """Scope of expressions: the netlist's parameters, in a subsystem also those around it.

        Parameters
        ----------
        defaults : bool, optional
            Take the parameters of a subsystem as it declares them, whatever its block sets.

        Returns
        -------
        Scope
            Names with their quantities.
        """
        if not self.level:
            return Scope(self.parameters)
        outer = self.at_level(self.level[:-1])
        around, given = outer.scope(), dict[str, Quantity]()
        entry = {} if defaults else outer.blocks.get(self.level[-1], {})
        for name in self.parameters.keys() & entry.keys():
            with contextlib.suppress(LuffError):  # told where the outer netlist is checked
                given[name] = around.quantity(entry[name])
        return Scope(self.parameters, given, around)

    def run_code(self) -> None:
        """Import the Python files that the netlist lists.

        Raises
        ------
        NetlistError
            Code is not allowed, a file is not there, or it fails.
        """
        for file in self.code_files:
            if not self.allow_code:
                fix = "if you trust it, run with --allow-code, or luff.load(path, allow_code=True)"
                message = f"this netlist needs your permission to run the Python file {file}"
                raise NetlistError(Problem(message, f"blocks.{FILES}", fix, wants=CODE))
            try:
                path = whole_path(self.base or Path(), file)
                if path in self.root._code_run and is_loaded(
                    path
                ):  # not where it was sent to another process
                    continue
                if regular_file(path, "a Python file") is None:
                    raise NetlistError(f"there is no file {shown(path)}")
                load_file(path)
            except LuffError as error:
                raise NetlistError(problem.at(path=f"blocks.{FILES}") for problem in error.problems) from None
            self.root._code_run.add(path)

    def allow(self, wanted: str) -> None:
        """Grant a permission that a problem `wants`.

        Parameters
        ----------
        wanted : str
            A folder to read from, or `code`: the Python files that it lists may run.
        """
        if wanted == CODE:
            self.allow_code = True
        else:
            self.files = (*self.files, Path(wanted))
        self.root._emit("reset", "")

    def block_class(self, name: str, chain: tuple[Path, ...] | None = None) -> type[Block] | CompositeType:
        """Class of a block, or the composite that it is.

        Parameters
        ----------
        name : str
            The block.
        chain : tuple of Path, optional
            Netlists in which this one is nested.

        Returns
        -------
        type of Block or CompositeType
            The class.

        Raises
        ------
        NetlistError
            There is no such block or type.
        """
        blocks = self._view("blocks", dict)
        if name == "world":
            return find_type("world", None)
        if name == INPUTS and self.inputs:
            return Inputs
        if not isinstance(blocks.get(name), dict):
            raise NetlistError(f'there is no block "{name}"', fix=did_you_mean(name, [*self.blocks, "world"]))
        if "type" not in blocks[name]:
            raise NetlistError(f'the block "{name}" has no type', fix=f"write {name}: {{type: ..., ...}}")
        if self.code_files and self.allow_code:
            self.run_code()
        chain = self.chain() if chain is None else chain
        if subsystem(blocks[name]) is not None:
            return subsystem_type(name, self.at_level((*self.level, name)), chain)
        return find_type(blocks[name]["type"], self.base, chain, self.allow_code, self.files, type(self).load)

    def chain(self) -> tuple[Path, ...]:
        """First link of a chain of nested netlists: this file.

        Returns
        -------
        tuple of Path
            The file, if there is one.
        """
        return (self.path.resolve(),) if self.path else ()

    def block_params(self, name: str) -> dict[str, Param]:
        """Parameters of a block's type.

        Parameters
        ----------
        name : str
            The block.

        Returns
        -------
        dict of str to Param
            Declarations by name; none if its type is unknown.
        """
        try:
            return self.block_class(name).params
        except LuffError:
            return {}

    def block_ports(self, name: str, chain: tuple[Path, ...] | None = None) -> dict[str, Port]:
        """Ports of a block, as its parameters make them; wrong parameters count as left out.

        Parameters
        ----------
        name : str
            The block.
        chain : tuple of Path, optional
            Netlists in which this one is nested.

        Returns
        -------
        dict of str to Port
            Ports by name; none if its type is unknown.
        """
        try:
            cls = self.block_class(name, chain)
        except LuffError:
            return {}
        if isinstance(cls, CompositeType):
            return cls.class_ports
        if cls is Inputs:
            return ports_of_inputs(self.inputs, self.scope())
        raw = parameters_of(self.blocks.get(name, {}))
        return declared_ports(cls, name, raw, self.scope(), self.base or Path(), self.files)

    def check_connect(self, a: str, b: str) -> None:
        """Raise an error unless two ports may be wired.

        Parameters
        ----------
        a, b : str
            Ports, in either order.

        Raises
        ------
        ConnectError
            The ports do not fit, are not there, or have a wire already.
        """
        ends = [parse_end(a), parse_end(b)]
        ports = [self._port(end) for end in ends]
        if ports[0].direction == "in" and ports[1].direction == "out":
            ends.reverse()
            ports.reverse()
        check_pair(ends[0], wire_sign(ports[0]), ends[1], *ports)
        for text in self.connections:
            try:
                wire = parse_wire(text)
            except LuffError:
                continue  # told by check()
            _check_taken(text, wire.a, wire.b, ends[0], ends[1], ports[1])

    def _port(self, end: End) -> Port:
        outer, _, inner = end.block.partition(".")
        cls = self.block_class(outer) if inner and outer in self.blocks else None
        if isinstance(cls, CompositeType) and isinstance(cls.diagram, Netlist):
            port = cls.diagram._port(replace(end, block=inner))
            if port.direction == "out" and not port.acausal:
                return port
        ports = self.block_ports(end.block)
        if end.port not in ports:
            if not ports:
                self.block_class(end.block)  # says what is wrong with the block
            raise ConnectError(
                Problem(f'{end.block} has no port "{end.port}"', str(end), did_you_mean(end.port, ports))
            )
        return ports[end.port]

    def check(self) -> list[Problem]:
        """Find mistakes of what the entries mean together; `Diagram` does.

        Returns
        -------
        list of Problem
            Problems in the order of the text.
        """
        return []


def _check_taken(text: str, a: End, b: End, source: End, target: End, port: Port) -> None:
    """Refuse a wire that is there already, or a second one into an input."""
    if port.acausal:
        if {str(source), str(target)} == {str(a), str(b)}:
            raise ConnectError(Problem(f"is wired to {source} already", str(target)))
    elif str(b) == str(target):
        taken, wanted = b.elements, target.elements
        if taken is None or wanted is None or set(taken) & set(wanted):
            fix = f"remove the connection {text}, or add the signals with a sum block"
            raise ConnectError(Problem(f"has a wire already: {text}", str(target), fix))


def write_whole(path: Path, text: str | bytes) -> None:
    """Write a file such that it is, at every moment, either the old one or the new one, whole."""
    import tempfile

    target = path.resolve()  # a link stays a link
    content = text if isinstance(text, bytes) else text.encode("utf-8")
    handle, temporary = -1, ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if not isinstance(error, OSError):
            raise
        raise RunError(f"cannot write {path}: {error.strerror}", fix="the old file is untouched") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
