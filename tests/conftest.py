"""Fixtures: one browser and one site for all tests of a worker, and a new session for each test."""

from __future__ import annotations

import gc
import itertools
import json
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any, get_args

import hypothesis
import pytest
from tests.shared_sessions import close_other_tabs, has_mark, open_names
from tests.site import OWN_SITES, Site, serving
from tests.webkit_differences import reason_for

from rove import Session
from rove.engine.sessions import Sessions
from rove.settings.sections import EngineName
from rove.settings.tree import Deadlines, Limits, Settings

GOLDEN = Path(__file__).parent / "golden"
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
TAB_LIMIT = 4
SESSION_LIMIT = 5

_names = itertools.count(1)

# The time of an example depends on how busy the machine is. Examples are the same each time, so that a change which
# breaks one is at fault; `make test-all` tries new ones.
_anew = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("new-examples", _anew)
hypothesis.settings.register_profile("rove", _anew, derandomize=True)
hypothesis.settings.load_profile("rove")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Write the golden files again.")
    parser.addoption("--engine", choices=ENGINES, default="chromium", help="Run the browser tests on this engine.")
    parser.addoption("--browser", help="Run them in this browser, such as a full Chromium instead of a headless shell.")


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()
    # A shell starts what runs in the background with SIGINT ignored; processes that tests interrupt would inherit it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _choose_engine(config)


def _choose_engine(config: pytest.Config) -> None:
    """Let tests that make settings of their own run on the chosen engine and browser too, unless they name one."""
    make, engine, browser = Settings.__init__, config.getoption("--engine"), config.getoption("--browser")
    chosen = {} if engine == "chromium" else {"engine": engine}
    chosen |= {"browser": browser} if browser else {}
    if chosen:
        setattr(Settings, "__init__", lambda self, *args, **given: make(self, *args, **{**chosen, **given}))  # noqa: B010


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests of what only other engines have, with the reason that their mark gives."""
    engine = config.getoption("--engine")
    for item in items:
        for mark in item.iter_markers("engines"):
            if engine not in mark.args:
                item.add_marker(pytest.mark.skip(reason=f"{engine}: {mark.kwargs['reason']}"))
        if engine == "webkit" and (why := reason_for(item.nodeid.partition("::")[0], item.name)):
            item.add_marker(pytest.mark.skip(reason=f"webkit: {why}"))


@pytest.fixture(scope="session")
def engine_name(request: pytest.FixtureRequest) -> EngineName:
    """The engine that tests run on."""
    name: EngineName = request.config.getoption("--engine")
    return name


def pytest_collection_finish() -> None:
    """Leave what was collected to the end: searching it for garbage takes half a second each time."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, engine_name: EngineName, request: pytest.FixtureRequest
) -> None:
    """Remove ROVE_ variables of this machine, so that tests run the same everywhere."""
    names = "HOME ATTACH WORKSPACE POLICY APPROVE BROWSER ENGINE HEADLESS SANDBOX FETCH_BROWSER SECRETS GUARD_PASSWORDS"
    for name in names.split():
        monkeypatch.delenv(f"ROVE_{name}", raising=False)
    if engine_name != "chromium":
        monkeypatch.setenv("ROVE_ENGINE", engine_name)
    if browser := request.config.getoption("--browser"):
        monkeypatch.setenv("ROVE_BROWSER", browser)
    # The test sites are on this machine, which pages cannot reach unless it is allowed.
    monkeypatch.setenv("ROVE_ALLOW_HOST", ",".join(OWN_SITES))


@pytest.fixture(scope="session")
def home() -> Generator[Path]:
    """A home with a short path, because the path of a profile's socket is limited to 108 characters."""
    folder = Path(tempfile.mkdtemp(prefix="rv"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def _server() -> Generator[Site]:
    with serving() as site:
        yield site


@pytest.fixture
def site(_server: Site) -> Generator[Site]:
    """An empty site."""
    _server.clear()
    yield _server
    _server.clear()


@pytest.fixture(scope="session")
def settings(home: Path, engine_name: EngineName) -> Settings:
    """Settings with long deadlines, because the machine may be busy, and with low limits."""
    return Settings(
        home=home,
        engine=engine_name,
        allow_host=OWN_SITES,
        deadlines=Deadlines(action=30, launch=60, approval=30),
        limits=Limits(sessions=SESSION_LIMIT, tabs=TAB_LIMIT, queue_seconds=0.2),
        stealth=os.environ.get("ROVE_STEALTH") == "1",
    )


@pytest.fixture(scope="session")
async def sessions(settings: Settings) -> AsyncGenerator[Sessions]:
    """The sessions of a worker, which share one browser."""
    async with Sessions(settings) as sessions:
        sessions.start_early()
        yield sessions


@pytest.fixture(scope="module")
async def _name_in_module(sessions: Sessions) -> AsyncGenerator[str]:
    """The name of the session that the tests of a module share, which is opened by the first of them."""
    name = f"module{next(_names)}"
    yield name
    if name in open_names(sessions):
        await sessions.close_session(name)


@pytest.fixture
async def session(request: pytest.FixtureRequest, sessions: Sessions, _name_in_module: str) -> AsyncGenerator[Session]:
    """A new session, closed after the test with all sessions that the test opened.

    The tests of a module that is marked `one_session` share one: each new session takes a process of the browser.
    A test of such a module that is marked `own_session` has a new one.
    """
    is_shared = has_mark(request, "one_session") and not has_mark(request, "own_session")
    before = open_names(sessions)
    name = _name_in_module if is_shared else f"test{next(_names)}"
    if name not in before:
        await sessions.open_session(name)
    yield Session(sessions, name)
    after = open_names(sessions)
    if is_shared and name in after:
        await close_other_tabs(Session(sessions, name))
        before.add(name)
    for opened in after - before:
        await sessions.close_session(opened)


Golden = Callable[[str, Any], None]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare data with a file in golden/, or write that file with --update-golden."""

    def compare(name: str, data: Any) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        assert json.loads(path.read_text(encoding="utf-8")) == data, "run `pytest --update-golden` if this is meant"

    return compare


@pytest.fixture
def unused_port() -> int:
    """A port on which no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
