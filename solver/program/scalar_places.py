"""Places of all scalars: one for every element of every signal port."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from ...blocks import Block, CompileError
from ...blocks.block import EACH
from ...blocks.light_dataclass import mutable, record
from ...blocks.netlist_inputs import Inputs
from ..codegen.source_functions import Function
from .feeding_forward import ACCELERATION, TRAJECTORY, Seen
from .operations import COPY, REDUCTIONS, Key, Operation
from .work_space import Place


@record
class Output:
    """Output scalar: places it is made of, key that fills them, function that joins them."""

    key: Key
    places: tuple[Place, ...]
    need: Key
    code: Function | None = None


@mutable
class Scalars:
    """Places of all scalars, and the wires that lead to inputs."""

    widths: dict[tuple[str, str], int]
    source_of: dict[tuple[str, str, int], tuple[str, str, int]]  # input element -> output element
    blocks: dict[str, Block]
    accelerated: Seen = field(default_factory=set)  # blocks that see more of a joint than value and rate
    place: dict[Key, Place] = field(default_factory=dict)
    signals: int = 0  # number of places in the section `s`
    packed: int = 0  # number of places in the section `v`
    constants: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ports = {name: block.ports() for name, block in self.blocks.items()}
        # external inputs are first among the memories, which only `update` and the caller write
        self.given = [
            (name, port, element, 0)
            for name, block in self.blocks.items()
            if isinstance(block, Inputs)
            for port, entry in block.free.items()
            for element in range(entry.width)
        ]
        self.place.update({key: ("mem", k) for k, key in enumerate(self.given)})
        # outputs that alias inputs: (block, port, element, part)
        self.routes: dict[Key, Key] = {
            (name, *there): (name, *here)
            for name, block in self.blocks.items()
            for there, here in self.routes_of(block)
        }

    def routes_of(self, block: Block) -> Iterator[tuple[tuple[str, int, int], tuple[str, int, int]]]:
        """Routes of single elements, also where the wires decide the widths."""
        for there, here in block.routes().items():
            if there[1] != EACH:
                yield there, here
                continue
            for element in range(self.width(block.name, there[0])):
                k = element if self.width(block.name, here[0]) > 1 else 0
                yield (there[0], element, there[2]), (here[0], k, here[2])

    def width(self, block: str, port: str) -> int:
        """Width of a port."""
        return self.widths.get((block, port), self.ports[block][port].width) or 1

    def known(self, key: Key) -> bool:
        """True if the key's port exists."""
        return key[1] in self.ports[key[0]]

    def at(self, key: Key) -> Place:
        """Place of an output scalar."""
        trail = [key]
        while key not in self.place and key in self.routes:
            source = self._source(*self.routes[key])
            if isinstance(source, tuple) and source not in trail:
                key = source
                trail.append(key)
                continue
            # an open input; or a ring, which the schedule reports
            self.place[key] = self.constant(0.0 if isinstance(source, tuple) else source)
        if key not in self.place:
            self.place[key] = "s", self.signals
            self.signals += 1
        for before in trail:
            self.place[before] = self.place[key]
        return self.place[key]

    def constant(self, value: float) -> Place:
        """Place of a constant."""
        return "c", self.constants.setdefault(repr(float(value)), len(self.constants))

    def is_zero(self, place: Place) -> bool:
        """True if a place is the constant 0."""
        return place[0] == "c" and float([*self.constants][place[1]]) == 0.0

    def scratch(self) -> Place:
        """Place for an intermediate value of an expression."""
        self.signals += 1
        return "s", self.signals - 1

    def room(self, size: int) -> Place:
        """Place for `size` packed values."""
        self.packed += size
        return "v", self.packed - size

    def input_place(self, block: str, port: str, element: int, part: int = 0) -> tuple[Place, Key | None]:
        """Place that an input element reads, and the key that it needs."""
        source = self._source(block, port, element, part)
        if not isinstance(source, tuple):
            return self.constant(source), None
        return self.at(source), source

    def _source(self, block: str, port: str, element: int, part: int) -> Key | float:
        """Output scalar behind an input, or the default of an open one."""
        source = self.source_of.get((block, port, element))
        if source is not None:
            if part == 2 and (block, source[0]) in self.accelerated and source[1] == TRAJECTORY:
                return source[0], ACCELERATION, 0, 0
            return source[0], source[1], source[2], part
        default = self.ports[block][port].default
        if default is None:
            mistake, fix = "nothing is wired to this input", "wire it, or remove the block"
            raise CompileError(mistake, path=f"{block}.{port}", fix=fix)
        return float(default) if part == 0 else 0.0

    def outputs(self, operations: Iterable[Output]) -> Iterator[Operation]:
        """Operations of the mechanism's outputs: most are left in place by the kernels, some joined from several
        places.
        """
        for output in operations:
            if not self.known(output.key):
                continue
            label = f"{output.key[0]}.{output.key[1]}"
            if output.code is None and output.key not in self.place:
                self.place[output.key] = output.places[0]
                yield Operation((output.key,), (output.need,), label=label)
            else:  # also where the place was requested before
                code = output.code or COPY
                count = (len(output.places),) if code in REDUCTIONS else ()
                entries = (self.at(output.key), *count, *output.places)
                yield Operation((output.key,), (output.need,), code, entries, label=label)
