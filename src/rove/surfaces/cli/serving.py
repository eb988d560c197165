"""Run a server until its client closes the connection or a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import sys
from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from rove.engine.guard_notice import guard_notice_of
from rove.engine.sessions import EarlyLaunch, Sessions
from rove.errors import InvalidSettings
from rove.settings.extras import INSTALL_SERVE
from rove.settings.tree import Settings
from rove.surfaces.approvers import appointed
from rove.surfaces.mcp.stdio import serve
from rove.toolsets.toolset import Toolset, toolset_from
from rove.version import VERSION

if TYPE_CHECKING:
    from rove.engine.client_sessions import ServedSessions
    from rove.surfaces.gateway.gateway import Gateway, MakeSessions
    from rove.surfaces.gateway.live_view import SessionObserver


AT_TERMINAL = """\
rove mcp serves an MCP client over standard input and output. A client starts it by itself: `rove init` adds it to those
on this machine, and `rove init --print` shows what any other one needs. It waits for messages of a client now; Ctrl-C
ends it. To use the browser from this terminal, try `rove open example.com`.
"""


def serve_mcp(settings: Settings, begun: EarlyLaunch | None) -> int:
    if sys.stdin.isatty():
        print(AT_TERMINAL, file=sys.stderr, flush=True)
    if (notice := guard_notice_of(settings)) is not None:
        print(f"rove: {notice}", file=sys.stderr, flush=True)
    asyncio.run(_serve(settings, toolset_from(settings), begun))
    return 0


async def _serve(settings: Settings, tools: Toolset, begun: EarlyLaunch | None) -> None:
    serving = asyncio.current_task()
    assert serving is not None
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(ending, serving.cancel)
    _settle_in()
    with contextlib.suppress(asyncio.CancelledError):
        async with Sessions(settings, approver=appointed(settings)) as sessions:
            if settings.browser_enabled:
                sessions.start_early(begun)
            await serve(sessions, tools)


def serve_gateway(settings: Settings, with_demo: bool) -> int:
    """Serve the gateway until a signal ends it, beside the built-in site if that is wanted."""
    try:
        from rove.surfaces.gateway.gateway import Gateway
        from rove.surfaces.gateway.server import log_for_programs, serve
    except ModuleNotFoundError as error:
        raise InvalidSettings(
            f"`rove serve` needs a package that is not installed: {error.name}.",
            hint=f"Install rove with its extra `serve`: {INSTALL_SERVE}, or run `make serve`.",
        ) from error
    log_for_programs()
    with _demo_site(settings) if with_demo else contextlib.nullcontext((settings, None)) as (served, site):
        asyncio.run(serve(Gateway(served, site, make_sessions=_maker(served)), _announce))
    return 0


def _maker(settings: Settings) -> MakeSessions | None:
    """Return what makes sessions on a cluster, if one is named; None for those of this process."""
    address = settings.cluster.address
    if address is None:
        return None
    from rove.cluster.connection.options import require_cluster_packages

    require_cluster_packages()
    from rove.cluster.sessions.cluster_sessions import sessions_on

    def make(served: Settings, observer: SessionObserver) -> ServedSessions:
        return sessions_on(address, served, appointed(served), observer, observer)

    return make


@contextlib.contextmanager
def _demo_site(settings: Settings) -> Generator[tuple[Settings, str]]:
    """Serve the built-in site; yield settings that let sessions reach it, and its address."""
    from rove.surfaces.cli.demo import tea_room

    with tea_room() as site:
        host = site.removeprefix("http://")
        yield replace(settings, allow_host=(*settings.allow_host, host)), site


def _announce(gateway: Gateway) -> None:
    print(f"rove {VERSION} serves at {gateway.url}. Ctrl-C stops it.\n", flush=True)
    print(f"  open   {gateway.link(gateway.tokens.owner)}", flush=True)
    print(f"  MCP    {gateway.url}/mcp, with the token in $ROVE_HOME/gateway/owner-token", flush=True)
    if gateway.demo_site:
        print(f"  site   {gateway.demo_site}", flush=True)


def _settle_in() -> None:
    """Exclude what is loaded by now from garbage collection, as it stays loaded.

    A collection then takes 2 ms instead of 18. It also comes sooner: Python waits until new objects are a quarter of
    all that it counts.
    """
    gc.freeze()
    gc.collect()
