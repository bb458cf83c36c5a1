"""OPC UA doors of a real-time run (package asyncua, extra `opcua`): a server of its signals, a client of a plant."""

from __future__ import annotations

import asyncio
import logging
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ...blocks.errors import LuffError, Problem
from .door_mailbox import Mailbox, Post

if TYPE_CHECKING:
    from asyncua.common.node import Node

PATIENCE = 10.0  # s until a connection that does not come is an error
START = 60.0  # s until a door that is not ready is an error: a server builds its address space for seconds
AGAIN = 1.0  # s between attempts to connect again
NODE = "ns=2;s={kind}.{name}"


class OpcUaDoor(ABC):
    """Thread with an event loop that exchanges a mailbox with OPC UA every period [s]."""

    def __init__(self, address: str, box: Mailbox, period: float):
        self.address, self.box, self.period = address, box, period
        self._ready, self._end = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        self._over = False  # the last post goes out
        self._thread = threading.Thread(target=self._run, name="luff OPC UA", daemon=True)

    def open(self) -> None:
        """Start the thread; LuffError where there is no connection."""
        self._thread.start()
        came = self._ready.wait(START)
        if isinstance(self._error, LuffError):
            raise self._error
        if self._error is not None or not came:
            self._end.set()
            why = _reason(self._error) if self._error is not None else f"not ready within {START:g} s"
            raise LuffError(Problem(f"no connection to {self.address}: {why}", "--door")) from self._error

    def close(self) -> None:
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        # that there is no encryption is said in the documentation, not at every start
        logging.getLogger("asyncua").setLevel(logging.ERROR)
        try:
            asyncio.run(self._talk())
        except ImportError:
            fix = "pip install 'luff[opcua]'"
            self._error = LuffError(Problem("OPC UA needs the package asyncua", "--door", fix))
        except Exception as error:  # told by `open`, and after it by the report of the run
            self._error = error
            if self._ready.is_set():
                self.box.ended = _reason(error)
        self._ready.set()

    @abstractmethod
    async def _talk(self) -> None:
        """Connect, set `_ready`, and exchange values until `_end`."""

    async def _posts(self) -> Post | None:
        """Newest post after a period, and once more at the end; then None."""
        if self._over:
            return None
        await asyncio.sleep(self.period)
        self._over = self._end.is_set()
        return self.box.post


class OpcUaServer(OpcUaDoor):
    """Server whose object `luff` has the folders `inputs` (writable) and `outputs`, and `time`, `lateness_mean`,
    `lateness_max` [s]."""

    async def _talk(self) -> None:
        from asyncua import ua
        from asyncua.server.server import Server

        server = Server()
        await server.init()
        server.set_endpoint(self.address)
        server.set_server_name("luff")
        server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
        space = await server.register_namespace("urn:luff")
        root = await server.nodes.objects.add_object(_node_id("luff", space), "luff")
        inputs, outputs = [
            await root.add_folder(_node_id(kind, space), kind) for kind in ("inputs", "outputs")
        ]
        driven: dict[str, Node] = {}
        for name, value in self.box.inputs.items():
            driven[name] = await self._variable(inputs, space, f"inputs.{name}", name, value)
            await driven[name].set_writable()
        shown = [
            await self._variable(outputs, space, f"outputs.{name}", name, value)
            for name, value in zip(self.box.outputs, self.box.post.outputs, strict=True)
        ]
        shown += [
            await self._variable(root, space, name, name, 0.0)
            for name in ("time", "lateness_max", "lateness_mean")
        ]
        before = dict(self.box.inputs)
        async with server:
            self._ready.set()
            while (post := await self._posts()) is not None:
                values = [*post.outputs, post.time, post.latest, post.mean]
                for node, value in zip(shown, values, strict=True):
                    await server.write_attribute_value(
                        node.nodeid, ua.DataValue(ua.Variant(value, _double()))
                    )
                self.box.sent += 1
                for name, node in driven.items():
                    value = await node.read_value()
                    if value != before[name]:  # also a NaN, which equals nothing
                        before[name] = value
                        self.box.receive(name, value)

    async def _variable(self, parent: Node, space: int, key: str, name: str, value: float) -> Node:
        """Variable with the unit in its description."""
        from asyncua import ua
        from asyncua.ua.attribute_ids import AttributeIds

        node = await parent.add_variable(_node_id(key, space), name, float(value), _double())
        unit = self.box.units.get(name, "s" if key == name else "")
        about = ua.DataValue(ua.Variant(ua.LocalizedText(f"[{unit}]" if unit else "")))
        await node.write_attribute(AttributeIds.Description, about)
        return node


class OpcUaClient(OpcUaDoor):
    """Client of a plant's server: reads inputs from and writes outputs to its nodes.

    A node is `ns=2;s=inputs.NAME` or `ns=2;s=outputs.NAME`, as those of `OpcUaServer`; a template behind a `#` in the
    address names them otherwise: `opc.tcp://plc:4840#ns=3;s=Crane.{name}`.
    """

    async def _talk(self) -> None:
        from asyncua.client.client import Client
        from asyncua.ua.uaerrors import UaError

        url, _, template = self.address.partition("#")
        while not self._over:
            self._linked = False
            try:
                async with Client(url, timeout=PATIENCE) as client:
                    await self._exchange(client, template or NODE)
            except (OSError, TimeoutError, UaError):
                if not self._ready.is_set():
                    raise
                self.box.lost += self._linked
                self._over = self._end.is_set()
                if not self._over:
                    await asyncio.sleep(AGAIN)

    async def _exchange(self, client: Any, template: str) -> None:
        from asyncua import ua

        def nodes(kind: str, names: Any) -> list[Node]:
            return [client.get_node(template.format(kind=kind, name=name)) for name in names]

        names = list(self.box.inputs)
        read, written = nodes("inputs", names), nodes("outputs", self.box.outputs)
        for node in (*read, *written):
            await node.read_browse_name()  # a node that is not there is told before the run
        self._linked = True
        self._ready.set()
        while (post := await self._posts()) is not None:
            values = [ua.DataValue(ua.Variant(value, _double())) for value in post.outputs]
            if written:
                await client.write_values(written, values)
            self.box.sent += 1
            for name, value in zip(names, await client.read_values(read) if read else (), strict=True):
                self.box.receive(name, value)


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _node_id(key: str, space: int) -> Any:
    from asyncua import ua

    return ua.NodeId.from_string(f"ns={space};s={key}")


def _double() -> Any:
    from asyncua import ua

    return ua.VariantType.Double
