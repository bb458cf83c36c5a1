"""`joystick` and `joystick_buttons`: what an operator's hand does, as signals.

The model is pure: it has inputs, and says here what becomes of them. Who reads a device stands outside of it, gives
each axis as -1 to 1, each button as 0 or 1, and says with `lost` that it has nothing to give.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..block import Block, at_time
from ..block_states import Memory
from ..errors import Problem
from ..params import Flag, Names, Param, Text
from ..ports import ANY, In, Out
from ..signal_params import PerElement

AXES = ("x", "y", "z", "rx", "ry", "rz", "throttle", "rudder", "wheel", "gas", "brake", "hat_x", "hat_y")
CENTRE = (
    0.05  # a lever that has been lost works again once it was as near to its middle, or within its dead band
)
MOST_BUTTONS = 64


def shaped(u, dead_band, expo):
    """-1 to 1 behind the dead band and the curve."""
    size = (min(abs(u), 1.0) - dead_band) / (1.0 - dead_band)
    if not size > 0.0:
        return 0.0
    size *= 1.0 - expo + expo * size * size
    return size if u > 0.0 else -size


def present(lost):
    """Above zero while the device is there."""
    return 0.5 - lost


def held(u, lost):
    return 1.0 if u > 0.5 and present(lost) > 0.0 else 0.0


def wanted(u, lost, dead_band, expo, scale, rest, released):
    """Target of the output: the rest value while the device is lost, and until its lever was in the middle again."""
    if not present(lost) > 0.0 or released[0] > 0.0:
        return rest
    return rest + scale * shaped(u, dead_band, expo)


def limited(t, y, rate, last):
    """No faster than the rate; a rate that is NaN is no limit."""
    if last[0] == 0.0 or not rate >= 0.0:
        return y
    most = rate * (t - last[1])
    return min(max(y, last[2] - most), last[2] + most)


class Operated(Block, abstract=True):
    """Base of operator-driven blocks; unwired inputs become inputs of the netlist."""

    from_outside = ("u", "lost")
    u = In(ANY)
    lost = In(doc="1 while the device is gone or silent, else 0")
    device = Text("", doc="part of the device's name, or its number; the first one where empty")
    timeout = Param(
        0.0,
        "s",
        ge=0,
        live=False,
        doc="where a device is read: wall time of silence after which it is lost; 0: it may be silent",
    )

    def room_device(lost):
        return present(lost)

    def words_of_room(self, name: str, time: float, least: float) -> str:
        return f"the device was lost {at_time(time)}, and its outputs went to rest"


class Joystick(Operated):
    """Levers: y = rest + scale f(u), with u from -1 to 1, f = 0 in the dead band, else (1 - expo) s + expo s^3.

    s goes from 0 at the dead band to 1 at the end. While the device is lost y goes to `rest`, no faster than `rate`,
    and stays there until the device is back and its lever was in the middle again.
    """

    u = In(ANY, doc="positions of the axes, -1 to 1")
    y = Out(ANY, doc="what the levers ask for")
    axes = Names(("x",), choices=AXES, doc="axes of the device, one for each element of y")
    dead_band = PerElement(0.05, "", ge=0, lt=1, doc="share of the way to either side that does nothing")
    expo = PerElement(0.0, "", ge=0, le=1, doc="share of the cube in the curve: fine about the middle")
    scale = PerElement(1.0, doc="y at the end of the way, beside rest; negative ones turn the axis round")
    rest = PerElement(0.0, doc="y in the middle, and without the device")
    rate = PerElement(None, ge=0, doc="greatest rate of y, per second; no limit when not given")
    released = Memory(doc="1 from when the device was lost until its lever is in the middle")
    last = Memory(size=3, doc="whether there is a last value, its time, and the value")

    def unit_laws(self) -> Iterable[str]:
        return ("scale = y", "rest = y", "rate = y/s")

    def width(self) -> int:
        super().width()
        return len(self.axes)

    def check(self) -> Iterable[Problem]:
        if not self.axes:
            yield Problem("found no axis, expected one or more", ".axes", "axes: [x, y]")
        for name in ("dead_band", "expo", "scale", "rest", "rate"):
            value = self.values[name]
            if isinstance(value, tuple) and len(value) not in (1, len(self.axes)):
                mistake = f"found {len(value)} numbers for {len(self.axes)} axes"
                yield Problem(mistake, f".{name}", "give one number, or one for each axis")

    def out(t, u, lost, dead_band, expo, scale, rest, rate, released, last):
        return limited(t, wanted(u, lost, dead_band, expo, scale, rest, released), rate, last)

    def update(t, u, lost, dead_band, expo, scale, rest, rate, released, last):
        y = limited(t, wanted(u, lost, dead_band, expo, scale, rest, released), rate, last)
        last[0] = 1.0
        last[1] = t
        last[2] = y
        if not present(lost) > 0.0:
            released[0] = 1.0
        elif abs(u) <= max(dead_band, CENTRE):
            released[0] = 0.0


class JoystickButtons(Operated):
    """Buttons of a joystick: y = 1 while one is held; with `toggle` y changes each time that one is pressed.

    Without the device no button is held; what was toggled stays.
    """

    u = In(ANY, doc="1 while a button is held, else 0")
    y = Out(ANY)
    buttons = PerElement(1.0, "", ge=1, le=MOST_BUTTONS, live=False, doc="numbers of the buttons, from 1")
    toggle = Flag(False, doc="whether each press changes y, in place of holding it")
    start = PerElement(0.0, "", ge=0, le=1, live=False, doc="y at first, of those that toggle")
    derived_names = ("toggles",)
    on = Memory("start", doc="1 where y was toggled on")
    before = Memory(doc="1 where the button was held before")

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"toggles": (float(self.toggle),)}

    def check(self) -> Iterable[Problem]:
        numbers = self.buttons if isinstance(self.buttons, tuple) else (self.buttons,)
        if any(number % 1 for number in numbers) or len({*numbers}) < len(numbers):
            yield Problem(f"found {list(numbers)}, expected whole numbers, each once", ".buttons")

    def out(u, lost, toggles, on):
        if toggles[0] > 0.0:
            return on[0]
        return held(u, lost)

    def update(u, lost, on, before):
        now = held(u, lost)
        if now > before[0]:
            on[0] = 1.0 - on[0]
        before[0] = now
