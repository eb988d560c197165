"""Accessibility: what axe-core finds wrong with a page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.browser.accessibility import AuditedElement, AuditedRule
from rove.browser.engines import load_engine
from rove.browser.stillness import refuse_empty
from rove.errors import Unsupported
from rove.fields import plain
from rove.outcome import Passage, Result
from rove.page_text import Own
from rove.records import dataclass
from rove.snapshot.budget import estimate
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

FOLDER = "audits"
# Seconds that axe-core may take: several on a page of a thousand elements, and more than in proportion on larger ones.
LONGEST = 60.0
# The time of an audit that one frame may take.
SHARE_OF_A_FRAME = 1 / 3


@dataclass(frozen=True)
class Audited(Result):
    """What was found. Of each rule, `total` counts all elements; those beyond the limit and the budget are not told."""

    violations: tuple[AuditedRule, ...]
    # What axe-core could not decide: a person has to look.
    uncertain: tuple[AuditedRule, ...]
    passes: int
    inapplicable: int
    unread_frames: int
    version: Own
    path: Own = Own("")
    # Whether the rules of `uncertain` are told, and not only counted; and how much of the rest.
    tells_uncertain: bool = False
    limit: int = 5
    budget: int = 3000

    @property
    def elements(self) -> int:
        """How many elements break a rule; one that breaks several counts for each."""
        return sum(rule.total for rule in self.violations)

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the counts, then each rule in rove's words and its elements in those of their page or frame."""
        yield Passage(self._heading())
        spent, left_out = 0, 0
        told = (*self.violations, *(self.uncertain if self.tells_uncertain else ()))
        for number, rule in enumerate(told):
            parts = [*self._rule_passages(rule, number >= len(self.violations))]
            spent += estimate("\n".join(part.text for part in parts))
            if spent > self.budget and number:
                left_out += 1
                continue
            yield from parts
        if told:
            yield Passage(f"Each rule is explained at {told[0].link.removesuffix(told[0].id)}RULE.")
        if left_out:
            yield Passage(f"{_count(left_out, 'more rule')}: raise `budget`, or name `rules`.")

    def _heading(self) -> str:
        broken = f"{_count(len(self.violations), 'rule')} broken by {_count(self.elements, 'element')}"
        unsure = f", {_count(len(self.uncertain), 'rule')} for a person to check" if self.uncertain else ""
        frames = f" {_count(self.unread_frames, 'frame')} could not be audited." if self.unread_frames else ""
        saved = f" All of it: {self.path}" if self.path else ""
        kept = f"{_count(self.passes, 'rule')} kept{unsure} (axe-core {self.version})."
        return f"{broken if self.violations else 'No faults'}; {kept}{frames}{saved}"

    def _rule_passages(self, rule: AuditedRule, is_uncertain: bool) -> Iterator[Passage]:
        doubt = "to check, " if is_uncertain else ""
        standard = ", ".join(rule.criteria)
        yield Passage(f"{rule.id} ({doubt}{rule.impact}; {standard}): {rule.help}.")
        last = ""
        for element in rule.elements[: self.limit]:
            # Many elements break a rule in the same way.
            said = "" if element.summary == last else f": {element.summary}"
            last = element.summary
            yield Passage(element.line.around(f"  {_named(element)}{said}"))
        if rule.total > self.limit:
            yield Passage(f"  {_count(rule.total - self.limit, 'more element')}")


def _named(element: AuditedElement) -> str:
    ref = f" [{element.ref}]" if element.ref else ""
    return f"{element.line}{ref}, {element.selector}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@action(Effect.READ, group="audit")
class Audit(TabAction[Audited]):
    """Check the page and its frames for accessibility faults with axe-core: which elements, and how to mend them."""

    target: Target | None = arg("Only this element and what is in it.", default=None)
    level: Literal["a", "aa", "aaa"] | None = arg("Only rules of WCAG up to this level.", default=None)
    tags: tuple[str, ...] = arg("Only rules with one of these tags, such as best-practice.", default=())
    rules: tuple[str, ...] = arg("Only these rules, such as color-contrast; with tags or level, these too.", default=())
    without: tuple[str, ...] = arg("Not these rules.", default=())
    uncertain: bool = arg("Tell also what a person has to check.", default=False)
    limit: int = arg("Most elements told of each rule.", default=5, ge=1, le=100)
    budget: int = arg("Most tokens.", default=3000, ge=200, le=100_000)
    path: str | None = arg("File in the workspace for all of it, as JSON.", default=None, min_length=1)

    @property
    def takes(self) -> float:
        return LONGEST

    async def perform(self, tab: Tab) -> Audited:
        from rove.browser import accessibility as audit
        from rove.browser import accessibility as criteria
        from rove.browser.axe_core import axe_source

        if not load_engine(tab.settings.engine).isolates_scripts:
            raise Unsupported(
                "Over WebDriver a page could change what an audit of it finds, so that none is made.",
                hint="Use a session with the engine chromium or firefox.",
            )
        await refuse_empty(tab)
        options = criteria.chosen_rules(self.level, self.tags, self.rules, self.without)
        element = await tab.resolve(self.target) if self.target else None
        seconds = tab.page.time.left * SHARE_OF_A_FRAME
        running = audit.Audit(tab.page, axe_source(tab.settings), options, seconds)
        most = audit.MOST_ELEMENTS if self.path else self.limit
        found = await running.run(element.ref if element else None, most)
        audited = Audited(
            found.violations, found.uncertain, found.passes, found.inapplicable, found.unread_frames, found.version,
            tells_uncertain=self.uncertain, limit=self.limit, budget=self.budget,
        )  # fmt: skip
        return await self._saved(tab, audited) if self.path else audited

    async def _saved(self, tab: Tab, audited: Audited) -> Audited:
        """Write the audit to the file that the caller names."""
        folder, _, name = (self.path or "").rpartition("/")
        text = json.dumps(plain(audited), ensure_ascii=False, indent=1)
        workspace = Workspace(tab.settings.workspace_folder)
        path = await workspace.save(folder or FOLDER, name, tab.redact(text).encode("utf-8", "replace"))
        return dataclasses.replace(audited, path=Own(path))
