"""Questions about a page whose answer must not depend on a secret.

An agent that may ask whether a text or an attribute begins with a letter can read a secret letter by letter. So texts
are matched after redaction, and a selector that tests attributes is refused where an attribute has a secret.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rove.chromium.frames.worlds import World
from rove.errors import Denied

if TYPE_CHECKING:
    from rove.browser.element import SecretSource

# Also with an escape, which could spell a bracket's content in another way.
_ATTRIBUTE_TEST = re.compile(r"\[[^\]]*=|\\")
LABEL = "[secret "


async def refuse_telling_selector(world: World, css: str, secrets: SecretSource) -> None:
    """Raise if a selector tests attributes, and an attribute of the document has a secret, whatever it is."""
    if not secrets.names or not _ATTRIBUTE_TEST.search(css):
        return
    document = await world.document()
    values: str = await document.call("() => rove.attributeValues()")
    if found := secrets.find(values):
        names = " and ".join(sorted({each.name for each in found}))
        raise Denied(
            f"An attribute on this page has the secret {names}, so selectors that test attributes are refused.",
            hint='Take a {snapshot} and use a ref, or a role and a name: button "Save".',
        )


async def shows_text(world: World, text: str, secrets: SecretSource) -> bool:
    """Whether the page shows a text, outside of what is redacted."""
    if not await world.call("text => rove.showsText(text)", text):
        return False
    return not secrets.names or text in await world.call("() => rove.bodyText()")


def is_matched_openly(line: str, name: str | None) -> bool:
    """Whether an element with this line, which is redacted, matches a name outside of what is redacted."""
    return name is None or LABEL not in line or " ".join(name.split()).lower() in line.lower()


def is_found_openly(match: dict[str, Any], text: str) -> bool:
    """Whether a match of a search has the text outside of what is redacted."""
    return LABEL not in match["plain"] or " ".join(text.split()).lower() in " ".join(match["plain"].split()).lower()
