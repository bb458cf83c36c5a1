"""MQTT door of a real-time run (package paho-mqtt, the extra `mqtt`).

At `mqtt://host:1883/crane` inputs are topics `crane/inputs/NAME` with a number as text, outputs one topic
`crane/outputs` with a JSON object of time, lateness and values.
"""

from __future__ import annotations

import json
import math
import threading
from typing import Any
from urllib.parse import unquote, urlsplit

from ...blocks.errors import LuffError, Problem
from .door_mailbox import Mailbox

PATIENCE = 10.0  # s until a broker that does not answer is an error
PORTS = {"mqtt": 1883, "mqtts": 8883}


class MqttDoor:
    """Client of a broker; its package connects again where the connection breaks."""

    def __init__(self, address: str, box: Mailbox, period: float):
        self.address, self.box, self.period = address, box, period
        try:
            self.parts = urlsplit(address)
            self.port = self.parts.port or PORTS.get(self.parts.scheme, 0)
        except ValueError:
            self.port = 0
        self.topic = self.parts.path.strip("/") if self.port else ""
        known = self.topic and self.parts.scheme in PORTS and self.parts.hostname
        if not known or set(address) & set("+#?"):
            mistake = f'found "{address}", expected mqtt://HOST:PORT/TOPIC or mqtts://'
            raise LuffError(Problem(mistake, "--door", "mqtt://127.0.0.1:1883/crane"))
        self.host = str(self.parts.hostname)
        self._connected, self._end = threading.Event(), threading.Event()
        self._refusal = ""
        self._thread = threading.Thread(target=self._publish, name="luff MQTT", daemon=True)
        self._client: Any = None

    def open(self) -> None:
        """Connect to the broker; LuffError where that fails."""
        try:
            from paho.mqtt.client import Client
            from paho.mqtt.enums import CallbackAPIVersion
        except ImportError:
            fix = "pip install 'luff[mqtt]'"
            raise LuffError(Problem("MQTT needs the package paho-mqtt", "--door", fix)) from None
        client = self._client = Client(CallbackAPIVersion.VERSION2)
        if self.parts.username is not None:
            client.username_pw_set(unquote(self.parts.username), unquote(self.parts.password or ""))
        if self.parts.scheme == "mqtts":
            client.tls_set()
        client.on_connect, client.on_disconnect, client.on_message = self._on, self._off, self._come
        shown = f"{self.parts.hostname}:{self.port}"
        try:
            client.connect(self.host, self.port)
        except (OSError, ValueError) as error:  # a name that cannot be one is a ValueError
            self._client = None
            raise LuffError(Problem(f"no connection to {shown}: {error}", "--door")) from None
        client.loop_start()
        if not self._connected.wait(PATIENCE) or self._refusal:
            why = self._refusal or f"no answer within {PATIENCE:g} s"
            raise LuffError(Problem(f"no connection to {shown}: {why}", "--door"))
        self._thread.start()

    def close(self) -> None:
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self._client is not None:
            self._client.disconnect()
            self._client.loop_stop()
            self._client = None

    def _on(self, client: Any, data: object, flags: object, reason: Any, properties: object) -> None:
        if reason.is_failure:
            self._refusal = str(reason)
        else:
            client.subscribe(f"{self.topic}/inputs/#")
        self._connected.set()

    def _off(self, client: Any, data: object, flags: object, reason: Any, properties: object) -> None:
        self.box.lost += not self._end.is_set()

    def _come(self, client: Any, data: object, message: Any) -> None:
        text = message.payload[:100].decode("ascii", "replace")
        self.box.receive(message.topic.removeprefix(f"{self.topic}/inputs/"), text)

    def _publish(self) -> None:
        """Publish the newest outputs every period, and once more at the end."""
        over = False
        while not over:
            over = self._end.wait(self.period)
            post = self.box.post
            values = dict(zip(self.box.outputs, map(_number, post.outputs), strict=True))
            told = {
                "time": post.time,
                "lateness_max": post.latest,
                "lateness_mean": post.mean,
                "values": values,
            }
            gone = self._client.publish(f"{self.topic}/outputs", json.dumps(told))
            self.box.sent += gone.rc == 0  # without a connection it does not go out


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
