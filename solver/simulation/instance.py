"""`Instance`: a program with a work space of its own, and its evaluations. Sessions share nothing but code."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Protocol, cast

import numpy as np

from ...blocks.stop_conditions import NAME as CONDITIONS
from ..codegen.jit import ENABLED, EntryPoint
from ..codegen.memory_arena import Arena, RelocatedTables, cache_line_aligned
from ..codegen.source_functions import Function
from ..integrators import run_data as r
from ..integrators.event_location import event_step
from ..integrators.method_table import Method
from ..integrators.preload import entry_points_of_run, load_entry_points
from ..integrators.run_data import Run
from ..integrators.run_loop import advance, evaluate_many, evaluate_outputs, evaluate_rates, evaluate_updates
from ..integrators.substeps import substepped_step
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..program.band_checks import banded_blocks
from ..program.external_callbacks import ExternalEvaluation, ExternalExchange
from ..program.interpreter import all_on_work_space, controller_data, data_in_work_space, data_views
from ..program.operations import CallTable
from ..program.started_program import Started, StartedComponent
from ..program.work_space import data_place
from .block_compile_errors import naming_blocks
from .external_blocks import BoundEvaluation, BoundExchange, Communication, PartnerAnswers
from .state_groups import NO_STRUCTURE, least_shape, solves, sparsity, state_groups

NONE = np.zeros(0)
CHOSEN = ("state", "constraint_value")  # arrays of the model that a run changes itself
TAKEN = tuple(name for name in Model._fields if name not in CHOSEN)
OWN = ("_one", "_moved", "_slopes")  # cached attributes of an instance, not copied to twins
# code, its two arguments, place of its period or -1
Bound = BoundExchange | BoundEvaluation
Call = tuple[EntryPoint | Bound, np.ndarray | Model, np.ndarray | Data, int]
_run: Any = Run  # the checker takes the class for what its decorator was given


def matrix_rows(structure: np.ndarray) -> int:
    """Rows of `Run.work` of the matrix of slopes."""
    return int(structure[r.COUNTS, r.MATRIX]) if structure.size else 0


class Bundle(Protocol):
    """Attributes that `bundled` gives a NamedTuple of arrays."""

    table: np.ndarray
    address: int


class Instance:
    """Arrays of one run: model, data, work space, address tables."""

    def __init__(self, program: Started):
        self.program = program
        called = [call.code for table in program.tables.values() for call in table.calls]
        called = [code for code in called if not isinstance(code, ExternalExchange | ExternalEvaluation)]
        settings, kernels = program.flat.simulation, [one.kernels for one in program.components]
        with naming_blocks(program):
            load_entry_points(
                [
                    *called,
                    *entry_points_of_run(kernels, settings.method, settings.events, program.openings),
                ]
            )
        sections = self.sections = program.sections
        self.w = cache_line_aligned(program.work_space)
        self._lay_out(program)
        self.params, self.memory = sections.part(self.w, "p"), sections.part(self.w, "mem")
        self._controllers: list[Data] = []
        self.number, self.real = np.zeros(r.NUMBERS, np.int64), np.zeros(r.REALS)
        self.fault: list[BaseException] = []  # exceptions of external blocks
        self.meetings: dict[str, Communication] = {}
        self._answers: dict[str, PartnerAnswers] = {}
        self._plain = {name: self._calls(table) for name, table in program.tables.items()}
        self.number[r.AT_TIME], self.number[r.AT_X], self.number[r.AT_DX] = (
            sections.first[name] for name in ("t", "x", "dx")
        )
        self.number[r.TRAILING] = program.trailing
        self.number[r.AT_STOPS] = sections.at(data_place("scalar", f.END_STOPS))
        self.number[r.COMPONENTS] = len(program.components)
        self.number[r.AT_SWITCHES], self.number[r.SWITCHES] = sections.first["g"], len(program.switches)
        self.number[r.DECIDED] = sum(switch.decided for switch in program.switches)
        met = [k for k, name in enumerate(program.memory_names) if name.startswith(f"{CONDITIONS}.")]
        self.number[r.AT_ENDS], self.number[r.ENDS] = sections.first["mem"] + (met[0] if met else 0), len(met)
        self.number[r.SHARED] = program.shared
        self.number[r.RESETS] = bool(program.releases or banded_blocks(program.mechanism))
        self.number[r.MECHANICAL] = sections.mechanical
        self.real[r.SHAPE] = least_shape([model for model, _ in self.mechanisms])
        self.number[r.AT_LOWEST], self.number[r.AT_HIGHEST] = (
            sections.first["lowest"],
            sections.first["highest"],
        )
        self._structure: tuple[tuple[int, ...], tuple[np.ndarray, np.ndarray]] | None = None
        self._calls_by_number: dict[int, EntryPoint] = {}
        self.locate(settings.events == "locate")
        self.number[r.OPENINGS] = sum(switch.opening for switch in program.switches)
        tables = {name: self._addresses(name) for name in program.tables}
        self._rows = np.concatenate([*tables.values()])
        self._ends = np.cumsum([len(table) for table in tables.values()]).tolist()
        self._tables = self._table_slices(self._rows)
        self.lock = threading.Lock()  # held while compiled code works on the arrays

    def _lay_out(self, program: Started) -> None:
        """Arrays of the model and the data: of all components, and as views on these or of their own what each has."""
        names = self._kept = [
            name for name in program.data._fields if name not in self.sections.first or name == "work"
        ]
        alone = len(program.components) == 1
        each = [] if alone else [(one, one.data) for one in program.components]
        inside = [
            array for one, data in each for array in (*one.own, *(getattr(data, name) for name in names))
        ]
        self.blocks = Arena([*program.model, *(getattr(program.data, name) for name in names), *inside])
        self._place(program, self.blocks.arrays)

    def _place(self, program: Started, arrays: list[np.ndarray]) -> None:
        """Name the arrays in the blocks of memory, and those in the work space."""
        sections, names, given = self.sections, self._kept, iter(arrays)
        self.model = Model(*(next(given) for _ in program.model))
        own = {name: next(given) for name in names}
        whole = program.data._replace(**own)
        if len(program.components) == 1:
            self.data = data_in_work_space(whole, self.w, sections, 0)
            self.mechanisms = [(self.model, self.data)]
            return
        self.data = all_on_work_space(whole, self.w, sections)
        self.mechanisms = []
        for one in program.components:
            model = one.on(self.model, given)
            own = {name: next(given) for name in names}
            self.mechanisms.append(
                (model, data_in_work_space(one.data._replace(**own), self.w, sections, one.number))
            )

    @property
    def each(self) -> Iterator[tuple[StartedComponent, Model, Data]]:
        """Components with their arrays."""
        for one, (model, data) in zip(self.program.components, self.mechanisms, strict=True):
            yield one, model, data

    @property
    def bundles(self) -> list[Model | Data]:
        """Model and data bundles that kernels take: of all components, then of each, then of controllers."""
        each = [bundle for pair in self.mechanisms for bundle in pair]
        own = each if len(self.mechanisms) > 1 else []
        return [self.model, self.data, *own, *self._controllers]

    @property
    def choices(self) -> list[np.ndarray]:
        """Integers that a run writes: which coordinates are its states, and which follow from them."""
        own = [array for model, data in self.mechanisms for array in (model.state, data.part)]
        return own if len(self.mechanisms) == 1 else [self.model.state, *own]

    @property
    def scalars(self) -> np.ndarray:
        """Entries of `Data.scalar`, a row for each component."""
        return self.data.scalar.reshape(-1, f.SCALARS)

    def move_numbers(self) -> None:
        """Numbers of the model, such as masses and places, may carry derivatives from here on."""
        for model in (self.model, *(model for model, _ in self.mechanisms)):
            model.option[f.O_MODEL_TANGENTS] = 1

    @cached_property
    def _vector(self) -> np.ndarray:
        """`Run.vector`."""
        return state_groups(self.program, self.model)

    def _structure_of(self, states: int) -> tuple[np.ndarray, np.ndarray]:
        """`Run.structure` and `Run.entry` for a state vector of this length, where the method solves with slopes."""
        step = self._calls_by_number.get(r.STEP_ADDRESS)
        if step is None or not solves(step):
            return NO_STRUCTURE
        models = [model for model, _ in self.mechanisms]
        chosen = states, *(int(model.option[f.O_SWEPT]) for model in models)
        if self._structure is None or self._structure[0] != chosen:
            self._structure = chosen, sparsity(self.program, models, states)
        return self._structure[1]

    def work_vectors(self, method: Method, states: int) -> np.ndarray:
        """`Run.work` of the method that was chosen, for a state vector of this length."""
        return np.zeros((method.work_rows(matrix_rows(self._structure_of(states)[0])), states))

    @cached_property
    def updated(self) -> bool:
        """True if blocks write memories between steps."""
        return self.program.updated

    @cached_property
    def _one(self) -> Run:
        """`Run` of single evaluations."""
        return self.run(np.zeros(len(self.program.x0) + self.program.trailing), np.zeros((0, 0)))

    @cached_property
    def has_partners(self) -> bool:
        """True if external blocks take part: their partners are opened at each start."""
        return any(isinstance(call[0], Bound) for calls in self._plain.values() for call in calls)

    def twin(self) -> Instance:
        """Copy of the instance in its present state: faster than a new one from the program."""
        if (
            self.has_partners or self._controllers or not ENABLED
        ):  # callbacks to Python know their own work space
            made = Instance(self.program)
            made._calls_by_number |= self._calls_by_number
            made.number[:], made.real[:] = self.number, self.real
            made.put(self.memories)
            return made
        made = object.__new__(Instance)
        shared = {name: value for name, value in self.__dict__.items() if name not in OWN}
        made.__dict__.update(shared)
        made.w, made.blocks = cache_line_aligned(self.w), self.blocks.copy()
        made._place_again(self)
        made._calls_by_number = dict(self._calls_by_number)
        made.params, made.memory = self.sections.part(made.w, "p"), self.sections.part(made.w, "mem")
        made.number, made.real = self.number.copy(), self.real.copy()
        blocks, tables = self._moved
        shifts = blocks.shifts([made.w, *made.blocks.whole])
        for k, (ours, theirs) in enumerate(zip(self.bundles, made.bundles, strict=True)):
            theirs.__dict__["table"] = blocks.table(f"{k}", bundle(ours).table, shifts)
        made._rows = tables.table("rows", self._rows, tables.shifts(made._addressed_arrays))
        made._tables = self._table_slices(made._rows)
        made.lock = threading.Lock()
        return made

    def _place_again(self, other: Instance) -> None:
        """Take over the tables of another instance: nothing is written."""
        given = iter(self.blocks.arrays)
        self.model = Model(*(next(given) for _ in other.model))
        own = {name: next(given) for name in self._kept}
        if len(other.mechanisms) == 1:
            self.data = data_views(other.data, self.w, self.sections, 0, own)
            self.mechanisms = [(self.model, self.data)]
            return
        self.data = all_on_work_space(other.data._replace(**own), self.w, self.sections)
        self.mechanisms = []
        for one, (_, data) in zip(self.program.components, other.mechanisms, strict=True):
            model = one.on(self.model, given)
            own = {name: next(given) for name in self._kept}
            self.mechanisms.append((model, data_views(data, self.w, self.sections, one.number, own)))

    @cached_property
    def _moved(self) -> tuple[RelocatedTables, RelocatedTables]:
        """Relocations of the address tables for twins."""
        first = RelocatedTables([self.w, *self.blocks.whole])
        return first, RelocatedTables(self._addressed_arrays)

    @property
    def _addressed_arrays(self) -> list[np.ndarray]:
        """Arrays that the tables of addresses lead to."""
        return [self.w, *(bundle(each).table for each in self.bundles)]

    @property
    def memories(self) -> list[np.ndarray]:
        """Memory blocks that hold all that a run changes."""
        return [self.w, *self.blocks.whole]

    def put(self, memories: Iterable[np.ndarray]) -> None:
        """Copy memory from another instance of the program, or from an earlier moment."""
        for ours, theirs in zip(self.memories, memories, strict=True):
            ours[:] = theirs

    def take(self, program: Started) -> None:
        """Take over the numbers of a program of equal structure, at the next step of a run under way."""
        with self.lock:  # compiled code that runs in another thread ends first
            self._take(program)

    def _take(self, program: Started) -> None:
        """`take`, with the lock held."""
        self.program = program
        for name in TAKEN:
            # a run may have changed its partition, and counts relative components from its own start
            getattr(self.model, name)[...] = getattr(program.model, name)
        every = {sampled.slot: self.params[sampled.slot] for sampled in program.sampled}
        for name in ("p", "c"):
            self.sections.part(self.w, name)[:] = self.sections.part(program.work_space, name)
        for slot, steps in every.items():
            self.params[slot] = steps

    # --- tables --------------------------------------------------------------------------------------------------

    @property
    def calls(self) -> dict[str, list[Call]]:
        """Calls of each table: code, two arguments, place of the period or -1."""
        return self._plain

    @property
    def controllers(self) -> list[Data]:
        """`Data` of each controller."""
        return self._controllers

    @property
    def called_by_number(self) -> dict[int, EntryPoint]:
        """Entry points set by `choose`, by their place in `number`."""
        return self._calls_by_number

    def _calls(self, table: CallTable) -> list[Call]:
        """Calls of a table with their arguments: work space and places, or model and data."""
        calls = []
        for call in table.calls:
            if isinstance(call.code, Function):
                code, places = call.code, table.places[call.first :]
                if isinstance(code, ExternalExchange):
                    meeting = self.meetings.setdefault(code.block.name, Communication(code.block))
                    code = BoundExchange(self.w, self.fault, self.number, code, meeting, places)
                elif isinstance(code, ExternalEvaluation):
                    answers = self._answers.setdefault(code.block.name, PartnerAnswers(code.block))
                    code = BoundEvaluation(self.w, self.fault, self.number, code, answers, places)
                calls.append((code, self.w, places, call.due))
                continue
            own, number = call.operations[0].work, call.operations[0].component
            model, data = self.mechanisms[number]
            if own is not None:
                data = controller_data(data, own, self.w, self.sections, model)
                self._controllers.append(data)
            calls.append((call.code, model, data, call.due))
        return calls

    def _addresses(self, name: str) -> np.ndarray:
        """Address table of the calls of a table."""
        if not ENABLED:
            return np.zeros((0, 4), np.int64)
        from ..codegen.object_loader import address_of

        rows = [
            (
                code.address if isinstance(code, Bound) else address_of(code),
                address(first),
                address(second),
                due,
            )
            for code, first, second, due in self._plain[name]
        ]
        return np.array(rows, np.int64).reshape(-1, 4)

    def _table_slices(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Address tables as slices of one array."""
        spans = zip(self.program.tables, [0, *self._ends], self._ends, strict=False)
        return {name: rows[first:end] for name, first, end in spans}

    def choose(self, number: int, code: EntryPoint) -> None:
        """Set the address of a method or kernel that the loop calls."""
        self._calls_by_number[number] = code
        if ENABLED:
            from ..codegen.object_loader import address_of

            self.number[number] = address_of(code)
        else:
            self.number[number] = 1  # plain Python calls what `called_by_number` has

    def choose_method(self, method: Method) -> None:
        """Set the step of a method, with substeps where it may need them."""
        self.choose(r.STEP_ADDRESS, method.step)
        if method.solves or self.program.openings:
            self.choose(r.PARTED, substepped_step)

    def locate(self, wanted: bool) -> None:
        """Switch event location on or off."""
        if wanted and self.program.switches:
            self.choose(r.LOCATE, event_step)
        else:
            self.number[r.LOCATE] = 0
            self._calls_by_number.pop(r.LOCATE, None)

    # --- runs ----------------------------------------------------------------------------------------------------

    def run(
        self,
        x: np.ndarray,
        work: np.ndarray,
        times: np.ndarray = NONE,
        rows: np.ndarray | None = None,
        film: np.ndarray | None = None,
        updates: bool = True,
        record: np.ndarray | None = None,
    ) -> Run:
        """`Run` on the caller's arrays."""
        left_out = () if updates else ("ends", "updates", "late_updates")
        tables = [table[:0] if name in left_out else table for name, table in self._tables.items()]
        structure, entry = self._structure_of(len(x))
        if 0 < len(work) <= matrix_rows(structure):
            raise ValueError(f"found {len(work)} work vectors, expected those of `work_vectors`")
        ended: Any = _run(
            *tables, self.program.record if record is None else record, self.w, x, np.zeros_like(x),
            self._vector, structure, entry, work, self.number, self.real, times,
            np.zeros((1, len(self.program.columns))) if rows is None else rows,
            np.zeros((0, 0)) if film is None else film,
        )  # fmt: skip
        if not ENABLED:
            ended.plain = {
                **{
                    name: [(plain_call(code), *rest) for code, *rest in calls]
                    for name, calls in self._plain.items()
                },
                **{name: [] for name in left_out},
                "calls": self._calls_by_number,
            }
        return ended

    def advance(self, run: Run) -> None:
        """Take steps by the run loop."""
        with self.lock:
            advance(run, self.model, self.data)

    # --- single evaluations --------------------------------------------------------------------------------------

    def rates(self, t: float, x: np.ndarray, during: float | None = None) -> np.ndarray:
        """dx/dt at (t, x), energies included if `x` has them; `during` lies in the step that t belongs to."""
        run = self._at(t, x, during)
        evaluate_rates(run)
        return run.before[: len(x)].copy()

    def many(self, t: float, points: np.ndarray, outputs: bool = False) -> np.ndarray:
        """dx/dt at many states, one a row, in one call; recorded signals behind them if `outputs`."""
        states, whole = points.shape[1], len(self.program.x0) + self.program.trailing
        rows = np.zeros((len(points), whole))
        rows[:, :states] = points
        answers = np.zeros((len(points), whole + (len(self.program.columns) if outputs else 0)))
        self.real[r.NOW] = self.real[r.WITHIN] = t
        evaluate_many(self.run(np.zeros(whole), np.zeros((0, 0)), rows=rows, film=answers))
        return np.delete(answers, slice(states, whole), axis=1)

    def outputs(self, t: float, x: np.ndarray, during: float | None = None) -> np.ndarray:
        """Recorded signals at (t, x)."""
        run = self._at(t, x, during)
        evaluate_outputs(run)
        return run.rows[0].copy()

    def update(self, step: int, t: float, x: np.ndarray, during: float | None = None) -> None:
        """Run the sampled blocks due at a step, and decide the branches of the next one."""
        if self.updated:
            self.number[r.FIRST] = step
            run = self._at(t, x, during)
            evaluate_updates(run)
            if self.number[r.RESETS]:
                x[:] = run.x[: len(x)]

    def _at(self, t: float, x: np.ndarray, during: float | None = None) -> Run:
        """`Run` of single evaluations at (t, x)."""
        run = self._one
        self.real[r.NOW], self.real[r.WITHIN] = t, t if during is None else during
        run.x[: len(x)] = x
        run.x[len(x) :] = 0.0
        return run

    def kernel(self, name: str) -> None:
        """One kernel of all mechanisms that have it, at what was evaluated last."""
        for one, model, data in self.each:
            if name in one.kernels:
                one.kernels[name](model, data)

    def energy(self, t: float, x: np.ndarray) -> dict[str, float]:
        """Kinetic, gravity and elastic energy [J] at (t, x)."""
        if not len(self.model.topo):
            return {}
        self.rates(t, x)
        self.kernel("energies")
        kinetic, gravity, elastic = self.scalars[:, [f.KINETIC, f.GRAVITY, f.ELASTIC]].sum(axis=0).tolist()
        return {"kinetic": kinetic, "gravity": gravity, "elastic": elastic}

    def settle(self) -> None:
        """Move the anchor of a mechanism with loops to the present coordinates."""
        self.kernel("settle")


def bundle(arrays: Model | Data | Run) -> Bundle:
    """Bundle of arrays with its address (for the type checker)."""
    return cast("Bundle", arrays)


def address(arrays: np.ndarray | Model | Data) -> int:
    """Address of an array or bundle."""
    return arrays.ctypes.data if isinstance(arrays, np.ndarray) else bundle(arrays).address


def plain_call(code: EntryPoint | Bound) -> Callable[..., object]:
    """Python form of a call's code."""
    return code.function if isinstance(code, Function | Bound) else code
