"""Operator's stand of one run: devices are read before each step, and written into the inputs of its joysticks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.signals.joystick import Joystick, JoystickButtons, Operated
from ..program.signal_operations import flat_list
from ..simulation.inputs_outputs import io_signals
from .evdev import Evdev, choose

if TYPE_CHECKING:
    from ..simulation.session import Session

LOOK_AGAIN = 1.0  # s between attempts to find a device that is gone
ALL = ""  # of devices by block: what has none of its own
Clock = Callable[[], float]


class Device(Protocol):
    """Device with positions and buttons."""

    name: str

    def read(self) -> int:
        """Read pending events: their number; OSError where the device is gone."""
        ...

    def position(self, axis: str) -> float:
        """Position of an axis, -1 to 1."""
        ...

    def held(self, number: int) -> bool:
        """True if a button is held, from 1."""
        ...

    def close(self) -> None:
        """Stop reading it."""
        ...


class OperatorDevice:
    """Device that is opened again after a loss."""

    def __init__(self, open_device: Callable[[], Device], clock: Clock):
        self._open, self._clock = open_device, clock
        self._next = clock()  # time of the next attempt to find it
        self._heard = clock()
        self.device: Device | None = None
        self.why = "it was not looked for"  # it is gone; empty while it is there

    def read(self) -> bool:
        """Read pending events; True if anything may have changed, as with a device just found."""
        now, new = self._clock(), self.device is None
        if new and not self._found(now):
            return False
        assert self.device is not None
        try:
            events = self.device.read()
        except OSError as error:
            self.close()
            self.why, self._next = error.strerror or "it is gone", now + LOOK_AGAIN
            return True
        if events:
            self._heard = now
        return new or events > 0

    def _found(self, now: float) -> bool:
        if now < self._next:
            return False
        try:
            self.device, self._heard, self.why = self._open(), now, ""
        except LuffError as error:
            self.why, self._next = str(error.problems[0]), now + LOOK_AGAIN
        return self.device is not None

    def lost(self, timeout: float) -> bool:
        """True if it is gone, or silent for longer than the timeout [s]."""
        return self.device is None or 0.0 < timeout < self._clock() - self._heard

    def close(self) -> None:
        if self.device is not None:
            self.device.close()
        self.device = None


class DrivenBlock:
    """Block with the device that drives it, and the places of its inputs."""

    def __init__(self, block: Operated, hand: OperatorDevice, slots: Mapping[str, int | slice]):
        self.block, self.hand = block, hand
        self.at = slots[f"{block.name}_u"]
        self.at_lost = slots[f"{block.name}_lost"]
        self.was_lost: bool | None = None
        self.may_lack = False  # others move its inputs, until it has a device

    def values(self, device: Device) -> list[float]:
        if isinstance(self.block, Joystick):
            return [device.position(axis) for axis in self.block.axes]
        numbers = self.block.buttons if isinstance(self.block, JoystickButtons) else ()
        return [float(device.held(int(number))) for number in flat_list(numbers)]


class OperatorStand:
    """The devices of a run. `paths` gives the file of a block's device, or under `""` that of all others.

    What `by_screen` names is moved on a screen: its block is not lost for want of a device that never was there.
    """

    def __init__(
        self,
        session: Session,
        paths: Mapping[str, str | Path] | None = None,
        clock: Clock = time.monotonic,
        by_screen: Iterable[str] = (),
    ):
        self.session = session
        slots = io_signals(session.instance.program).slots
        blocks = {
            name: block
            for name, block in session.instance.program.flat.blocks.items()
            if isinstance(block, Operated) and f"{name}_u" in slots and f"{name}_lost" in slots
        }
        hands: dict[str, OperatorDevice] = {}
        paths = paths or {}
        for name in paths.keys() - blocks.keys() - {ALL}:
            fix = did_you_mean(name, blocks) if blocks else "add a block of the type joystick"
            raise LuffError(Problem(f'there is no joystick "{name}" that devices drive', fix=fix))
        self.driven: list[DrivenBlock] = []
        moved = {name.partition("[")[0] for name in by_screen}
        for name, block in blocks.items():
            path = paths.get(name, paths.get(ALL))
            key = f"name {block.device}" if path is None else f"file {path}"
            if key not in hands:
                hands[key] = OperatorDevice(
                    partial(choose, block.device) if path is None else partial(Evdev, path), clock
                )
            self.driven.append(DrivenBlock(block, hands[key], slots))
            self.driven[-1].may_lack = f"{name}_u" in moved
        self.hands = [*hands.values()]

    def give(self) -> None:
        """Read all devices and write their values to the inputs of the next step."""
        moved = {hand for hand in self.hands if hand.read()}
        inputs = self.session.inputs
        for each in self.driven:
            device = each.hand.device
            each.may_lack = each.may_lack and device is None
            lost = each.hand.lost(each.block.timeout) and not each.may_lack
            if device is not None and (each.hand in moved or each.was_lost is None):
                inputs[each.at] = each.values(device)
            if lost is not each.was_lost:
                inputs[each.at_lost] = float(lost)
                each.was_lost = lost

    def lost(self) -> Iterator[str]:
        """Yield a warning for each block without a device."""
        for each in self.driven:
            if each.was_lost:
                yield f"{each.block.name}: no device, its outputs go to rest: {each.hand.why or 'it is silent'}"

    def close(self) -> None:
        for hand in self.hands:
            hand.close()
