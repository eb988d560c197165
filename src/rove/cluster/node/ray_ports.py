"""The ports that Ray's own processes listen on: a page that reached them could run code on nodes."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rove.errors import ClusterUnavailable

HEAD = "node:__internal_head__"


def ray_ports() -> frozenset[tuple[str, int]]:
    """Return the addresses and ports of Ray on all nodes that are there; none in a process without Ray.

    The head's own port and the dashboard's are among them, the ports of single workers are not. Raises
    ClusterUnavailable.
    """
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return frozenset()
    from ray._private.worker import global_worker
    from ray.exceptions import RayError

    assert global_worker.node is not None, "Ray is initialized"
    known = global_worker.node.address_info
    try:
        return frozenset(ports_of(ray.nodes(), [known["gcs_address"], known["webui_url"] or ""]))
    except RayError as error:
        raise ClusterUnavailable("The head does not say which ports Ray uses.") from error


def ports_of(listed: Iterable[Mapping[str, Any]], of_head: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield addresses and ports of the nodes that Ray lists.

    `of_head`: what the head listens on, as HOST:PORT; its host may be a name, or an address that only the head knows.
    """
    nodes = [node for node in listed if node["Alive"]]
    for node in nodes:
        for name, port in node.items():
            if name.endswith("Port") and port > 0:
                yield from ((address, port) for address in _addresses(node["NodeManagerAddress"]))
    heads = [node["NodeManagerAddress"] for node in nodes if HEAD in node["Resources"]]
    for endpoint in of_head:
        host, _, number = endpoint.rpartition(":")
        if number.isdigit():
            for each in (*heads, host.strip("[]")):
                yield from ((address, int(number)) for address in _addresses(each))


def _addresses(host: str) -> list[str]:
    """Return the addresses of a host; none if its name is not known, as no page can reach it by that name either."""
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except OSError:
        return []
