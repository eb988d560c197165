"""Performs each act with each server and judges what the server shows of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.client import NoAnswer, ServerFailed
from bench.driver import Driver
from bench.servers import ROVE, Server
from bench.site import Site
from bench.told import verdict
from bench.told.act import Act

FAILURES = (NoAnswer, ServerFailed, LookupError, OSError)
# The goal is looked at this many seconds after the answer, when every page has come to rest.
REST = 1.2


@dataclass(frozen=True)
class Told:
    """One act with one server: what was wrong in the text, whether the goal was reached, and what it took."""

    act: Act
    wrong: str
    is_done: bool
    calls: int
    text: str
    seconds: float

    @property
    def is_right(self) -> bool:
        return not self.wrong


@dataclass
class Account:
    """All acts of one server."""

    server: Server
    told: list[Told] = field(default_factory=list[Told])

    def of(self, group: str) -> list[Told]:
        return [each for each in self.told if each.act.group == group]


async def run(server: Server, acts: Sequence[Act], site: Site, limit: float) -> Account:
    """Start a server and perform all acts; a server that stops answering is started again."""
    account = Account(server)
    driver = await Driver.start(server, site, limit)
    try:
        for act in acts:
            try:
                account.told.append(await _perform(driver, act))
            except FAILURES as failure:
                account.told.append(Told(act, str(failure) or type(failure).__name__, False, 1, "", limit))
                if isinstance(failure, NoAnswer):
                    await driver.kill()
                    driver = await Driver.start(server, site, limit)
    finally:
        await driver.stop()
    return account


async def _perform(driver: Driver, act: Act) -> Told:
    if not act.goes_on:
        await driver.navigate(act.path)
    ref = driver.server.tool_calls.ref_of(act.click, (await driver.whole_snapshot()).text)
    replies = await driver.click_and_see(ref)
    text = replies[-1].text
    wrong = verdict.of_changes(act, text) if driver.server.key == ROVE else verdict.of_page(act, text)
    await asyncio.sleep(REST)
    goal = await driver.evaluate(f"'goal=' + ({act.goal})")
    seconds = sum(reply.seconds for reply in replies)
    said = "\n".join(reply.text for reply in replies)
    return Told(act, wrong, "goal=true" in goal.text, len(replies), said, seconds)
