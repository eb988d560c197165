"""How rules, settings and log entries are written in messages between the engine and the proxy process."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import Any

from rove.guard.hosts.connection_errors import Failure
from rove.guard.hosts.host_patterns import HostPattern
from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.refusal import Refusal, RefusalReason
from rove.guard.hosts.urls import Endpoint
from rove.guard.proxy.refusal_log import FailedRequest, RefusedRequest
from rove.guard.proxy.upstream import Upstream

Json = Any


def rules_to_json(rules: HostRules) -> Json:
    only = None if rules.only is None else _patterns_to_json(rules.only)
    return {"allow": _patterns_to_json(rules.allow), "only": only, "deny": _patterns_to_json(rules.deny)}


def rules_from_json(written: Json) -> HostRules:
    only = None if written["only"] is None else _patterns_from_json(written["only"])
    return HostRules(_patterns_from_json(written["allow"]), only, _patterns_from_json(written["deny"]))


def upstream_to_json(upstream: Upstream | None) -> Json:
    if upstream is None:
        return None
    return [upstream.kind, upstream.endpoint.host, upstream.endpoint.port, upstream.username, upstream.password]


def upstream_from_json(written: Json) -> Upstream | None:
    if written is None:
        return None
    kind, host, port, username, password = written
    return Upstream(kind, Endpoint(host, port), username, password)


def entry_to_json(entry: RefusedRequest | FailedRequest) -> Json:
    if isinstance(entry, FailedRequest):
        endpoint = entry.endpoint
        return {"method": entry.method, "at": entry.at, "failed": [endpoint.host, endpoint.port, entry.kind]}
    refusal = entry.refusal
    address = None if refusal.address is None else str(refusal.address)
    return {"method": entry.method, "at": entry.at, "refused": [refusal.host, refusal.port, refusal.reason, address]}


def entry_from_json(written: Json) -> RefusedRequest | FailedRequest:
    if "failed" in written:
        host, port, kind = written["failed"]
        return FailedRequest(written["method"], Endpoint(host, port), Failure(kind), written["at"])
    host, port, reason, address = written["refused"]
    refusal = Refusal(host, port, RefusalReason(reason), None if address is None else ip_address(address))
    return RefusedRequest(written["method"], refusal, written["at"])


def _patterns_to_json(patterns: tuple[HostPattern, ...]) -> Json:
    return [[isinstance(each.host, str), str(each.host), each.port, each.is_wildcard] for each in patterns]


def _patterns_from_json(written: Json) -> tuple[HostPattern, ...]:
    return tuple(
        HostPattern(host if is_name else ip_network(host), port, is_wildcard)
        for is_name, host, port, is_wildcard in written
    )
