"""JavaScript that runs in the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import Own, Passage, Result
from rove.validation.record import dataclass
from rove.workspace import Workspace, reading_command

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

FOLDER = "output"
FILE = "value.json"


@dataclass(frozen=True)
class Evaluated(Result):
    value: Any
    # The file that has the value as JSON, and its size in bytes, if it is more than fits into an answer.
    path: Own = Own("")
    size: int = 0
    # How many characters are told of a value that is in a file.
    shown: int = 0

    def __str__(self) -> str:
        return json.dumps(self.value, ensure_ascii=False)

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the value, or its beginning and the file that has all of it."""
        if not self.path:
            yield from super().passages(origin)
            return
        yield Passage(str(self)[: self.shown] + "…", origin)
        yield Passage(f"All {self.size} bytes of it: {self.path} (read it with: {reading_command(self.path)})")


@action(Effect.SCRIPT)
class Evaluate(TabAction[Evaluated]):
    """Run JavaScript in the page and return its value."""

    expression: str = arg("Expression, or a function, which is given the element.", min_length=1)
    target: Target | None = arg("Element to hand to the function.", default=None)
    await_promise: bool = arg("Wait for a promise.", default=True, rare=True)

    async def perform(self, tab: Tab) -> Evaluated:
        element = await tab.resolve(self.target) if self.target else None
        run = element.evaluate if element else tab.evaluate
        value = await run(self.expression, self.await_promise)
        data = tab.redact(json.dumps(value, ensure_ascii=False)).encode("utf-8", "replace")
        most = tab.settings.observing.output
        if len(data) <= most:
            return Evaluated(value)
        path = await Workspace(tab.settings.workspace_folder).save(FOLDER, FILE, data)
        return Evaluated(value, Own(path), len(data), most)
