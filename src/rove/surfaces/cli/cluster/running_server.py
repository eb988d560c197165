"""Requests of a command to the `rove serve` of the same home."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from rove.errors import ClusterUnavailable, InvalidArguments, RoveError
from rove.settings.tree import Settings

TOKEN_FILE = ("gateway", "owner-token")
ANSWER_SECONDS = 20.0
# Where a server answers that listens on every address.
LOCAL = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class NoServer(ClusterUnavailable):
    """No server answers at the address that the settings name."""


class HasNoCluster(ClusterUnavailable):
    """The sessions of the server run in its own process."""


class RunningServer:
    """An open connection to a gateway."""

    def __init__(self, socket: Any, url: str) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.url = url

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a method, with names as Python has them. Raises what the server says, or NoServer."""
        from websockets.exceptions import WebSocketException

        number = next(self._numbers)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
                while (message := json.loads(await self._socket.recv())).get("id") != number:
                    pass
        except (WebSocketException, OSError, TimeoutError) as error:
            raise _no_server(self.url) from error
        if "error" in message:
            raise _error(message["error"])
        result: dict[str, Any] = _in_python(message["result"])
        return result


@asynccontextmanager
async def running_server(settings: Settings) -> AsyncGenerator[RunningServer]:
    """Connect to the server of this home, as its owner. Raises NoServer if there is none."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import WebSocketException

    host = LOCAL.get(settings.serve.host, settings.serve.host)
    place = f"{f'[{host}]' if ':' in host else host}:{settings.serve.port}"
    url = f"http://{place}"
    try:
        token = settings.home_folder.joinpath(*TOKEN_FILE).read_text("utf-8").strip()
        async with asyncio.timeout(ANSWER_SECONDS):
            socket = await connect(f"ws://{place}/ws", max_size=None, proxy=None)
    except (OSError, WebSocketException, TimeoutError) as error:
        raise _no_server(url) from error
    async with socket:
        await socket.send(json.dumps({"type": "auth", "token": token}))
        yield RunningServer(socket, url)


def _error(told: dict[str, Any]) -> RoveError:
    """Return the error that a server has answered with; those that commands tell apart have classes."""
    classes: dict[str, type[RoveError]] = {"invalid_arguments": InvalidArguments, "unsupported": HasNoCluster}
    made = classes.get(str(told.get("code")), RoveError)
    return made(str(told.get("message", "")), hint=str(told.get("hint", "")))


def _in_python(value: Any) -> Any:
    """Return data of the wire with names such as `memory_free`; names of sessions stay as they are."""
    if isinstance(value, list):
        return [_in_python(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name): each if name == "problems" else _in_python(each)
        for name, each in value.items()
    }


def _no_server(url: str) -> NoServer:
    return NoServer(
        f"No `rove serve` of this home answers at {url}.",
        hint="Start it with --cluster ADDRESS, or pass the --home and --serve-port that it was started with.",
    )
