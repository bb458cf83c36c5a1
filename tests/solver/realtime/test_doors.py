"""Doors of a real-time run over loopback, with the clients, server and broker of other packages."""

from __future__ import annotations

import asyncio
import gc
import json
import math
import socket
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("asyncua")
pytest.importorskip("paho.mqtt")

from luff.blocks import LuffError
from luff.solver.realtime.door_mailbox import Mailbox, Post
from luff.solver.realtime.doors import door_of
from luff.solver.realtime.opcua_doors import OpcUaDoor
from luff.tests.process import call, luff_command

# y = 3 u, and the run ends itself once u is over 10
MODEL = """\
luff: 1
inputs: {u: {unit: m, default: 1 m}}
outputs: {y: k.y}
blocks: {k: {type: gain, k: 3}}
connect: [inputs.u -> k.u]
simulation: {stop: 1000 s, step: 1 ms, output_step: 1 s, stop_when: k.y above 30}
"""
PATIENCE = 60.0  # s until what does not come is a failure; never waited for when all is well


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def running(folder: Path, door: str) -> Iterator[subprocess.Popen[str]]:
    (folder / "model.yaml").write_text(MODEL)
    words = luff_command("run", "model.yaml", "--realtime", "--json", "--door", door)
    one = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield one
    finally:
        one.kill()
        one.communicate()


def ended(one: subprocess.Popen[str]) -> dict[str, Any]:
    """Report of a run that ends by itself."""
    out, err = one.communicate(timeout=PATIENCE)
    assert one.returncode == 0, err
    return json.loads(out)


async def until(ask: Callable[[], Awaitable[bool]]) -> None:
    """Ask until something holds."""
    last = time.monotonic() + PATIENCE
    while not await ask():
        assert time.monotonic() < last
        await asyncio.sleep(0.005)


def test_a_client_drives_a_run_by_opc_ua(tmp_path: Path) -> None:
    from asyncua import ua
    from asyncua.client.client import Client

    url = f"opc.tcp://127.0.0.1:{free_port()}/luff"

    async def drive(run: subprocess.Popen[str]) -> None:
        client = Client(url)

        async def connected() -> bool:
            assert run.poll() is None, run.communicate()
            try:
                await client.connect()
            except OSError:
                return False
            return True

        await until(connected)
        space = await client.get_namespace_index("urn:luff")
        u, y, at = (client.get_node(ua.NodeId(key, space)) for key in ("inputs.u", "outputs.y", "time"))
        assert (await u.read_value(), await y.read_value()) == (1.0, 3.0)
        assert (await u.read_description()).Text == "[m]"
        await u.write_value(2.0)

        async def followed() -> bool:
            return await y.read_value() == 6.0

        await until(followed)
        # what is no finite number is refused, and the last one holds
        await u.write_value(math.nan)
        began = await at.read_value()

        async def later() -> bool:
            return await at.read_value() > began + 0.1

        await until(later)
        assert await y.read_value() == 6.0
        with pytest.raises(ua.UaStatusCodeError):
            await y.write_value(1.0)
        await u.write_value(11.0)
        await client.disconnect()

    with running(tmp_path, f"opcua-server={url}") as run:
        asyncio.run(drive(run))
        told = ended(run)
    assert told["status"] == "finished"
    (door,) = told["doors"]
    assert (door["received"], door["lost"]) == (2, 0)
    assert door["refused"] >= 1
    assert door["sent"] > 10
    assert 0.0 <= told["realtime"]["mean"] <= told["realtime"]["latest"]


def test_a_run_drives_a_plant_by_opc_ua_that_is_started_again(tmp_path: Path) -> None:
    from asyncua import ua
    from asyncua.server.server import Server

    url = f"opc.tcp://127.0.0.1:{free_port()}/plant"

    async def plant(value: float) -> tuple[Any, Any]:
        server = Server()
        await server.init()
        server.set_endpoint(url)
        server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
        space = await server.register_namespace("urn:plant")
        assert space == 2
        await server.nodes.objects.add_variable(ua.NodeId("crane.u", space), "u", value)
        y = await server.nodes.objects.add_variable(ua.NodeId("crane.y", space), "y", 0.0)
        await y.set_writable()
        return server, y

    async def drive() -> tuple[dict[str, Any], float]:
        server, y = await plant(4.0)

        async def followed() -> bool:
            return await y.read_value() == 12.0

        await server.start()
        with running(tmp_path, f"opcua={url}#ns=2;s=crane.{{name}}") as run:
            await until(followed)
            await server.stop()
            server, y = await plant(11.0)
            await server.start()
            told = await asyncio.get_running_loop().run_in_executor(None, ended, run)
        last = await y.read_value()
        await server.stop()
        return told, last

    told, last = asyncio.run(drive())
    assert told["status"] == "finished"
    assert told["doors"][0]["lost"] == 1
    assert last == 33.0  # the outputs of the end went out, too


@contextmanager
def broker(port: int) -> Iterator[None]:
    """A broker of the package amqtt, in a thread of its own."""
    amqtt = pytest.importorskip("amqtt.broker")
    begun, over = threading.Event(), threading.Event()
    plugins = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}
    listeners = {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}}

    async def serve() -> None:
        one = amqtt.Broker({"listeners": listeners, "plugins": plugins})
        await one.start()
        begun.set()
        while not over.is_set():
            await asyncio.sleep(0.02)
        await one.shutdown()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert begun.wait(PATIENCE)
        yield
    finally:
        over.set()
        thread.join()
        gc.collect()  # connections that the broker leaves open, while its warnings are nobody's


@pytest.mark.filterwarnings("ignore")  # of the broker's own code
def test_a_client_drives_a_run_by_mqtt(tmp_path: Path) -> None:
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    port = free_port()
    heard: list[dict[str, Any]] = []
    with broker(port):
        client = Client(CallbackAPIVersion.VERSION2)

        def come(_: object, __: object, message: Any) -> None:
            """Answer: first 2, then what is no number, then the end."""
            told = json.loads(message.payload)
            heard.append(told)
            y = told["values"]["y"]
            if y == 3.0:
                client.publish("crane/inputs/u", "2")
            elif y == 6.0:
                client.publish("crane/inputs/u", "nan")
                client.publish("crane/inputs/nothing", "1")
                client.publish("crane/inputs/u", "11")

        client.on_message = come
        client.connect("127.0.0.1", port)
        client.subscribe("crane/outputs")
        client.loop_start()
        try:
            with running(tmp_path, f"mqtt=mqtt://me:p@ss@127.0.0.1:{port}/crane") as run:
                told = ended(run)
        finally:
            client.loop_stop()
            client.disconnect()
    assert told["status"] == "finished"
    (door,) = told["doors"]
    assert door["door"] == f"mqtt=mqtt://127.0.0.1:{port}/crane"  # no password in a report
    assert door["refused"] >= 2
    assert door["received"] >= 2
    assert {one["values"]["y"] for one in heard} >= {3.0, 6.0}
    assert [one["time"] for one in heard] == sorted(one["time"] for one in heard)
    assert all(0.0 <= one["lateness_mean"] <= one["lateness_max"] for one in heard)


def box() -> Mailbox:
    return Mailbox({"u": 1.0}, ["y"], {"u": "m"}, Post(0.0, [3.0], 0.0, 0.0))


def test_inputs_are_the_newest_finite_numbers() -> None:
    one = box()
    for value in (2.0, 5, "7", math.inf, math.nan, None, "x", [1]):
        one.receive("u", value)
    one.receive("v", 1.0)
    assert one.take() == {"u": 7.0}
    assert one.take() == {}
    assert (one.received, one.refused) == (3, 6)


@pytest.mark.parametrize(
    "text",
    ["udp=127.0.0.1:1", "mqtt", "mqtt=", "mqtt=mqtt://127.0.0.1:1883", "mqtt=http://127.0.0.1/crane", "mqtt=http://127.0.0.1:80/crane",
     "mqtt=mqtt://127.0.0.1:99999/crane", "mqtt=mqtt://127.0.0.1/a/#/b"],
)  # fmt: skip
def test_addresses_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(LuffError, match="expected") as caught:
        door_of(text, box(), 0.01)
    assert caught.value.problems[0].path == "--door"


@pytest.mark.parametrize("kind", ["opcua=opc.tcp://127.0.0.1:{}", "mqtt=mqtt://127.0.0.1:{}/crane"])
def test_where_nobody_listens_the_run_does_not_begin(kind: str, tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(MODEL)
    door = kind.format(free_port())
    told = call("run", "model.yaml", "--realtime", "--door", door, cwd=tmp_path, code=None).stderr
    assert "no connection to" in told
    told = call("run", "model.yaml", "--door", door, cwd=tmp_path, code=2).stderr
    assert "add --realtime" in told
    words = ("--realtime", "--replay", "log.csv", "--door", door)
    (tmp_path / "log.csv").write_text("time,u\n0,1\n")
    told = call("run", "model.yaml", *words, cwd=tmp_path, code=2).stderr
    assert "--door and --replay" in told


def test_a_host_that_can_be_none_is_told() -> None:
    door = door_of(f"mqtt=mqtt://{'a' * 64}.de/crane", box(), 0.01)
    with pytest.raises(LuffError, match="no connection to"):
        door.open()


def test_a_door_that_ends_before_the_run_is_told() -> None:
    class Breaking(OpcUaDoor):
        async def _talk(self) -> None:
            self._ready.set()
            await asyncio.to_thread(self._end.wait)
            raise RuntimeError("no such service")

    mail = box()
    door = Breaking("opc.tcp://127.0.0.1", mail, 0.01)
    door.open()
    door.close()
    assert mail.ended == "no such service"
