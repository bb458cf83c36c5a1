"""`Instance`: a program with a work space of its own, and ways to evaluate it. Sessions share nothing but code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..integrators.loop import advance, evaluate_outputs, evaluate_rates, evaluate_updates
from ..integrators.together import called_in_runs, load_together
from ..machine.fields import ELASTIC, GRAVITY, KINETIC, STOPS, Model
from ..machine.functions import Function
from ..machine.jit import ENABLED, Unit
from ..machine.run_arrays import (
    AT_DX,
    AT_STOPS,
    AT_TIME,
    AT_X,
    FIRST,
    NOW,
    NUMBERS,
    PROJECT,
    REALS,
    SETTLE,
    TRAILING,
    Run,
)
from ..program.plainly import controller_data, on_work_space
from ..program.program import Program
from ..table.operations import Table
from ..table.places import cell, on_a_line

NONE = np.zeros(0)
_run: Any = Run  # the checker takes the class for what its decorator was given


class Instance:
    """Arrays of one run: model, data, work space and tables of addresses."""

    def __init__(self, program: Program):
        self.program = program
        called = [call.code for table in program.tables.values() for call in table.calls]
        load_together([*called, *called_in_runs(program.kernels, program.flat.simulation.method)])
        sections = self.sections = program.sections
        self.w = on_a_line(program.work_space)
        self.model = Model(*(array.copy() for array in program.model))
        private = type(program.data)(*(array.copy() for array in program.data))
        self.data = on_work_space(private, self.w, sections)
        self.params, self.memory = sections.part(self.w, "p"), sections.part(self.w, "mem")
        self._controllers: list[Any] = []
        self._plain = {name: self._calls(table) for name, table in program.tables.items()}
        self.number, self.real = np.zeros(NUMBERS, np.int64), np.zeros(REALS)
        self.number[AT_TIME], self.number[AT_X], self.number[AT_DX] = (
            sections.first[name] for name in ("t", "x", "dx")
        )
        self.number[TRAILING] = program.trailing
        self.number[AT_STOPS] = sections.at(cell("scalar", STOPS))
        self._calls_by_number: dict[int, Unit] = {}
        for place, name in ((SETTLE, "settle"), (PROJECT, "project")):
            if program.table.rows:
                self.choose(place, program.kernels[name])
        self._tables = {name: self._addresses(name) for name in program.tables}
        self._one = self.run(np.zeros(len(program.x0) + program.trailing), np.zeros((0, 0)))
        self._one.rows.fill(0.0)

    def take(self, program: Program) -> None:
        """The numbers of a program of the same structure, at the next step of a run under way."""
        self.program = program
        for name, ours, fresh in zip(Model._fields, self.model, program.model, strict=True):
            # a run may have changed its choice of states, and counts components from its own start
            if name not in ("state", "constraint_value"):
                ours[...] = fresh
        every = {sampled.slot: self.params[sampled.slot] for sampled in program.sampled}
        for name in ("p", "c"):
            self.sections.part(self.w, name)[:] = self.sections.part(program.work_space, name)
        for slot, steps in every.items():
            self.params[slot] = steps

    # --- tables --------------------------------------------------------------------------------------------------

    def _calls(self, table: Table) -> list[tuple[Any, Any, Any, int]]:
        """Calls with what each is given: work space and places, or model and data."""
        found = []
        for call in table.calls:
            if isinstance(call.code, Function):
                found.append((call.code, self.w, table.places[call.first :], call.due))
                continue
            own = call.operations[0].work
            data = self.data
            if own is not None:
                data = controller_data(self.data, own, self.w, self.sections, self.model)
                self._controllers.append(data)
            found.append((call.code, self.model, data, call.due))
        return found

    def _addresses(self, name: str) -> np.ndarray:
        if not ENABLED:
            return np.zeros((0, 4), np.int64)
        from ..machine.objects import address_of

        rows = [
            (address_of(code), address(first), address(second), due)
            for code, first, second, due in self._plain[name]
        ]
        return np.array(rows, np.int64).reshape(-1, 4)

    def choose(self, number: int, code: Unit) -> None:
        """The address of a method or a kernel that the loop calls."""
        self._calls_by_number[number] = code
        if ENABLED:
            from ..machine.objects import address_of

            self.number[number] = address_of(code)

    # --- runs ----------------------------------------------------------------------------------------------------

    def run(
        self,
        x: np.ndarray,
        work: np.ndarray,
        times: np.ndarray = NONE,
        rows: np.ndarray | None = None,
        film: np.ndarray | None = None,
        updates: bool = True,
    ) -> Run:
        """What the loop is given; the arrays stay the caller's."""
        tables = [self._tables[name] for name in ("rates", "outputs", "updates")]
        if not updates:
            tables[2] = tables[2][:0]
        found: Any = _run(
            *tables, self.program.record, self.w, x, np.zeros_like(x), work, self.number, self.real, times,
            np.zeros((1, len(self.program.columns))) if rows is None else rows,
            np.zeros((0, 0)) if film is None else film,
        )  # fmt: skip
        if not ENABLED:
            found.plain = {
                **{
                    name: [(plain(code), *rest) for code, *rest in calls]
                    for name, calls in self._plain.items()
                },
                **({} if updates else {"updates": []}),
                "calls": self._calls_by_number,
            }
        return found

    def advance(self, run: Run) -> None:
        advance(run, self.model, self.data)

    # --- single evaluations --------------------------------------------------------------------------------------

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        """dx/dt, energies included where `x` has them."""
        run = self._at(t, x)
        evaluate_rates(run)
        return run.before[: len(x)].copy()

    def outputs(self, t: float, x: np.ndarray) -> np.ndarray:
        """A row of the recorded signals."""
        run = self._at(t, x)
        evaluate_outputs(run)
        return run.rows[0].copy()

    def update(self, step: int, t: float, x: np.ndarray) -> None:
        """Sampled blocks that are due at a step."""
        if self.program.sampled:
            self.number[FIRST] = step
            evaluate_updates(self._at(t, x))

    def _at(self, t: float, x: np.ndarray) -> Run:
        run = self._one
        self.real[NOW] = t
        run.x[: len(x)] = x
        run.x[len(x) :] = 0.0
        return run

    def kernel(self, name: str) -> None:
        """One kernel of the mechanism, at what was evaluated last."""
        self.program.kernels[name](self.model, self.data)

    def energy(self, t: float, x: np.ndarray) -> dict[str, float]:
        """Kinetic energy, and that of gravity and springs."""
        if not len(self.model.topo):
            return {}
        self.rates(t, x)
        self.kernel("energies")
        kinetic, gravity, elastic = self.data.scalar[[KINETIC, GRAVITY, ELASTIC]].tolist()
        return {"kinetic": kinetic, "gravity": gravity, "elastic": elastic}

    def settle(self) -> None:
        """Move the anchor of a closed mechanism to the present coordinates."""
        self.kernel("settle")


def address(arrays: Any) -> int:
    return arrays.ctypes.data if isinstance(arrays, np.ndarray) else arrays.address


def plain(code: Any) -> Any:
    return code.function if isinstance(code, Function) else code
