"""Drives a widget as a user would, act after act, and keeps what is needed to judge each answer."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass

from tests.site import Site
from tests.widgets.act import Act, Library, Widget
from tests.widgets.bundles import bundle, document
from tests.widgets.truth import Answer, Page

from rove import Session
from rove.action import parse
from rove.outcome import AnyOutcome
from rove.toolsets.outcome_text import as_text

# What changes within this many seconds of the answer belongs to the act, and should have been told.
SECOND_LOOK = 1.0
WHOLE_PAGE = 100_000


@dataclass(frozen=True)
class Performed:
    """One act: the page before it, the answer, the page a second after it, and whether the goal was reached."""

    before: Page
    answer: Answer
    after: Page
    is_done: bool
    text: str
    # Until the answer.
    seconds: float = 0.0


class Driver:
    """A session on the page of one library; acts of a widget follow each other on the same page."""

    def __init__(self, session: Session, site: Site) -> None:
        self._session = session
        self._site = site
        self._library: Library | None = None
        # The widget that is in use, and how many of its acts have been performed; none after a failure.
        self._widget: Widget | None = None
        self._performed = 0
        self._is_clean = False

    async def perform(self, library: Library, widget: Widget, act: Act) -> Performed:
        """Perform an act, after those that come before it, which are done only if they have not been."""
        place = widget.acts.index(act)
        if not self._is_ready_for(library, widget, place):
            await self._open(library)
            for earlier in widget.acts[:place]:
                await self._run(earlier)
                await asyncio.sleep(SECOND_LOOK)
        self._library, self._widget, self._performed, self._is_clean = library, widget, place + 1, False
        performed = await self._looked_at(act)
        self._is_clean = performed.is_done
        return performed

    def _is_ready_for(self, library: Library, widget: Widget, place: int) -> bool:
        if library is not self._library or not self._is_clean:
            return False
        if place == 0:
            return self._widget is not None and self._performed == len(self._widget.acts)
        return widget is self._widget and place == self._performed

    async def _open(self, library: Library) -> None:
        made = bundle(library.name)
        self._site.page(f"/{library.name}/page.js", made.script, kind="text/javascript; charset=utf-8")
        self._site.page(f"/{library.name}/page.css", made.style, kind="text/css; charset=utf-8")
        for path, value in library.answers.items():
            self._site.page(path, json.dumps(value), kind="application/json")
        url = self._site.page(f"/{library.name}/", document(library.name))
        await self._session.navigate(url)
        await asyncio.sleep(SECOND_LOOK)

    async def _looked_at(self, act: Act) -> Performed:
        before = await self._page()
        began = time.monotonic()
        outcome = await self._run(act)
        answered = time.monotonic()
        answer = Answer(outcome.changes.kind, outcome.changes.text, "\n".join(map(str, outcome.pending)))
        await asyncio.sleep(answered + SECOND_LOOK - time.monotonic())
        after = await self._page()
        goal = await self._session.run(parse("evaluate", {"expression": act.goal}), quiet=True)
        return Performed(before, answer, after, goal.result.value is True, as_text(outcome), answered - began)

    async def _run(self, act: Act) -> AnyOutcome:
        return await self._session.run(parse(act.step.verb, dict(act.step.arguments)))

    async def _page(self) -> Page:
        """Take a snapshot of the whole page, which also is what the next answer is compared with."""
        return Page((await self._session.snapshot(budget=WHOLE_PAGE)).result.text)
