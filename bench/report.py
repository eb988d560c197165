"""The results as Markdown: the numbers, and beside them how rove compares with the best of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.measurement import AFTER_FIRST_PAGE, AFTER_PAGES
from bench.results import Cell, Column, Results
from bench.servers import ROVE
from bench.tasks import Task

FASTER = ("faster", "slower")
FEWER = ("fewer", "more")
LESS = ("less", "more")


@dataclass(frozen=True)
class Value:
    """One field of a table: the number that is compared, and what is shown for it."""

    number: float | None
    shown: str


class Report:
    """Writes the tables of one run."""

    def __init__(self, results: Results, tasks: Sequence[Task]) -> None:
        self._results = results
        self._columns = list(results.columns.values())
        self._tasks = [task for task in tasks if any(task.key in column.cells for column in self._columns)]

    def markdown(self) -> str:
        parts = ["# rove beside other browser servers", self._facts(), "## Milliseconds", self._times()]
        parts += ["## Tokens and bytes", self._sizes(), "## What the snapshots name", self._names()]
        parts += ["## Memory", self._memory(), "## Settings", self._settings()]
        return "\n\n".join(parts) + "\n"

    def _facts(self) -> str:
        facts = self._results.facts
        return (
            f"{facts['processor']}, {facts['cores']} cores, {facts['system']}, Node {facts['node']}. "
            f"All servers drive {facts['browser']} ({facts['browser_name']}) over MCP on stdio. Medians of "
            f"{facts['rounds']} rounds with {facts['repeats']} repetitions in each, all servers in turn; cold "
            f"starts five times a round, alone; the 60,000 rows once. Load average "
            f"{facts['load_before'][0]:.1f} before and {facts['load_after'][0]:.1f} after. "
            f"Tokens: {facts['tokenizer']}. {facts['date']}."
        )

    def _times(self) -> str:
        start = self._row("cold start to first page", _start, FASTER)
        return self._table([start, *(self._work_row(task, _time, FASTER) for task in self._tasks)])

    def _sizes(self) -> str:
        schema = self._row("the tool list", _schema, FEWER)
        return self._table([schema, *(self._work_row(task, _size, FEWER) for task in self._tasks)])

    def _names(self) -> str:
        tasks = [task for task in self._tasks if task.page]
        cells = [[column.cells.get(task.key, Cell()) for column in self._columns] for task in tasks]
        rows = [[task.title, *map(_named, row)] for task, row in zip(tasks, cells, strict=True)]
        return table(["", *self._titles], rows)

    def _memory(self) -> str:
        rows = [
            self._row(f"{whose}, {moment}", _memory(moment, kind), LESS)
            for moment in (AFTER_FIRST_PAGE, AFTER_PAGES)
            for whose, kind in (("server (RSS)", "server_rss"), ("browser (PSS)", "browser_pss"))
        ]
        return self._table([*rows, self._row("processes left when the client closed", _left, FEWER)])

    def _settings(self) -> str:
        lines: list[str] = []
        for server in (column.server for column in self._columns):
            lines.append(f"- **{server.title} {server.version}**: `{server.settings}`")
            lines += [f"  - {note}" for note in server.notes]
        lines += [f"- **{key}** was skipped: {_short(why)}" for key, why in self._results.skipped.items()]
        return "\n".join(lines)

    @property
    def _titles(self) -> list[str]:
        return [column.server.title for column in self._columns]

    def _work_row(self, task: Task, value: Callable[[Cell], Value], words: tuple[str, str]) -> list[str]:
        def of(column: Column) -> Value:
            cell = column.cells.get(task.key, Cell())
            return _incomplete(value(cell), cell) if task.twin and cell.is_partial else value(cell)

        return self._row(task.title, of, words)

    def _row(self, title: str, value: Callable[[Column], Value], words: tuple[str, str]) -> list[str]:
        values = {column.server.key: value(column) for column in self._columns}
        return [title, *(each.shown for each in values.values()), self._ratio(values, words)]

    def _ratio(self, values: dict[str, Value], words: tuple[str, str]) -> str:
        """Return how rove compares with the best of the other servers."""
        numbers = {key: value.number for key, value in values.items() if value.number is not None}
        ours = numbers.pop(ROVE, None)
        if ours is None or not numbers:
            return "" if ours is None else "**alone with an answer**"
        best = min(numbers, key=lambda key: numbers[key])
        theirs, name = numbers[best], self._results.columns[best].server.title
        if ours == theirs:
            return f"the same as {name}"
        if ours < theirs:
            return f"**{_times(theirs, ours)} {words[0]}** than {name}"
        return f"{_times(ours, theirs)} {words[1]} than {name}"

    def _table(self, rows: Sequence[Sequence[str]]) -> str:
        return table(["", *self._titles, "rove is"], rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _start(column: Column) -> Value:
    number = column.start_milliseconds
    if number is None:
        return Value(None, _failure(column.start_failures))
    return Value(number, _milliseconds(number) + _failed(len(column.starts), column.start_failures))


def _time(cell: Cell) -> Value:
    number = cell.milliseconds
    if number is None:
        return Value(None, _failure(cell.failures))
    return Value(number, _milliseconds(number) + _calls(cell) + _failed(len(cell.samples), cell.failures))


def _size(cell: Cell) -> Value:
    """Return tokens where they were counted, and bytes in brackets; else bytes."""
    if cell.bytes is None:
        return Value(None, "–")
    if cell.tokens is None:
        return Value(cell.bytes, _kilobytes(cell.bytes))
    return Value(cell.tokens, f"{cell.tokens:,} ({_kilobytes(cell.bytes)})")


def _schema(column: Column) -> Value:
    size = f"{_kilobytes(len(column.schema.encode()))}, {len(column.tools)} tools"
    if column.schema_tokens is None:
        return Value(len(column.schema), size)
    return Value(column.schema_tokens, f"{column.schema_tokens:,} ({size})")


def _memory(moment: str, kind: str) -> Callable[[Column], Value]:
    def value(column: Column) -> Value:
        number = column.memory_at(moment, kind)
        return Value(number, "–" if number is None else f"{number / 1e6:,.0f} MB")

    return value


def _left(column: Column) -> Value:
    left = max(column.left_running, default=0)
    return Value(left, str(left))


def _named(cell: Cell) -> str:
    if cell.named is None:
        return "–"
    found, sought, total = cell.named.found, cell.named.sought, cell.named.total
    return f"{found} of {sought}" if sought == total else f"{cell.named.share:.0%} of {total:,}"


def _times(more: float, less: float) -> str:
    return f"{more / less:.1f}×" if less else f"{more:,.0f}"


def _incomplete(value: Value, cell: Cell) -> Value:
    """Return a value that is shown, but not compared with complete results."""
    share = cell.named.share if cell.named else 0.0
    return Value(None, f"{value.shown} for {share:.0%} of it")


def _milliseconds(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def _kilobytes(number: float) -> str:
    return f"{number:,.0f} B" if number < 10_000 else f"{number / 1000:,.0f} KB"


def _calls(cell: Cell) -> str:
    return f" in {cell.calls} calls" if cell.calls > 1 else ""


def _failure(failures: Sequence[str]) -> str:
    return _short(failures[0]) if failures else "–"


def _failed(succeeded: int, failures: Sequence[str]) -> str:
    """Return how many runs failed, which a median of the successful ones does not show."""
    return f" ({len(failures)} of {succeeded + len(failures)} failed)" if failures else ""


def _short(why: str) -> str:
    """Return a failure shortened for a table."""
    words = " ".join(why.replace("|", "/").split())
    return words if len(words) <= 48 else words[:47] + "…"
