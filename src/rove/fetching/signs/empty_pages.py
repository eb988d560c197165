"""Signs that a page is empty until its scripts have run."""

from __future__ import annotations

import re

from rove.fetching.page_facts import PageFacts

# Pages with more text than this are read as they are, also if scripts would add to them.
MOST_OF_A_SHELL = 400
# All that some pages say until their scripts have run.
_WAITING = re.compile(
    r"(?:loading|please wait|just a moment|one moment|redirecting|initiali[sz]ing).{0,30}", re.IGNORECASE
)
_NEEDS_SCRIPTS = re.compile(
    r"(?:enable|activate|requires?|need|turn on|without|support)\W.{0,40}java\s?script"
    r"|java\s?script.{0,60}(?:enabled?|required|disabled|needed|activated?|turned? on)",
    re.IGNORECASE | re.DOTALL,
)


def find_emptiness(facts: PageFacts) -> str | None:
    """Return why a page needs a browser to be read; None if it does not."""
    if facts.has_frameset or (facts.has_frames and not facts.text):
        return "the page shows its text in frames"
    if not facts.has_scripts or len(facts.text) > MOST_OF_A_SHELL:
        return None
    if (not facts.text and not facts.shows) or _WAITING.fullmatch(facts.text):
        return "the page is empty until its scripts run"
    if facts.roots:
        return f"the page is empty until its scripts fill {facts.roots[0]}"
    if _NEEDS_SCRIPTS.search(facts.noscript):
        return "the page says that it needs JavaScript"
    if _NEEDS_SCRIPTS.search(facts.text):
        return "the page says that it needs JavaScript"
    return "a script of the page leads to another one" if facts.moves else None
