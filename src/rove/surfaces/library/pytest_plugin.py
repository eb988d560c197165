"""A plugin of pytest: the fixture `rove_session` is a browser session of its own for each test.

def test_the_title(rove_session):
    rove_session.navigate("https://example.com")
    assert "Example" in rove_session.extract("h1").result.text

In an `async def` test, with pytest-asyncio, its methods are coroutines. The fixture `rove_settings` returns the
settings of the browser, and can be overridden. When a test fails, a picture of the page and what the journal recorded
of the session are saved to the folder that `--rove-output` names.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from rove.errors import RoveError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rove.outcome import Outcome
    from rove.settings.tree import Settings

PHASES = pytest.StashKey[dict[str, pytest.TestReport]]()
FOLDER = "rove-results"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rove", "browser sessions of rove")
    group.addoption(
        "--rove-output",
        metavar="DIR",
        default=FOLDER,
        help=f"where pictures and journals of failed tests are saved (default: {FOLDER})",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash.setdefault(PHASES, {})[report.when or ""] = report
    if report.when == "call" and report.failed and "rove_session" in getattr(item, "fixturenames", ()):
        report.sections.append(("rove", f"A picture of the page and the journal: {_folder_of(item)}"))
    return report


@pytest.fixture(scope="session")
def rove_settings() -> dict[str, Any]:
    """The settings of the browser, as for `rove.open()`. Override it to change them, in any scope."""
    return {}


@pytest.fixture(scope="session")
def rove_browsers() -> Generator[Callable[[dict[str, Any]], Any]]:
    """Return the browser with some settings, which all tests with these settings share."""
    from rove.surfaces.library import blocking

    opened: dict[str, Any] = {}
    with ExitStack() as stack:

        def browser_with(settings: dict[str, Any]) -> Any:
            key = repr(sorted(settings.items()))
            if key not in opened:
                opened[key] = stack.enter_context(blocking.open(**settings))
            return opened[key]

        yield browser_with


@pytest.fixture
def rove_session(request: pytest.FixtureRequest) -> Any:
    """A browser session for one test: with coroutines in an `async def` test, else with methods that wait."""
    is_async = inspect.iscoroutinefunction(getattr(request, "function", None))
    return request.getfixturevalue("rove_async_session" if is_async else "rove_blocking_session")


@pytest.fixture
def rove_blocking_session(
    request: pytest.FixtureRequest, rove_settings: dict[str, Any], rove_browsers: Callable[[dict[str, Any]], Any]
) -> Generator[Any]:
    """A browser session whose methods wait for their outcomes."""
    with rove_browsers(rove_settings).another() as session:
        journal = _journal_of(session.settings, session.name)
        yield session
        if _has_failed(request.node):
            _save_journal(request.node, journal())
            try:
                _save_picture(request.node, session.screenshot())
            except RoveError as error:
                _warn(request.node, error)


try:
    import pytest_asyncio
except ImportError:

    @pytest.fixture(name="rove_async_session")
    def _no_async_session() -> None:
        """Say what an `async def` test needs."""
        pytest.fail("rove_session in an `async def` test needs pytest-asyncio: pip install pytest-asyncio")

else:

    @pytest_asyncio.fixture(name="rove_async_session")
    async def _async_session(request: pytest.FixtureRequest, rove_settings: dict[str, Any]) -> AsyncGenerator[Any]:
        """A browser session whose methods are coroutines."""
        from rove.surfaces.library import session as opening

        async with opening.open(**rove_settings) as session:
            journal = _journal_of(session.settings, session.name)
            yield session
            if _has_failed(request.node):
                _save_journal(request.node, journal())
                try:
                    _save_picture(request.node, await session.screenshot())
                except RoveError as error:
                    _warn(request.node, error)


def _has_failed(item: pytest.Item) -> bool:
    report = item.stash.get(PHASES, {}).get("call")
    return report is not None and report.failed


def _folder_of(item: pytest.Item) -> Path:
    name = re.sub(r"[^\w.-]+", "-", item.nodeid).strip("-")
    return Path(item.config.rootpath, str(item.config.getoption("--rove-output")), name)


def _journal_of(settings: Settings, session: str) -> Callable[[], list[str]]:
    """Return a function that returns what the journal has recorded of a session since now."""
    from rove.storage.ledger import Feed, LedgerFiles

    feed = Feed(LedgerFiles(settings.journal_folder, session))
    feed.new_entries()
    return lambda: [json.dumps(link.facts, ensure_ascii=False) for link in feed.new_entries()]


def _save_picture(item: pytest.Item, taken: Outcome[Any]) -> None:
    (_made_folder_of(item) / "page.png").write_bytes(taken.result.attachments[0].data)


def _warn(item: pytest.Item, error: RoveError) -> None:
    item.warn(pytest.PytestWarning(f"No picture of the page could be taken: {error.message}"))


def _save_journal(item: pytest.Item, lines: list[str]) -> None:
    (_made_folder_of(item) / "journal.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _made_folder_of(item: pytest.Item) -> Path:
    folder = _folder_of(item)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
