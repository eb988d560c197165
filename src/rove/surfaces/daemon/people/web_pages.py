"""`rove watch --web`: the web page of the gateway for the sessions of the daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from rove.engine.sessions.sessions import Sessions
from rove.errors import InvalidSettings
from rove.guard.policy.approval import Approver
from rove.settings.extras import INSTALL_SERVE
from rove.surfaces.daemon.people.observers import Observers
from rove.surfaces.mcp.approvers import with_inbox

if TYPE_CHECKING:
    from rove.surfaces.gateway.gateway import Gateway
    from rove.surfaces.gateway.server import Server

LOOPBACK = "127.0.0.1"


class WebPages:
    """The web pages that people have opened: one for each engine, on a free port of this machine."""

    def __init__(self, observers: Observers, protect_port: Callable[[str, int], None]) -> None:
        """`protect_port`: lets no page and no agent of any engine reach a port."""
        self._observers = observers
        self._protect_port = protect_port
        self._pages: dict[Sessions, tuple[Gateway, Server, asyncio.Task[None]]] = {}

    async def link(self, engine: Sessions) -> str:
        """Return the address of the page of an engine, with the owner's token; start to serve it if need be."""
        if engine not in self._pages:
            self._pages[engine] = await self._served(engine)
        gateway, *_ = self._pages[engine]
        return gateway.link(gateway.tokens.owner)

    def approver(self, engine: Sessions, approver: Approver) -> Approver:
        """Return an approver that also asks the people at the page of an engine, if there is one."""
        page = self._pages.get(engine)
        return approver if page is None else with_inbox(approver, page[0].approvals)

    async def close(self) -> None:
        for gateway, server, serving in self._pages.values():
            await gateway.close_clients()
            server.should_exit = True
            await serving
            await gateway.__aexit__(None, None, None)
        self._pages.clear()

    async def _served(self, engine: Sessions) -> tuple[Gateway, Server, asyncio.Task[None]]:
        try:
            from rove.surfaces.gateway.gateway import Gateway
            from rove.surfaces.gateway.server import Server, config, open_port
        except ModuleNotFoundError as error:
            raise InvalidSettings(
                f"The web page needs a package that is not installed: {error.name}.",
                hint=f"Install rove's extra `serve`: {INSTALL_SERVE}; then `rove stop`. "
                "Or watch in the terminal: `rove watch`.",
            ) from error
        settings = replace(engine.settings, serve=replace(engine.settings.serve, host=LOOPBACK, port=0))
        gateway = Gateway(settings, sessions=engine)
        listener = open_port(gateway)
        self._protect_port(*listener.getsockname()[:2])
        server = Server(config(gateway))
        await gateway.__aenter__()
        self._observers.pages.append(gateway.observer)
        return gateway, server, asyncio.create_task(server.serve([listener]))
