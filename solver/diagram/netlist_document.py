"""A netlist as a document: what its entries mean, its text, and its edits."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ...blocks.block import Block
from ...blocks.errors import CODE, ConnectError, LuffError, NetlistError, Problem, did_you_mean
from ...blocks.expression_scope import Scope
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import Inputs
from ...blocks.params import Param
from ...blocks.ports import Port
from ...blocks.registry import is_loaded, load_file
from ...blocks.text.quantity import Quantity
from ...blocks.text.raw_types import RawMap
from ...blocks.text.safe_read import regular_file, shown, whole_path
from ..netlist.section_structure import FILES, subsystem
from ..netlist.wire_syntax import End, WireText, parse_end, parse_wire
from .composite_types import CompositeType, find_type, subsystem_type
from .enabled import parameters_of
from .implicit_inputs import operated_inputs
from .multilevel_edits import MultilevelEdits
from .netlist_sections import Sections
from .netlist_text import NetlistText
from .partial_ports import declared_ports, ports_of_inputs
from .port_compatibility import check_wire
from .wire_edits import WireEdits


class Netlist(MultilevelEdits, WireEdits, Sections, NetlistText):
    """A netlist with its raw document (`data`), views of its sections, and its edits.

    Each edit changes the raw data, tells the subscribers once, and has an exact inverse. A subsystem in place is a
    netlist too, by `at_level`: its data, text and file are those of the outermost one.
    """

    def __repr__(self) -> str:
        from ..results.notebook_display import count_words

        counts = {"blocks": len(self.blocks), "wires": len(self._view("connect", list))}
        named = f' "{self.name}"' if self.name else ""
        source = f" of {self.path}" if self.path else ""
        return f"<Diagram{named}{source}: {count_words(counts)}>"

    @property
    def all_inputs(self) -> RawMap:
        """Inputs that the netlist declares, and those of blocks that an operator drives."""
        return operated_inputs(self.data, self.scope()) | self.inputs

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
        raw = parameters_of(self.block_entry(name))
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
        ends = parse_end(a), parse_end(b)
        check_wire(ends, (self._port(ends[0]), self._port(ends[1])), self._wires_at, self.block_ports)

    def _wires_at(self, target: End) -> Iterator[tuple[str, WireText]]:
        """Connections of a port, with the parsed wires."""
        for text in self.connections:
            try:
                wire = parse_wire(text)
            except LuffError:
                continue  # told by check()
            if str(target) in (str(wire.a), str(wire.b)):
                yield text, wire

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
