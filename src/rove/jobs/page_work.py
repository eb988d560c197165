"""What is done with a page: read it, picture it, or run a function of the caller's."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from rove.action import Action, make_action
from rove.actions.extract import Extract
from rove.actions.fetch import WebFetch
from rove.actions.input import Dialog
from rove.actions.navigation import Navigate, Navigated
from rove.actions.pdf import Pdf
from rove.actions.screenshot import Screenshot
from rove.actions.snapshot import Snapshot
from rove.browser.page_data import DownloadedFile
from rove.engine.session import Session
from rove.engine.settle import STILL_LOADING
from rove.errors import DialogOpen, InvalidArguments, NavigationFailed
from rove.fields import plain
from rove.jobs.worker import RETRYABLE_STATUSES, PageOptions, PageTask, names_of_none
from rove.outcome import AnyOutcome, Attachment, Outcome, Result
from rove.records import dataclass
from rove.workspace import Workspace

R = TypeVar("R", bound=Result)
FIRST_ERROR_STATUS = 400
# Dialogs of one page that are dismissed; there is no person to answer them.
MOST_DIALOGS = 5
# Kinds of events that say why a file was not saved.
DOWNLOAD_FAILED = "download failed"
NOT_SAVED = (DOWNLOAD_FAILED, "download refused", "download broken off")
MODULE = "rove_map_script"
# Parts of an extraction that are about several elements, of which a page's own text has none.
_OF_ELEMENTS = ("content", "origins", "note", "unseen_count")


@dataclass
class Visit:
    """A visit of a page, and what is known of it so far.

    `facade`: the session as a script of the caller's is given it. `action_seconds`: the most that one action may take.
    `is_incomplete`: the page was still loading when it was read.
    """

    session: Session
    facade: Any
    task: PageTask
    options: PageOptions
    action_seconds: float
    final_url: str | None = None
    title: str | None = None
    status: int | None = None
    files: tuple[str, ...] = ()
    is_incomplete: bool = False

    async def load(self) -> Navigated:
        """Open the page. Raises NavigationFailed if the server answers with an error."""
        action = make_action(Navigate, self.task.url)
        outcome = await self._outcome(action)
        loaded = outcome.result
        if (download := loaded.download) is not None:
            # The tab still shows the page of the visit before: nothing is told of it.
            self.final_url = download.url or self.task.url
            self._add_download(download, outcome)
        else:
            self.final_url, self.title = outcome.url, outcome.title
            self.is_incomplete = STILL_LOADING in outcome.pending
            self.check_status(loaded.status, loaded.retry_after)
        if loaded.document is not None:
            self.title = loaded.document.title
        return loaded

    async def load_page(self) -> None:
        """Open a page that can be looked at. Raises NavigationFailed if the address is that of a file."""
        self.refuse_file(await self.load())

    def refuse_file(self, loaded: Navigated) -> None:
        """Raise NavigationFailed if what was loaded is a file."""
        if loaded.download is not None:
            raise NavigationFailed(
                "The address is that of a file, not of a page.",
                hint="The file is in the workspace (`files`). Use --do fetch or --do extract to read a PDF.",
                retryable=False,
            )

    def _add_download(self, download: DownloadedFile, outcome: AnyOutcome) -> None:
        """Note the file of a download. Raises NavigationFailed if it was not saved."""
        if download.path is None:
            failed = [event for event in outcome.events if event.kind in NOT_SAVED][:1]
            raise NavigationFailed(
                "The address is that of a file, which was not saved",
                *(part for event in failed for part in (": ", event.text)),
                ".",
                hint="Allow more time with --timeout, or larger files with --limits-download-megabytes.",
                retryable=all(event.kind == DOWNLOAD_FAILED for event in failed),
            )
        self.add_file(download.path)

    def check_status(self, status: int | None, retry_after: float | None = None) -> None:
        """Raise NavigationFailed if the server answered with an error."""
        self.status = status
        if status is not None and status >= FIRST_ERROR_STATUS:
            raise NavigationFailed(
                f"The server answered with HTTP {status}.",
                hint="Open the address in a browser to see what is there.",
                retryable=status in RETRYABLE_STATUSES,
                retry_after=retry_after,
            )

    async def act(self, action: Action[R]) -> R:
        """Run an action on the page, and dismiss the dialogs that it opens meanwhile."""
        for _ in range(MOST_DIALOGS):
            try:
                return await self._run(action)
            except DialogOpen:
                await self._run(make_action(Dialog, accept=False))
        return await self._run(action)

    async def _run(self, action: Action[R]) -> R:
        return (await self._outcome(action)).result

    async def _outcome(self, action: Action[R]) -> Outcome[R]:
        # `act` answers dialogs; where no action does, the engine would wait for each to be dismissed.
        names = {**names_of_none(), Dialog.verb: Dialog.verb}
        return await self.session.run(action, timeout=self.action_seconds, quiet=True, names=names)

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.session.settings.workspace_folder)

    def file(self, ending: str) -> str:
        """Return the path for a file of this page; one that a visit has left that was broken off is removed."""
        path = f"{self.options.folder}/{self.task.file}{ending}"
        if self.options.replaces_files:
            self.workspace.remove(path)
        return path

    async def save(self, attachment: Attachment) -> None:
        """Save a picture or a file that came with the answer."""
        ending = f".{attachment.mime.partition('/')[2]}"
        name = self.file(ending).rpartition("/")[2]
        self.add_file(str(await self.workspace.save(self.options.folder, name, attachment.data)))

    def add_file(self, path: str) -> None:
        root = str(self.workspace.root)
        self.files = (*self.files, path.removeprefix(root).lstrip("/") if path.startswith(root) else path)


Work = Callable[[Visit], Awaitable[Any]]


def work_for(options: PageOptions) -> Work:
    """Return what is to be done with each page. Raises InvalidArguments."""
    if (script := options.script) is not None:
        return _of_script(load_script(script))
    return _WORK[options.do]


async def _fetch(visit: Visit) -> Any:
    fetched = await visit.act(make_action(WebFetch, visit.task.url))
    visit.final_url, visit.title = fetched.url, fetched.title
    visit.check_status(fetched.status)
    if fetched.image is not None:
        await visit.save(fetched.image)
    return plain(replace(fetched, image=None))


async def _extract(visit: Visit) -> Any:
    loaded = await visit.load()
    if (document := loaded.document) is not None:
        text = "\n\n".join(page.text for page in document.pages)
        return {"text": text, "title": document.title, "pages": document.page_count, "left_out": document.left_out}
    if loaded.download is not None:
        return {"text": "", "download": plain(loaded.download)}
    read = await visit.act(make_action(Extract, mode="readable"))
    facts: dict[str, Any] = plain(read)
    text = "\n".join(part for part in facts["content"] if part)
    return {"text": text, **{name: fact for name, fact in facts.items() if name not in _OF_ELEMENTS}}


async def _snapshot(visit: Visit) -> Any:
    await visit.load_page()
    taken = await visit.act(make_action(Snapshot))
    return {"text": str(taken), "tokens": taken.tokens, "folded": taken.folded}


async def _screenshot(visit: Visit) -> Any:
    await visit.load_page()
    picture = make_action(Screenshot, path=visit.file(".png"), full_page=visit.options.full_page)
    taken = await visit.act(picture)
    visit.add_file(taken.path)
    return {"width": taken.width, "height": taken.height, "is_cut": taken.is_cut}


async def _pdf(visit: Visit) -> Any:
    loaded = await visit.load()
    if loaded.document is not None and (saved := loaded.download) is not None:
        return {"pages": loaded.document.page_count, "size": saved.size}
    visit.refuse_file(loaded)
    printed = await visit.act(make_action(Pdf, path=visit.file(".pdf")))
    visit.add_file(printed.path)
    return {"pages": printed.pages, "size": printed.size}


_WORK: dict[str, Work] = {
    "fetch": _fetch,
    "extract": _extract,
    "snapshot": _snapshot,
    "screenshot": _screenshot,
    "pdf": _pdf,
}


def _final_url(session: Session) -> str | None:
    """Return where the current tab is, for a script that may have gone anywhere."""
    tabs: Any = session.describe()["tabs"]
    return next((tab["url"] for tab in tabs if tab["is_current"]), None)


class NotJson(Exception):
    """A function of the caller's returned what cannot be written as JSON."""


class ScriptEnded(Exception):
    """A function of the caller's tried to end the program, or its own task."""


def load_script(path: Path) -> Callable[..., Awaitable[Any]]:
    """Return the function `run` of a Python file. Raises InvalidArguments."""
    spec = importlib.util.spec_from_file_location(MODULE, path)
    if path.suffix != ".py" or spec is None or spec.loader is None:
        raise InvalidArguments(f"{path} is not a Python file.", hint="Its name must end with .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module
    sys.path.insert(0, str(path.resolve().parent))  # as Python does for a program, so that it finds its neighbours
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        message = f"{path} cannot be loaded: {type(error).__name__}: {error}"
        raise InvalidArguments(message, hint="Correct the script.") from error
    run: Any = getattr(module, "run", None)
    if not inspect.iscoroutinefunction(run):
        hint = "Write `async def run(session: rove.Session, url: str)`; docs/map.md has an example."
        raise InvalidArguments(f"{path} has no function `async def run(session, url)`.", hint=hint)
    return run  # type: ignore[no-any-return]


def _of_script(run: Callable[..., Awaitable[Any]]) -> Work:
    async def work(visit: Visit) -> Any:
        result = plain(await _ending_only_itself(run(visit.facade, visit.task.url)))
        visit.final_url = _final_url(visit.session)
        try:
            json.dumps(result, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise NotJson(f"run() returned what is not JSON: {error}") from error
        return result

    return work


async def _ending_only_itself(running: Awaitable[Any]) -> Any:
    """Return what a script returns. Raises ScriptEnded for what would end the job, such as SystemExit."""
    try:
        return await running
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # by the job, or as the time is up
        raise ScriptEnded("CancelledError was raised") from error
    except (SystemExit, KeyboardInterrupt) as error:
        raise ScriptEnded(f"{type(error).__name__} was raised: {error}") from error
