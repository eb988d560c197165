"""JavaScript that runs in the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab


@dataclass(frozen=True)
class Evaluated(Result):
    value: Any

    def __str__(self) -> str:
        return json.dumps(self.value, ensure_ascii=False)


@action(Effect.SCRIPT)
class Evaluate(TabAction[Evaluated]):
    """Run JavaScript in the page and return its value."""

    expression: str = arg("Expression, or a function, which is given the element.", min_length=1)
    target: Target | None = arg("Element to hand to the function.", default=None)

    async def perform(self, tab: Tab) -> Evaluated:
        element = await tab.resolve(self.target) if self.target else None
        run = element.evaluate if element else tab.evaluate
        return Evaluated(await run(self.expression))
