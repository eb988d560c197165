"""The tasks that every server performs; only the replies that a task returns are timed."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench import pages
from bench.client import Reply, ServerFailed
from bench.driver import Driver

Perform = Callable[[Driver], Awaitable[list[Reply]]]


class WrongResult(Exception):
    """The call returned, but did not do what it should."""


@dataclass(frozen=True)
class Task:
    """One row of the report."""

    key: str
    title: str
    perform: Perform
    # The page whose names are searched for in the reply.
    page: str = ""
    # The row with the default call; a server without a larger call shares that row's numbers.
    twin: str = ""
    # Slow for some servers: done once a round, after memory was measured, and not again after a failure.
    is_heavy: bool = False


async def navigate(driver: Driver) -> list[Reply]:
    await driver.navigate("/article")
    return [await driver.navigate("/small")]


async def click(driver: Driver) -> list[Reply]:
    ref = await _ref(driver, "/small", "Press me")
    reply = await driver.click(ref)
    await _expect(driver, "'presses=' + presses", "presses=1")
    return [reply]


async def fill(driver: Driver) -> list[Reply]:
    ref = await _ref(driver, "/small", "Full name")
    reply = await driver.fill(ref, "Ada Lovelace")
    await _expect(driver, "'name=' + document.getElementById('name').value", "name=Ada Lovelace")
    return [reply]


async def evaluate(driver: Driver) -> list[Reply]:
    await driver.navigate("/small")
    return [await _expect(driver, "document.title.length * 1111", "11110")]


async def screenshot(driver: Driver) -> list[Reply]:
    await driver.navigate("/small")
    return [await driver.screenshot()]


async def screenshot_again(driver: Driver) -> list[Reply]:
    await driver.navigate("/small")
    await driver.screenshot()
    return [await driver.screenshot()]


async def open_and_see(driver: Driver) -> list[Reply]:
    """Open the page and read its first story: one call where navigating shows the page, else two."""
    await driver.navigate("/small")
    return await _until_seen(driver, await driver.navigate("/stories"), pages.story_title(0))


async def click_and_see(driver: Driver) -> list[Reply]:
    """Click, and read the new score of the story."""
    ref = await _ref(driver, "/stories", "upvote")
    return await _until_seen(driver, await driver.click_with_page(ref), f"{pages.FIRST_SCORE + 1} points")


async def navigate_huge(driver: Driver) -> list[Reply]:
    return [await driver.navigate("/huge-table")]


def snapshot(path: str) -> Perform:
    async def perform(driver: Driver) -> list[Reply]:
        await driver.navigate(path)
        return [await driver.snapshot()]

    return perform


def whole_snapshot(path: str) -> Perform:
    async def perform(driver: Driver) -> list[Reply]:
        await driver.navigate(path)
        return [await driver.whole_snapshot()]

    return perform


async def snapshot_huge(driver: Driver) -> list[Reply]:
    await _open_huge(driver)
    return _check_huge(await driver.snapshot())


async def whole_snapshot_huge(driver: Driver) -> list[Reply]:
    await _open_huge(driver)
    return _check_huge(await driver.whole_snapshot())


async def _open_huge(driver: Driver) -> None:
    """Load the page once, because that is slow; a server that timed out may still have loaded it."""
    if driver.path != "/huge-table":
        with contextlib.suppress(ServerFailed):
            await driver.navigate("/huge-table")


def _check_huge(reply: Reply) -> list[Reply]:
    if f"Edit {pages.order_number(1)}" not in reply.text:
        raise WrongResult("the snapshot is of another page")
    return [reply]


async def _ref(driver: Driver, path: str, name: str) -> str:
    await driver.navigate(path)
    return driver.server.tool_calls.ref_of(name, (await driver.snapshot()).text)


async def _expect(driver: Driver, expression: str, answer: str) -> Reply:
    reply = await driver.evaluate(expression)
    if answer not in reply.text:
        raise WrongResult(f"{answer} was expected of {expression}, not {reply.text[:200]}")
    return reply


async def _until_seen(driver: Driver, first: Reply, text: str) -> list[Reply]:
    replies = [first]
    for look in (driver.snapshot, driver.whole_snapshot):
        if text in replies[-1].text:
            return replies
        replies.append(await look())
    if text not in replies[-1].text:
        raise WrongResult(f"{text!r} is neither in the answer nor in a snapshot")
    return replies


def _snapshots(page: str, title: str) -> tuple[Task, Task]:
    key = f"snapshot{page.replace('/', '-')}"
    first = Task(key, f"snapshot: {title}", snapshot(page), page)
    return first, Task(f"{key}-whole", f"snapshot: {title}, everything", whole_snapshot(page), page, key)


def _huge() -> tuple[Task, Task, Task]:
    title, page, key = "60,000-row table", "/huge-table", "snapshot-huge-table"
    first = Task(key, f"snapshot: {title}", snapshot_huge, page, is_heavy=True)
    whole = Task(f"{key}-whole", f"snapshot: {title}, everything", whole_snapshot_huge, page, key, True)
    return Task("navigate-huge-table", f"navigate, {title}", navigate_huge, is_heavy=True), first, whole


TASKS = (
    Task("navigate", "navigate, small page", navigate),
    Task("click", "click, quiet page", click),
    Task("fill", "fill a field", fill),
    Task("evaluate", "evaluate", evaluate),
    Task("screenshot", "screenshot, small page", screenshot),
    Task("screenshot-again", "screenshot, painted before", screenshot_again),
    Task("open-and-see", "open the 100-story list and see it", open_and_see),
    Task("click-and-see", "click in it and see what changed", click_and_see),
    *_snapshots("/small", "small page"),
    *_snapshots("/stories", "100-story list"),
    *_snapshots("/article", "article"),
    *_snapshots("/form", "form with frames"),
    *_snapshots("/table", "2,000-row table"),
    *_huge(),
)
