"""A simulation without a solver: known signals of time, for tests of what shows a run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np


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
        self.all_remarks: list[Any] = []
        self.instance, self.inputs = SimpleNamespace(program=sim.program), np.zeros(0)

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


class FakeSim:
    """Column k is `gain * sin(t + k)`; `set` changes the gain at once."""

    def __init__(self, columns: list[str], stop: float = 2.0, step: float = 1e-3):
        self.signal_names = columns
        self.units = dict.fromkeys(columns, "rad")
        self.stop, self.step = stop, step
        self.gain = 1.0
        self.sets: list[tuple[str, Any]] = []
        flat = SimpleNamespace(netlist="", plots=[], blocks={}, outputs={}, warnings=[])
        mechanism = SimpleNamespace(frame_index={}, frames=[], joints=[], bodies=[], rows=[])
        model = SimpleNamespace(topo=np.zeros((0, 5), int), state=np.zeros((0, 3), int))
        data = SimpleNamespace(row=np.zeros((0, 60)))
        self.program = SimpleNamespace(
            flat=flat,
            data=data,
            mechanism=mechanism,
            model=model,
            x0=np.zeros(0),
            param_names=[],
            columns=[],
            record=np.zeros(0, int),
            params=np.zeros(0),
        )

    def values(self, times: np.ndarray) -> np.ndarray:
        return self.gain * np.sin(times[:, None] + np.arange(len(self.signal_names))[None, :])

    def start(self) -> FakeSession:
        return FakeSession(self, self.stop, self.step)

    def set(self, path: str, raw: Any) -> None:
        self.sets.append((path, raw))
        self.gain = float(raw)
