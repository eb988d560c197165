"""What the targets of actions mean on a page: elements, points of the viewport, what has the focus."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rove.browser.element import Button, Candidate, DragStop, ElementDescription, Modifier, Point, PointerTarget
from rove.browser.shared import secrets
from rove.browser.shared.aims import Aims
from rove.browser.shared.element import Element
from rove.browser.shared.frames import World, world_inside
from rove.browser.shared.input import InputDevices, drag_positions, scroll_by_wheel
from rove.browser.shared.keys import MODIFIER_BITS
from rove.browser.shared.live_page import LivePage
from rove.browser.shared.secrets import (
    LABEL,
    focus_in_closed_roots,
    is_found_openly,
    is_matched_openly,
    may_tell,
    refs_located_openly,
    refuse_telling_selector,
)
from rove.errors import AmbiguousTarget, Denied, ElementGone, ElementNotFound, InvalidArguments
from rove.page_text import Own, PageText
from rove.patterns import pattern
from rove.target import Aim, AriaRef, Locator, Ref, RoleAndName, Selector, parse_target
from rove.target import Point as PointTarget

# The pixels that most browsers scroll for one notch of a mouse wheel.
WHEEL_NOTCH = 120
DESCRIBE = "ref => rove.recordedDescription(ref)"
CANDIDATES = "wanted => rove.recordedCandidates(wanted)"
MAX_LISTED = 8
MAX_MATCHES = 1000
# The most seconds to wait for an element that is not there yet.
WAIT_AT_REST = 2.0
WAIT_WITHOUT_WORK = 0.5
WAIT_WHILE_LOADING = 5.0
# Seconds after which the page is searched again though it has not changed: its frames, or styles, may have.
LOOK_AGAIN = 0.25
# A target that was meant as a name or a role, not as a CSS selector.
_WORDS = pattern(r"[\w'’,!?&-]+(?: [\w'’,!?&-]+)*")
NAME_IT = 'An element is named by its role and its name, in quotes: button "Save".'
NAMED_HINT = 'Use the ref of the one you mean, or its role and its name: button "Save".'
MAX_SIMILAR = 3
HIDDEN_FRAME_NOTE = " (invisible: frame)"


class ViewportPoint:
    """A point of the viewport, for content without elements: a canvas, a map, a game."""

    def __init__(self, devices: InputDevices, x: float, y: float) -> None:
        self._devices = devices
        self._worlds = devices.page.worlds
        self._point = (x, y)
        self.line = Own(f"the point {x:g},{y:g}")
        self.ref = str(self.line)

    async def click(
        self, button: Button = "left", count: int = 1, modifiers: tuple[Modifier, ...] = (), hold: float = 0
    ) -> None:
        width, height = map(int, await self._worlds.main.call("() => [innerWidth, innerHeight]"))
        if not (self._point[0] < width and self._point[1] < height):
            raise InvalidArguments(f"`target`: {self.line} lies outside the viewport of {width} x {height}.")
        bits = sum(MODIFIER_BITS[modifier] for modifier in modifiers)
        await self._worlds.main.call("(x, y) => rove.watchLookAt(x, y)", *self._point)
        await self._devices.mouse.click(*self._point, button, count, bits, hold)

    async def hover(self) -> None:
        await self._devices.mouse.move(*self._point)

    async def scroll_into_view(self) -> dict[str, int]:
        raise InvalidArguments(f"`target`: {self.line} is in view already.", hint="Say which way with `direction`.")

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        """Turn the wheel at the point, whether that scrolls or zooms."""
        sign = -1 if direction in ("up", "left") else 1
        by = (0, sign) if direction in ("up", "down") else (sign, 0)
        notch = amount or WHEEL_NOTCH
        x, y = self._point
        wheel = {"x": x, "y": y, "dx": by[0] * notch, "dy": by[1] * notch}
        return await scroll_by_wheel(self._devices, self._worlds.main, {"wheel": wheel})

    async def drag(self, stops: Sequence[PointerTarget], hold: float = 0) -> None:
        await self._devices.mouse.drag(self._point, self._worlds.main, drag_positions(stops, is_in_list=False), hold)

    async def drag_stop(self, start: Point | None) -> DragStop:
        return DragStop(self._point, {"x": self._point[0], "y": self._point[1], "width": 0, "height": 0})


async def elements_at(devices: InputDevices, x: float, y: float) -> list[Element]:
    """Return the elements at a point of the viewport: in the page, and in each frame that the point is in."""
    worlds = devices.page.worlds
    found: list[Element] = []
    world: World | None = worlds.main
    while world is not None:
        hit = await world.call("(x, y) => rove.hitAt(x, y)", x, y)
        if hit is None:
            break
        found.append(Element(devices, world, hit["ref"], hit["line"]))
        world = await world_inside(worlds, world, hit["ref"], hit["line"]) if hit["isFrame"] else None
        x, y = hit["x"], hit["y"]
    return found


async def element_with_focus(devices: InputDevices) -> Element | None:
    """Return the element that receives keys, in any frame; the body of the document if no element has the focus."""
    await devices.page.take_focus()
    for world in await devices.page.every_world():
        if found := await world.call("() => rove.describeFocus()"):
            return Element(devices, world, found["ref"], found["line"])
    return None


async def focused_element(devices: InputDevices) -> Element:
    """Return the element that has the focus, in any frame or closed shadow root; raise if there is none."""
    await devices.page.take_focus()
    for world in await devices.page.every_world():
        await focus_in_closed_roots(world, await world.call("() => rove.typingFocus()"))
        if found := await world.call("() => rove.focusedRef()"):
            return Element(devices, world, found["ref"])
    raise ElementNotFound("Nothing on the page has the focus.", hint="Say where with `target`.")


class Descriptions:
    """Describes the elements of a tab, and finds what a description may mean."""

    def __init__(self, page: LivePage, aims: Aims[Any]) -> None:
        self._page = page
        self._aims = aims

    async def of(self, ref: str) -> tuple[ElementDescription, str]:
        """Return what the element of a ref can be found by later, and the origin that wrote it. Raises ElementGone."""
        target = parse_target(ref)
        assert isinstance(target, Ref), ref
        world = self._page.worlds.with_prefix(target.frame)
        answer = self._aims.description(ref) or await world.call(DESCRIBE, target.local)
        if answer is None:
            raise ElementGone(f"{ref} is not on the page any more.")
        found = ElementDescription.from_data(answer["description"])
        return replace(found, ref=ref, frames=await self._frames_around(world)), answer["origin"]

    async def candidates(self, wanted: ElementDescription) -> list[Candidate]:
        """Return the elements of all frames that the agent may read which a description may mean."""
        found: list[Candidate] = []
        spec = {name: getattr(wanted, name) for name in ("role", "name", "icon", "selector", "attributes")}
        for world in await self._page.every_world():
            answer = await world.call(CANDIDATES, spec)
            if world is not self._page.worlds.main and not self._page.may_read(answer["origin"]):
                continue
            frames = await self._frames_around(world)
            found += [_read_candidate(each, world.prefix, frames, answer["origin"]) for each in answer["candidates"]]
        return found

    async def _frames_around(self, world: World) -> tuple[str, ...]:
        """Return the selectors of the frames that a frame is in, from the outermost, itself included."""
        frames: list[str] = []
        while world.parent is not None:
            owner, world = await self._page.worlds.owner(world), world.parent
            answer = await world.call(DESCRIBE, owner)
            frames.insert(0, answer["description"]["selector"] if answer else "")
        return tuple(frames)


def _read_candidate(found: dict[str, Any], prefix: str, frames: tuple[str, ...], origin: str) -> Candidate:
    ref = prefix + found["ref"]
    described = replace(ElementDescription.from_data(found["description"]), ref=ref, frames=frames)
    return Candidate(ref, PageText(f"{found['line']} [{ref}]", origin), described, found["likeness"])


async def resolve(devices: InputDevices, target: str) -> Element:
    """Return the one element that a target means; raise if there is none or more than one."""
    matches = await resolve_all(devices, target)
    if len(matches) > 1:
        listed = listed_parts(await _candidates(matches[:MAX_LISTED]))
        more = f" and {len(matches) - MAX_LISTED} more" if len(matches) > MAX_LISTED else ""
        hint = NAMED_HINT if _WORDS.fullmatch(target) else None
        raise AmbiguousTarget(f"{target} matches {len(matches)} elements: ", *listed, f"{more}.", hint=hint)
    if matches[0].is_partial:
        devices.events.add("matched by part of its name", Own(f"{target} is {matches[0].ref}."))
    return matches[0]


async def _candidates(matches: Sequence[Element]) -> list[PageText]:
    """Describe each of several elements, with what is around it, by which an agent can choose one."""
    around: dict[str, dict[str, str]] = {}
    for world in {id(match.world): match.world for match in matches}.values():
        refs = [match.local_ref for match in matches if match.world is world]
        texts: list[dict[str, str]] = await world.call("refs => rove.surroundings(refs)", refs)
        around |= {world.prefix + ref: text for ref, text in zip(refs, texts, strict=True)}
    return [match.quote(_candidate(match, **around[match.ref])) for match in matches]


def _candidate(match: Element, line: str, around: str) -> str:
    return f"{line or match.line} [{match.ref}] {around}".rstrip()


def listed_parts(texts: Sequence[PageText]) -> list[str]:
    """Join texts for a message; those of one origin that follow each other are one part."""
    parts: list[PageText] = []
    for text in texts:
        if parts and parts[-1].origin == text.origin:
            parts[-1] = text.around(f"{parts[-1]}; {text}")
        else:
            parts.append(text)
    return [part for each in parts for part in ("; ", each)][1:]


async def resolve_pointer_target(devices: InputDevices, target: str) -> Element | ViewportPoint:
    """Return the element, or the point of the viewport, that a target means."""
    point = parse_target(target)
    return (
        ViewportPoint(devices, point.x, point.y) if isinstance(point, PointTarget) else await resolve(devices, target)
    )


def question_for(devices: InputDevices, parsed: Aim) -> dict[str, Any] | None:
    """Return a target as rove's script takes it; None for one that needs more than a question, or no question."""
    if isinstance(parsed, RoleAndName):
        return {"role": parsed.role, "name": parsed.name, "isGuess": parsed.is_guess, "limit": MAX_MATCHES}
    if isinstance(parsed, Selector) and not may_tell(parsed.css, devices.known_secrets):
        return {"css": parsed.css, "limit": MAX_MATCHES}
    return None


async def resolve_all(devices: InputDevices, target: str, wait: bool = True, keeps: bool = False) -> list[Element]:
    """Return every element that a target means; raise if there is none, after a while unless `wait` is False.

    A role and a name mean the one element that a person sees, if all others that match are invisible. `keeps`: whether
    the action acts on the elements that are found now, unless the page is acted on before.
    """
    parsed = parse_target(target)
    if isinstance(parsed, Ref):
        # The first call on the element says whether it still exists.
        return [Element(devices, devices.page.worlds.with_prefix(parsed.frame), parsed.local)]
    if isinstance(parsed, PointTarget):
        raise InvalidArguments(f"`{target}` is a point; this needs an element.")
    if isinstance(parsed, AriaRef | Locator):
        return await _numbered_or_located(devices, parsed)
    patience = _Patience(devices.page, wait)
    found = devices.aims.elements(target, keeps) or await _matches(devices, parsed)
    while not (matches := _chosen(parsed, found)):
        if await patience.is_over():
            raise await _missing_error(devices, parsed, patience)
        await patience.wait_for_change()
        found = await _matches(devices, parsed)
    if keeps:
        devices.aims.keep(target, found)
    whole = [match for match in matches if not match.is_partial]
    matches = whole or matches
    seen = [match for match in matches if match.is_seen]
    return seen if isinstance(parsed, RoleAndName) and len(seen) == 1 else matches


def _chosen(parsed: Selector | RoleAndName, matches: list[Element]) -> list[Element]:
    """Return the matches that a target means: all of them, or the first."""
    return matches[:1] if isinstance(parsed, Selector) and parsed.is_first else matches


async def _numbered_or_located(devices: InputDevices, parsed: AriaRef | Locator) -> list[Element]:
    """Return the elements that an aria snapshot has numbered, or that a Playwright locator means."""
    if isinstance(parsed, AriaRef):
        refs = [await devices.aria.ref_of(parsed.frame, parsed.number)]
    elif not (refs := await _refs_located(devices, parsed)):
        raise ElementNotFound(f"{parsed} does not match any elements.")
    aims = [aim for aim in map(parse_target, refs) if isinstance(aim, Ref)]
    return [Element(devices, devices.page.worlds.with_prefix(aim.frame), aim.local) for aim in aims]


async def _refs_located(devices: InputDevices, locator: Locator) -> list[str]:
    if not devices.known_secrets.names:
        return await devices.aria.refs_located(locator.steps, MAX_MATCHES)
    for world in await devices.page.every_world():
        if refs := await refs_located_openly(world, locator.steps, MAX_MATCHES, devices.known_secrets):
            return refs
    return []


async def file_input_asking(devices: InputDevices) -> Element | None:
    """Return the file input whose chooser is open; raise Denied if it is in a frame of another origin."""
    if devices.file_chooser.asking is None:
        return None
    frame, node = devices.file_chooser.asking
    for world in await devices.page.every_world():
        if world.frame_id == frame:
            # The policy has decided by the page's origin, as the call named no element.
            if await world.origin() != await devices.page.worlds.main.origin():
                raise Denied(
                    "The file chooser belongs to a frame of another origin.", hint="Name the file input itself."
                )
            return Element(devices, world, await world.ref_of_node(node), "the file input")
    return None


class _Patience:
    """Waits for an element to exist: a page that is at rest seldom makes one by itself."""

    def __init__(self, page: LivePage, waits: bool) -> None:
        self._page = page
        self._waits = waits
        self._began = self._resting_since = time.monotonic()
        # A caller that allows little time wants to know soon.
        self._at_rest, self._in_all = min(WAIT_AT_REST, page.time.left / 4), min(WAIT_WHILE_LOADING, page.time.left / 2)

    @property
    def _left(self) -> float:
        """Seconds that are left; at rest they count from when the page was last loading something."""
        now = time.monotonic()
        if not self._waits:
            return 0.0
        if self._page.is_loading:
            self._resting_since = now
            return self._began + self._in_all - now
        return self._resting_since + self._at_rest - now

    async def is_over(self) -> bool:
        """Return whether it is not worth waiting on: sooner on a page that has nothing planned."""
        left = self._left
        if left <= 0 or self._page.is_loading:
            return left <= 0
        if time.monotonic() - self._resting_since < min(WAIT_WITHOUT_WORK, self._at_rest):
            return False
        worlds = await self._page.every_world()
        return not any([await world.call("ms => rove.expectsWork(ms)", left * 1000) for world in worlds])

    @property
    def waited(self) -> str:
        return f"rove waited {time.monotonic() - self._began:.1f} s for it" if self._waits else "It is not there"

    async def wait_for_change(self) -> None:
        seconds = min(LOOK_AGAIN, max(self._left, 0.01))
        await self._page.worlds.main.call("ms => rove.nextChange(ms)", seconds * 1000)


async def _missing_error(devices: InputDevices, target: Selector | RoleAndName, patience: _Patience) -> ElementNotFound:
    """Return the error for a target that nothing matches, with the elements that may have been meant."""
    is_selector = isinstance(target, Selector)
    message = f"Selector '{target}' not found" if is_selector else f"There is no {target} on the page."
    if devices.page.is_loading:
        hint = f"{patience.waited}, and the page is still loading: {{wait}} for it, then call again."
        return ElementNotFound(message, hint=hint, retryable=True)
    is_name = not is_selector or _WORDS.fullmatch(str(target)) is not None
    similar = await _similar_names(devices, target) if is_name else []
    advice = f"{NAME_IT} " if is_name and is_selector else ""
    if not similar:
        return ElementNotFound(message, hint=f"{patience.waited}. {advice}{ElementNotFound.default_hint}")
    hint = f"{patience.waited}. {advice}Use the ref of the one you mean, or take a {{snapshot}}."
    return ElementNotFound(f"{message.rstrip('.')}. The nearest: ", *listed_parts(similar), ".", hint=hint)


async def _similar_names(devices: InputDevices, target: Selector | RoleAndName) -> list[PageText]:
    """Return the elements whose names are most similar to a target, in all frames."""
    spec = {"words": target.css} if isinstance(target, Selector) else {"role": target.role, "name": target.name}
    found = list[tuple[float, PageText]]()
    for world in await devices.page.every_world():
        answer = await world.call("spec => rove.similarNames(spec)", spec)
        for each in answer["names"]:
            if LABEL not in each["line"]:
                line = PageText(f"{each['line']} [{world.prefix}{each['ref']}]", answer["origin"])
                found.append((-each["score"], line))
    return [line for _, line in sorted(found, key=lambda pair: pair[0])[:MAX_SIMILAR]]


async def find(devices: InputDevices, spec: dict[str, str], limit: int) -> tuple[int, list[dict[str, Any]]]:
    """Search every frame; return how many matches there are, and the first of them."""
    total, matches = 0, list[dict[str, Any]]()
    # For each frame that was searched: the frames in it that are rendered, and whether a person can see them.
    shown: dict[str, dict[str, bool] | None] = {}
    hidden: set[str] = set()
    for world in await devices.page.every_world():
        is_visible = await _is_visible(devices, world, shown)
        if is_visible is None:
            continue
        if not is_visible or (world.parent and world.parent.frame_id in hidden):
            hidden.add(world.frame_id)
        answer = await _find_in(devices, world, spec, limit)
        if "error" in answer:
            why: str = answer["error"]
            raise InvalidArguments(f"`regex`: {why}.")
        origin: str = answer["origin"]
        if world is not devices.page.worlds.main and not devices.page.may_read(origin):
            continue
        shown[world.frame_id] = answer.get("frames")
        total += answer["total"]
        note = HIDDEN_FRAME_NOTE if world.frame_id in hidden else ""
        foreign = Own("" if world is devices.page.worlds.main else origin)
        matches += [{**_match(match, world.prefix, note, origin), "origin": foreign} for match in answer["matches"]]
    return total, matches[:limit]


async def _find_in(devices: InputDevices, world: World, spec: dict[str, str], limit: int) -> dict[str, Any]:
    """Search one frame. What is redacted is not found, so that a search tells nothing of it."""
    has_secrets = bool(devices.known_secrets.names) and bool(spec.keys() & {"text", "regex"})
    answer: dict[str, Any] = await world.call(
        "spec => rove.find(spec)", {**spec, "limit": MAX_MATCHES if has_secrets else limit}
    )
    if not has_secrets or "error" in answer:
        return answer
    found: list[dict[str, Any]] = answer["matches"]
    if "regex" in spec:
        # A pattern can say what must not be there, so a text with a secret fits none.
        kept = [match for match in found if LABEL not in match["plain"]]
    else:
        kept = [match for match in found if is_found_openly(match, spec["text"])]
    return {**answer, "total": answer["total"] - len(found) + len(kept), "matches": kept[:limit]}


async def shows_text(devices: InputDevices, text: str) -> bool:
    """Return whether any frame shows a text."""
    worlds = await devices.page.every_world()
    return any([await secrets.shows_text(world, text, devices.known_secrets) for world in worlds])


async def shows_selector(devices: InputDevices, css: str) -> bool:
    """Return whether any frame shows an element that a selector matches."""
    for world in await devices.page.every_world():
        await refuse_telling_selector(world, css, devices.known_secrets)
        if await world.call("css => rove.showsSelector(css)", css):
            return True
    return False


async def _is_visible(
    devices: InputDevices, world: World, shown: Mapping[str, Mapping[str, bool] | None]
) -> bool | None:
    """Return whether a person can see the frame; None if it, or a frame around it, is not searched."""
    if world.parent is None:
        return True
    if world.parent.frame_id not in shown:
        return None
    frames = shown[world.parent.frame_id]
    # A document that is too large to be walked does not report its frames.
    return True if frames is None else frames.get(await devices.page.worlds.owner(world))


async def _matches(devices: InputDevices, parsed: Selector | RoleAndName) -> list[Element]:
    """Return the elements of all frames that match."""
    matches: list[Element] = []
    for world in await devices.page.every_world():
        matches += await _matches_in(devices, world, parsed)
    return matches


async def _matches_in(devices: InputDevices, world: World, parsed: Selector | RoleAndName) -> list[Element]:
    if isinstance(parsed, Selector):
        await refuse_telling_selector(world, parsed.css, devices.known_secrets)
        spec: dict[str, Any] = {"css": parsed.css}
    else:
        spec = {"role": parsed.role, "name": parsed.name, "isGuess": parsed.is_guess}
    answer = await world.call("spec => rove.query(spec)", {**spec, "limit": MAX_MATCHES})
    if "error" in answer and isinstance(parsed, Selector) and parsed.is_first:
        raise InvalidArguments(f"`{parsed}` is not a valid CSS selector.")
    if "error" in answer:
        raise InvalidArguments(
            f"`{parsed}` is neither a ref, a role and a name, nor a valid CSS selector.", hint=NAME_IT
        )
    return elements_in(devices, world, parsed, answer)


def elements_in(devices: InputDevices, world: World, parsed: Aim, answer: dict[str, Any]) -> list[Element]:
    """Return the elements that a frame has found, but those that match by a secret alone."""
    found = [Element(devices, world, match["ref"], match["line"], match["isSeen"]) for match in answer["matches"]]
    for element in found:
        element.is_partial = answer["isPartial"]
    name = parsed.name if isinstance(parsed, RoleAndName) else None
    return [element for element in found if is_matched_openly(element.line, name)]


def _match(match: dict[str, Any], prefix: str, note: str, origin: str) -> dict[str, Any]:
    return {
        "line": _with_ref(match, prefix, note, origin),
        "ref": Own(prefix + str(match["ref"])) if match["ref"] else None,
        "before": tuple(_with_ref(near, prefix, note, origin) for near in match["context"] if near["before"]),
        "after": tuple(_with_ref(near, prefix, note, origin) for near in match["context"] if not near["before"]),
        "is_in_view": match["inView"],
    }


def _with_ref(row: dict[str, Any], prefix: str, note: str, origin: str) -> PageText:
    line = f"{row['line']}{note}"
    return PageText(f"{line} [{prefix}{row['ref']}]" if row["ref"] else line, origin)
