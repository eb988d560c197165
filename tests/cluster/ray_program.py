"""Ray's command line, with every node on the loopback itself, for which Ray would take another address of the machine.

Without the dashboard and the autoscaler, whose starts take longer than all the rest.
"""

from __future__ import annotations

from typing import Any

import ray._private.node
import ray._private.services
from ray.scripts.scripts import main

LOOPBACK = "127.0.0.1"


def use_loopback(address: str | None = None) -> str:
    return LOOPBACK


def start_nothing(node: Any, **options: Any) -> None:
    pass


if __name__ == "__main__":
    setattr(ray._private.services, "get_node_ip_address", use_loopback)  # noqa: B010
    for part in ("start_api_server", "start_monitor", "start_log_monitor"):
        setattr(ray._private.node.Node, part, start_nothing)
    main()  # type: ignore[no-untyped-call]
