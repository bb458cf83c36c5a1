"""Gauges of stress along links: section sensors, or of a flexible link without any its own section forces. No Qt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ...blocks.block import Block
from ...blocks.mechanics.flexible_links import RfemLink
from ...blocks.mechanics.section_sensor import SectionSensor, greatest_stress
from ...blocks.mechanics.stress_recovery import points_of, rows

MOST = 40  # springs of a link that are read


@dataclass(frozen=True)
class Gauge:
    """Place on a link [m] whose stress is known from signals."""

    at: float
    signals: tuple[str, ...]  # the stress alone, or what it follows from by `recovery`
    share: str = ""  # signal of the utilisation; empty without an allowable stress
    recovery: tuple[float, ...] = ()  # stresses of the section's points from their loads, a row each
    beyond: float = 0.0  # m, from the spring of the loads along x to the gauge

    @property
    def measured(self) -> bool:
        """True for a sensor."""
        return not self.recovery

    def stress(self, read: Callable[[str], float]) -> float:
        """Stress [Pa], with `read` for the value of a signal; von Mises, the greatest of the section."""
        values = [read(name) for name in self.signals]
        if self.measured:
            return values[0]
        N, V_y, V_z, M_y, M_z, *torques = values
        M_y, M_z = M_y + self.beyond * V_z, M_z - self.beyond * V_y
        return float(greatest_stress(N, V_y, V_z, float(np.mean(torques)), M_y, M_z, self.recovery))


def gauges_of(blocks: Mapping[str, Block]) -> dict[str, list[Gauge]]:
    """Gauges by link, sorted by position."""
    gauges: dict[str, list[Gauge]] = defaultdict(list)
    for name, block in blocks.items():
        if isinstance(block, SectionSensor) and block.link is not None and block.all_points:
            share = "" if block.allowable is None else f"{name}.utilisation"
            gauges[block.link.name].append(Gauge(block.at, (f"{name}.von_mises",), share))
    for name, block in blocks.items():
        if isinstance(block, RfemLink) and name not in gauges and (own := [*_own_gauges(block)]):
            gauges[name] = own
    return {link: sorted(own, key=lambda gauge: gauge.at) for link, own in gauges.items()}


def _own_gauges(link: RfemLink) -> Iterator[Gauge]:
    """Gauges at the springs of a flexible link that bend, and at its ends by the forces at the springs next to them.

    Torsion is known in the middles of the elements, or at the springs: between two it is their mean.
    """
    if link.rigid:
        return
    count, step = link.divisions, link.length / link.divisions
    for k in np.unique(np.linspace(0, count - 1, min(count, MOST)).round().astype(int)).tolist():
        twists = [k] if link.springs("torsion") == count else [k, k + 1]
        names = ("axial", "shear_y", "shear_z", "bending_moment_y", "bending_moment_z")
        signals = [_signal(link, name, k) for name in names]
        signals += [_signal(link, "torsion", j) for j in twists]
        x = (k + 0.5) * step
        for at in (*[0.0] * (k == 0), x, *[link.length] * (k == count - 1)):
            section = link.section_at(at)
            recovery = rows(points_of(section), section.constants())
            if recovery:
                yield Gauge(at, tuple(signals), "", recovery, at - x)


def _signal(link: RfemLink, port: str, k: int) -> str:
    return f"{link.name}.{port}[{k}]" if link.springs(port) > 1 else f"{link.name}.{port}"
