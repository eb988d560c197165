"""Auditing the accessibility of a page and its frames with axe-core.

axe-core runs in rove's own world of each frame and is told nothing by the page: frames are not asked by messages, which
the page could read and answer, but one after the other from here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rove.advice import nearest
from rove.browser.failures import BrowserError
from rove.browser.scripts import audit_script
from rove.errors import InvalidArguments, ScriptFailed
from rove.page_text import NOWHERE, Own, PageText
from rove.records import dataclass
from rove.target import Ref, parse_target

if TYPE_CHECKING:
    from rove.browser.shared.frames import World
    from rove.browser.shared.live_page import LivePage

Level = Literal["a", "aa", "aaa"]
# The tags of axe-core by the level of WCAG 2.2, each with those of the levels below it.
_A = ("wcag2a", "wcag21a", "wcag22a")
_AA = (*_A, "wcag2aa", "wcag21aa", "wcag22aa")
LEVEL_TAGS: dict[Level, tuple[str, ...]] = {"a": _A, "aa": _AA, "aaa": (*_AA, "wcag2aaa", "wcag21aaa", "wcag22aaa")}
_LEVEL = re.compile(r"wcag(2|21|22)(a{1,3})(?:-obsolete)?$")
_CRITERION = re.compile(r"wcag(\d)(\d)(\d+)$")
_VERSIONS = {"2": "2.0", "21": "2.1", "22": "2.2"}
FRAMES = "(context, options, prefix) => roveAudit.framesIn(context, options, prefix)"
RUN = "(context, options, prefix, isFirst) => roveAudit.run(context, options, prefix, isFirst)"
FINISH = "(partials, options, most) => roveAudit.finish(partials, options, most)"
TOLD = "indexes => roveAudit.told(indexes)"
# Elements of a rule that are read from the page at most; all of them are counted.
MOST_ELEMENTS = 500
LONGEST_HTML = 400
LONGEST_SUMMARY = 1000
IMPACTS = ("critical", "serious", "moderate", "minor")
RULE_LIST = "https://dequeuniversity.com/rules/axe"
RULE_PAGE = "https://dequeuniversity.com/rules/axe/{version}/{rule}"
# Tags that choose more than one rule, without those of other standards.
_USUAL_TAG = re.compile(r"best-practice|experimental|wcag2\d?a+|cat\..+|section508")
_NAME = re.compile(r"[a-z0-9-]{1,60}")
_VERSION = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}")


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


def criteria(tags: Iterable[str]) -> tuple[Own, ...]:
    """Return what a rule is part of: `WCAG 2.0 AA`, `1.4.3`; or `best practice` where no standard asks for it."""
    named = [*_levels(tags), *_numbers(tags)]
    return tuple(map(Own, named)) or (Own("best practice" if "best-practice" in tags else "other standard"),)


def _levels(tags: Iterable[str]) -> Iterator[str]:
    for match in filter(None, map(_LEVEL.match, tags)):
        yield f"WCAG {_VERSIONS[match[1]]} {match[2].upper()}"


def _numbers(tags: Iterable[str]) -> Iterator[str]:
    for match in filter(None, map(_CRITERION.match, tags)):
        yield f"{match[1]}.{match[2]}.{match[3]}"


def chosen_rules(
    level: Level | None, tags: Sequence[str], rules: Sequence[str], without: Sequence[str]
) -> dict[str, object]:
    """Return axe-core's options for the rules to run; all that are not experimental, if nothing is chosen."""
    options: dict[str, object] = {}
    chosen = (*(LEVEL_TAGS[level] if level else ()), *tags)
    if chosen:
        options["runOnly"] = {"type": "tag", "values": list(chosen)}
    elif rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    switched = {**(dict.fromkeys(rules, True) if chosen else {}), **dict.fromkeys(without, False)}
    if switched:
        options["rules"] = {rule: {"enabled": is_on} for rule, is_on in switched.items()}
    return options


class Audit:
    """One audit of a page, or of an element that a ref means."""

    def __init__(self, page: LivePage, axe: str, options: dict[str, Any], seconds_per_frame: float) -> None:
        self._page = page
        self._script = audit_script(axe)
        # Style sheets of other origins would be fetched otherwise: an audit sends nothing.
        self._options = {**options, "preload": {"assets": ["media"], "timeout": 2000}}
        self._seconds = seconds_per_frame
        self._worlds: dict[str, World] = {}
        self._unread = 0

    async def run(self, ref: str | None, most: int = MOST_ELEMENTS) -> AuditReport:
        """Audit the page, or an element of it, with the frames in it; tell at most so many elements of each rule."""
        top, context = self._page.worlds.main, dict[str, Any]()
        if ref is not None:
            target = parse_target(ref)
            assert isinstance(target, Ref), ref
            top, context = self._page.worlds.with_prefix(target.frame), {"ref": target.local}
        every = await self._page.every_world()
        try:
            await self._install(top)
            await self._check_names(top)
            partials = await self._run(top, context, every, True)
            found = await top.call(FINISH, partials[1:], self._options, most)
            return await self._report(found)
        finally:
            await self._end()

    async def _install(self, world: World) -> None:
        self._worlds[world.prefix] = world
        # Most audits are repeated, and the code of axe-core is half a megabyte.
        if not await world.call("() => globalThis.roveAudit !== undefined"):
            await world.call(self._script)

    async def _check_names(self, world: World) -> None:
        """Raise InvalidArguments if a rule or tag that was asked for does not exist."""
        known: dict[str, list[str]] = await world.call("() => roveAudit.known()")
        only: dict[str, Any] = self._options.get("runOnly", {"type": "tag", "values": []})
        given: list[tuple[str, str]] = [("rule", rule) for rule in self._options.get("rules", {})]
        given += [(only["type"], value) for value in only["values"]]
        # Levels of WCAG are tags that may have no rule yet.
        for kind, name in given:
            if name not in known[f"{kind}s"] and not (kind == "tag" and re.fullmatch(r"wcag2\d?a+", name)):
                near = nearest(name, known[f"{kind}s"])
                meant = f": did you mean `{near}`?" if near else "."
                hint = f"{RULE_LIST} lists them."
                if kind == "tag":
                    usual = [tag for tag in known["tags"] if _USUAL_TAG.fullmatch(tag)]
                    hint = f"Among others there are: {', '.join(usual)}."
                raise InvalidArguments(f"axe-core has no {kind} `{name}`{meant}", hint=hint)

    async def _run(
        self, world: World, context: dict[str, Any], every: Sequence[World], is_first: bool = False
    ) -> list[Any]:
        """Run the rules in a frame and the frames in it; return the results in the order in which axe-core joins them.

        The result of a frame that cannot be audited is None: axe-core then reports the frame as untested.
        """
        frames = await world.call(FRAMES, context, self._options, world.prefix)
        partials = [await world.call(RUN, context, self._options, world.prefix, is_first)]
        for frame in frames:
            partials += await self._run_frame(world, frame, every)
        return partials

    async def _run_frame(self, parent: World, frame: dict[str, Any], every: Sequence[World]) -> list[Any]:
        world = await self._frame_of(parent, frame["owner"], every)
        if world is not None and self._may_read(world):
            try:
                async with asyncio.timeout(self._seconds):
                    await self._install(world)
                    return await self._run(world, frame["context"], every)
            except (TimeoutError, BrowserError, ScriptFailed):
                pass  # it does not answer, or has left the page: counted below as a frame that was not audited
        self._unread += 1
        return [None]

    async def _frame_of(self, parent: World, owner: str, every: Sequence[World]) -> World | None:
        for world in every:
            if world.parent is parent and await self._page.worlds.owner(world) == owner:
                return world
        return None

    def _may_read(self, world: World) -> bool:
        origin = self._page.origin_of(world.frame_id)
        return origin == self._page.origin_of(self._page.worlds.main.frame_id) or self._page.may_read(origin)

    async def _report(self, found: dict[str, Any]) -> AuditReport:
        version = _version(found["version"])
        violations = [rule for rule in found["violations"] if _NAME.fullmatch(rule["id"])]
        uncertain = [rule for rule in found["incomplete"] if _NAME.fullmatch(rule["id"])]
        elements = await self._elements([node for rule in (*violations, *uncertain) for node in rule["nodes"]])
        minor = version.rpartition(".")[0]
        return AuditReport(
            Own(version),
            _rules(violations, elements, minor),
            _rules(uncertain, elements, minor),
            int(found["passes"]),
            int(found["inapplicable"]),
            self._unread,
        )

    async def _elements(self, nodes: list[dict[str, Any]]) -> dict[str, AuditedElement]:
        """Return each element that axe-core names, by the number that its frame knows it by and the words about it."""
        wanted: dict[str, dict[int, None]] = {}
        for node in nodes:
            prefix, index = _place(node)
            wanted.setdefault(prefix, {})[index] = None
        told: dict[tuple[str, int], dict[str, str] | None] = {}
        for prefix, indexes in wanted.items():
            answers = await self._worlds[prefix].call(TOLD, list(indexes)) if prefix in self._worlds else []
            told.update({(prefix, index): answer for index, answer in zip(indexes, answers, strict=False)})
        return {_key(node): self._element(node, told.get(_place(node))) for node in nodes}

    def _element(self, node: dict[str, Any], told: dict[str, str] | None) -> AuditedElement:
        prefix, _ = _place(node)
        world = self._worlds.get(prefix)
        origin = self._page.origin_of(world.frame_id) if world else NOWHERE
        return AuditedElement(
            Own(prefix + told["ref"]) if told else Own(""),
            PageText(told["line"] if told else "(it has left the page)", origin),
            PageText(_summary(node["summary"]), origin),
            PageText(_selector(node["target"]), origin),
            PageText(_one_line(node["html"] or "", LONGEST_HTML), origin),
        )

    async def _end(self) -> None:
        """Let go of the elements that were named, in each frame that is still there."""
        for world in self._worlds.values():
            try:
                async with asyncio.timeout(self._page.frame_timeout):
                    await world.call("() => globalThis.roveAudit?.end()")
            except (TimeoutError, BrowserError, ScriptFailed):
                continue  # the frame is busy or gone, and its elements with it


def _rules(found: list[dict[str, Any]], elements: dict[str, AuditedElement], version: str) -> tuple[AuditedRule, ...]:
    """Return rules with the worst first."""
    rules = [_rule(rule, tuple(elements[_key(node)] for node in rule["nodes"]), version) for rule in found]
    return tuple(sorted(rules, key=lambda rule: (IMPACTS.index(rule.impact), -rule.total, rule.id)))


def _rule(rule: dict[str, Any], elements: tuple[AuditedElement, ...], version: str) -> AuditedRule:
    """Return one rule. Its words are axe-core's own: nothing of a page is in them."""
    name: str = rule["id"]
    impact: str = rule["impact"] if rule["impact"] in IMPACTS else IMPACTS[-1]
    tags = [tag for tag in rule["tags"] if _NAME.fullmatch(tag)]
    link = RULE_PAGE.format(version=version, rule=name)
    sentence = Own(_one_line(rule["help"], LONGEST_HTML))
    return AuditedRule(Own(name), Own(impact), sentence, criteria(tags), Own(link), int(rule["total"]), elements)


def _version(text: str) -> str:
    return text if _VERSION.fullmatch(text) else "0.0.0"


def _place(node: dict[str, Any]) -> tuple[str, int]:
    prefix, _, index = str(node["element"]).rpartition(":")
    return prefix, int(index) if index.isdigit() else -1


def _key(node: dict[str, Any]) -> str:
    """Return what tells a finding from others of the same element."""
    return f"{node['element']} {node['summary']}"


def _selector(target: list[Any]) -> str:
    """Return axe-core's selectors as one text: `>>>` goes into a shadow root, `|` into a frame."""
    return " | ".join(" >>> ".join(part) if isinstance(part, list) else str(part) for part in target)[:LONGEST_HTML]


def _summary(text: str) -> str:
    """Return how to mend a fault in one line; axe-core writes what to do on lines of their own, below a heading."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    joined = " ".join(line if line.endswith(":") else f"{line};" for line in lines)
    return _one_line(joined.removesuffix(";"), LONGEST_SUMMARY)


def _one_line(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
