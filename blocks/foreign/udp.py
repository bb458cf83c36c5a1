"""`udp_send` and `udp_receive`: signals to and from another process, as datagrams.

A datagram holds 8-byte floating-point numbers, little-endian: the time of the sender, then the values.
"""

from __future__ import annotations

import contextlib
import select
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import CODE, LuffError, Problem
from ..external_block import ExternalPartner, ProgramBlock
from ..params import Integer, Param, Text
from ..ports import In, Out, Port

if TYPE_CHECKING:
    import socket

LARGEST = 2000  # values that one datagram holds on all systems
TRUST = "if you trust the netlist, run with --allow-code, or luff.load(path, allow_code=True)"


def address(block: ProgramBlock, text: str) -> tuple[str, int]:
    """Host and port of `127.0.0.1:5005`."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise LuffError(
            f'found the address "{text}", expected host:port', path=block.name, fix="127.0.0.1:5005"
        )
    return host, int(port)


def require_trust(block: ProgramBlock) -> None:
    """Raise unless the netlist may use the network."""
    if not block.allow_code:
        message = "this netlist needs your permission to use the network"
        raise LuffError(Problem(message, block.name, TRUST, wants=CODE))


def fault(block: ProgramBlock, what: str, error: OSError) -> LuffError:
    return LuffError(f"{what}: {error.strerror or error}", path=block.name)


class UdpSend(ProgramBlock):
    """Sends its input every `step`: one datagram of the time and the values."""

    to = Text("127.0.0.1:5005", doc="host:port that it goes to")
    count = Integer(1, ge=1, le=LARGEST, doc="number of values")

    def ports(self) -> dict[str, Port]:
        return {"u": In(self.count, doc="what is sent").named("u")}

    def open(self) -> ExternalPartner:
        require_trust(self)
        return Sender(self, address(self, self.to))


class UdpReceive(ProgramBlock):
    """Hands on the values of the newest datagram that has come; they stand until the next one.

    With a `timeout` each communication point waits for a datagram, so that two processes keep step.
    """

    at = Text("127.0.0.1:5006", doc="host:port at which it listens")
    count = Integer(1, ge=1, le=LARGEST, doc="number of values")
    initial = Param(0.0, live=False, doc="values until the first datagram")
    timeout = Param(
        0.0, "s", ge=0, live=False, doc="wall time to wait for each datagram; 0: none is waited for"
    )

    def ports(self) -> dict[str, Port]:
        return {
            "y": Out(self.count, doc="the values").named("y"),
            "age": Out(unit="s", doc="time since the last datagram came").named("age"),
        }

    def open(self) -> ExternalPartner:
        require_trust(self)
        return Receiver(self, address(self, self.at))


def datagrams() -> socket.socket:
    import socket  # all models load this module, and few talk

    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


class Sender:
    def __init__(self, block: UdpSend, to: tuple[str, int]):
        self._block, self._to = block, to
        self._socket = datagrams()

    def outputs(self, t: float) -> Sequence[float]:
        return ()

    def inputs(self, t: float, values: Sequence[float]) -> None:
        try:
            with contextlib.suppress(ConnectionRefusedError):  # nobody listens yet
                self._socket.sendto(struct.pack(f"<{1 + len(values)}d", t, *values), self._to)
        except OSError as error:
            raise fault(self._block, f"cannot send to {self._block.to}", error) from None

    def close(self) -> None:
        self._socket.close()


class Receiver:
    def __init__(self, block: UdpReceive, at: tuple[str, int]):
        self._block, self._values, self._came = block, [block.initial] * block.count, 0.0
        self._socket = datagrams()
        try:
            self._socket.bind(at)
        except OSError as error:
            self._socket.close()
            raise fault(block, f"cannot listen at {block.at}", error) from None
        self._socket.setblocking(False)

    def outputs(self, t: float) -> Sequence[float]:
        if t > 0.0 and self._block.timeout > 0.0:
            self._wait()
        while (datagram := self._next()) is not None:
            self._values, self._came = datagram, t
        return [*self._values, t - self._came]

    def _wait(self) -> None:
        ready, _, _ = select.select([self._socket], [], [], self._block.timeout)
        if not ready:
            mistake = f"no datagram came within {self._block.timeout:g} s"
            raise LuffError(mistake, path=self._block.name, fix="start the other process first")

    def _next(self) -> list[float] | None:
        """The values of a datagram; None where none is waiting."""
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:
            return None
        except OSError as error:
            raise fault(self._block, f"cannot receive at {self._block.at}", error) from None
        count = self._block.count
        if len(data) != 8 * (1 + count):
            mistake = f"found a datagram of {len(data)} bytes, expected {8 * (1 + count)}: a time and {count} values"
            raise LuffError(mistake, path=self._block.name, fix="both ends must agree on `count`")
        return list(struct.unpack(f"<{1 + count}d", data)[1:])

    def inputs(self, t: float, values: Sequence[float]) -> None:
        pass

    def close(self) -> None:
        self._socket.close()
