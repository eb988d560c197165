"""One element, and what hands can do with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rove.browser.element import Button, ElementText, Modifier
from rove.chromium.frames.evaluation import evaluate_with
from rove.chromium.frames.geometry import frame_transform, to_tab_point
from rove.chromium.frames.nesting import world_inside, worlds_within
from rove.chromium.frames.worlds import World, resolve_node
from rove.chromium.input.keyboard import MODIFIER_BITS
from rove.chromium.input.password_guard import password_refused
from rove.chromium.input.uploads import copy_files, described_files
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import Denied, ElementGone, ElementNotReady, InvalidArguments
from rove.outcome import Quoted, origin_in
from rove.target import secret_named

if TYPE_CHECKING:
    from rove.browser.element import PointerTarget
    from rove.chromium.input.devices import InputDevices

# Less time left than this is too little to aim once more.
AIM_AGAIN = 1.0
# What one notch of a wheel is to most browsers.
WHEEL_NOTCH = 120
# A press that arrives nowhere is made again, but not for ever: it may have done something that we cannot see.
MOST_LOSSES = 2


class Element:
    """An element that a target was resolved to. Every method acts on it or says why it cannot."""

    def __init__(self, devices: InputDevices, world: World, ref: str, line: str = "") -> None:
        self._devices = devices
        self._page = devices.page
        self._ref = ref
        self.world = world
        self.line = line

    @property
    def ref(self) -> str:
        return self.world.prefix + self._ref

    @property
    def local_ref(self) -> str:
        """The ref as its own frame knows it."""
        return self._ref

    @property
    def cdp(self) -> CdpSession:
        return self.world.cdp

    @property
    def frame(self) -> World:
        return self.world

    async def click(
        self, button: Button = "left", count: int = 1, modifiers: tuple[Modifier, ...] = (), hold: float = 0
    ) -> None:
        bits = sum(MODIFIER_BITS[modifier] for modifier in modifiers)
        await self._devices.page_modes.free_pointer()
        losses = 0
        while True:
            x, y = await self._reach(enabled=True, press_tracker=count, save=hold)
            self._devices.press_tracker.expect()
            await self._devices.mouse.click(x, y, button, count, bits, hold)
            missed, is_lost = await self._missed()
            if missed is None:
                return
            losses += is_lost
            if self._page.time.left < AIM_AGAIN + hold or losses > MOST_LOSSES:
                raise ElementNotReady(f"{self.line} {missed}.")

    async def hover(self) -> None:
        await self._devices.page_modes.free_pointer()
        x, y = await self._reach(enabled=False)
        await self._devices.mouse.move(x, y)

    async def drag(self, stops: Sequence[PointerTarget], hold: float = 0) -> None:
        """Press it, carry it from stop to stop and let go at the last."""
        await self._devices.page_modes.free_pointer()
        start = await self._reach(enabled=True, save=hold)
        await self._devices.mouse.drag(start, self.world, [stop.position for stop in stops], hold)

    async def position(self) -> tuple[float, float]:
        """The middle of the element, in the tab's own coordinates, without moving anything."""
        box = await self.box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    async def box(self) -> dict[str, float]:
        """Where the element is, in the tab's viewport, after bringing it into view."""
        box = await self._ask("pageBox")
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        x, y, across, down = await frame_transform(self._page.worlds, self.world, middle)
        return {
            "x": x + box["x"] * across,
            "y": y + box["y"] * down,
            "width": box["width"] * across,
            "height": box["height"] * down,
        }

    async def fill(self, value: str) -> str | None:
        """Replace the text of a field, or set the value of a picker; returns what is in it then, if that may be told.

        `secret:NAME` stands for a secret.
        """
        if name := secret_named(value):
            await self._enter_secret(name, after=False)
            return None
        answer = await self._ask("fillIn", self._patience, value, self._devices.password_guard.is_wanted)
        if answer.get("password"):
            raise self._password_refused(answer["origin"])
        if not answer["type"]:
            filled: str | None = answer["value"]
            return None if filled is None else self._said(filled)
        await self._devices.keyboard.replace(value)
        return await self.value()

    async def type_secret(self, name: str) -> None:
        """Type a secret after what is in the field."""
        await self._enter_secret(name, after=True)

    async def may_take(self, value: str) -> None:
        """Refuse what must not go into it, without touching it."""
        facts = await self._ask("elementFacts")
        if name := secret_named(value):
            secret = self._devices.secrets.use(name, facts["origin"])
            if not (secret.goes_anywhere or facts["password"]):
                raise self._exposed(name)
        elif value and facts["password"] and self._devices.password_guard.is_wanted:
            raise self._password_refused(facts["origin"])

    async def _enter_secret(self, name: str, after: bool) -> None:
        # Whose the document is and what is typed into it are asked and said to one and the same.
        document = await self.world.document()
        secret = self._devices.secrets.use(name, document.origin)
        where = {"origin": document.origin, "anywhere": secret.goes_anywhere, "after": after}
        answer = self._understood(await document.call(_asking("enterSecret"), self._ref, secret.value, where))
        if answer.get("exposed"):
            raise self._exposed(name)

    async def focus(self) -> None:
        await self._ask("focusOn", self._patience)

    async def describe(self) -> str:
        """The element as the page shows it now, in one line."""
        await self._ask("elementFacts")
        return self.line

    async def value(self) -> str | None:
        value: str | None = (await self._ask("fieldValue"))["value"]
        return None if value is None else self._said(value)

    async def upload(self, paths: tuple[str, ...], drop: bool) -> list[str]:
        """Give files of the workspace to the element; returns their names."""
        files = await copy_files(self._page.settings, paths, self._devices.scratch)
        if drop:
            await self._ask("dropFiles", await described_files(files))
        elif not files:
            await self._ask("clearFiles")  # the protocol takes no empty list
        else:
            await self._set_files([str(file) for file in files])
        return [file.name for file in files]

    async def _set_files(self, names: list[str]) -> None:
        """Put files into a file input, or into the file chooser that a click on the element opens."""
        if (await self._ask("elementFacts"))["type"] == "file":
            # The browser fires the page's events itself, as it does after a person has chosen.
            where: dict[str, Any] = {"objectId": await self.in_page()}
        else:
            where = {"backendNodeId": await self._devices.file_chooser.opened_by(self)}
        await self.cdp.send("DOM.setFileInputFiles", {"files": names, **where})

    async def frames_within(self) -> list[World]:
        """Return the frame that this element is and the frames in it; none if it is another kind of element."""
        worlds = self._page.worlds
        if len(await worlds.current()) == 1 or not (await self._ask("elementFacts"))["isFrame"]:
            return []
        frame = await world_inside(worlds, self.world, self._ref, self.line)
        return await worlds_within(worlds, frame) if frame is not None else []

    async def evaluate(self, expression: str) -> Any:
        """Run JavaScript in the page with this element as its argument."""
        return await evaluate_with(self.cdp, expression, await self.in_page())

    async def is_select(self) -> bool:
        return bool((await self._ask("elementFacts"))["tag"] == "select")

    async def select(self, values: tuple[str, ...]) -> list[str]:
        answer = await self._ask("selectOptions", self._patience, list(values))
        if "missing" in answer:
            raise InvalidArguments(
                f"`values`: {self.line} has no option {', '.join(map(repr, answer['missing']))}."
                f" Its options: {', '.join(answer['options'])}."
            )
        return [self._said(option) for option in answer["chosen"]]

    async def set_checked(self, checked: bool) -> bool:
        """Press it if its state is not the wanted one; returns whether it had to be pressed."""
        state = await self._ask("checkedState")
        if state["checked"] == checked:
            return False
        if state.get("radio") and not checked:
            raise ElementNotReady(
                f"{self.line} is a radio button: it is unchecked by checking another.",
                hint="Check the other one.",
            )
        await self.click()
        return True

    async def scroll_into_view(self) -> dict[str, int]:
        return _place(await self._ask("scrollTo"))

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        return await scroll_by_wheel(self._devices, self.world, await self._ask("scrollIn", direction, amount))

    async def read(self, mode: str, attribute: str | None) -> ElementText:
        answer = await self._ask("extract", mode, attribute)
        value: str | None = answer["value"]
        # None of a page too large to tell; what is shown in none of its words is not asked about.
        unseen: list[str] | None = answer.get("unseen", [])
        return ElementText(value, ("nobody knows: the page is too large",) if unseen is None else tuple(unseen))

    async def in_page(self) -> str:
        """The id of this element as the page's own scripts know it."""
        own = await self.world.handle("ref => rove.element(ref)", self._ref)
        if own is None:
            raise self._gone()
        return await resolve_node(self.world.cdp, own)

    async def _missed(self) -> tuple[str | None, bool]:
        """How a press failed, in which case the page never saw it, and whether it went astray altogether."""
        if self._page.dialogs.open:
            return None, False
        if arrival := self._devices.press_tracker.arrival:
            return arrival.missed, False
        try:
            told = await self._page.unless_replaced(self.world.call("() => rove.pressResult()"))
        except CdpError:
            return None, False  # the press led to another document
        return (told["missed"], "lost" in told) if told else (None, False)

    async def _reach(self, enabled: bool, press_tracker: int = 0, save: float = 0) -> tuple[float, float]:
        """Bring it into view and wait until it can be pressed, but for `keep` seconds; returns the point to press."""
        patience = max(self._patience - save * 1000, 100)
        answer = await self._ask("untilActionable", {"enabled": enabled, "press": press_tracker}, patience)
        return await to_tab_point(self._page.worlds, self.world, answer["x"], answer["y"])

    @property
    def _patience(self) -> float:
        """Milliseconds that a page may be waited for, so that there is time left to say what for."""
        return max(self._page.time.left - 0.5, 0.1) * 1000

    async def _ask(self, question: str, *arguments: Any) -> dict[str, Any]:
        """Ask the page's world about this element; every answer brings its line along."""
        self._devices.note_touched(self.world)
        return self._understood(await self.world.call(_asking(question), self._ref, *arguments))

    def _understood(self, answer: dict[str, Any]) -> dict[str, Any]:
        if answer.get("gone"):
            raise self._gone()
        self.line = self._quoted(answer)
        if (kept := answer.get("kept")) and self._devices.password_guard.is_wanted:
            raise password_refused(
                kept["line"], self.world.prefix + kept["ref"], self._devices.secrets.offer(kept["origin"])
            )
        if "reason" in answer:
            error = ElementNotReady(f"{self.line} {answer['reason']}.", hint=answer.get("hint"))
            error.origin = self.line.origin if isinstance(self.line, Quoted) else None
            raise error
        return answer

    def _quoted(self, answer: dict[str, Any]) -> str:
        """Its line; in a frame of another's, with whose words they are."""
        line, origin = answer["line"], answer.get("whose", "")
        is_foreign = self.world.parent is not None and origin != origin_in(self._page.url)
        return Quoted(line, origin) if is_foreign else line

    def _said(self, text: str) -> str:
        return Quoted(text, self.line.origin) if isinstance(self.line, Quoted) else text

    def _password_refused(self, origin: str) -> Denied:
        return password_refused(self.line, self.ref, self._devices.secrets.offer(origin))

    def _exposed(self, name: str) -> Denied:
        return Denied(
            f"{self.line} [{self.ref}] is no password field, and the secret `{name}` goes into those alone.",
            hint='Use the password field. If this is the right one, the owner can give the secret fields = "any".',
        )

    def _gone(self) -> ElementGone:
        shown = f" ({self.line})" if self.line else ""
        return ElementGone(f"{self.ref}{shown} is not, or no longer, on the page.")


def _asking(question: str) -> str:
    return f"(ref, ...rest) => rove.{question}(ref, ...rest)"


async def scroll_by_wheel(devices: InputDevices, world: World, answer: dict[str, Any]) -> dict[str, int]:
    """Where things are after a scroll, which may have been left to the wheel."""
    if wheel := answer.get("wheel"):
        point = await to_tab_point(devices.page.worlds, world, wheel["x"], wheel["y"])
        await devices.mouse.wheel(point, wheel["dx"], wheel["dy"])
        answer = await world.call("() => rove.afterWheel()")
    return _place(answer)


def _place(answer: dict[str, Any]) -> dict[str, int]:
    return {name: answer[name] for name in ("x", "y", "below")}


class ViewportPoint:
    """A point of the viewport, for what has no elements: a canvas, a map, a game."""

    def __init__(self, devices: InputDevices, x: float, y: float) -> None:
        self._devices = devices
        self._worlds = devices.page.worlds
        self._point = (x, y)
        self.line = self.ref = f"the point {x:g},{y:g}"

    async def click(
        self, button: Button = "left", count: int = 1, modifiers: tuple[Modifier, ...] = (), hold: float = 0
    ) -> None:
        width, height = await self._worlds.main.call("() => [innerWidth, innerHeight]")
        if not (self._point[0] < width and self._point[1] < height):
            raise InvalidArguments(f"`target`: {self.line} lies outside the viewport of {width} x {height}.")
        bits = sum(MODIFIER_BITS[modifier] for modifier in modifiers)
        await self._devices.mouse.click(*self._point, button, count, bits, hold)

    async def hover(self) -> None:
        await self._devices.mouse.move(*self._point)

    async def scroll_into_view(self) -> dict[str, int]:
        raise InvalidArguments(f"`target`: {self.line} is in view already.", hint="Say which way with `direction`.")

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        """Turn the wheel there, whatever it is that scrolls or zooms."""
        sign = -1 if direction in ("up", "left") else 1
        by = (0, sign) if direction in ("up", "down") else (sign, 0)
        notch = amount or WHEEL_NOTCH
        x, y = self._point
        wheel = {"x": x, "y": y, "dx": by[0] * notch, "dy": by[1] * notch}
        return await scroll_by_wheel(self._devices, self._worlds.main, {"wheel": wheel})

    async def drag(self, stops: Sequence[PointerTarget], hold: float = 0) -> None:
        await self._devices.mouse.drag(self._point, self._worlds.main, [stop.position for stop in stops], hold)

    async def position(self) -> tuple[float, float]:
        return self._point
