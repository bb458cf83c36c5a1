"""Doors of a real-time run: other programs write its inputs and read its outputs, over OPC UA or MQTT.

A door has a thread of its own. Between it and the run stands a `Mailbox` of the newest values, so that no step waits
for a network: inputs hold until newer ones come, as those of `udp_receive`.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...blocks.errors import LuffError, Problem
from ..simulation.inputs_outputs import io_signals
from .door_mailbox import Door, Mailbox, Post

if TYPE_CHECKING:
    from ..simulation.session import Session

KINDS = ("opcua-server", "opcua", "mqtt")
PERIOD = 0.01  # s of wall time between outputs


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
        self.shown = [re.sub(r"//[^/]*@", "//", text) for text in addresses]  # without user and password
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
        """Report of each door: values sent and received, losses, and why it ended."""
        told = []
        for address, box in zip(self.shown, self.boxes, strict=True):
            line = f"{address}: {box.sent} times outputs, {box.received} values of inputs"
            line += f"; {box.refused} were refused: no input, or no finite number" if box.refused else ""
            line += f"; {box.lost} times without connection" if box.lost else ""
            told.append(line + (f"; it ended before the run: {box.ended}" if box.ended else ""))
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
                **({"ended": box.ended} if box.ended else {}),
            }
            for address, box in zip(self.shown, self.boxes, strict=True)
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
