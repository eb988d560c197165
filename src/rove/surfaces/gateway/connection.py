"""One WebSocket client: it authenticates, sends requests, and receives answers and events."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, cast

from starlette.websockets import WebSocket, WebSocketDisconnect

from rove.advice import Names, insert_names
from rove.errors import Forbidden, InvalidMessage, RateLimited, RoveError
from rove.owned_names import mark_of
from rove.surfaces.gateway.events import to_text
from rove.surfaces.gateway.gateway import GOING_AWAY, TOKEN_ENDED, UNAUTHORIZED, Gateway
from rove.surfaces.gateway.methods.method import Method, read
from rove.surfaces.gateway.methods.people import DECISIONS
from rove.surfaces.gateway.tokens import Scope, Token, for_all
from rove.surfaces.mcp.http_access import RateLimit, note_authenticated
from rove.tasks import BackgroundTasks
from rove.toolsets.catalogue import catalogue_names

log = logging.getLogger(__name__)
AUTH_SECONDS = 10.0
MAX_RUNNING = 32
# A client that ignores refusals this often in a row is disconnected.
MAX_REFUSED = 500
NOT_JSON, NO_AUTH, TOO_MANY, FLOOD = 4400, 4408, 4409, 4429


class Closing(Exception):
    """The connection must end, with a code and a reason that the client is told."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Connection:
    """A client of the gateway. Its requests run beside each other; answers and events are sent one at a time."""

    token: Token

    def __init__(self, gateway: Gateway, socket: WebSocket) -> None:
        self._gateway = gateway
        self._socket = socket
        self._sending = asyncio.Lock()
        self._tasks = BackgroundTasks("a client of the gateway", expected=(WebSocketDisconnect, RuntimeError))
        self._running = 0
        self._rate = RateLimit(gateway.settings.serve.requests_per_second)
        self._on_close: list[Callable[[], None]] = []

    async def serve(self) -> None:
        """Serve the client until it goes, or has to go."""
        await self._socket.accept()
        try:
            since = await self._authenticate()
            with self._gateway.connected(self):
                await self._send(self._gateway.greeting(self.token))
                self._tasks.start(self._send_events(since))
                while True:
                    await self._receive(await self._next_text())
        except Closing as closing:
            await self.close(closing.code, closing.reason)
        except WebSocketDisconnect:
            pass
        except RuntimeError as error:  # what is raised for an answer to a connection that was closed meanwhile
            log.debug("a client of the gateway has gone: %s", error)
        finally:
            for callback in self._on_close:
                callback()
            await self._tasks.close()

    async def close(self, code: int = GOING_AWAY, reason: str = "the server is stopping") -> None:
        """End the connection and say why."""
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it may have gone by itself
            await self._socket.close(code, reason)

    @property
    def person(self) -> str:
        """The name under which what this client's user does is recorded: that of its token."""
        return self.token.label or f"token {self.token.id}"

    async def send_event(self, event: str, data: dict[str, Any]) -> None:
        """Send an event to this client alone. It has no number, as it is not kept."""
        await self._send_event_text(to_text({"event": event, "data": data}))

    def on_close(self, callback: Callable[[], None]) -> None:
        self._on_close.append(callback)

    async def _authenticate(self) -> int | None:
        """Wait for the first message, which must have a token; return the event that the client saw last."""
        try:
            async with asyncio.timeout(AUTH_SECONDS):
                text = await self._next_text()
        except TimeoutError:
            raise Closing(NO_AUTH, f"no auth message within {AUTH_SECONDS:g} s") from None
        message = _parse(text)
        if message is None:
            raise Closing(NOT_JSON, "the first message is not a JSON object")
        if message.get("type") != "auth":
            raise Closing(UNAUTHORIZED, 'the first message must be {"type":"auth","token":…}')
        given = message.get("token")
        token = self._gateway.tokens.find(given) if isinstance(given, str) else None
        if token is None:
            raise Closing(UNAUTHORIZED, "the token is wrong, revoked or expired")
        if self._gateway.is_full(token):
            raise Closing(TOO_MANY, "too many clients are connected: see --serve-connections")
        self.token = token
        note_authenticated(self._socket.scope)
        since = message.get("since")
        return since if isinstance(since, int) and not isinstance(since, bool) else None

    async def _next_text(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        return text if text is not None else ""

    async def _receive(self, text: str) -> None:
        """Start to serve one message. One that makes no sense is answered with an error.

        A person's decision is answered before anything else runs, so that it does not wait behind busy sessions.
        """
        message = _parse(text)
        identity = message.get("id") if message is not None else None
        if not self._rate.allows():
            if self._rate.refused > MAX_REFUSED:
                raise Closing(FLOOD, "too many requests")
            self._tasks.start(self._refuse(identity, RateLimited("Too many requests a second.")))
        elif message is None:
            self._tasks.start(self._refuse(None, InvalidMessage("The message is not a JSON object.")))
        elif self._running >= MAX_RUNNING:
            self._tasks.start(self._refuse(identity, RateLimited(f"{MAX_RUNNING} requests are running already.")))
        else:
            self._running += 1
            if str(message.get("method")) in DECISIONS:
                await self._answer(identity, message)
            else:
                self._tasks.start(self._answer(identity, message))

    async def _answer(self, identity: object, message: dict[str, Any]) -> None:
        try:
            if not isinstance(identity, str | int) or isinstance(identity, bool):
                raise InvalidMessage("`id` must be a string or a number.")
            result = await self._run(message)
        except RoveError as error:
            await self._refuse(identity, error)
        except (WebSocketDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:
            log.exception("%s failed", message.get("method"))
            await self._refuse(identity, RoveError(f"{type(error).__name__}: {error}"))
        else:
            await self._send({"id": identity, "result": result})
        finally:
            self._running -= 1

    async def _run(self, message: dict[str, Any]) -> dict[str, Any]:
        if not self._gateway.tokens.is_current(self.token):
            raise Forbidden("The token was revoked or has expired.", hint="Connect again with another token.")
        method = read(message.get("method"), message.get("params"))
        if not self.token.allows(*method.needs):
            raise Forbidden(f"{method.wire_name} needs a token with the scope {_listed(method.needs)}.")
        self._gateway.metrics.count_request(method.wire_name)
        return await self._in_session(method).run(self._gateway, self)

    def _in_session(self, method: Method) -> Method:
        """Return a request with the full name of the session that the client means. Raises NotOpen or Forbidden."""
        if method.given_session is None:
            return method
        name = self.token.full_name(method.given_session)
        if not self.token.reaches(name, *method.needs):
            raise Forbidden(
                f"{method.wire_name} in a session of another token needs a token with the scope "
                f"{_listed(for_all(scope) for scope in method.needs)}."
            )
        return method.in_session(name)

    async def _refuse(self, identity: object, error: RoveError) -> None:
        hint = insert_names(error.hint, _names())
        body: dict[str, Any] = {"code": error.code, "message": error.message, "hint": hint}
        body |= {} if error.retry_after is None else {"retry_after": error.retry_after}
        await self._send({"id": identity if isinstance(identity, str | int) else None, "error": body})

    async def _send_events(self, since: int | None) -> None:
        """Send every event after `since`, then those to come, as fast as the client takes them."""
        reader = self._gateway.events.read(self._sees, since)
        try:
            while self._gateway.tokens.is_current(self.token):
                for event in await reader.next():
                    await self._send_event_text(event.text)
                    await asyncio.sleep(0)  # so that many events for many clients do not hold up what clients ask for
        finally:
            reader.close()
        await self._end_with_token()

    def _sees(self, owner_mark: str | None) -> bool:
        """Whether the client is told of events in sessions of an owner; None for those of no session."""
        return owner_mark is None or self.token.sees_all or owner_mark == mark_of(self.token.owner)

    async def _send_event_text(self, text: str) -> None:
        """Send an event, unless the token has ended meanwhile: then the connection ends too."""
        if self._gateway.tokens.is_current(self.token):
            await self._send_text(text)
        else:
            await self._end_with_token()

    async def _end_with_token(self) -> None:
        await self.close(UNAUTHORIZED, TOKEN_ENDED)

    async def _send(self, message: dict[str, Any]) -> None:
        await self._send_text(to_text(message))

    async def _send_text(self, text: str) -> None:
        async with self._sending:
            await self._socket.send_text(text)


@cache
def _names() -> Names:
    """What a client calls each action: the tool of that name, but for sessions, which have methods."""
    own = {"open_session": "sessions.create", "close_session": "sessions.close", "status": "sessions.list"}
    return {**catalogue_names(), **own}


def _listed(scopes: Iterable[Scope]) -> str:
    return " or ".join(f"`{scope.value}`" for scope in dict.fromkeys(scopes))


def _parse(text: str) -> dict[str, Any] | None:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", message) if isinstance(message, dict) else None
