"""The block `fmu`: models of other programs, through FMPy (extra `fmi`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from ..block import Echo
from ..errors import CODE, LuffError, Problem, did_you_mean
from ..external_block import ExternalPartner, ProgramBlock
from ..params import Names, Param, Struct, SubList, Text
from ..ports import In, Out, Port
from ..text.quantity import unit
from ..text.safe_read import shown
from .fmu_cosimulation import CoSimulation
from .fmu_description import Fmu, Variable, find
from .fmu_evaluation import Continuous, FmuEvaluator
from .fmu_model_exchange import ModelExchange

TRUST = "if you trust it, run with --allow-code, or luff.load(path, allow_code=True)"


class Setting(Struct):
    """A value of the FMU before it begins."""

    name = Text(doc="variable of the FMU")
    value = Param(doc="its value, in the FMU's own unit")


class FmuBlock(ProgramBlock):
    """A model of another program: an FMU (FMI 2.0 or 3.0), stepped every `step`."""

    type_name = "fmu"
    needed = ("file",)
    file = Text("", doc="the FMU, named from the netlist's folder; it runs code, which has to be allowed")
    outputs = Names(
        None, follows=False, doc="outputs that become ports, by their names in the FMU; all if left out"
    )
    start = SubList(Setting, doc="values that variables of the FMU have at the start: [{name, value}]")

    @cached_property
    def fmu(self) -> Fmu:
        if not self.file:
            raise LuffError("no FMU is named")
        return find(self.folder, self.file, self.files)

    def port_variables(self) -> tuple[list[Variable], list[Variable]]:
        """Inputs and outputs that are ports."""
        given = self.fmu.of("output")
        names = None if self.outputs is None else set(self.outputs)
        return self.fmu.of("input"), [one for one in given if names is None or one.name in names]

    def ports(self) -> dict[str, Port]:
        try:
            inputs, outputs = self.port_variables()
        except LuffError:  # `check` tells
            return {}
        ports = {one.port: In(one.size, _unit(one), _default(one), one.doc).named(one.port) for one in inputs}
        return ports | {one.port: Out(one.size, _unit(one), one.doc).named(one.port) for one in outputs}

    def reads(self) -> Iterable[str]:
        return [self.fmu.digest] if self.file else []

    def check(self) -> Iterable[Problem]:
        if not self.file:  # as it comes from the palette: a run tells
            return
        try:
            inputs, outputs = self.port_variables()
        except LuffError as error:
            yield from (problem.at(path=".file") for problem in error.problems)
            return
        if self.fmu.unlike and not inputs and not outputs and not self.outputs:
            message = f"no signal carries an input or output of the FMU: found {', '.join(self.fmu.unlike)}"
            yield Problem(message, ".file", "export it with numbers as inputs and outputs")
        elif self.fmu.unlike:
            message = f"no signal carries these inputs and outputs of the FMU: {', '.join(self.fmu.unlike)}"
            yield Problem(message, ".file", "they keep their start values", severity="warning")
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

    def echo(self) -> Echo | None:
        """Continuous model between communication points, for an FMU that offers model exchange."""
        if not self.file or not self.fmu.exchange:
            return None
        self._require_permission()
        fmu = replace(self.fmu, identifier=self.fmu.exchange, integrated=True)
        held = Continuous(self.name, fmu, *self.port_variables(), self.start_values)
        return Echo(by=FmuEvaluator(self.name, self.ports(), held, self.step))

    def open(self) -> ExternalPartner:
        self._require_permission()
        kind = ModelExchange if self.fmu.integrated else CoSimulation
        return kind(self.name, self.fmu, *self.port_variables(), self.start_values)

    @property
    def start_values(self) -> dict[str, float]:
        """Values of `start` by variable of the FMU."""
        return {one.name: one.value for one in self.start}

    def _require_permission(self) -> None:
        """Raise LuffError unless the FMU can be run and is allowed to."""
        if not self.file:
            raise LuffError("no FMU is named", path=self.name, fix="file: model.fmu")
        if not self.allow_code:
            message = f"the FMU {shown(self.file)} contains code, which needs your permission to run"
            raise LuffError(Problem(message, self.name, TRUST, wants=CODE))
        try:
            import fmpy  # noqa: F401
        except ImportError:
            raise LuffError("FMUs need FMPy", path=self.name, fix="pip install 'luff[fmi]'") from None


def _default(one: Variable) -> float | None:
    """Default of an unwired input; None if its elements start differently and must be wired."""
    return one.start if one.start is not None or one.size > 1 else 0.0


def _unit(one: Variable) -> str | None:
    """The unit, where luff reads it as the same one; else it is not checked."""
    try:
        return one.unit if one.unit and unit(one.unit).factor == 1 else None
    except LuffError:
        return None
