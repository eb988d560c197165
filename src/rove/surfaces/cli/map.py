"""`rove map`: many pages through sessions of one browser, and how far it is."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Callable, Generator
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, TextIO

from rove.errors import InvalidArguments, InvalidSettings
from rove.jobs.addresses import Address, check_sources, read_sources, stream
from rove.jobs.browser_worker import BrowserWorker
from rove.jobs.page_work import work_for
from rove.jobs.results_file import ResultsFile, ResultsStream
from rove.jobs.scheduler import Job, JobStopped, Progress, Summary
from rove.jobs.worker import JobOptions, PageOptions, default_parallel
from rove.settings.tree import Settings
from rove.surfaces.cli.terminal_output import bar
from rove.surfaces.library import Session
from rove.tasks import BackgroundTasks

REDRAWN_AFTER = 0.2
# Seconds between two lines where there is no terminal.
LINE_SECONDS = 10.0
STANDARD_OUTPUT = Path("-")
SOME_FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130
GO_ON = "Interrupted. Run the same command again to go on."
NO_PERSON = "No person is asked: what the policy asks for is denied."


class ProgressLine:
    """Shows the progress of a job until it is cancelled."""

    def __init__(self, output: TextIO, progress: Callable[[], Progress], notice: Callable[[], str]) -> None:
        """`notice`: what is said besides, such as of a cluster."""
        self._output = output
        self._progress = progress
        self._notice = notice
        self._is_terminal = output.isatty()

    async def show(self) -> None:
        try:
            while True:
                await asyncio.sleep(REDRAWN_AFTER if self._is_terminal else LINE_SECONDS)
                self._write(progress_text(self._progress(), self._columns, self._notice()))
        finally:
            if self._is_terminal:
                self._output.write("\r\033[K")
                self._output.flush()

    @property
    def _columns(self) -> int | None:
        """How long a line may be: one that wraps could not be drawn over."""
        if not self._is_terminal:
            return None
        return os.get_terminal_size(self._output.fileno()).columns or None

    def _write(self, text: str) -> None:
        self._output.write(f"\r{text}\033[K" if self._is_terminal else f"{text}\n")
        self._output.flush()


def progress_text(progress: Progress, columns: int | None = None, notice: str = "") -> str:
    """Return one line, of at most so many columns: how many pages are done, how fast, and how long the rest takes."""
    ended = progress.done + progress.failed
    of_all = f"{ended} of {progress.total}" if progress.total is not None else f"{ended}"
    parts = [f"{of_all} pages", f"{progress.rate:.1f}/s"]
    parts += [f"{progress.failed} failed"] if progress.failed else []
    if (left := progress.seconds_left) is not None and left:
        parts.append(f"{duration(left)} left")
    parts += [notice] if notice else []
    shown = f"  {'  '.join(parts)}"
    whole = f"  {bar(ended, progress.total)}{shown[1:]}" if progress.total else shown
    if columns is None or len(whole) < columns:
        return whole
    return shown[: columns - 1]


def duration(seconds: float) -> str:
    """Return a time in words, such as `1 h 4 min`."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def summary_lines(summary: Summary) -> list[str]:
    """Return what came of a job, for people."""
    ended = summary.done + summary.failed
    pages = "1 page" if ended == 1 else f"{ended} pages"
    lines = [f"{pages} in {duration(summary.seconds)} ({summary.rate:.1f}/s): {_outcome(summary)}."]
    if summary.skipped:
        failed = f", {summary.failed_before} of them failed (--retry-failed)" if summary.failed_before else ""
        lines.append(f"{summary.skipped} skipped: done before, or twice in the input{failed}.")
    lines += [f"  {count} {reason}" for reason, count in summary.failures]
    lines += [f"  slow: {each.host} ({each.seconds:.1f} s a page)" for each in summary.slowest if each.seconds >= 1]
    return lines


def _outcome(summary: Summary) -> str:
    return f"{summary.done} done, {summary.failed} failed" if summary.failed else f"{summary.done} done"


def run(given: argparse.Namespace, settings: Settings) -> int:
    """Run the command and return its exit code."""
    output = sys.stdout
    try:
        with _keeping_for_results(given.out):
            return _run(given, settings, output)
    except (InvalidArguments, InvalidSettings) as error:
        _say(f"rove: {error.message}\n      {error.hint}")
        return WRONG_USE
    except JobStopped as stopped:
        again = "Run the same command again to go on."
        if given.cluster is not None:
            again = f"To go on: {shlex.join(['rove', *given.command_line])}"
        _say(f"rove: {stopped.error.message}\n      {stopped.error.hint}\n      {again}")
        return SOME_FAILED
    except BrokenPipeError:
        raise  # the reader of standard output has gone
    except OSError as error:
        _say(f"rove: {error.strerror or error}: {given.out}. Run the same command again to go on.")
        return SOME_FAILED


def _keeping_for_results(out: Path) -> contextlib.AbstractContextManager[object]:
    """Send what a script prints to standard error, if results go to standard output."""
    return contextlib.redirect_stdout(sys.stderr) if out == STANDARD_OUTPUT else contextlib.nullcontext()


def _run(given: argparse.Namespace, settings: Settings, output: TextIO) -> int:
    check_sources(given.urls)
    _check_settings(settings)
    pages = _page_options(given, settings)
    pages.check()
    runs = _runs(given, settings, pages)
    job_options = JobOptions(given.per_host, given.delay, given.retries, given.repeat, given.retry_failed)
    with _results(given.out, output) as results:
        job = Job(job_options, pages.recorded, results)
        if isinstance(results, ResultsFile):
            job.resume(results.records())
        summary = asyncio.run(_Interruptible(job, given.quiet).run(given, runs))
    if summary is None:
        _say(GO_ON)
        return INTERRUPTED
    for line in summary_lines(summary):
        _say(line)
    if summary.is_interrupted:
        _say(GO_ON)
        return INTERRUPTED
    return SOME_FAILED if summary.failed or summary.failed_before else 0


class _Runs(Protocol):
    """Where the pages of a job are visited."""

    async def run(self, job: Job, addresses: AsyncIterator[Address], /) -> Summary: ...

    def notice(self) -> str:
        """Return what the progress says of it; nothing where there is nothing to say."""
        ...


class _LocalRun:
    """Visits pages in a browser of this process."""

    def __init__(self, worker: BrowserWorker) -> None:
        self._worker = worker

    async def run(self, job: Job, addresses: AsyncIterator[Address]) -> Summary:
        return await job.run(addresses, [self._worker])

    def notice(self) -> str:
        return ""


def _runs(given: argparse.Namespace, settings: Settings, pages: PageOptions) -> _Runs:
    """Return where the pages are visited. What is wrong with a script is said before anything begins."""
    if given.cluster is not None:
        from rove.surfaces.cli.map_on_cluster import ClusterRun

        return ClusterRun(given.cluster, settings, pages, given.parallel)
    work_for(pages)
    slots = given.parallel or default_parallel()
    if not given.quiet:
        _say(f"Pages at once: {slots}. {NO_PERSON}")
    return _LocalRun(BrowserWorker(settings, pages, slots, Session))


def _check_settings(settings: Settings) -> None:
    """Raise InvalidArguments if there is no browser that thousands of pages may be loaded in."""
    if settings.attach is not None:
        hint = "Leave out --attach; --logins-state NAME begins with a saved login."
        raise InvalidArguments("Many pages are not visited in a browser of your own: it is not guarded.", hint=hint)
    if not settings.browser_enabled:
        raise InvalidArguments("The browser is switched off.", hint="Run `rove config set browser_enabled true`.")


class _Interruptible:
    """Runs a job. The first Ctrl-C lets the pages finish that are being visited, the second ends it at once."""

    def __init__(self, job: Job, quiet: bool) -> None:
        self._job = job
        self._quiet = quiet
        self._running: asyncio.Future[Summary] | None = None
        self._is_draining = False

    async def run(self, given: argparse.Namespace, runs: _Runs) -> Summary | None:
        """Return the summary; None if the job was ended at once."""
        tasks = BackgroundTasks("rove map")
        loop = asyncio.get_running_loop()
        addresses = stream(read_sources(given.urls, given.column))
        self._running = asyncio.ensure_future(runs.run(self._job, addresses))
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupt)
        if not self._quiet:
            tasks.start(ProgressLine(sys.stderr, lambda: self._job.progress, runs.notice).show())
        try:
            return await self._running
        except asyncio.CancelledError:
            return None
        finally:
            await tasks.close()

    def _interrupt(self) -> None:
        assert self._running is not None
        if self._is_draining:
            self._running.cancel()
            return
        self._is_draining = True
        _say("\nFinishing the pages that are being visited; Ctrl-C again ends at once.")
        self._job.drain()


def _page_options(given: argparse.Namespace, settings: Settings) -> PageOptions:
    is_file = given.out != STANDARD_OUTPUT
    return PageOptions(
        given.do,
        given.timeout,
        given.fresh,
        given.keep_session,
        given.full_page,
        settings.logins.state,
        _folder(given.out) if is_file else "map",
        is_file and not given.repeat,
    )


def _folder(out: Path) -> str:
    """Return the folder of the workspace for the files of a job, which is the same when it goes on."""
    return f"map/{out.stem}-{blake2b(str(out.absolute()).encode(), digest_size=3).hexdigest()}"


@contextlib.contextmanager
def _results(out: Path, output: TextIO) -> Generator[ResultsFile | ResultsStream]:
    if out == STANDARD_OUTPUT:
        yield ResultsStream(output)
        return
    results = ResultsFile(out)
    try:
        if (repaired := results.repair()) is not None and repaired.removed:
            _say(f"{out}: removed the last line, which was not complete ({repaired.removed} bytes).")
        yield results
    finally:
        results.close()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
