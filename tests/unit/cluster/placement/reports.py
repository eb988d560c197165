"""Reports of nodes for the tests of placement."""

from __future__ import annotations

from typing import Any

from rove.cluster.placement.choice import MEGABYTE, NodeReport

GIGABYTE = 1024 * MEGABYTE


def report(node: str, **facts: Any) -> NodeReport:
    """Return the report of a node with 8 GB on a host of its own, unless `facts` say otherwise."""
    usual: dict[str, Any] = {
        "host": f"host-of-{node}",
        "cores": 4,
        "memory_total": 8 * GIGABYTE,
        "memory_free": 7 * GIGABYTE,
    }
    return NodeReport(node, **{**usual, **facts})
