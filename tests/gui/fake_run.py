"""A simulation without a solver: known signals of time, for tests of what shows a run. It is sent to the process that
computes runs as a true one is."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from luff.blocks import RunError


class FakeSession:
    def __init__(self, sim: FakeSim, stop: float, step: float):
        self.sim, self.stop, self.step_size, self.every = sim, stop, step, 1
        self.columns = sim.signal_names
        self.done, self.steps = 0, round(stop / step)
        self.status, self.message = "running", ""
        self._rows: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros(1), sim.values(np.zeros(1)))]
        self.x = np.zeros(1)
        self.notes: list[str] = []
        self.remarks: list[Any] = []
        program = sim.program
        self.instance = SimpleNamespace(program=program, model=program.model, data=program.data)
        self.inputs = np.zeros(0)

    @property
    def time(self) -> float:
        return self.done * self.step_size

    @property
    def progress(self) -> float:
        return self.done / self.steps

    def advance(self, seconds: float = 0.05, steps: int | None = None) -> str:
        if self.status != "running":
            return self.status
        count = min(self.steps - self.done, steps or 100)
        times = (self.done + 1 + np.arange(count)) * self.step_size
        self.done += count
        self._rows.append((times, self.sim.values(times)))
        if self.done >= self.steps:
            self.status = "finished"
        return self.status

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        rows, self._rows = self._rows, []
        if not rows:
            return np.zeros(0), np.zeros((0, len(self.columns)))
        return np.concatenate([t for t, _ in rows]), np.concatenate([v for _, v in rows])

    def take_film(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(0), np.zeros((0, 0, 12))

    def cancel(self, status: str = "cancelled", message: str = "") -> None:
        self.status, self.message = status, message

    def quality(self) -> dict[str, Any]:
        return {}

    def judged(self) -> tuple[dict[str, Any], list[Any]]:
        return {}, []


class Stuck(FakeSession):
    """Its second chunk takes until a file is there."""

    def advance(self, seconds: float = 0.05, steps: int | None = None) -> str:
        while self.done and not Path(self.sim.until).exists():
            time.sleep(1e-3)
        return super().advance(seconds, steps)


class Breaking(FakeSession):
    """Fails as a session does: at once, with what came before kept."""

    def advance(self, seconds: float = 0.05, steps: int | None = None) -> str:
        super().advance(seconds, steps)
        if self.time >= 0.1:
            error = RunError("this state is not finite", path="elbow.position")
            self.status, self.message, self.problem = "failed", "not finite", error.problems[0]
        return self.status


class Faulty(FakeSession):
    """A fault of the program."""

    def take(self) -> tuple[np.ndarray, np.ndarray]:
        raise ZeroDivisionError("of all things")


class Dying(FakeSession):
    """Takes its process with it."""

    def advance(self, seconds: float = 0.05, steps: int | None = None) -> str:
        if self.time >= 0.1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().advance(seconds, min(steps or 100, 100))  # else a quick machine is done at once


class FakeSim:
    """Column k is `gain * sin(t + k)`; `set` changes the gain at once."""

    def __init__(
        self,
        columns: list[str],
        stop: float = 2.0,
        step: float = 1e-3,
        session: type[FakeSession] = FakeSession,
    ):
        self.session = session
        self.until = ""
        self.signal_names = columns
        self.units = dict.fromkeys(columns, "rad")
        self.stop, self.step = stop, step
        self.gain = 1.0
        flat = SimpleNamespace(
            netlist="",
            plots=[],
            view=None,
            blocks={},
            outputs={},
            exposed={},
            output_elements={},
            wires=[],
            bonds=[],
            widths={},
            warnings=[],
        )
        mechanism = SimpleNamespace(frame_index={}, frames=[], joints=[], bodies=[], rows=[], elements=[])
        model = SimpleNamespace(topo=np.zeros((0, 5), int), state=np.zeros((0, 3), int))
        data = SimpleNamespace(row=np.zeros((0, 60)))
        self.program = SimpleNamespace(
            flat=flat,
            data=data,
            mechanism=mechanism,
            model=model,
            x0=np.zeros(0),
            param_names=[],
            sampled=[],
            columns=[],
            record=np.zeros(0, int),
            params=np.zeros(0),
        )

    def values(self, times: np.ndarray) -> np.ndarray:
        return self.gain * np.sin(times[:, None] + np.arange(len(self.signal_names))[None, :])

    def start(self) -> FakeSession:
        return self.session(self, self.stop, self.step)

    def prepare(self) -> None: ...

    def set(self, given: dict[str, Any]) -> None:
        (self.gain,) = map(float, given.values())
