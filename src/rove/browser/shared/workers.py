"""The workers of a tab and of the session that it belongs to."""

from __future__ import annotations

import builtins
from abc import ABC, abstractmethod
from collections.abc import Sequence

from rove.browser.page_data import WorkerInfo


class WorkerControl(ABC):
    """Lists the workers of a tab and of its session, and stops, updates and unregisters them."""

    def __init__(self) -> None:
        # Whether the tab's requests go past service workers.
        self.are_bypassed = False

    @abstractmethod
    async def list(self) -> builtins.list[WorkerInfo]:
        """Return the workers that run, and the service workers that are registered."""

    @abstractmethod
    async def inspect(self, url: str | None) -> Sequence[WorkerInfo]:
        """Return all that is known of the service workers whose URL or scope contains `url`, or of all of them."""

    @abstractmethod
    async def update(self, url: str | None) -> None:
        """Have the browser look for a new version of the service workers whose URL or scope contains `url`."""

    @abstractmethod
    async def bypass(self, bypass: bool) -> None:
        """Send the tab's requests past its service worker, from the next request on."""

    @abstractmethod
    async def stop(self, url: str | None) -> None:
        """Stop the workers whose URL contains `url`, or all of them."""

    @abstractmethod
    async def unregister(self, url: str | None) -> None:
        """Unregister the service workers whose URL or scope contains `url`, or all of them."""
