"""Whether the answer to an act is true: compares its words with the page before it and a second after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
# What differs between two looks at the same thing: its ref, the focus, and that a dialog made the rest aria-hidden.
_PASSING = re.compile(r"\[(?:f\d+)?e\d+\]|\[expand [^\]]*\]|\bfocused\b|\(aria-hidden\)|\(was e\d+\)")
# What an agent takes for a hidden passage; `perhaps` and `partly` say that some of it can be seen.
_UNSEEN = re.compile(r"\((?:invisible: |inert\b)")
# Hidden by a layer above, or by a dialog: when that goes, the whole page is there again, which no answer reprints.
_BEHIND = re.compile(r"\((?:(?:partly )?invisible: covered|inert\b)")
# Comes before the lines that a dialog covers.
_COVER = re.compile(r"^(?:all else is covered by|behind the dialog)\b")
# For screen readers: what is announced there may name what has gone.
_ANNOUNCED = re.compile(r"\(screen-reader only\)|\(invisible: scaled away\)|desc\(aria\)")
# Stands for lines that an answer leaves out.
_LEFT_OUT = re.compile(r"^\W*(?:…|\(shortened)|\[expand ")
_SIGNED = re.compile(r"\s*([-+~]) (.*)")
_OPENED = "dialog opened: "
_CLOSED = "dialog closed: "
_REPLACED = " → "


@dataclass(frozen=True)
class Line:
    """One line of a snapshot or of an answer; `+` is new, `~` changed, `-` gone, no sign is where it happened."""

    text: str
    sign: str = ""
    is_under_cover: bool = False

    @property
    def words(self) -> list[str]:
        """The quoted texts: names, values and text of the page."""
        return [found for found in _QUOTED.findall(self.text) if found.strip()]

    @property
    def is_seen(self) -> bool:
        return not _UNSEEN.search(self.text) and not self.is_under_cover

    @property
    def is_behind(self) -> bool:
        return bool(_BEHIND.search(self.text)) or self.is_under_cover

    @property
    def is_announced(self) -> bool:
        return bool(_ANNOUNCED.search(self.text))

    @property
    def plain(self) -> str:
        """The line without what may differ though it is about the same thing."""
        return " ".join(_PASSING.sub("", self.text).split()).replace(" :", ":")


class Page:
    """The lines of a whole snapshot."""

    def __init__(self, snapshot: str) -> None:
        self.lines = list(_page_lines(snapshot.splitlines()))

    def seen(self) -> set[str]:
        """Return all words that can be seen."""
        return {word for line in self.lines if line.is_seen for word in line.words}

    def behind(self) -> set[str]:
        """Return the words that a layer covers."""
        return {word for line in self.lines if line.is_behind for word in line.words}

    def seen_lines(self) -> dict[str, Line]:
        return {line.plain: line for line in self.lines if line.is_seen}


def _page_lines(lines: Sequence[str]) -> Iterator[Line]:
    is_under_cover = False
    for line in filter(str.strip, lines):
        yield Line(line.strip(), is_under_cover=is_under_cover)
        is_under_cover = is_under_cover or bool(_COVER.match(line.strip()))


class Answer:
    """The lines that tell what changed, or the page if it is another one."""

    def __init__(self, kind: str, text: str, pending: str = "") -> None:
        """`pending`: what the answer says is not over."""
        self.kind = kind
        self.names_timer = "a timer (" in pending
        self.is_whole_page = kind in ("page", "snapshot")
        lines = text.splitlines()
        self.lines = list(_page_lines(lines) if self.is_whole_page else _signed(lines))

    @property
    def is_shortened(self) -> bool:
        return any(_LEFT_OUT.search(line.text) for line in self.lines)

    def present(self) -> Iterator[Line]:
        """Return the lines about what is there now."""
        return (line for line in self.lines if line.sign != "-")

    def claimed(self) -> Iterator[Line]:
        """Return the lines that say of something that it is there now."""
        return (line for line in self.present() if line.sign or self.is_whole_page)

    def tells(self, words: str) -> bool:
        """Whether these words are told as there, on a line without a mark."""
        return any(words in line.text and line.is_seen for line in self.present())

    def tells_removal(self) -> bool:
        return any(line.sign in ("-", "~") for line in self.lines)


def _signed(lines: Sequence[str]) -> Iterator[Line]:
    is_in_dialog = False
    for line in lines:
        match = _SIGNED.match(line)
        is_in_dialog = line.startswith(_OPENED) or (is_in_dialog and match is None and line.startswith(" "))
        if is_in_dialog:
            yield Line(line.removeprefix(_OPENED).strip(), "+")
        elif line.startswith(_CLOSED):
            yield Line(line.removeprefix(_CLOSED), "-")
        elif match and match[1] == "~" and _REPLACED in match[2]:
            old, _, new = match[2].partition(_REPLACED)
            yield Line(old.strip(), "-")
            yield Line(new.strip(), "~")
        else:
            yield Line(match[2].strip(), match[1]) if match else Line(line.strip())


def falsehoods(before: Page, answer: Answer, after: Page) -> Iterator[str]:
    """Say what an answer tells wrongly, or does not tell, of the way from one page to the other."""
    if answer.kind == "same":
        yield from _untold_changes(before, after)
        return
    yield from _untold(before, answer, after)
    yield from _false_claims(answer, after)
    gone = before.seen() - after.seen() - after.behind()
    if gone and not answer.is_whole_page and not answer.tells_removal():
        yield f"went away, and no removal is told: {_some(gone)}"


def _untold_changes(before: Page, after: Page) -> Iterator[str]:
    changed = before.seen_lines().keys() ^ after.seen_lines().keys()
    if changed:
        yield f"told that nothing changed, but: {_some(changed)}"


def _untold(before: Page, answer: Answer, after: Page) -> Iterator[str]:
    """Name the lines that are new a second later, of which the answer says nothing."""
    known, behind = before.seen_lines(), before.behind()
    told = "\n".join(line.text for line in answer.present() if line.is_seen)
    for plain, line in after.seen_lines().items():
        is_new = plain not in known and not set(line.words) <= behind
        if is_new and not answer.is_shortened and any(word not in told for word in line.words):
            yield f"appeared, and is not told as seen: {plain}"


def _false_claims(answer: Answer, after: Page) -> Iterator[str]:
    """Name the lines that an answer tells as new, and that are not there a second later, or are there otherwise."""
    seen = after.seen()
    there = {word for line in after.lines for word in line.words}
    marked = {line.plain for line in after.lines}
    for line in answer.claimed():
        if line.is_announced and answer.names_timer:
            continue  # what is announced to screen readers is taken back after a while
        if any(word not in there for word in line.words):
            yield f"told as there, and is not: {line.sign} {line.text}"
        # The page may hold the same words twice, seen and unseen.
        elif not line.is_seen and line.plain not in marked and any(word in seen for word in line.words):
            yield f"told as unseen, and is seen: {line.sign} {line.text}"


def _some(words: Iterable[str]) -> str:
    return ", ".join(sorted(words)[:5])


def wrong_words(answer: Answer, appears: Sequence[str], goes: Sequence[str]) -> Iterator[str]:
    """Say which words are not told as seen, or not told as gone."""
    for words in appears:
        if not answer.tells(words):
            yield f"not told as seen: {words}"
    claimed = [line for line in answer.claimed() if line.is_seen and not line.is_announced]
    for words in goes:
        if any(words in line.text for line in claimed):
            yield f"told as still there: {words}"
        if answer.kind == "same":
            yield f"not told as gone: {words}"
