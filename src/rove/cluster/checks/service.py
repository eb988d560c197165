"""What a node finds out about itself."""

from __future__ import annotations

from dataclasses import replace

from rove.browser.engines import load_engine
from rove.cluster.node.node import Node, offered
from rove.settings.sections import EngineName
from rove.settings.tree import load


class Service:
    """The service `checks`."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @offered
    async def browser(self, engine: EngineName) -> list[tuple[str, str, str, str]]:
        """Return what `rove doctor` would find of an engine here: subject, state, detail and how to repair it.

        A browser is started and ended for it.
        """
        own = load()
        settings = replace(own, engine=engine, browser=own.browser if own.engine == engine else None)
        found = [finding async for finding in load_engine(engine).diagnose(settings)]
        return [(finding.subject, finding.state, finding.detail, finding.fix) for finding in found]
