"""What people do in a session while they drive it: in its journal, without what was typed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rove.browser.failures import BrowserError
from rove.browser.input_event import InputEvent, InputKind
from rove.browser.page_data import Box, TypedField
from rove.engine.journal import Entry, Journal
from rove.errors import ElementGone, NotOpen
from rove.page_text import Own, Text
from rove.records import dataclass
from rove.tasks import BackgroundTasks

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab
    from rove.guard.secrets.redaction import Redaction
    from rove.guard.secrets.secrets import Secrets
    from rove.snapshot import Snapshot

# Seconds without an act after which a burst is over.
BURST_SECONDS = 3.0
# What each event is counted as. Moves and releases are parts of what comes before or after them.
_COUNTED: dict[InputKind, str] = {
    "mouseDown": "clicks", "wheel": "scrolls", "keyDown": "keys", "text": "keys", "paste": "pastes",
    "touchStart": "touches", "dialog": "dialogs",
}  # fmt: skip
Redact = Callable[[str], str]
LABEL = "typed by a person"
# A shorter text would be found inside unrelated words. A field that holds one is withheld all the same.
MIN_LENGTH = 4
# Letters alone have to be more, as pages are full of short words; except in a password.
MIN_WORD_LENGTH = 6
MAX_TEXTS = 500
PICTURE_SECONDS = 2.0
INPUT_SECONDS = 5.0


@dataclass
class _Burst:
    """Acts of one person on one page, one soon after the other."""

    entry: Entry
    counts: Counter[str]
    over: asyncio.Event
    timer: asyncio.TimerHandle | None = None

    def end(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.over.set()


class PersonActs:
    """Writes the bursts of the person who drives one session."""

    def __init__(self, journal: Journal, session: str) -> None:
        self._journal = journal
        self._tasks = BackgroundTasks(f"acts of a person in {session}")
        self._burst: _Burst | None = None

    def note(self, person: str, tab: str, url: str, event: InputEvent) -> None:
        """Count an act. One on another page, or after a while, begins an entry of its own."""
        kind = _COUNTED.get(event.type)
        if kind is None:
            return
        burst = self._burst
        if burst is None or (burst.entry.arguments["person"], burst.entry.tab, burst.entry.url) != (person, tab, url):
            self.end_burst()
            burst = self._begin(person, tab, url)
        burst.counts[kind] += 1
        if burst.timer is not None:
            burst.timer.cancel()
        burst.timer = asyncio.get_running_loop().call_later(BURST_SECONDS, self.end_burst)

    def end_burst(self) -> None:
        """Write the entry of the burst, if there is one."""
        burst, self._burst = self._burst, None
        if burst is not None:
            burst.end()

    async def close(self) -> None:
        """Write what is not written yet."""
        self.end_burst()
        await self._tasks.finish(1.0)
        await self._tasks.close()

    def _begin(self, person: str, tab: str, url: str) -> _Burst:
        entry = Entry("drive", {"person": person}, f"{person} drives", actor="person")
        entry.tab, entry.url, entry.decision = tab, url, "person"
        self._burst = burst = _Burst(entry, Counter(), asyncio.Event())
        self._tasks.start(self._write(burst))
        return burst

    async def _write(self, burst: _Burst) -> None:
        async with self._journal.writing(burst.entry) as entry:
            await burst.over.wait()
            counted = ", ".join(f"{count} {kind}" for kind, count in burst.counts.items())
            entry.arguments = {**entry.arguments, **burst.counts}
            entry.summary = f"{entry.summary}: {counted}"


class TypedTexts:
    """Removes what a person has typed from texts, beside the owner's secrets.

    Known are the keys that the person pressed, as far as they were pressed in one go, and the values of the fields that
    they typed into.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self.near_misses = secrets.near_misses()
        # By the field, or by the number of the run of keys, that each was typed in.
        self._texts: dict[tuple[str, int], tuple[str, ...]] = {}
        self._run = ""
        self._runs = 0
        self._redaction: Redaction | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is removed; none if nothing is."""
        return (*self._secrets.names, *((LABEL,) if self._texts else ()))

    def redact(self, text: str) -> str:
        """Return a text without secrets, and without what a person has typed."""
        (text,) = self.redact_all([text])
        return text

    def _redact_typed(self, text: str) -> str:
        if self._redaction is None:
            self._redaction = self._make_redaction()
        return self._redaction(text)

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        """Redact texts that are shown together, over which a secret may be spread."""
        texts = self._without_secrets(texts)
        return [self._redact_typed(text) for text in texts] if self._texts else texts

    def _without_secrets(self, texts: Sequence[str]) -> list[str]:
        found = self._secrets.find("\n".join(texts)) if self._secrets.names else []
        if not found:
            return [*texts]
        from rove.guard.secrets.redaction import split_replaced  # imported late: most sessions have no secrets

        self.near_misses.note(found)
        return split_replaced(texts, found)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is withheld as typed by a person."""
        return tuple(text for kept in self._texts.values() for text in kept)

    def withhold(self, texts: Sequence[str]) -> None:
        """Withhold texts that a person typed before the session came to this process."""
        for text in texts:
            self._runs += 1
            self._keep(("", self._runs), (text,))

    def note_keys(self, event: InputEvent) -> None:
        """Note what an event types. One that moves the caret or leaves the field begins another text."""
        if event.type in ("text", "paste"):
            self._run += event.text
        elif event.type == "keyDown" and len(event.key) == 1:
            self._run += event.key
        elif event.type == "keyDown" and event.key == "Backspace":
            self._run = self._run[:-1]
        elif event.type in ("keyDown", "mouseDown", "touchStart"):
            self.end_run()

    def end_run(self) -> None:
        """Keep the text that was being typed."""
        run, self._run = self._run.strip(), ""
        if _is_telling(run, is_password=False):
            self._runs += 1
            self._keep(("", self._runs), (run,))

    def note_field(self, field: TypedField) -> None:
        """Note the value that a field has now. The longest one is kept too, as a page may clear its fields."""
        key = field.document, field.number
        longest = max((*self._texts.get(key, ()), field.value.strip()), key=len)
        values = dict.fromkeys((longest, field.value.strip()))
        self._keep(key, tuple(value for value in values if _is_telling(value, field.is_password)))

    def _keep(self, key: tuple[str, int], texts: tuple[str, ...]) -> None:
        self._texts[key] = texts
        if len(self._texts) > MAX_TEXTS:
            del self._texts[next(iter(self._texts))]
        self._redaction = None

    def _make_redaction(self) -> Redaction:
        from rove.guard.secrets.redaction import Redaction  # imported late: most sessions are never driven by a person

        return Redaction(
            {f"{LABEL}{'' if number == 0 else f' {number}'}": text for number, text in enumerate(self.texts)},
            with_parts=False,
        )


def _is_telling(text: str, is_password: bool) -> bool:
    is_word = text.isalpha() and text.isascii() and not is_password
    return len(text) >= (MIN_WORD_LENGTH if is_word else MIN_LENGTH)


class PersonAccess:
    """Gives people the tabs of a session that are open. It opens none, and what people do is no action of the agent."""

    def __init__(
        self, session: str, context: Callable[[], Context | None], journal: Journal, typed: TypedTexts
    ) -> None:
        self._session = session
        self._context = context
        self._typed = typed
        self._acts = PersonActs(journal, session)
        self._tasks = BackgroundTasks(f"the person at {session}", expected=(BrowserError,))
        # What the agent had copied before the person took over.
        self._agent_clipboard: Text = Own()

    def find_tab(self, name: str | None) -> Tab | None:
        """Return a tab, or the current one; None if it is not open."""
        context = self._context()
        if context is None:
            return None
        return context.current if name is None else next((tab for tab in context.tabs if tab.id == name), None)

    async def picture(self, tab: str | None, quality: int) -> bytes:
        """Return a JPEG of what a tab shows now. Raises NotOpen if there is no page, or it cannot be shown."""
        shown = self._open_tab(tab)
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                return await shown.take_picture(quality)
        except (TimeoutError, BrowserError) as error:
            raise NotOpen(f"{shown.id} of session {self._session} cannot be shown now.") from error

    async def element_box(self, ref: str, tab: str | None) -> Box:
        """Return where an element is in the viewport now, without scrolling. Raises ElementGone."""
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                return await self._open_tab(tab).box_of(ref)
        except (TimeoutError, BrowserError) as error:
            raise ElementGone(f"{ref} cannot be found on the page now.") from error

    async def locate(self, target: str, tab: str | None) -> tuple[str, str, Box]:
        """Return the ref, the line and the place of the first element that a target means now. Raises RoveError."""
        shown = self._open_tab(tab)
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                element = (await shown.resolve_all(target, wait=False))[0]
                return element.ref, await element.describe(), await shown.box_of(element.ref)
        except (TimeoutError, BrowserError) as error:
            raise ElementGone(f"{target} cannot be found on the page now.") from error

    def seen(self, tab: str | None) -> Snapshot | None:
        """Return what the agent was last shown of a tab; None if it has not looked at its page yet."""
        return self._open_tab(tab).observer.seen

    async def drive(self, person: str, event: InputEvent, tab: str | None) -> None:
        """Send the input of a person to a tab. What they type is withheld from the agent and the journal."""
        driven = self._open_tab(tab)
        self._typed.note_keys(event)
        self._acts.note(person, driven.id, driven.url, event)
        try:
            async with asyncio.timeout(INPUT_SECONDS):
                await driven.send_input(event)
        except (TimeoutError, BrowserError) as error:
            raise NotOpen(f"{driven.id} of session {self._session} does not answer.", hint="Try again.") from error

    def begin_drive(self) -> None:
        """Keep what the agent has in its clipboard while a person drives."""
        context = self._context()
        self._agent_clipboard = context.clipboard_text if context is not None else Own()

    def end_drive(self) -> None:
        """Release what the person still holds down, take away what they copied, and write what they did."""
        self._typed.end_run()
        self._acts.end_burst()
        context = self._context()
        if context is not None:
            context.set_clipboard(self._agent_clipboard)
            for tab in context.tabs:
                self._tasks.start(tab.end_input())

    async def finish(self) -> None:
        """Wait until nothing of the person's input is under way in the pages, after they have handed back."""
        await self._tasks.finish(PICTURE_SECONDS)

    async def close(self) -> None:
        """Write what is not written yet."""
        await self._acts.close()
        await self._tasks.close()

    def _open_tab(self, name: str | None) -> Tab:
        tab = self.find_tab(name)
        if tab is None:
            raise NotOpen(f"There is no tab {name or 'open'} in session {self._session}.")
        return tab
