"""`rove journal`: show what was done, check that the record is whole, and follow it as it is written."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rove.engine.guard_notice import GUARDED
from rove.errors import InvalidArguments, JournalFailed, NotOpen
from rove.guard.cleaning import one_line
from rove.storage.ledger import ChainedLine, Feed, LedgerFiles, Recent, names, recent
from rove.storage.ledger_verification import Verdict, verify, verify_file
from rove.surfaces.cli.terminal_output import palette_for

# Seconds between two looks at the files. Each operating system has another way to wait for a change; a look costs one
# stat for each session.
LOOK_AGAIN = 0.25
ACTION = "action"
# What every entry has, and a summary leaves out.
NOT_TOLD = frozenset({"seq", "prev", "session", "kind", "began", "hash", "attachments"})
COLUMNS = (("time", 19), ("session", 12), ("no.", 5), ("action", 46), ("decision", 10), ("outcome", 18), ("ms", 7))


def show(folder: Path, session: str | None, last: int, failed: bool, as_json: bool) -> int:
    """Print the last entries of one session, or of all sessions in the order of time."""
    found = [_recent(files, last, failed) for files in _chosen(folder, session)]
    links = _in_order(found, last)
    if links and not as_json:
        print(palette_for(sys.stdout).paint(_row(name for name, _ in COLUMNS), "bold"))
    for link in links:
        _say(link, as_json)
    if unreadable := sum(each.unreadable for each in found):
        print(f"{unreadable} line(s) are not entries: see `rove journal verify`.", file=sys.stderr)
    return 0


def tail(folder: Path, session: str | None, last: int, follow: bool, as_json: bool) -> int:
    """Print the last entries and, with `follow`, new ones until interrupted."""
    chosen = _chosen(folder, session, may_come=follow)
    found = {files.name: _recent(files, last, failed=False) for files in chosen}
    for link in _in_order(found.values(), last):
        _say(link, as_json)
    if follow:
        _follow(folder, session, {name: each.links[-1].seq for name, each in found.items() if each.links}, as_json)
    return 0


def _follow(folder: Path, session: str | None, seen: dict[str, int], as_json: bool) -> NoReturn:
    feeds: dict[str, Feed] = {}
    look_again = threading.Event()
    while True:
        for name in names(folder) if session is None else [session]:
            feed = feeds.setdefault(name, Feed(LedgerFiles(folder, name)))
            shown = seen.pop(name, 0)
            for link in feed.new_entries():
                if link.seq > shown:
                    _say(link, as_json)
        look_again.wait(LOOK_AGAIN)


def check(folder: Path, wanted: Sequence[str], head: str | None) -> int:
    """Print whether each journal is whole; return 1 if one is not."""
    chosen = list(wanted) or names(folder)
    if head is not None and len(chosen) != 1:
        raise InvalidArguments("--head names an entry of one journal.", hint="Name that session, or its file.")
    if not chosen:
        print(f"There is no journal in {folder} yet.")
    # Only a person's argument may be a path: the name of a session, which an agent chooses, can look like one.
    found = [_is_intact(folder, name, head, may_be_path=bool(wanted)) for name in chosen]
    return 0 if all(found) else 1


def _is_intact(folder: Path, name: str, head: str | None, may_be_path: bool) -> bool:
    """Print whether one journal is whole. One that cannot be read does not keep the others from being verified."""
    try:
        verdict = _verdict(folder, name, head, may_be_path)
    except JournalFailed as error:
        print(f"{one_line(name)}: NOT VERIFIED: {error.message}", f"      {error.hint}", sep="\n", file=sys.stderr)
        return False
    print("\n".join(_report(name, verdict)))
    return verdict.is_whole


def _verdict(folder: Path, name: str, head: str | None, may_be_path: bool) -> Verdict:
    try:
        if may_be_path and _is_path(name) and (Path(name).exists() or name not in names(folder)):
            return verify_file(Path(name), head)
        (files,) = _chosen(folder, name)
        return verify(files, head)
    except OSError as error:
        where = str(error.filename or name)
        raise JournalFailed(
            f"{where} cannot be read: {error.strerror}.",
            hint="Check that the file exists and that you may read it.",
        ) from error


def _report(name: str, verdict: Verdict) -> Iterable[str]:
    count = f"{verdict.entries} {'entry' if verdict.entries == 1 else 'entries'}"
    if verdict.broken is None:
        yield f"{one_line(name)}: whole, {count} in {', '.join(map(one_line, verdict.files))}"
        yield f"  head   entry {verdict.last.seq}, {verdict.last.hash}"
    else:
        file, line, why = verdict.broken.file, verdict.broken.line, verdict.broken.why
        yield f"{one_line(name)}: BROKEN at {one_line(file)}, line {line}: {one_line(why)}"
        yield f"  sound  {count} before that, up to entry {verdict.last.seq}, {verdict.last.hash}"
    yield from (f"  torn   {one_line(where)}: a write was broken off, not tampered with" for where in verdict.torn)
    yield from (f"  note   {one_line(remark)}" for remark in verdict.remarks)


def _is_path(name: str) -> bool:
    return "/" in name or name.endswith(".jsonl")


def _chosen(folder: Path, session: str | None, may_come: bool = False) -> list[LedgerFiles]:
    known = names(folder)
    if session is not None and session not in known and not may_come:
        there = ", ".join(map(one_line, known)) or "none"
        raise NotOpen(f"There is no journal of a session {one_line(session)}.", hint=f"There are: {there}.")
    return [LedgerFiles(folder, name) for name in (known if session is None else [session])]


def _recent(files: LedgerFiles, last: int, failed: bool) -> Recent:
    return recent(files, last or sys.maxsize, lambda facts: not failed or facts.get("outcome", "done") != "done")


def _in_order(found: Iterable[Recent], last: int) -> list[ChainedLine]:
    links = sorted((link for each in found for link in each.links), key=_began)
    return links[-last:] if last else links


def _say(link: ChainedLine, as_json: bool) -> None:
    # Flushed at once, as the reader may follow through a pipe.
    print(_data(link) if as_json else _told(link), flush=True)


def _began(link: ChainedLine) -> float:
    began = link.facts.get("began")
    return float(began) if isinstance(began, int | float) else 0.0


def _data(link: ChainedLine) -> str:
    """Return the entry as JSON, in ASCII: no control character in it reaches a terminal."""
    return json.dumps({**link.facts, "hash": link.hash})


def _told(link: ChainedLine) -> str:
    facts = link.facts
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(_began(link)))
    seconds = facts.get("seconds")
    spent = f"{seconds * 1000:.0f}" if isinstance(seconds, int | float) else ""
    words = [str(facts.get(name, "")) for name in ("decision", "outcome")]
    row = _row([when, str(facts.get("session", "?")), str(link.seq), _summary(facts), *words, spent])
    if facts.get("outcome", "done") != "done":
        row = palette_for(sys.stdout).paint(row, "red")
    guard, error = facts.get("guard", GUARDED), facts.get("error")
    remarks = [str(guard)] if guard != GUARDED else []
    remarks += [error] if isinstance(error, str) else []
    return "\n".join([row, *(f"{'':21}{one_line(remark, 160)}" for remark in remarks)])


def _summary(facts: Mapping[str, Any]) -> str:
    if facts.get("kind", ACTION) != ACTION:
        return _record_summary(facts)
    if facts.get("actor") == "person":
        return str(facts.get("summary"))
    arguments = facts.get("arguments")
    values = arguments.values() if isinstance(arguments, dict) else ()
    words = (value if isinstance(value, str) else json.dumps(value) for value in values)
    return " ".join([str(facts.get("action", "?")), *words])


def _record_summary(facts: Mapping[str, Any]) -> str:
    """Say what an entry holds that is no action: `driver taken Ada`, `message user Hello`."""
    told = [str(value) for name, value in facts.items() if name not in NOT_TOLD and isinstance(value, str | int)]
    return " ".join([str(facts["kind"]), *told])


def _row(cells: Iterable[str]) -> str:
    fitted = [one_line(cell, width) for cell, (_, width) in zip(cells, COLUMNS, strict=True)]
    *words, number = [f"{cell:<{width}}" for cell, (_, width) in zip(fitted, COLUMNS, strict=True)]
    return "  ".join([*words, f"{number.strip():>{COLUMNS[-1][1]}}"])
