"""The checks of `rove doctor --cluster`: packages, TLS and token, the store of states, and each node."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from importlib.metadata import version
from typing import cast

from rove.browser.browser import Finding, State
from rove.cluster.connection.cluster import Cluster
from rove.cluster.connection.options import ClusterOptions, NodeFacts, is_loopback, require_cluster_packages
from rove.cluster.placement.choice import MEGABYTE, NodeLoad, host_room
from rove.cluster.placement.relocation import report_of
from rove.cluster.placement.state_store import SessionStateStore
from rove.errors import RoveError
from rove.settings.tree import Settings

CONNECT_SECONDS = 60.0
BROWSER_SECONDS = 90.0
# The name under which the store is tried out; no session can have it, as it cannot be printed.
TRIAL = "\0doctor"
TLS_FIX = "Set RAY_USE_TLS=1 and its certificates, here and on every node (docs/cluster.md)."
TOKEN_FIX = "Set RAY_AUTH_MODE=token and the same token, here and on every node (docs/cluster.md)."


async def cluster_findings(settings: Settings, address: str) -> AsyncIterator[Finding]:
    """Yield the result of each check, the quick ones first. Nothing is connected to that is not protected."""
    try:
        require_cluster_packages()
        options = ClusterOptions(address, connect_seconds=CONNECT_SECONDS, head_seconds=CONNECT_SECONDS)
        is_local = is_loopback(options.host)
    except RoveError as error:
        yield Finding("cluster", "broken", error.message, error.hint)
        return
    yield Finding("ray", "good", f"Ray {version('ray')}, fsspec {version('fsspec')}")
    protection = [*check_protection(os.environ, is_local)]
    for finding in protection:
        yield finding
    yield await asyncio.to_thread(_check_store, SessionStateStore.of(settings))
    if any(finding.state == "broken" for finding in protection):
        yield Finding("cluster", "broken", f"{address} is not connected to without TLS and token.", "Set both first.")
        return
    async for finding in _check_nodes(settings, options):
        yield finding


def check_protection(environment: Mapping[str, str], is_local: bool) -> Iterator[Finding]:
    """Yield whether TLS and token are set. On the loopback, which no other machine reaches, both may be missing."""
    has_tls = environment.get("RAY_USE_TLS", "").lower() in ("1", "true")
    has_token = environment.get("RAY_AUTH_MODE", "").lower() == "token"
    for subject, is_set, fix in (("tls", has_tls, TLS_FIX), ("token", has_token, TOKEN_FIX)):
        if is_set:
            yield Finding(subject, "good", "set")
        elif is_local:
            yield Finding(subject, "worth knowing", "not set; the cluster is on the loopback, where it need not be")
        else:
            yield Finding(subject, "broken", "not set, and other machines can reach the cluster", fix)


def _check_store(store: SessionStateStore) -> Finding:
    try:
        store.write(TRIAL, b"written")
        stored = store.read(TRIAL)
        store.delete(TRIAL)
    except RoveError as error:
        return Finding("store", "broken", error.message, error.hint)
    if stored is None or stored.content != b"written":
        return Finding("store", "broken", f"{store.address} does not return what was written to it.", "Use another.")
    return Finding("store", "good", f"{store.address}: states can be written, read and deleted")


async def _check_nodes(settings: Settings, options: ClusterOptions) -> AsyncIterator[Finding]:
    try:
        async with Cluster(options) as cluster:
            nodes = sorted(await cluster.nodes(), key=lambda facts: facts.id)
            yield Finding("cluster", "good", f"{options.address}: {len(nodes)} node(s)")
            for facts in nodes:
                yield _check_node(facts, settings)
                if facts.state != "refused":
                    yield await _check_browser(cluster, facts.id, settings)
    except RoveError as error:
        yield Finding("cluster", "broken", error.message, error.hint)


def _check_node(facts: NodeFacts, settings: Settings) -> Finding:
    """Say whether a node may be used, and has room for a session."""
    if facts.state == "refused":
        return Finding(facts.id, "broken", facts.reason, "Until then it gets nothing to do.")
    cost = settings.cluster.session_megabytes * MEGABYTE
    load = NodeLoad(report_of(facts, facts.latency))
    room = min(host_room([load], cost)[load.report.host], settings.cluster.sessions_per_node)
    free = f"rove {facts.version}, {facts.memory_free // MEGABYTE} of {facts.memory_total // MEGABYTE} MB free"
    detail = f"{free}, {facts.cores:g} cores: room for {room} session(s)"
    if not room:
        return Finding(facts.id, "broken", detail, "Free memory, or use a machine with more.")
    return Finding(facts.id, "good", detail)


async def _check_browser(cluster: Cluster, node: str, settings: Settings) -> Finding:
    """Start a browser on a node, and return the worst of what was found."""
    try:
        async with asyncio.timeout(BROWSER_SECONDS):
            found: list[tuple[str, str, str, str]] = await cluster.call(node, "checks.browser", settings.engine)
    except TimeoutError:
        return Finding(node, "broken", f"its browser was not checked within {BROWSER_SECONDS:g} s", "Is it overloaded?")
    except RoveError as error:
        return Finding(node, "broken", error.message, error.hint)
    findings = [Finding(subject, cast(State, state), detail, fix) for subject, state, detail, fix in found]
    worst = next((finding for finding in findings if finding.state == "broken"), None)
    if worst is not None:
        return Finding(node, "broken", f"{worst.subject}: {worst.detail}", worst.fix)
    browser = next((finding for finding in findings if finding.subject == "browser"), None)
    return Finding(node, "good", f"a browser starts there: {browser.detail if browser else settings.engine}")
