"""`udp_send` and `udp_receive` against a process's other end: sockets of this test; and runs beside the clock."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.process import PATIENCE, call
from luff.tests.shared.ports import free_port

ROD = """
luff: 1
name: rod
simulation: {stop: 0.2, step: 1 ms, output_step: 5 ms}
blocks:
  pin: {type: revolute, axis: y, initial: {position: 0.5}}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0.01]}
  state: {type: mux, sizes: [1, 1]}
  out: {type: udp_send, to: "127.0.0.1:THERE", count: 2, step: 5 ms}
  command: {type: udp_receive, at: "127.0.0.1:HERE", step: 5 ms, timeout: 600}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - pin.position -> state.u1
  - pin.velocity -> state.u2
  - state.y -> out.u
  - command.y -> pin.effort
"""


@pytest.fixture
def other() -> Iterator[tuple[socket.socket, int]]:
    """A socket for the other process, and a port that is free for luff's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.bind(("127.0.0.1", 0))
        ours.settimeout(PATIENCE)
        yield ours, free_port(socket.SOCK_DGRAM)


def netlist(other: tuple[socket.socket, int]) -> str:
    return ROD.replace("THERE", str(other[0].getsockname()[1])).replace("HERE", str(other[1]))


def test_controller_elsewhere_closes_a_loop(other: tuple[socket.socket, int]) -> None:
    """All that is sent is what the run records, and what comes back moves it one communication point later."""
    ours, port = other
    got: list[tuple[float, ...]] = []
    sent: list[float] = []

    def control() -> None:
        for _ in range(41):
            got.append(struct.unpack("<3d", ours.recv(100)))
            sent.append(-8.0 * got[-1][1])
            ours.sendto(struct.pack("<2d", got[-1][0], sent[-1]), ("127.0.0.1", port))

    thread = threading.Thread(target=control)
    thread.start()
    result = luff.compile(luff.loads(netlist(other), allow_code=True)).run()
    thread.join()
    columns = np.array(got).T
    assert columns[0] == pytest.approx(result.time, abs=1e-12)
    assert np.array_equal(columns[1], result["pin.position"])
    assert np.array_equal(columns[2], result["pin.velocity"])
    assert result["command.y"].tolist() == [0.0, *sent[:-1]]
    # without the effort the rod, let go at 0.5 rad, falls by 0.25 rad in this time
    free = 0.5 * np.cos(np.sqrt(2 * 9.81 * 0.5 / 0.7) * 0.2)
    assert result["pin.position"][-1] < free - 0.05


def test_values_stand_until_the_next_datagram(other: tuple[socket.socket, int]) -> None:
    """Of several the newest counts; `age` tells how old it is."""
    ours, port = other
    text = netlist(other).replace(", timeout: 600", ", initial: 3")
    session = luff.compile(luff.loads(text, allow_code=True)).start()
    session.advance(steps=20)
    for value in (1.0, 7.0):
        ours.sendto(struct.pack("<2d", 0.0, value), ("127.0.0.1", port))
    session.advance(steps=30)
    names = session.columns
    _, rows = session.take()
    values, ages = rows[:, names.index("command.y")], rows[:, names.index("command.age")]
    assert values.tolist() == [3.0] * 5 + [7.0] * 6
    assert ages == pytest.approx([0.005 * k for k in range(5)] + [0.005 * k for k in range(6)], abs=1e-12)


def test_network_is_not_used_unless_allowed(tmp_path: Path, other: tuple[socket.socket, int]) -> None:
    (tmp_path / "rod.yaml").write_text(netlist(other))
    assert call("check", "rod.yaml", cwd=tmp_path).stdout == "rod.yaml: fine\n"
    told = call("run", "rod.yaml", cwd=tmp_path, code=3).stderr
    assert (
        "this netlist needs your permission to use the network (if you trust the netlist, run with --allow-code"
        in told
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("timeout: 600", "timeout: 0.01", "command: no datagram came within 0.01 s"),
        ("127.0.0.1:THERE", "here", 'out: found the address "here", expected host:port'),
        ("127.0.0.1:HERE", "127.0.0.1:70000", 'command: found the address "127.0.0.1:70000"'),
        (
            "127.0.0.1:HERE",
            "192.0.2.1:5000",
            "command: cannot listen at 192.0.2.1:5000",
        ),  # of nobody: RFC 5737
    ],
)
def test_faults_are_told(other: tuple[socket.socket, int], old: str, new: str, told: str) -> None:
    text = (
        ROD.replace(old, new).replace("THERE", str(other[0].getsockname()[1])).replace("HERE", str(other[1]))
    )
    with pytest.raises(luff.RunError, match=told.replace(".", r"\.")):
        luff.compile(luff.loads(text, allow_code=True)).run()


def test_datagram_of_another_size_is_told(other: tuple[socket.socket, int]) -> None:
    ours, port = other
    session = luff.compile(luff.loads(netlist(other), allow_code=True)).start()
    ours.sendto(b"hello", ("127.0.0.1", port))
    assert session.advance(steps=20) == "failed"
    assert "found a datagram of 5 bytes, expected 16: a time and 1 values" in session.message
    assert session.time == pytest.approx(0.004)  # the last step that is whole


def test_run_keeps_to_the_clock(tmp_path: Path) -> None:
    """Never ahead of it; how late it was is measured."""
    (tmp_path / "wave.yaml").write_text(
        "luff: 1\nname: wave\nblocks: {wave: {type: sine}}\nsimulation: {stop: 0.3 s, step: 1 ms}\n"
    )
    found = json.loads(call("run", "wave.yaml", "--realtime", "--json", cwd=tmp_path).stdout)
    assert found["wall_time"] >= 0.3
    assert found["realtime"]["slices"] == 300
    assert 0.0 <= found["realtime"]["mean"] <= found["realtime"]["latest"]
    told = call("run", "wave.yaml", "--realtime", "--stop", "0.02", cwd=tmp_path).stdout
    assert "real time: 20 slices, " in told
    assert " ms late" in told
