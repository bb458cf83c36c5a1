"""Stress gauges of a model's links: its section sensors. No Qt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ...blocks.block import Block
from ...blocks.mechanics.section_sensor import SectionSensor


@dataclass(frozen=True)
class Gauge:
    """Section sensor as a gauge: its position on the link [m] and its signals."""

    at: float
    stress: str
    share: str  # of what is allowable; empty where nobody said


def gauges_of(blocks: Mapping[str, Block]) -> dict[str, list[Gauge]]:
    """Gauges by link, sorted by position."""
    gauges: dict[str, list[Gauge]] = defaultdict(list)
    for name, block in blocks.items():
        if isinstance(block, SectionSensor) and block.link is not None and block.all_points:
            share = "" if block.allowable is None else f"{name}.utilisation"
            gauges[block.link.name].append(Gauge(block.at, f"{name}.von_mises", share))
    return {link: sorted(own, key=lambda gauge: gauge.at) for link, own in gauges.items()}
