"""Questions about a page whose answer must not depend on a secret.

An agent that may ask whether a text or an attribute begins with a letter can read a secret letter by letter. So texts
are matched after redaction, and a selector is refused where an attribute that it tests has a secret. How a selector is
written does not count: the browser says which attributes it tests, and in doubt it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rove.errors import Denied
from rove.page.frames.world import World

if TYPE_CHECKING:
    from rove.browser.element import SecretSource

# What a selector that tests attributes has: brackets, or a pseudo-class. No escape or comment can stand for these.
_TESTS = ("[", ":")
LABEL = "[secret "
# How often a locator is tried again without the texts that have a secret, and how many characters are looked through.
MAX_ROUNDS = 8
MAX_TEXT = 4_000_000


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
