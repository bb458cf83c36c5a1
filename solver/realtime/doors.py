"""Doors of a real-time run: other programs write its inputs and read its outputs, over OPC UA or MQTT.

A door has a thread of its own. Between it and the run stands a `Mailbox` of the newest values, so that no step waits
for a network: inputs hold until newer ones come, as those of `udp_receive`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from ...blocks.errors import LuffError, Problem
from ..simulation.inputs_outputs import io_signals

if TYPE_CHECKING:
    from ..simulation.session import Session

KINDS = ("opcua-server", "opcua", "mqtt")
PERIOD = 0.01  # s of wall time between outputs


@dataclass(frozen=True)
class Post:
    """Outputs of the run at a time [s], and the greatest and mean lateness of its steps so far [s]."""

    time: float
    outputs: Sequence[float]
    latest: float
    mean: float


@dataclass
class Mailbox:
    """Newest values between a run and the thread of a door."""

    inputs: Mapping[str, float]  # at the start, by name
    outputs: Sequence[str]
    units: Mapping[str, str]
    post: Post
    received: int = 0  # values of inputs
    refused: int = 0  # values that were no finite number
    sent: int = 0  # posts that went out
    lost: int = 0  # connections that broke
    _pending: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def receive(self, name: str, value: object) -> None:
        """Take the value of an input from the network; what is no finite number is refused, and the last one holds."""
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        with self._lock:
            if name not in self.inputs or not math.isfinite(number):
                self.refused += 1
                return
            self.received += 1
            self._pending[name] = number

    def take(self) -> dict[str, float]:
        """Inputs that came since the last call."""
        with self._lock:
            pending, self._pending = self._pending, {}
        return pending


class Door(Protocol):
    """Connection to another program, with a thread of its own."""

    def open(self) -> None:
        """Connect; LuffError where that fails."""
        ...

    def close(self) -> None:
        """Disconnect and end the thread."""
        ...


class Doors:
    """All doors of a run: `give` is called before each of its steps."""

    def __init__(
        self,
        session: Session,
        addresses: Sequence[str],
        lateness: Callable[[], tuple[float, float]],
        period: float = PERIOD,
    ):
        signals = io_signals(session.instance.program)
        self.session, self.period, self._lateness, self._slots = session, period, lateness, signals.slots
        self._due = -math.inf
        inputs = dict(zip(signals.inputs, session.inputs.tolist(), strict=True))
        first = Post(session.time, session.outputs.tolist(), 0.0, 0.0)
        self.boxes = [Mailbox(inputs, signals.outputs, signals.units, first) for _ in addresses]
        self.addresses = list(addresses)
        self._doors: list[Door] = []
        try:
            for text, box in zip(addresses, self.boxes, strict=True):
                door = door_of(text, box, period)
                self._doors.append(door)
                door.open()
        except BaseException:
            self.close()
            raise

    def give(self) -> None:
        """Write the inputs that came; post the outputs where a period is over."""
        for box in self.boxes:
            for name, value in box.take().items():
                self.session.inputs[self._slots[name]] = value
        now = time.perf_counter()
        if now >= self._due:
            self._due = now + self.period
            self.post()

    def post(self) -> None:
        """Hand the present outputs to all doors."""
        made = Post(self.session.time, self.session.outputs.tolist(), *self._lateness())
        for box in self.boxes:
            box.post = made

    def close(self) -> None:
        """Let the last outputs go out, and disconnect."""
        if self._doors:
            self.post()
        for door in reversed(self._doors):
            door.close()
        self._doors = []

    def lines(self) -> list[str]:
        """What went through each door."""
        told = []
        for address, box in zip(self.addresses, self.boxes, strict=True):
            line = f"{address}: {box.sent} times outputs, {box.received} values of inputs"
            line += f"; {box.refused} were refused: no input, or no finite number" if box.refused else ""
            told.append(line + (f"; {box.lost} times without connection" if box.lost else ""))
        return told

    def report(self) -> list[dict[str, object]]:
        """Counts of each door, for JSON."""
        return [
            {
                "door": address,
                "sent": box.sent,
                "received": box.received,
                "refused": box.refused,
                "lost": box.lost,
            }
            for address, box in zip(self.addresses, self.boxes, strict=True)
        ]


def door_of(text: str, box: Mailbox, period: float) -> Door:
    """Door of a text such as `opcua-server=opc.tcp://127.0.0.1:4840`."""
    kind, equals, address = text.partition("=")
    kind, address = kind.strip(), address.strip()
    if kind not in KINDS or not equals or not address:
        mistake = f'found "{text}", expected KIND=ADDRESS with one of {", ".join(KINDS)}'
        raise LuffError(Problem(mistake, "--door", "mqtt=mqtt://127.0.0.1:1883/crane"))
    if kind == "mqtt":
        from .mqtt_door import MqttDoor

        return MqttDoor(address, box, period)
    from .opcua_doors import OpcUaClient, OpcUaServer

    return (OpcUaServer if kind == "opcua-server" else OpcUaClient)(address, box, period)
