"""Ports: where a block is wired. Declared as class attributes of a block, in the order they are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from .light_dataclass import record

FRAME, HYDRAULIC, SHAFT, SIGNAL, TRAJECTORY = "frame", "hydraulic", "shaft", "signal", "trajectory"
ANY = 0  # a width that follows from what is wired to the port


@record
class Port:
    """Port of a block. `direction` is `in` or `out` for causal kinds, `` for acausal ones.

    `unit=None` means not checked; `default=None` on an input means that it must be wired. `width=ANY` ports of one
    block share one width, inferred from the wires. An `inner` one is between a block and the mechanism: it is not
    drawn, and recorded where an entry of `record` names it.
    """

    kind: str
    direction: str = ""
    width: int = 1
    unit: str | None = None
    default: float | None = None
    doc: str = ""
    inner: bool = False
    name: str = field(default="", compare=False)

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "name", name)

    def named(self, name: str) -> Port:
        return self if name == self.name else replace(self, name=name)

    @property
    def acausal(self) -> bool:
        return self.kind == FRAME or self.in_circuit

    @property
    def in_circuit(self) -> bool:
        """True for hydraulic and shaft ports, of which functions read one number and give one."""
        return self.kind in (HYDRAULIC, SHAFT)


def In(
    width: int = 1,
    unit: str | None = None,
    default: float | None = None,
    doc: str = "",
    kind: str = SIGNAL,
) -> Port:
    """A causal input; `kind="trajectory"` carries value, rate and acceleration."""
    return Port(kind, "in", width, unit, default, doc)


def Out(width: int = 1, unit: str | None = None, doc: str = "", kind: str = SIGNAL) -> Port:
    """Causal output port."""
    return Port(kind, "out", width, unit, None, doc)


def Frame(doc: str = "") -> Port:
    """A mechanical flange: position and orientation against force and torque."""
    return Port(FRAME, doc=doc)


def Hydraulic(doc: str = "", default: float | None = None) -> Port:
    """A hydraulic port: pressure against volume flow; `default` is the pressure at what is not wired."""
    return Port(HYDRAULIC, default=default, doc=doc)


def Shaft(doc: str = "", default: float | None = None) -> Port:
    """The end of a shaft: speed against torque; `default` is the speed of what is not wired."""
    return Port(SHAFT, default=default, doc=doc)


def with_widths(ports: Mapping[str, Port], widths: Mapping[str, int]) -> dict[str, Port]:
    """Ports with these widths by name, without those of width 0; others as they are."""
    return {
        name: replace(port, width=widths.get(name, port.width))
        for name, port in ports.items()
        if widths.get(name, 1)
    }
