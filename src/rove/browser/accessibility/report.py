"""What an audit of a page found: rules that are broken, and the elements that break them."""

from __future__ import annotations

from rove.page_text import Own, PageText
from rove.validation.record import dataclass


@dataclass(frozen=True)
class AuditedElement:
    """An element, how it breaks a rule, and what would mend that. `ref` is empty if it has left the page since."""

    ref: Own
    line: PageText
    summary: PageText
    # Where it is, as CSS selectors from the outermost frame inwards.
    selector: PageText
    html: PageText


@dataclass(frozen=True)
class AuditedRule:
    """A rule of axe-core and the elements that break it, or that a person has to check. `total` counts all of them."""

    id: Own
    # How much it hampers people: critical, serious, moderate or minor.
    impact: Own
    help: Own
    # The success criteria of WCAG behind it with their levels, or the standard that it is from.
    criteria: tuple[Own, ...]
    link: Own
    total: int
    elements: tuple[AuditedElement, ...]


@dataclass(frozen=True)
class AuditReport:
    """The result of one audit. `unread_frames` could not be audited, or may not be read."""

    version: Own
    violations: tuple[AuditedRule, ...]
    uncertain: tuple[AuditedRule, ...]
    passes: int
    inapplicable: int
    unread_frames: int = 0
