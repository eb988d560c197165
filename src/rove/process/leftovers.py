"""What earlier browsers left behind, if rove was killed."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from rove.process.run_folder import sweep

log = logging.getLogger(__name__)


async def sweep_leftovers(runs: Path) -> None:
    """Remove what earlier processes left behind; a failure is logged, and the next launch tries again."""
    try:
        await asyncio.to_thread(sweep, runs)
    except Exception:
        log.exception("what earlier browsers left in %s could not be removed", runs)
