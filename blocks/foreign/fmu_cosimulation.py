"""An FMU for co-simulation under way, by FMPy."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from ctypes import byref
from functools import cache
from itertools import count, islice
from pathlib import Path
from typing import Any

from ..errors import LuffError
from ..text.safe_read import digest_of, shown
from .fmu_description import INTEGERS, REALS, Fmu, Variable

ENDS = "it asks to end the simulation"
DISCARDED, TERMINATED = 2, 3  # a status of FMI 2.0, and what can be asked of it

_numbers = count(1)
_heard: dict[int, list[str]] = {}  # what each slave has said, by its number


@cache
def _logger() -> object:
    """The logger of all slaves: FMPy's native half keeps one for the process, and calls it as long as that lives."""
    from fmpy.fmi2 import fmi2CallbackLoggerTYPE

    return fmi2CallbackLoggerTYPE(_log_message)


def _log_message(
    environment: int | None, name: object, status: int, category: object, message: bytes
) -> None:
    said = _heard.get(environment or 0)
    if said is not None:
        said.append((message or b"").decode("utf-8", "replace"))


class CoSimulation:
    """A co-simulation under way."""

    _said: list[str]

    def __init__(
        self, name: str, fmu: Fmu, inputs: list[Variable], outputs: list[Variable], start: dict[str, float]
    ):
        self.name, self.fmu = name, fmu
        self._inputs, self._outputs = inputs, outputs
        self._folder = Path(tempfile.mkdtemp(prefix="luff-fmu-"))
        self._number, self._said = next(_numbers), []
        _heard[self._number] = self._said
        self._time: float | None = None  # None before the first point
        self._slave: Any = None
        try:
            self._slave = self._begin(start)
        except Exception as error:
            self.close()
            raise self._error_with_log("it cannot be started", error) from None

    def _begin(self, start: dict[str, float]) -> Any:
        import fmpy

        whole = self._folder / "whole.fmu"
        shutil.copyfile(self.fmu.path, whole)
        if digest_of(whole) != self.fmu.digest:
            raise RuntimeError(f"{shown(self.fmu.path)} has changed since the model was read")
        fmpy.extract(str(whole), unzipdir=str(self._folder))
        made: Any = self._kind()(
            guid=self.fmu.token, unzipDirectory=str(self._folder), modelIdentifier=self.fmu.identifier,
            instanceName=self.name,
        )  # fmt: skip
        if self.fmu.version == 2:
            made.instantiate(callbacks=self._callbacks())
            made.setupExperiment(startTime=0.0)
        else:
            made.instantiate(logMessage=self._log_message_3)
        self._slave = made
        known = {one.name: one for one in self.fmu.variables}
        for name, value in start.items():
            self._set(known[name], [value] * known[name].size)
        made.enterInitializationMode()
        return made

    def _kind(self) -> Any:
        """FMPy's class of the slave."""
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        return FMU2Slave if self.fmu.version == 2 else FMU3Slave

    def _leave_initialization(self) -> None:
        """Leave the initialization mode, with the first inputs set."""
        self._slave.exitInitializationMode()

    def _advance(self, now: float, t: float) -> None:
        from fmpy.fmi1 import FMICallException

        try:
            ends = self._slave.doStep(now, t - now)
        except FMICallException as error:
            if self.fmu.version == 3 or error.status != DISCARDED or not self._asked_to_end():
                raise
            raise RuntimeError(ENDS) from None
        if self.fmu.version == 3 and ends[1]:
            raise RuntimeError(ENDS)

    def _asked_to_end(self) -> bool:
        """True if a step of FMI 2.0 was discarded because the FMU asks to end."""
        try:
            return bool(self._slave.getBooleanStatus(TERMINATED))
        except Exception:  # it keeps no such status
            return False

    def _apply_inputs(self, values: Sequence[float]) -> None:
        rest = iter(values)
        for one in self._inputs:
            self._set(one, list(islice(rest, one.size)))

    def outputs(self, t: float) -> Sequence[float]:
        try:
            if self._time is not None:
                self._advance(self._time, t)
                self._time = t
            return [value for one in self._outputs for value in self._get(one)]
        except Exception as error:
            raise self._error_with_log(f"its step to t = {t:g} s failed", error) from None

    def inputs(self, t: float, values: Sequence[float]) -> None:
        try:
            self._apply_inputs(values)
            if self._time is None:
                self._leave_initialization()
                self._time = t
        except Exception as error:
            raise self._error_with_log(f"it takes no inputs at t = {t:g} s", error) from None

    def close(self) -> None:
        if self._slave is not None:
            slave, self._slave = self._slave, None
            if self._time is not None:
                slave.terminate()
            slave.freeInstance()
        _heard.pop(self._number, None)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _get(self, one: Variable) -> list[float]:
        sized = {} if one.size == 1 else {"nValues": one.size}
        return [float(value) for value in self._access("get", one)([one.reference], **sized)]

    def _set(self, one: Variable, values: Sequence[float]) -> None:
        turned = round if one.kind in INTEGERS else bool if one.kind == "Boolean" else float
        self._access("set", one)([one.reference], [turned(value) for value in values])

    def _access(self, verb: str, one: Variable) -> Callable[..., Sequence[float]]:
        kind = {"Enumeration": "Integer" if self.fmu.version == 2 else "Int64"}.get(one.kind, one.kind)
        return getattr(self._slave, verb + ("Real" if kind in REALS and self.fmu.version == 2 else kind))

    def _callbacks(self) -> object:
        """Callbacks of FMI 2.0: what the FMU says is kept for the error that follows."""
        from fmpy import calloc, free
        from fmpy.fmi2 import (
            fmi2CallbackAllocateMemoryTYPE,
            fmi2CallbackFreeMemoryTYPE,
            fmi2CallbackFunctions,
        )

        callbacks = fmi2CallbackFunctions()
        callbacks.logger = _logger()
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
        callbacks.componentEnvironment = self._number
        # FMPy's native half fills in the numbers of messages; where it has none the words are told without them
        with suppress(ImportError, OSError, AttributeError):
            from fmpy.logging import addLoggerProxy

            addLoggerProxy(byref(callbacks))
        return callbacks

    def _log_message_3(self, environment: object, status: int, category: object, message: bytes) -> None:
        self._said.append((message or b"").decode("utf-8", "replace"))

    def _error_with_log(self, what: str, error: Exception) -> LuffError:
        words = self._said[-1].strip() if self._said else str(error)
        return LuffError(f"the FMU {self.fmu.path.name}: {what}: {shown(words)}", path=self.name)
