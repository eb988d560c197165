"""How far `rove map` is: a bar on a terminal, or a line now and then."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TextIO

from rove.jobs.summary import Progress, Summary
from rove.surfaces.cli.progress_bar import bar

REDRAWN_AFTER = 0.2
# Seconds between two lines where there is no terminal.
LINE_SECONDS = 10.0


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
