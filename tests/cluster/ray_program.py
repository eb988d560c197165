"""Ray's command line, with every node on the loopback itself: Ray would take another address of the machine.

Run with `ray start` arguments.
"""

from __future__ import annotations

import ray._private.services as services
from ray.scripts.scripts import main

LOOPBACK = "127.0.0.1"

if __name__ == "__main__":
    setattr(services, "get_node_ip_address", lambda address=None: LOOPBACK)  # noqa: B010
    main()  # type: ignore[no-untyped-call]
