"""Operations of signal blocks: every scalar of every signal port gets a place and the operation that fills it.

The key of a scalar is (block, port, element, part); part 0 is the value, 1 the rate, 2 the acceleration of a
trajectory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, SupportsFloat

from ...blocks import Block, CompileError
from ...blocks.block import CROSSINGS, Equation
from ...blocks.class_checks import words_of
from ...blocks.external_block import ContinuousBlock, ExternalBlock
from ...blocks.light_dataclass import mutable
from ...blocks.netlist_inputs import Inputs
from ...blocks.ports import ANY, TRAJECTORY, Port
from ..codegen.source_functions import Function
from .block_calls import Argument, Shape, call_of
from .external_operations import add_external_block
from .operations import COPY, NEGATE, Operation
from .scalar_places import Key, Scalars
from .switching_functions import ROOM, SwitchingFunction
from .work_space import DURING, SIGNAL_RATES, SIGNAL_STATES, TIME, Place, Slots

MOST_VALUES = 10_000_000  # most values in the memories of a block


@mutable
class SampledUpdate:
    """Sampled `update` of a block: slot of its period in the parameters, and the period [s]."""

    block: str
    slot: int
    period: float


class SignalEmitter:
    """Writer of the operations of signal blocks; collects parameters, states and memories."""

    def __init__(self, scalars: Scalars, step: float):
        self.scalars = scalars
        self.params, self.states, self.memory, self.work = Slots(), Slots(), Slots(), Slots()
        self.state_units: list[str] = []
        self.step = step  # step of the run, by which some memories are sized
        self.operations: list[Operation] = []
        self.updates: list[Operation] = []
        self.ends: list[Operation] = []
        self.decisions: list[Operation] = []
        self.crossings: list[Operation] = []
        self.switches: list[SwitchingFunction] = []
        self.sampled: list[SampledUpdate] = []
        self.functions: dict[str, Equation] = {}  # functions of the block being added
        self.number = 0  # number of the output or crossing for which an `each_` function is called

    # --- one block -----------------------------------------------------------------------------------------------

    def add(self, block: Block) -> None:
        """Append the operations of a block."""
        if isinstance(block, ExternalBlock | ContinuousBlock):
            add_external_block(self, block)
            return
        self._route(block)
        if isinstance(block, Inputs) and block.free:
            self._from_outside(block)
        formula = block.formula()
        functions = self.functions = block.instance_functions()
        if not functions and formula is None:
            return
        ports = self.scalars.ports[block.name]
        outputs = {p: port for p, port in ports.items() if port.direction == "out" or port.in_circuit}
        self.n = self._elements(block)
        self.param_slot: dict[str, tuple[int, int]] = {}
        self.state_slot: dict[str, tuple[int, int]] = {}
        self.memory_slot: dict[str, tuple[int, int]] = {}
        self._allocate(block)
        if formula is not None:
            from .expression_blocks import add_expression_block

            add_expression_block(self, block, formula)
        for role, function in functions.items():
            if role == "out":
                self._outputs(block, function, role, outputs)
            elif role.startswith("each_"):
                self._each(block, function, role, outputs)
            elif role.startswith("out_"):
                self._outputs(block, function, role, {role[4:]: outputs[role[4:]]})
            elif role == "der":
                self._derivatives(block, function)
            elif role in ("update", "end", "decide"):
                self._remember(block, function, role)
            elif role.startswith(CROSSINGS):
                self._crossing(block, function, role, role.partition("_")[2], "decide" in functions)
        self._repeat(block)

    def _each(self, block: Block, function: Equation, role: str, outputs: dict[str, Port]) -> None:
        """Append a function that runs once for each output or crossing with its number."""
        if role == "each_out":
            for self.number, (port, made) in enumerate(outputs.items()):
                self._outputs(block, function, role, {port: made})
        else:
            for self.number, words in enumerate(block.words_of_crossings()):
                self._crossing(block, function, role, words, True)

    def _repeat(self, block: Block) -> None:
        """Append outputs that equal another one, or its negative."""
        for port, source in block.repeats.items():
            code = NEGATE if source.startswith("-") else COPY
            for element in range(self.scalars.width(block.name, port)):
                key: Key = (block.name, port, element, 0)
                there: Key = (block.name, source.removeprefix("-"), element, 0)
                entries = (self.scalars.at(key), self.scalars.at(there))
                self.operations.append(Operation((key,), (there,), code, entries, label=block.name))

    def _route(self, block: Block) -> None:
        """Give outputs that alias inputs their places."""
        for there, here in self.scalars.routes_of(block):
            key: Key = (block.name, *there)
            place, need = self.scalars.input_place(block.name, *here)
            self.scalars.place[key] = place
            needs = () if need is None else (need,)
            self.operations.append(Operation((key,), needs, label=block.name))

    def _from_outside(self, block: Inputs) -> None:
        """Append the memories of external inputs."""
        for port in block.free:
            self.memory.add(f"{block.name}.{port}", block.starts(port))
        for key in self.scalars.given:
            self.operations.append(Operation((key,), (), label=block.name))

    def _elements(self, block: Block) -> int:
        """Number of elements of a block."""
        return elements_of(block, self.scalars.ports[block.name], self.scalars.widths)

    def _allocate(self, block: Block) -> None:
        """Allocate parameters, states and memories of a block."""
        first = first_values(block, self.n, self.step)
        for name, values in first.params.items():
            self.param_slot[name] = (self.params.add(f"{block.name}.{name}", values), len(values))
        for name, (width, values) in first.states.items():
            self.state_slot[name] = (self.states.add(f"{block.name}.{name}", values), width)
            self.state_units += [block.states[name].unit] * width
        for name, (size, values) in first.memory.items():
            self.memory_slot[name] = (self.memory.add(f"{block.name}.{name}", values), size)

    # --- arguments of one call -----------------------------------------------------------------------------------

    def _arguments(
        self, block: Block, words: tuple[str, ...], element: int | None, output: str = ""
    ) -> tuple[list[Argument], tuple[Key, ...]]:
        """Arguments and needs of one call; `element` is None for a block of fixed widths."""
        arguments: list[Argument] = []
        needs: list[Key] = []
        for word in words:
            argument, more = self._argument(block, words, word, element, output)
            arguments.append(argument)
            needs += more
        return arguments, tuple(needs)

    def _argument(
        self, block: Block, words: tuple[str, ...], word: str, element: int | None, output: str
    ) -> tuple[Argument, list[Key]]:
        """Argument by its name, and its needs."""
        each = "i" in words  # inputs, states and parameters as whole arrays
        k = 0 if element is None else element
        if word in ("t", "during"):
            return Argument(Shape("scalar"), (TIME if word == "t" else DURING,)), []
        if word in ("i", "number"):
            return Argument(Shape("index"), (k if word == "i" else self.number,)), []
        if word == "inputs":
            return self._inputs(block, None if each or element is None else k, output, k)
        if word in self.state_slot:
            return self._state(block, word, k, each, element), []
        if word in self.memory_slot:
            first, size = self.memory_slot[word]
            count = size if element is not None and not each else size * self.n
            first += 0 if count != size else k * size
            return Argument(Shape("array"), (("mem", first), count)), []
        if word in self.scalars.ports[block.name]:
            width = self.scalars.width(block.name, word)
            port = self.scalars.ports[block.name][word]
            trajectory = port.kind == TRAJECTORY
            if each and port.width != 1 and not trajectory:
                return self._packed([self._input_element(block, word, j, output, k) for j in range(width)])
            if (each or element is None) and width > 1:
                read = [self._input_element(block, word, j, output, k) for j in range(width)]
                places = tuple(place for places_read, _ in read for place in places_read)
                kind = "triples" if trajectory else "scalars"
                return Argument(Shape(kind, width), places), [need for _, more in read for need in more]
            places_read, more = self._input_element(block, word, k if width > 1 else 0, output, k)
            return Argument(Shape("triple" if len(places_read) == 3 else "scalar"), tuple(places_read)), more
        return self._parameter(block, word, k, each), []

    def _state(self, block: Block, word: str, k: int, each: bool, element: int | None) -> Argument:
        """Argument of a state."""
        first, width = self.state_slot[word]
        if each and block.states[word].width != 1:
            return Argument(Shape("array"), ((SIGNAL_STATES, first), width))
        if element is None and width > 1:
            return Argument(Shape("scalars", width), tuple((SIGNAL_STATES, first + j) for j in range(width)))
        return Argument(Shape("scalar"), ((SIGNAL_STATES, first + (k if width > 1 else 0)),))

    def _inputs(self, block: Block, element: int | None, output: str, k: int) -> tuple[Argument, list[Key]]:
        """Argument of all inputs in order, or of one element of each."""
        read = []
        for port, kind in self.scalars.ports[block.name].items():
            if kind.direction == "in":
                width = self.scalars.width(block.name, port)
                elements = range(width) if element is None else [element if width > 1 else 0]
                read += [self._input_element(block, port, j, output, k) for j in elements]
        return self._packed(read)

    def _packed(self, read: list[tuple[list[Place], list[Key]]]) -> tuple[Argument, list[Key]]:
        """Argument of packed values."""
        places = [place for some, _ in read for place in some]
        needs = [need for _, more in read for need in more]
        return Argument(Shape("packed"), (len(places), self.scalars.room(len(places)), *places)), needs

    def _input_element(
        self, block: Block, port: str, j: int, output: str, k: int
    ) -> tuple[list[Place], list[Key]]:
        """Places of one element of an input, and the keys that it needs."""
        parts = range(3 if self.scalars.ports[block.name][port].kind == TRAJECTORY else 1)
        if output and not block.feedthrough(output, k, port, j):
            return [self.scalars.constant(0.0) for _ in parts], []
        read = [self.scalars.input_place(block.name, port, j, part) for part in parts]
        return [place for place, _ in read], [need for _, need in read if need is not None]

    def _parameter(self, block: Block, word: str, k: int, whole: bool) -> Argument:
        """Argument of a parameter."""
        if word not in self.param_slot:
            raise CompileError(f'"{word}" has no value that equations could use', path=f"{block.name}.{word}")
        first, size = self.param_slot[word]
        value = block.values.get(word)
        if word not in block.params or (whole and isinstance(value, tuple)):
            return Argument(Shape("array"), (("p", first), size))
        if not isinstance(value, tuple):
            return Argument(Shape("scalar"), (("p", first),))
        if block.params[word].shape == (None,):
            return Argument(Shape("scalar"), (("p", first + (k if size > 1 else 0)),))
        return Argument(Shape("scalars", size), tuple(("p", first + j) for j in range(size)))

    # --- calls ---------------------------------------------------------------------------------------------------

    def _call(
        self,
        block: Block,
        role: str,
        function: Equation,
        targets: list[tuple[Shape, tuple[Place, ...]]],
        arguments: list[Argument],
    ) -> tuple[Function, tuple[int | Place, ...]]:
        """Entry point for these shapes, and the places of this call."""
        try:
            code = call_of(
                function, f"{block.type_name}_{role}",
                tuple(shape for shape, _ in targets), tuple(argument.shape for argument in arguments),
            )  # fmt: skip
        except CompileError as error:
            error.replace_problems(problem.at(path=block.name) for problem in error.problems)
            raise
        places: list[int | Place] = [place for _, group in targets for place in group]
        for packed in (False, True):  # arguments of variable length come last
            for argument in arguments:
                if (argument.shape.kind == "packed") == packed:
                    places += argument.entries
        return code, tuple(places)

    def _outputs(self, block: Block, function: Equation, role: str, outputs: dict[str, Port]) -> None:
        """Append the calls of an output function."""
        words = words_of(function)
        # `update` writes memories first, where that closes no ring
        remembers = any(word in self.memory_slot for word in words)
        before = ("shift" if "shift" in self.functions else "update", "decide")
        wants = tuple((block.name, f"@{role}", 0, 0) for role in before if remembers)
        for element in self._calls(block, words):
            arguments, needs = self._arguments(block, words, element, next(iter(outputs), ""))
            makes: list[Key] = []
            targets = []
            for port_name, port in outputs.items():
                width = self.scalars.width(block.name, port_name)
                elements = [element if width > 1 else 0] if element is not None else range(width)
                parts = 3 if port.kind == TRAJECTORY else 1
                keys = [(block.name, port_name, e, part) for e in elements for part in range(parts)]
                makes += keys
                kind = ("scalar", "scalars") if parts == 1 else ("triple", "triples")
                shape = Shape(kind[0]) if len(elements) == 1 else Shape(kind[1], len(elements))
                targets.append((shape, tuple(self.scalars.at(key) for key in keys)))
            code, entries = self._call(block, role, function, targets, arguments)
            made = Operation(tuple(makes), needs, code, entries, wants, block.name, writes=len(makes))
            self.operations.append(made)

    def _calls(self, block: Block, words: tuple[str, ...], count: int = 0) -> Iterable[int | None]:
        """Elements for which a function runs."""
        return range(count or self.n) if block.elementwise() or "i" in words else [None]

    def _derivatives(self, block: Block, function: Equation) -> None:
        """Append the calls of a rate function."""
        words = words_of(function)
        count = max((width for _, width in self.state_slot.values()), default=1) if "i" in words else self.n
        for element in self._calls(block, words, count):
            arguments, needs = self._arguments(block, words, element)
            targets = []
            makes: list[Key] = []
            for name, (first, width) in self.state_slot.items():
                one = [first + (element or 0 if width > 1 else 0)]
                places = one if element is not None else range(first, first + width)
                shape = Shape("scalar") if len(places) == 1 else Shape("scalars", len(places))
                targets.append((shape, tuple((SIGNAL_RATES, place) for place in places)))
                makes += [(block.name, f"@der {name}", place, 0) for place in places]
            code, entries = self._call(block, "der", function, targets, arguments)
            made = Operation(tuple(makes), needs, code, entries, (), block.name, writes=len(makes))
            self.operations.append(made)

    def sample(self, name: str, period: float) -> Place:
        """Schedule the updates of a block; returns the place of its period in steps."""
        slot = self.params.add(f"{name}.@every", [1.0])
        self.sampled.append(SampledUpdate(name, slot, period))
        return "p", slot

    def _update(self, block: Block, function: Equation) -> None:
        """Append the update operations of a sampled block."""
        name = block.name
        due = self.sample(name, period_of(block))
        if "shift" in self.functions:
            self.updates += self._written(block, self.functions["shift"], "shift", due)
        self.updates += self._written(block, function, "update", due)

    def _remember(self, block: Block, function: Equation, role: str) -> None:
        """Append an `update`, `end` or `decide` function."""
        if role == "update":
            self._update(block, function)
        else:
            (self.ends if role == "end" else self.decisions).extend(
                self._written(block, function, role, None)
            )

    def _crossing(self, block: Block, function: Equation, role: str, what: str, decided: bool) -> None:
        """Append the switching functions of a block, for each element."""
        words = words_of(function)
        for element in self._calls(block, words):
            arguments, needs = self._arguments(block, words, element)
            place: Place = "g", len(self.switches)
            code, entries = self._call(block, role, function, [(Shape("scalar"), (place,))], arguments)
            key: Key = (block.name, f"@{role}", element or 0, self.number)
            self.crossings.append(Operation((key,), needs, code, entries, label=block.name))
            kind = role.partition("_")[0]
            if kind == "room":
                self.switches.append(SwitchingFunction(block.name, ROOM + what, room=(0.0, math.inf)))
            else:
                self.switches.append(SwitchingFunction(block.name, what, decided, kind == "opening"))

    def _written(self, block: Block, function: Equation, role: str, due: Place | None) -> Iterator[Operation]:
        """Operations that write a block's memories, and one key for all its elements."""
        words, parts = words_of(function), []
        for element in self._calls(block, words):
            arguments, needs = self._arguments(block, words, element)
            code, entries = self._call(block, role, function, [], arguments)
            key: Key = (block.name, f"@{role} part", element or 0, 0)
            if role == "update" and "shift" in self.functions:
                needs = (*needs, (block.name, "@shift", 0, 0))
            parts.append(key)
            yield Operation((key,), needs, code, entries, label=block.name, due=due, writes=0)
        yield Operation(((block.name, f"@{role}", 0, 0),), tuple(parts), label=block.name)


class FirstValues(NamedTuple):
    """Initial numbers of a block; their names and counts decide the places."""

    params: dict[str, list[float]]
    states: dict[str, tuple[int, list[float]]]  # width and values
    memory: dict[str, tuple[int, list[float]]]  # entries of one element, values


def elements_of(block: Block, ports: Mapping[str, Port], widths: Mapping[tuple[str, str], int]) -> int:
    """Number of elements of a block with elementwise ports."""
    sizes = [widths.get((block.name, p), port.width) or 1 for p, port in ports.items() if port.width == ANY]
    return max(sizes, default=1)


def period_of(block: Block) -> float:
    """Sampling period of a block [s]; 0 for every step."""
    (period,) = flat_list(block.values.get("sample_time") or 0.0)
    return period


def first_values(block: Block, n: int, step: float) -> FirstValues:
    """Initial numbers of a block of n elements; `step` sizes some memories."""
    first = FirstValues({}, {}, {})
    for name, param in block.params.items():
        value = block.values.get(name)
        if param.kind in ("number", "integer", "axis") and not isinstance(value, str):
            # a number that was not given is NaN: every comparison with it is false
            first.params[name] = [math.nan] if value is None else flat_list(value)
    first.params.update({name: flat_list(values) for name, values in block.derived().items()})
    for name, state in block.states.items() if not block.sampled() else ():
        width = n if state.width == ANY else state.width
        if isinstance(width, str):
            width = int(getattr(block, width)())
        first.states[name] = width, spread_value(block.state_start(state.initial), width)
    for name, memory in block.memories.items():
        size = memory.size if isinstance(memory.size, int) else getattr(block, memory.size)(step)
        if size == 0:
            continue
        if size * n > MOST_VALUES:
            mistake = f"would keep {size * n:.3g} values, expected at most {MOST_VALUES:.0e}"
            fix = "a shorter delay, a higher frequency, or a longer step needs fewer"
            raise CompileError(mistake, path=block.name, fix=fix)
        start = spread_value(block.state_start(memory.initial), n)
        # a block without elements may have a start for each entry
        own = n == 1 and len(start) == size
        first.memory[name] = size, start if own else [value for value in start for _ in range(size)]
    return first


def flat_list(value: object) -> list[float]:
    """Nested numbers as a flat list."""
    if isinstance(value, tuple | list):
        return [item for part in value for item in flat_list(part)]
    if not isinstance(value, float | int | SupportsFloat):
        raise TypeError(f"found {value!r}, expected numbers")
    return [float(value)]


def spread_value(value: object, width: int) -> list[float]:
    """Numbers as a list, a single one repeated `width` times."""
    values = flat_list(value)
    return values * width if len(values) == 1 else values
