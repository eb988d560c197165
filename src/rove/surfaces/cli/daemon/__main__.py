"""The process of the daemon: `python -m rove.surfaces.cli.daemon FOLDER FD`."""

from __future__ import annotations

import asyncio
import logging
import os
import sys


def main() -> None:
    """Serve the commands of one user until the daemon is idle or stopped."""
    from rove.surfaces.cli.daemon.server import Daemon

    folder, ready = sys.argv[1], int(sys.argv[2])
    os.set_inheritable(ready, False)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    asyncio.run(Daemon(folder).serve(ready))


main()
