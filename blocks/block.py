"""`Block`: what a user wires. A class declares ports, parameters, states and plain functions; nothing runs here.

    class FirstOrder(Block):
        \"\"\"First-order lag: T dx/dt = k u - x.\"\"\"
        u, y = In(), Out()
        k = Param(1.0, doc="gain")
        T = Param(0.1, unit="s", gt=0, doc="time constant")
        x = State(0.0)
        def der(t, x, u, k, T): return (k * u - x) / T
        def out(t, x, u, k, T): return x

Functions are pure and see their arguments by name: `t`, `during`, states, memories, inputs, parameters.

- `der` returns the rates of the states, in order; `out` the outputs, in order; with several outputs `out_<port>` may
  give one each, so that each depends only on the inputs it names (feed-through is what the arguments say).
- Ports and states of `width=ANY` are elementwise: the function sees scalars and runs once an element; parameters of
  several entries are spread over the elements. A function that names `i` runs once an element too, but sees whole
  inputs, states and parameters (flat, row by row) as arrays, and the element's index. `inputs` is all inputs, one
  after the other, as one array (their elements at hand, for a function without `i`).
- Ports of a fixed width above 1 arrive as tuples, and are returned as tuples.
- A trajectory arrives, and is returned, as the triple (value, rate, acceleration).
- `update` runs once at the start and once after each step (or, where the parameter `sample_time` is not zero, at its
  multiples), and writes the memories. All functions see a memory as an array, one of `size` entries an element.
- `shift` runs with `update`, before anything reads the outputs, and moves what was written for the next sample.
- A function that jumps, or bends, at a time decides by `during` which piece holds, and computes that piece with `t`:
  `during` is the middle of the step under way, so that all stages of a step see the same piece.
- `decide` runs at the start of each step, with `t` in its middle, and writes memories that decide between pieces (of a
  method that chooses its steps: of those of the grid, unless the class says that it `follows`); `end`
  runs at its end, before `update`, and sees what the inputs were just before they jump.
- Numbers are run-time values; one left `None` arrives as NaN, which fails every comparison: no limit. Integers, flags,
  choices and texts are not passed: what depends on them goes into `derived` or `instance_functions`.
- `each_out` gives every output, and `each_crossing` a number for each text of `words_of_crossings()`: they run once
  for each, and see which one it is as `number`, from 0.
- `prescribing` names inputs that need all of value, rate and acceleration; `missing_derivatives` says what the
trajectory of
  an output lacks.
- `crossing_<name>` returns a number whose change of sign changes the piece (`u - upper`): a run counts the changes.
  `opening_<name>` is such a number over which, from 0 to 1, a flow opens: too quick a step is taken in parts.
  `room_<name>` is one that stays above zero while the block does what it should: `words_of_room` says what happened.
- `repeats` says of an output that it is another one, or its negative (`{"b": "flow", "a": "-flow"}`): what flows
  through an element has one law, and one function.
- Ports of circuits (oil, shafts): at those in `across_ports` a block gives the pressure or the speed, and receives the
  sum of the flows or torques of the others; at all others it receives the former and gives the latter. Functions name a
  port for what they receive, `out_<port>` returns what they give. `stand_ins` says by a port which output and input
  stand for it, where the mechanism moves it: a joint's velocity and effort.
- `internal_wires` says which inputs the block's own outputs feed: functions that read what the mechanism tells of the
  block's own parts.
- `derived` gives further arrays, computed from the parameters; functions name them, and see them whole.
- A function uses arithmetic, comparisons, loops, tuples, and of its module: numbers, tuples and arrays of numbers,
  functions of `math` and numpy, and functions that obey the same rule. What these are is part of the compiled code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from .block_states import Memory, State
from .class_checks import WRITE, Declared, Equation, check_class
from .errors import LuffError, Problem
from .light_dataclass import record
from .params import Param
from .ports import ANY, Port
from .text.equation import Formula
from .text.raw_types import RawMap

if TYPE_CHECKING:
    from .multibody_parts import Part  # loads numpy, which --help does without


Kept = TypeVar("Kept")
EACH = -1  # of routes: from each element to the same one
FUNCTIONS = ("der", "out", *WRITE)
CROSSINGS = ("crossing_", "opening_", "room_")
PREFIXES = ("out_", "each_", *CROSSINGS)


def snake_case(name: str) -> str:
    """Type name of a class: `FirstOrder` is `first_order`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def at_time(time: float) -> str:
    """Time [s] in the words of a remark."""
    return f"at t = {time:.6g} s" if time > 0.0 else "at the start"


class Block(Declared):
    """Base of all blocks: ports, parameters, states and plain functions. Defining a subclass registers its type.

    Functions name their arguments (t, states, memories, inputs, parameters) and take no self: `der` returns the
    rates of the states, `out` the outputs. `help(luff.blocks.block)` has all rules.

    Examples
    --------
    >>> import luff
    >>> from luff.blocks import In, Out, Param, State
    >>> class MyLag(luff.Block):
    ...     "First-order lag: T dx/dt = u - x."
    ...     u, y = In(), Out()
    ...     T = Param(0.1, unit="s", gt=0, doc="time constant")
    ...     x = State(0.0)
    ...     def der(t, x, u, T): return (u - x) / T
    ...     def out(t, x): return x
    >>> MyLag.type_name, list(MyLag.class_ports), MyLag.params["T"].unit
    ('my_lag', ['u', 'y'], 's')
    """

    type_name: ClassVar[str] = ""
    family: ClassVar[str] = "signals"
    icon: ClassVar[str] = ""  # symbol text for the card of a third-party block: text/symbol_text.py
    abstract: ClassVar[bool] = True
    prescribing: ClassVar[tuple[str, ...]] = ()  # inputs that need a trajectory's rate and acceleration
    example: ClassVar[RawMap] = {}  # values that make a working block where the defaults do not
    across_ports: ClassVar[tuple[str, ...]] = ()  # of circuits, at which it gives the pressure or the speed
    stand_ins: ClassVar[Mapping[str, tuple[str, str]]] = {}  # by such a port: output and input instead
    fatal_rooms: ClassVar[tuple[str, ...]] = ()  # those below which its states soon are no numbers
    folder = Path()  # that of the netlist: where file names start
    files: tuple[Path, ...] = ()  # further folders from which it may read
    from_outside: ClassVar[
        tuple[str, ...]
    ] = ()  # inputs that become the netlist's own where no wire leads to them
    follows: ClassVar[bool] = False  # of one with `decide`: passes what holds now where no step is under way
    bound = False  # True if this block looks up others, or others look up this one
    lent: ClassVar[tuple[str, ...]] = ()  # parameters whose numbers become form of the blocks that look it up
    found: ClassVar[
        tuple[str, ...]
    ] = ()  # attributes set by `look_up`; they follow from names and what is lent alone
    allow_code = False  # whether it may run code that comes with the netlist

    def __init_subclass__(cls, abstract: bool = False) -> None:
        own = vars(cls)

        def keep(declared: Callable[[type[Block]], dict[str, Kept]]) -> dict[str, Kept]:
            """Declarations of the bases, without those that the subclass removes by setting the name to None."""
            bases = [base for base in reversed(cls.__bases__) if issubclass(base, Block)]
            inherited = dict(item for base in bases for item in declared(base).items())
            return {k: v for k, v in inherited.items() if own.get(k, v) is not None}

        cls.params = keep(lambda base: base.params) | {
            v.key or k: v for k, v in own.items() if isinstance(v, Param)
        }
        cls.class_ports = keep(lambda base: base.class_ports) | {
            k: v for k, v in own.items() if isinstance(v, Port)
        }
        cls.states = keep(lambda base: base.states) | {k: v for k, v in own.items() if isinstance(v, State)}
        cls.memories = keep(lambda base: base.memories) | {
            k: v for k, v in own.items() if isinstance(v, Memory)
        }
        named = {k: v for k, v in own.items() if k in FUNCTIONS or k.startswith(PREFIXES)}
        cls.functions = keep(lambda base: base.functions) | {
            k: v for k, v in named.items() if inspect.isfunction(v)
        }
        cls.type_name = own.get("type_name") or snake_case(cls.__name__)
        cls.abstract = abstract
        if not abstract:
            check_class(cls, own_functions=cls.instance_functions is not Block.instance_functions)

    def __init__(self, name: str, values: dict[str, object], given: frozenset[str] = frozenset()):
        self.name = name
        self.given = given
        self.values = values
        attributes = {name: param.name for name, param in self.params.items()}
        self.__dict__.update({attributes.get(name, name): value for name, value in values.items()})

    def __repr__(self) -> str:
        return f"<{self.type_name} {self.name}>"

    def ports(self) -> dict[str, Port]:
        """Ports of this instance; override where they follow from parameters.

        Returns
        -------
        dict of str to Port
            Ports by name.
        """
        return {name: port.named(name) for name, port in self.class_ports.items()}

    def state_start(self, initial: float | str) -> object:
        """Start value of a state or memory; override where parameters of a group hold it.

        Parameters
        ----------
        initial : float or str
            The `initial` of the declaration: a number, or the name of a parameter.

        Returns
        -------
        object
            A number, or one for each element.
        """
        return self.values[initial] if isinstance(initial, str) else initial

    def instance_functions(self) -> dict[str, Equation]:
        """Functions of this instance; override where choices, texts or sizes select or make them.

        Functions made from text come from `generated.function_from`, so that their source can be read.

        Returns
        -------
        dict of str to callable
            Functions by name: `der`, `out`, `update`, ...
        """
        return self.functions

    def unit_laws(self) -> Iterable[str]:
        """Equations between the units of ports and parameters, for checks of what is written and wired.

        Returns
        -------
        iterable of str
            Such as `y = k*u`, or `y = u*s` with s for seconds; `y = u#` is one for each of u1, u2, ...
        """
        return ()

    def formula(self) -> Formula | None:
        """Output `y` as one expression of the inputs, t and `derived` numbers, where no function is needed.

        Returns
        -------
        Formula or None
            The expression; None where functions give the outputs.
        """
        return None

    def jumps(self) -> Iterable[tuple[float, float]]:
        """Times at which the outputs jump by themselves.

        Returns
        -------
        iterable of (float, float)
            First time and period [s] of each series; period 0 for a single time.
        """
        return ()

    def kinks(self) -> Iterable[tuple[float, float]]:
        """Times at which the rates of the outputs jump: methods that choose their steps restart there.

        Returns
        -------
        iterable of (float, float)
            First time and period [s] of each series; period 0 for a single time.
        """
        return ()

    def breaks(self) -> Iterable[tuple[float, float]]:
        """Times at which the rate or the acceleration of the block's trajectories jumps.

        Returns
        -------
        iterable of (float, float)
            First time and period [s] of each series; period 0 for a single time.
        """
        return ()

    def oil_compressibility(self) -> Mapping[str, tuple[float, float, float]]:
        """Compressibility of the oil in each state that is an oil content.

        Returns
        -------
        mapping of str to (float, float, float)
            By state: bulk modulus [Pa], gas content, polytropic exponent.
        """
        return {}

    def lags(self) -> Iterable[float]:
        """Delays after which the outputs repeat the inputs, jumps included.

        Returns
        -------
        iterable of float
            Delays [s].
        """
        return ()

    def sampled(self) -> bool:
        """True if this instance has memories in place of the states of its class.

        Returns
        -------
        bool
            The form of this instance.
        """
        return False

    def echo(self) -> Echo | None:
        """Small-signal equivalent of a block with memories or steps, for linear models and equilibria.

        Returns
        -------
        Echo or None
            The equivalent; None for the block itself, with its memories constant.
        """
        return None

    def missing_parts(self, output: str, wired: Container[str]) -> tuple[str, ...]:
        """Derivatives that a trajectory output lacks.

        Parameters
        ----------
        output : str
            The output.
        wired : container of str
            Inputs that have a wire.

        Returns
        -------
        tuple of str
            Of "rate" and "acceleration".
        """
        return ()

    def routes(self) -> dict[tuple[str, int, int], tuple[str, int, int]]:
        """Outputs that are inputs under another name.

        Returns
        -------
        dict
            By (output, element, part) the (input, element, part): element `EACH` for all, part 1 and 2 for the rates
            of a trajectory.
        """
        return {}

    def internal_wires(self) -> dict[str, str]:
        """Inputs that the block's own outputs feed.

        Returns
        -------
        dict of str to str
            The output by input.
        """
        return {}

    def derived(self) -> dict[str, tuple[float, ...]]:
        """Arrays of `derived_names`, computed after each change of parameters; lengths belong to the form.

        Returns
        -------
        dict of str to tuple of float
            Arrays by name.
        """
        return {}

    def words_of_crossings(self) -> tuple[str, ...]:
        """Texts of the numbers of `each_crossing`, for remarks.

        Returns
        -------
        tuple of str
            A text for each number.
        """
        return ()

    def words_of_room(self, name: str, time: float, least: float) -> str:
        """Remark on a `room_<name>` that fell below zero.

        Parameters
        ----------
        name : str
            Name of the room.
        time : float
            When it was below zero first [s]; 0 for the start.
        least : float
            Its least value.

        Returns
        -------
        str
            The remark.
        """
        return f"{name} is below zero {at_time(time)}"

    def check(self) -> Iterable[Problem]:
        """Find mistakes that no single parameter shows.

        Returns
        -------
        iterable of Problem
            Problems; a `path` is relative to the block (`.limits`).
        """
        return ()

    def look_up(self, blocks: Mapping[str, Block]) -> Iterable[Problem]:
        """Resolve the blocks that parameters name.

        Parameters
        ----------
        blocks : mapping of str to Block
            The blocks of the netlist, by name.

        Returns
        -------
        iterable of Problem
            Names that are not there or do not fit.
        """
        return ()

    def reads(self) -> Iterable[str]:
        """Digests of the files on which results depend, beside the parameters.

        Returns
        -------
        iterable of str
            Digests (`read_once(...).digests`).
        """
        return ()

    def width(self) -> int | None:
        """Width of the `ANY` ports, as far as parameters fix it.

        Returns
        -------
        int or None
            The width; None where the wires decide.

        Raises
        ------
        LuffError
            Parameters have different lengths.
        """
        sizes = {
            name: len(value)
            for name, value in self.values.items()
            if isinstance(value, tuple) and self._spreads(name)
        }
        if not sizes:
            return None
        widest = max(sizes, key=lambda name: sizes[name])
        for name, size in sizes.items():
            if size not in (1, sizes[widest]):
                mistake = f'found {size} numbers in "{name}" and {sizes[widest]} in "{widest}"'
                raise LuffError(f"{mistake}, expected equal lengths")
        return sizes[widest]

    def _spreads(self, name: str) -> bool:
        return self.params[name].kind == "number" and self.params[name].shape == (None,)

    def feedthrough(self, output: str, element: int, port: str, port_element: int) -> bool:
        """True if an input that a function names reaches an output of this instance (a zero gain does not).

        Parameters
        ----------
        output : str
            The output.
        element : int
            Its element.
        port : str
            The input.
        port_element : int
            Its element.

        Returns
        -------
        bool
            Direct feed-through.
        """
        routes = self.routes()
        return not routes or any(
            there[:2] in ((output, element), (output, EACH))
            and here[:2] in ((port, port_element), (port, EACH))
            for there, here in routes.items()
        )

    def parts(self) -> list[Part]:
        """Parts that a multibody or hydraulic block adds to the mechanism (see `multibody_parts.py`).

        Returns
        -------
        list of Part
            Bodies, joints, forces, ...
        """
        return []

    def elementwise(self) -> bool:
        """True if a port has the width `ANY`: functions run once an element.

        Returns
        -------
        bool
            The form of this instance.
        """
        return any(port.width == ANY for port in self.ports().values())


@record
class Echo:
    """Small-signal equivalent of a block with memories or steps.

    y is the sum of share times u(t - delay), `shares` of (share, delay); or what it was at the last multiple of
    `sample_time`. `by` is the block with states, whose names begin with `held`, that says more of what happens there
    (`signals/continuous_equivalents.py`).
    """

    shares: tuple[tuple[float, float], ...] = ()
    sample_time: float | None = None
    by: Block | None = None
