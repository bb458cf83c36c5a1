"""The block `fmu`: models of other programs, through FMPy (extra `fmi`)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from ctypes import byref
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import Any

from .errors import LuffError, Problem, did_you_mean
from .fmu_description import INTEGERS, REALS, Fmu, Variable, find
from .outside import Outside, Partner
from .params import Names, Param, Struct, SubList, Text
from .ports import In, Out, Port
from .quantity import unit
from .reading import shown

TRUST = "if you trust it, run with --allow-code, or luff.load(path, allow_code=True)"


class Setting(Struct):
    """A value of the FMU before it begins."""

    name = Text(doc="variable of the FMU")
    value = Param(doc="its value, in the FMU's own unit")


class FmuBlock(Outside):
    """A model of another program: an FMU for co-simulation (FMI 2.0 or 3.0), stepped every `step`."""

    type_name = "fmu"
    file = Text("", doc="the FMU, named from the netlist's folder; it runs code, which has to be allowed")
    outputs = Names(None, doc="outputs that become ports, by their names in the FMU; all if left out")
    start = SubList(Setting, doc="values that variables of the FMU have at the start: [{name, value}]")

    @cached_property
    def fmu(self) -> Fmu:
        if not self.file:
            raise LuffError("no FMU is named")
        return find(self.folder, self.file, self.files)

    def chosen(self) -> tuple[list[Variable], list[Variable]]:
        """Inputs and outputs that are ports."""
        given = self.fmu.of("output")
        names = None if self.outputs is None else set(self.outputs)
        return self.fmu.of("input"), [one for one in given if names is None or one.name in names]

    def ports(self) -> dict[str, Port]:
        try:
            inputs, outputs = self.chosen()
        except LuffError:  # `check` tells
            return {}
        found = {
            one.port: In(unit=_unit(one), default=one.start or 0.0, doc=one.doc).named(one.port)
            for one in inputs
        }
        return found | {one.port: Out(unit=_unit(one), doc=one.doc).named(one.port) for one in outputs}

    def check(self) -> Iterable[Problem]:
        if not self.file:  # as it comes from the palette: a run tells
            return
        try:
            inputs, outputs = self.chosen()
        except LuffError as error:
            yield from (problem.at(path=".file") for problem in error.problems)
            return
        names = [one.name for one in self.fmu.variables]
        known = [one.name for one in self.fmu.of("output")]
        for k, name in enumerate(self.outputs or ()):
            if name not in known:
                yield Problem(
                    f'the FMU has no output "{shown(name)}"', f".outputs[{k}]", did_you_mean(name, known)
                )
        for k, one in enumerate(self.start):
            if one.name not in names:
                yield Problem(
                    f'the FMU has no number "{shown(one.name)}"',
                    f".start[{k}]",
                    did_you_mean(one.name, names),
                )
        ports = [one.port for one in (*inputs, *outputs)]
        for port in sorted({port for port in ports if ports.count(port) > 1}):
            yield Problem(
                f"two variables of the FMU would be the port {port}", ".file", "name fewer `outputs`"
            )

    def open(self) -> Partner:
        if not self.file:
            raise LuffError("no FMU is named", path=self.name, fix="file: model.fmu")
        if not self.allow_code:
            raise LuffError(
                f"the FMU {shown(self.file)} is code that wants to run", path=self.name, fix=TRUST
            )
        try:
            import fmpy  # noqa: F401
        except ImportError:
            raise LuffError("FMUs need FMPy", path=self.name, fix="pip install 'luff[fmi]'") from None
        return Slave(self.name, self.fmu, *self.chosen(), {one.name: one.value for one in self.start})


def _unit(one: Variable) -> str | None:
    """The unit, where luff reads it as the same one; else it is not checked."""
    try:
        return one.unit if one.unit and unit(one.unit).factor == 1 else None
    except LuffError:
        return None


_numbers = count(1)
_heard: dict[int, list[str]] = {}  # what each slave has said, by its number


@cache
def _logger() -> object:
    """The logger of all slaves: FMPy's native half keeps one for the process, and calls it as long as that lives."""
    from fmpy.fmi2 import fmi2CallbackLoggerTYPE

    return fmi2CallbackLoggerTYPE(_hear)


def _hear(environment: int | None, name: object, status: int, category: object, message: bytes) -> None:
    said = _heard.get(environment or 0)
    if said is not None:
        said.append((message or b"").decode("utf-8", "replace"))


class Slave:
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
            raise self._told("it cannot be started", error) from None

    def _begin(self, start: dict[str, float]) -> Any:
        import fmpy
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        fmpy.extract(str(self.fmu.path), unzipdir=str(self._folder))
        made: Any = (FMU2Slave if self.fmu.version == 2 else FMU3Slave)(
            guid=self.fmu.token, unzipDirectory=str(self._folder), modelIdentifier=self.fmu.identifier,
            instanceName=self.name,
        )  # fmt: skip
        if self.fmu.version == 2:
            made.instantiate(callbacks=self._callbacks())
            made.setupExperiment(startTime=0.0)
        else:
            made.instantiate(logMessage=self._heard_3)
        self._slave = made
        known = {one.name: one for one in self.fmu.variables}
        for name, value in start.items():
            self._set(known[name], value)
        made.enterInitializationMode()
        return made

    def outputs(self, t: float) -> Sequence[float]:
        try:
            if self._time is not None:
                ends = self._slave.doStep(self._time, t - self._time)
                if self.fmu.version == 3 and ends[1]:
                    raise RuntimeError("it asks to end the simulation")
                self._time = t
            return [self._get(one) for one in self._outputs]
        except Exception as error:
            raise self._told(f"its step to t = {t:g} s failed", error) from None

    def inputs(self, t: float, values: Sequence[float]) -> None:
        try:
            for one, value in zip(self._inputs, values, strict=True):
                self._set(one, value)
            if self._time is None:
                self._slave.exitInitializationMode()
                self._time = t
        except Exception as error:
            raise self._told(f"it takes no inputs at t = {t:g} s", error) from None

    def close(self) -> None:
        if self._slave is not None:
            slave, self._slave = self._slave, None
            if self._time is not None:
                slave.terminate()
            slave.freeInstance()
        _heard.pop(self._number, None)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _get(self, one: Variable) -> float:
        return float(self._access("get", one)([one.reference])[0])

    def _set(self, one: Variable, value: float) -> None:
        whole = one.kind in INTEGERS
        self._access("set", one)(
            [one.reference], [round(value) if whole else bool(value) if one.kind == "Boolean" else value]
        )

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

        found = fmi2CallbackFunctions()
        found.logger = _logger()
        found.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
        found.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
        found.componentEnvironment = self._number
        # FMPy's native half fills in the numbers of messages; where it has none the words are told without them
        with suppress(ImportError, OSError, AttributeError):
            from fmpy.logging import addLoggerProxy

            addLoggerProxy(byref(found))
        return found

    def _heard_3(self, environment: object, status: int, category: object, message: bytes) -> None:
        self._said.append((message or b"").decode("utf-8", "replace"))

    def _told(self, what: str, error: Exception) -> LuffError:
        words = self._said[-1].strip() if self._said else str(error)
        return LuffError(f"the FMU {self.fmu.path.name}: {what}: {shown(words)}", path=self.name)
