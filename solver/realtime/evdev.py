"""Joysticks of Linux, read as `/dev/input/event*` gives them (linux/input.h): structs of time, type, code and value.

Nothing blocks: what has come is taken, and what has not is waited for by nobody. A pipe or a socket that carries the
same structs is read as well, with axes from -32767 to 32767.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from ...blocks.errors import LuffError, Problem
from ...blocks.text.safe_read import shown

EVENT = struct.Struct("@llHHi")  # seconds, microseconds, type, code, value
SYN, KEY, ABS = 0, 1, 3
DROPPED = 3  # code of SYN: the queue ran over
CODES = {
    "x": 0, "y": 1, "z": 2, "rx": 3, "ry": 4, "rz": 5, "throttle": 6, "rudder": 7, "wheel": 8, "gas": 9,
    "brake": 10, "hat_x": 16, "hat_y": 17,
}  # fmt: skip
BUTTONS = range(0x100, 0x140)  # of mice, joysticks and gamepads; a device is a joystick by those from 0x120
FIRST_BUTTON = 0x120
UNKNOWN = (-32767, 32767)
READ_AT_ONCE = 64 * EVENT.size
SYSTEMS = {"win32": "Windows", "darwin": "macOS"}
PLACE = Path("/dev/input")


class Evdev:
    """Linux input device: positions of axes, and buttons that are held."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        require_evdev()
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            fix = "your user has to be in the group `input`" if error.errno == errno.EACCES else ""
            message = f"cannot open {shown(str(path))}: {error.strerror}"
            raise LuffError(Problem(message, fix=fix)) from None
        self.name = self._text(0x06) or str(path)
        self.buttons = [code for code in self._codes(KEY) if code in BUTTONS]
        self.axes = [code for code in self._codes(ABS) if code in CODES.values()]
        self._ranges: dict[int, tuple[int, int]] = {}
        self._positions: dict[int, int] = {}
        self._held: set[int] = set()
        for code in self.axes:
            self._read_axis(code)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._file)

    @property
    def is_joystick(self) -> bool:
        return 0 in self.axes and any(code >= FIRST_BUTTON for code in self.buttons)

    def read(self) -> int:
        """Read pending events: their number; OSError where the device is gone."""
        count = 0
        while True:
            try:
                data = os.read(self._file, READ_AT_ONCE)
            except BlockingIOError:
                return count
            if not data:  # of a pipe that nobody writes to
                if count:
                    return count
                raise OSError(errno.ENODEV, "nobody writes")
            for _, _, kind, code, value in EVENT.iter_unpack(data[: len(data) // EVENT.size * EVENT.size]):
                self._apply_event(kind, code, value)
                count += 1

    def _apply_event(self, kind: int, code: int, value: int) -> None:
        if kind == ABS:
            self._positions[code] = value
        elif kind == KEY:
            (self._held.add if value else self._held.discard)(code)
        elif kind == SYN and code == DROPPED:
            for axis in self.axes:
                self._read_axis(axis)
            self._held = set(self._bits(0x18, KEY_BYTES))

    def position(self, axis: str) -> float:
        """-1 to 1; 0 for an axis that the device does not have."""
        code = CODES[axis]
        least, most = self._ranges.get(code, UNKNOWN)
        value = self._positions.get(code)
        if value is None or most <= least:
            return 0.0
        return min(max((2 * value - least - most) / (most - least), -1.0), 1.0)

    def held(self, number: int) -> bool:
        """True if a button is held; they count from 1 in the order of their codes."""
        code = FIRST_BUTTON + number - 1
        if self.buttons:
            code = self.buttons[number - 1] if number <= len(self.buttons) else 0
        return code in self._held

    # what the kernel says of the device; a pipe says nothing

    def _ask(self, number: int, size: int) -> bytes:
        from fcntl import ioctl

        try:
            return bytes(ioctl(self._file, 2 << 30 | size << 16 | 0x45 << 8 | number, bytes(size)))
        except OSError:
            return b""

    def _text(self, number: int) -> str:
        return self._ask(number, 256).split(b"\0")[0].decode(errors="replace")

    def _bits(self, number: int, size: int) -> list[int]:
        return set_bits(self._ask(number, size))

    def _codes(self, kind: int) -> list[int]:
        return self._bits(0x20 + kind, KEY_BYTES)

    def _read_axis(self, code: int) -> None:
        """Value and range of an axis as they are now."""
        data = self._ask(0x40 + code, 24)
        if data:
            value, least, most, *_ = struct.unpack("6i", data)
            self._positions[code], self._ranges[code] = value, (least, most)


KEY_BYTES = 96  # bits of all codes of keys


def set_bits(data: bytes) -> list[int]:
    """Numbers of the bits that are set."""
    return [8 * k + bit for k, byte in enumerate(data) for bit in range(8) if byte >> bit & 1]


def joysticks(place: Path = PLACE) -> Iterator[Evdev]:
    """Yield the joysticks that can be opened, in the order of their numbers."""
    paths = sorted(place.glob("event*"), key=lambda path: (len(path.name), path.name))
    for path in paths:
        try:
            device = Evdev(path)
        except LuffError:
            continue
        if device.is_joystick:
            yield device
        else:
            device.close()


def require_evdev() -> None:
    """Raise LuffError on a system without evdev."""
    if not sys.platform.startswith("linux"):
        message = f"joysticks are read on Linux alone, and this is {SYSTEMS.get(sys.platform, sys.platform)}"
        fix = "use the levers of the dashboard in luff gui, wire the block's inputs, or give them by a script"
        raise LuffError(Problem(message, fix=fix))


def choose(text: str, place: Path = PLACE) -> Evdev:
    """The joystick that a text names: part of its name, its number from 0, or the first."""
    require_evdev()
    chosen, names = None, []
    for number, device in enumerate(joysticks(place)):
        names.append(device.name)
        fits = not text or (text == str(number) if text.isdigit() else text.lower() in device.name.lower())
        if fits and chosen is None:
            chosen = device
        else:
            device.close()
    if chosen is None:
        what = f'called "{shown(text)}"' if text else "that can be read"
        fix = f"there are: {', '.join(names)}" if names else f"see the rights of {place}/event*"
        raise LuffError(Problem(f"there is no joystick {what}", fix=fix))
    return chosen
