"""Secrets in pages: fields that hold one, text that carries one, questions that must not tell one.

An agent that may ask whether a text or an attribute begins with a letter can read a secret letter by letter. So texts
are matched after redaction, and a selector is refused where an attribute that it tests has a secret. How a selector is
written does not count: the browser says which attributes it tests, and in doubt it is refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rove.browser.failures import BrowserError
from rove.browser.network import TextRedactor
from rove.browser.page_state import PageEvents
from rove.browser.shared.frames import Document, DocumentScript, World, bounded
from rove.errors import Denied, ElementGone, ScriptFailed
from rove.page_text import Own, PageText, Text
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.element import FoundSecret, SecretSource, TypedSecret
    from rove.browser.shared.live_page import LivePage

# Columns of a snapshot that are numbers of rove's own, as text, and the one that has a number before each text.
NUMBERS = frozenset({"depths", "flags", "refs", "starts", "children"})
PLACED = "hrefs"
_NUMBERS = re.compile(r"[-0-9 ]*")
EMPTIED_PREFIX = "emptied "
REMOVED_ADVICE = "The field with this secret was edited or shortened, so it was emptied. {fill} it again."

# What a selector that tests attributes has: brackets, or a pseudo-class. No escape or comment can stand for these.
_TESTS = ("[", ":")
LABEL = "[secret "
# How often a locator is tried again without the texts that have a secret, and how many characters are looked through.
MAX_ROUNDS = 8
MAX_TEXT = 4_000_000

# The depth to which nested closed shadow roots are searched for the focus.
MAX_ROOT_DEPTH = 20


def redacted_answer(answer: Any, redactor: TextRedactor) -> Any:
    """Return a JSON value in which every text is free of secrets, also of those that are spread over several."""
    if not redactor.names or answer is None or isinstance(answer, bool | int | float):
        return answer
    texts: list[str] = []

    def collect(text: str) -> str:
        texts.append(text)
        return text

    _replace_texts(answer, collect)
    clear = redactor.redact_all(texts)
    if clear == texts:
        return answer
    remaining = iter(clear)
    return _replace_texts(answer, lambda _: next(remaining))


def _replace_texts(value: Any, replace: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, list):
        return [_replace_texts(item, replace) for item in value]
    if isinstance(value, dict):
        return {key: _replace_item(key, item, replace) for key, item in value.items()}
    return value


def _replace_item(key: str, item: Any, replace: Callable[[str], str]) -> Any:
    if isinstance(item, str) and key in NUMBERS and _NUMBERS.fullmatch(item):
        return item
    if isinstance(item, str) and key == PLACED:
        return (
            "\n".join(f"{place} {replace(text)}" for place, text in map(_divided, item.split("\n"))) if item else item
        )
    return _replace_texts(item, replace)


def _divided(entry: str) -> tuple[str, str]:
    place, _, text = entry.partition(" ")
    return place, text


@dataclass(frozen=True)
class CopiedText:
    """A selected text, and the text before and after it: a selection may be a part of a secret."""

    text: str
    before: str = ""
    after: str = ""

    @classmethod
    def parse(cls, answer: dict[str, Any] | str | None) -> CopiedText:
        """Return what rove's script has reported."""
        data = json.loads(answer) if isinstance(answer, str) else answer or {}
        return cls(data.get("text", ""), data.get("before", ""), data.get("after", ""))

    def carried(self, secrets: SecretSource) -> dict[str, bool]:
        """Return the names of the secrets that the text is or has a part of, each with whether it has all of it."""
        start, end = len(self.before), len(self.before) + len(self.text)
        found = secrets.find(self.before + self.text + self.after)
        return {
            each.name: each.is_whole and start <= each.start and each.end <= end
            for each in found
            if each.start < end and start < each.end
        }


class SecretFields:
    """Watches the fields of one tab that hold secrets."""

    def __init__(
        self,
        worlds: Callable[[], Awaitable[Sequence[World]]],
        events: PageEvents,
        secrets: Callable[[], SecretSource],
    ) -> None:
        self._worlds = worlds
        self._events = events
        self._secrets = secrets

    async def protect(self) -> bool:
        """Before keys, presses and pictures: hold every field into which the page or the browser has put a secret.

        Returns whether there was one that was not held until now.
        """
        if not self._secrets().names:
            return False
        has_found = False
        for world in await self._worlds():
            with contextlib.suppress(BrowserError, ScriptFailed, ElementGone):  # the frame's document is being replaced
                has_found |= await self._protect_in(await world.document())
        return has_found

    async def _protect_in(self, document: Document) -> bool:
        # In the document itself, as answers to the world are redacted.
        texts: list[str] = await document.call("() => rove.unheldTexts()")
        if not texts or not self._secrets().held_in("\n".join(texts)):
            return False
        found = [(place, held) for place, text in enumerate(texts) if (held := self._secrets().held_in(text))]
        await document.call("found => rove.holdSecretsIn(found)", found)
        return True

    async def refuse_drag(self, world: World, data: dict[str, Any]) -> None:
        """Raise if text that is being dragged is a secret or a part of one."""
        if not self._secrets().names:
            return
        texts = [item.get("data", "") for item in data.get("items", ())]
        copied = CopiedText.parse(await (await world.document()).call("() => rove.selectionInContext()"))
        if names := {*copied.carried(self._secrets()), *(each.name for each in self._secrets().find("\n".join(texts)))}:
            raise Denied(
                f"The dragged text holds the secret {' and '.join(sorted(names))}, or a part of it.",
                hint="A secret is not dragged. Use {fill} with secret:NAME where it belongs.",
            )

    def on_report(self, report: str) -> None:
        if report.startswith(EMPTIED_PREFIX):
            names = " and ".join(json.loads(report.removeprefix(EMPTIED_PREFIX)))
            self._events.add("secret removed", Own(names), REMOVED_ADVICE)


def may_tell(css: str, secrets: SecretSource) -> bool:
    """Whether a selector may test an attribute that has a secret."""
    return bool(secrets.names) and any(sign in css for sign in _TESTS)


async def refuse_telling_selector(world: World, css: str, secrets: SecretSource) -> None:
    """Raise if a selector tests an attribute that has a secret anywhere in the document, whatever the secret is."""
    if not may_tell(css, secrets):
        return
    document = await world.document()
    values: str | None = await document.call("css => rove.testedValues(css)", css)
    if values is None:
        raise _refusal("Too many attributes of this page are tested to see whether one has a secret")
    if found := secrets.find(values):
        names = " and ".join(sorted({each.name for each in found}))
        raise _refusal(f"An attribute on this page has the secret {names}, and the selector tests it")


def _refusal(why: str) -> Denied:
    return Denied(f"{why}.", hint='Take a {snapshot} and use a ref, or a role and a name: button "Save".')


async def refs_located_openly(
    world: World, steps: Sequence[Mapping[str, Any]], limit: int, secrets: SecretSource
) -> list[str]:
    """Return the refs of the elements of a frame that a locator means.

    A locator may test texts with patterns, so a text that has a secret fits none, whatever the secret is.
    """
    for step in steps:
        if step["kind"] == "css":
            await refuse_telling_selector(world, step.get("text", ""), secrets)
    document, hidden = await world.document(), list[str]()
    for _ in range(MAX_ROUNDS):
        answer = await document.call("(...locator) => rove.locateOpenly(...locator)", steps, limit, hidden)
        texts: list[str] = answer["texts"]
        if sum(map(len, texts)) > MAX_TEXT:
            raise _refusal("The locator tests too much text to see whether it has a secret")
        telling = [text for text in texts if secrets.find(text)] if secrets.find("\n".join(texts)) else []
        if not telling:
            return [world.prefix + ref for ref in answer.get("refs", ())]
        hidden += telling
    raise _refusal("The locator tests too many texts that have a secret")


async def shows_text(world: World, text: str, secrets: SecretSource) -> bool:
    """Whether the page shows a text, outside of what is redacted."""
    if not await world.call("text => rove.showsText(text)", text):
        return False
    return not secrets.names or text in await world.call("() => rove.bodyText()")


def is_matched_openly(line: str, name: str | None) -> bool:
    """Whether an element with this line, which is redacted, matches a name outside of what is redacted."""
    return name is None or LABEL not in line or " ".join(name.split()).lower() in line.lower()


def is_found_openly(match: dict[str, Any], text: str) -> bool:
    """Whether a match of a search has the text outside of what is redacted.

    For texts only: a pattern can also say what must not be there.
    """
    return LABEL not in match["plain"] or " ".join(text.split()).lower() in " ".join(match["plain"].split()).lower()


class FocusedElement(Protocol):
    """An element that gets the focus before text is typed."""

    async def focus(self, watches: bool = False, /) -> Typing | None: ...


class NoSecrets:
    """A source without secrets."""

    def use(self, name: str, origin: str) -> TypedSecret:
        raise Denied(f"There is no secret `{name}`.")

    def offer(self, origin: str) -> str:
        return "There are no secrets."

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def find(self, text: str) -> list[FoundSecret]:
        return []

    def held_in(self, text: str) -> list[dict[str, str]]:
        return []

    def is_bound(self, name: str, origin: str) -> bool:
        return False


def password_error(line: Text, ref: str, hint: str) -> Denied:
    """Return the error for text that was to go into a password field."""
    refusal = Denied(line, f" [{ref}] is a password field, into which only a named secret is typed.", hint=hint)
    refusal.conceals = True
    return refusal


def _hidden_field_error(line: Text, ref: str) -> Denied:
    """Return the error for text that was to go into a field that cannot be looked at."""
    refusal = Denied(
        line,
        f" [{ref}] has a closed shadow root, and the field in it may be a password field: not all was typed.",
        hint="Take a {snapshot}, then {fill} the field.",
    )
    refusal.conceals = True
    return refusal


class Typing(NamedTuple):
    """A frame in which typed text is watched already, and what it has answered of its focus."""

    world: World
    focus: dict[str, Any]


class PasswordGuard:
    """Watches every frame of a tab while rove types, and keeps the text out of password fields."""

    def __init__(self, page: LivePage, offer: Callable[[str], str]) -> None:
        self._page = page
        self._offer = offer
        # Watches documents that load while rove types.
        self.script: DocumentScript = page.document_script("rove.beginTyping()")
        self._ending: asyncio.Task[None] | None = None

    @property
    def is_enabled(self) -> bool:
        return self._page.settings.guard.passwords == "refuse"

    @contextlib.asynccontextmanager
    async def guarding(self, writes: bool = True, into: FocusedElement | None = None) -> AsyncGenerator[None]:
        """Raise `Denied` if input in this block was kept from a password field.

        If it `writes` text, raise before the block runs when a password field has the focus. `into`: an element that
        gets the focus first.
        """
        if not self.is_enabled:
            if into is not None:
                await into.focus()
            yield
            return
        try:
            await self._until_ended()
            refusals = await self._begin(into)
            if writes:
                _raise_first(refusals)
            yield
        except BaseException:
            self._end_soon()  # the caller gets the error without waiting
            raise
        if self._page.dialogs.open or self._page.awaited_server:
            self._end_soon()  # the page does not answer while a dialog is open or another page replaces it
        else:
            _raise_first(await self._end())

    async def _until_ended(self) -> None:
        if self._ending is not None:
            await asyncio.wait({self._ending})  # its owner may have cancelled it

    async def _begin(self, into: FocusedElement | None) -> list[Denied]:
        self.script.is_on = True
        await self._page.take_focus()
        worlds = await self._worlds()
        _, found = await asyncio.gather(self.script.begin(worlds), self._watch(worlds, into))
        answers = [found[world] for world in worlds]
        answers = [await focus_in_closed_roots(world, answer) for world, answer in zip(worlds, answers, strict=True)]
        return self._refusals(worlds, answers)

    async def _watch(self, worlds: list[World], into: FocusedElement | None) -> dict[World, dict[str, Any]]:
        """Watch in all frames where typed text goes, and return what each says of its focus."""
        typing = await into.focus(True) if into is not None else None
        known = {typing.world: typing.focus} if typing is not None else {}
        asked = [world for world in worlds if world not in known]
        found = await asyncio.gather(*(_ask(world, "beginTyping", world.parent is None) for world in asked))
        return {**known, **dict(zip(asked, found, strict=True))}

    async def _end(self) -> list[Denied]:
        self.script.is_on = False
        worlds = await self._worlds()
        _, answers = await asyncio.gather(
            self.script.end(), asyncio.gather(*(_ask(world, "endTyping") for world in worlds))
        )
        return self._refusals(worlds, answers)

    async def _worlds(self) -> list[World]:
        """Return the worlds of all frames but those that did not answer, which receive no keys either."""
        return [world for world in await self._page.worlds.current() if not world.is_unresponsive]

    def _end_soon(self) -> None:
        self._ending = self._page.tasks.start(self._end_quietly())

    async def _end_quietly(self) -> None:
        with contextlib.suppress(BrowserError):
            await self._end()

    def _refusals(self, worlds: list[World], answers: list[dict[str, Any]]) -> list[Denied]:
        return [
            self._refusal(field, world.prefix + field["ref"], bool(answer.get("isHost")))
            for world, answer in zip(worlds, answers, strict=True)
            if (field := answer.get("kept"))
        ]

    def _refusal(self, field: dict[str, Any], ref: str, is_host: bool) -> Denied:
        line = PageText(field["line"], field["origin"])
        if is_host:
            return _hidden_field_error(line, ref)
        return password_error(line, ref, self._offer(field["origin"]))


async def _ask(world: World, question: str, is_required: bool = False) -> dict[str, Any]:
    answer: dict[str, Any] | None = await bounded(world, world.call(f"() => rove.{question}()"), is_required)
    return answer or {}


async def focus_in_closed_roots(world: World, focus: dict[str, Any]) -> dict[str, Any]:
    """Return the facts about the focus inside closed shadow roots, which only the engine can open to rove's script."""
    for _ in range(MAX_ROOT_DEPTH):
        if not focus.get("isHost") or not await world.open_focused_root():
            break
        focus = await _ask(world, "typingFocus")
    return focus


def _raise_first(refusals: list[Denied]) -> None:
    if refusals:
        raise refusals[0]
