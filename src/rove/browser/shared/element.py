"""Elements: clicking, dragging, filling, reading and uploading."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from rove.browser.element import Button, ChosenOptions, DragStop, Modifier, Point, PointerTarget
from rove.browser.failures import BrowserError
from rove.browser.shared.choosing import ListChoice, choose_options, chosen_labels
from rove.browser.shared.frames import World, frame_transform, to_tab_point, world_inside, worlds_within
from rove.browser.shared.input import InputDevices, drag_positions, past_middle, scroll_by_wheel, scroll_position
from rove.browser.shared.keys import MODIFIER_BITS
from rove.browser.shared.secrets import Typing, password_error
from rove.browser.shared.uploads import read_files
from rove.errors import Denied, ElementNotReady, RoveError
from rove.page_text import Own, PageText, Text
from rove.target import secret_named

# A click that failed is not tried again with less time left than this.
MIN_RETRY_SECONDS = 1.0
# A press that no frame received is repeated this often, and no more: it may have had an effect that rove cannot see.
MAX_LOST_PRESSES = 2
# Seconds that a server has to answer with the file that a link asks for.
DOWNLOAD_SECONDS = 1.5
NOT_STARTED = Own("It has not started yet. A later answer tells when it does.")
# The functions of rove's script that leave the page as it is.
FACTS = frozenset({"elementFacts", "fieldValue", "outerHtml", "readAttribute", "consequenceOf"})
# The functions of rove's script that change a control in place of a user's hand, and so count as a user's gesture.
ACTING_QUESTIONS = frozenset({"clearFiles", "dropFiles", "fillIn", "selectOptions"})


class Element:
    """An element that a target was resolved to. Every method acts on it or raises the reason why it cannot."""

    def __init__(self, devices: InputDevices, world: World, ref: str, line: str = "", is_seen: bool = True) -> None:
        self._devices = devices
        self._page = devices.page
        self._ref = ref
        self.world = world
        self.line: Text = self.quote(line)
        self.is_seen = is_seen
        # Whether it was found by a part of its name only.
        self.is_partial = False
        # Whether a press on it asks for a download.
        self._is_download = False

    @property
    def ref(self) -> str:
        return self.world.prefix + self._ref

    @property
    def local_ref(self) -> str:
        """The ref without the prefix of its frame."""
        return self._ref

    @property
    def frame(self) -> World:
        return self.world

    async def click(
        self, button: Button = "left", count: int = 1, modifiers: tuple[Modifier, ...] = (), hold: float = 0
    ) -> None:
        bits = sum(MODIFIER_BITS[modifier] for modifier in modifiers)
        await self._devices.page_modes.release_pointer_lock()
        lost_count, downloads = 0, self._page.downloads.count
        while True:
            x, y = await self._wait_until_clickable(enabled=True, presses=count, reserve=hold)
            self._devices.press_tracker.reset()
            await self._devices.mouse.click(x, y, button, count, bits, hold)
            failure, is_lost = await self._press_failure()
            if failure is None:
                return await self._await_download(downloads)
            lost_count += is_lost
            if self._page.time.left < MIN_RETRY_SECONDS + hold or lost_count > MAX_LOST_PRESSES:
                raise ElementNotReady(self.line, f" {failure}.")

    async def _await_download(self, count: int) -> None:
        """Wait a moment for the download that a press on its link asks for, so that this answer tells of it."""
        if not self._is_download or self._page.dialogs.open:
            return
        try:
            async with asyncio.timeout(min(DOWNLOAD_SECONDS, max(self._page.time.left, 0))):
                await self._page.downloads.wait_until_started(count)
        except TimeoutError:
            self._devices.events.add("download asked for", NOT_STARTED)

    async def hover(self) -> None:
        await self._devices.page_modes.release_pointer_lock()
        x, y = await self._wait_until_clickable(enabled=False)
        await self._devices.mouse.move(x, y)

    async def drag(self, stops: Sequence[PointerTarget], hold: float = 0) -> None:
        """Press it, drag it from stop to stop and release it at the last."""
        await self._devices.page_modes.release_pointer_lock()
        answer = await self._aim({"enabled": True, "press": 0}, hold)
        start = await to_tab_point(self._page.worlds, self.world, answer["x"], answer["y"])
        await self._devices.mouse.drag(start, self.world, drag_positions(stops, is_in_list=not answer["isFree"]), hold)

    async def drag_stop(self, start: Point | None) -> DragStop:
        box = await self.box()
        x = past_middle(start and start[0], box["x"], box["width"])
        return DragStop((x, past_middle(start and start[1], box["y"], box["height"])), box)

    async def box(self) -> dict[str, float]:
        """Return where the element is in the viewport, after scrolling it into view."""
        box = await self._ask("pageBox")
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        x, y, across, down = await frame_transform(self._page.worlds, self.world, middle)
        return {
            "x": x + box["x"] * across,
            "y": y + box["y"] * down,
            "width": box["width"] * across,
            "height": box["height"] * down,
        }

    async def fill(self, value: str) -> PageText | None:
        """Replace the text of a field, or set the value of a picker; `secret:NAME` stands for a secret.

        Return the new value, or None if it may not be shown.
        """
        if name := secret_named(value):
            await self._enter_secret(name, after=False)
            return None
        answer = await self._ask_until_ready("fillIn", value, self._devices.password_guard.is_enabled)
        if answer.get("password"):
            raise self._password_error(answer["origin"])
        self._devices.filled.append((self, value))
        if not answer["type"]:
            filled: str | None = answer["value"]
            return None if filled is None else self.quote(filled)
        await self._devices.keyboard.replace(value)
        return None if self._page.dialogs.open else await self.value()

    async def type_secret(self, name: str) -> None:
        """Append a secret to the text in the field."""
        await self._enter_secret(name, after=True)

    async def check_value(self, value: str) -> None:
        """Raise if this value must not go into the field, without touching it."""
        facts = await self._ask("elementFacts")
        if name := secret_named(value):
            secret = self._devices.secrets.use(name, facts["origin"])
            if not (secret.goes_anywhere or facts["password"]):
                raise self._exposure_error(name)
        elif value and facts["password"] and self._devices.password_guard.is_enabled:
            raise self._password_error(facts["origin"])

    async def _enter_secret(self, name: str, after: bool) -> None:
        # The origin is checked and the secret typed in the same document, so that no other can receive it.
        document = await self.world.document()
        secret = self._devices.secrets.use(name, document.origin)
        where = {"name": name, "origin": document.origin, "anywhere": secret.goes_anywhere, "after": after}
        entered = await document.call(_function("enterSecret"), self._ref, secret.value, where, as_user=True)
        answer = self._check(entered)
        if answer.get("exposed"):
            raise self._exposure_error(name)

    async def focus(self, watches: bool = False) -> Typing | None:
        """Give it the focus. If text is typed next, the page `watches` where that goes; return what it watches."""
        answer = await self._ask_until_ready("focusOn", watches)
        return Typing(self.world, answer["typing"]) if watches else None

    async def describe(self) -> Text:
        """Return the element as the page shows it now, in one line."""
        await self._ask("elementFacts")
        return self.line

    async def identity(self) -> int:
        """Return a number that no other element of the document has, not even one that is drawn in its place."""
        return int((await self._ask("elementFacts"))["identity"])

    async def value(self) -> PageText | None:
        return self.value_in(await self._call("fieldValue"))

    def value_in(self, answer: dict[str, Any]) -> PageText | None:
        """Return the value that the page has answered with; raise if the field is gone."""
        value: str | None = self._check(answer)["value"]
        return None if value is None else self.quote(value)

    async def upload(self, paths: tuple[str, ...], drop: bool, data: dict[str, str] | None = None) -> list[str]:
        """Upload files of the workspace to the element, or drop them on it; returns their names."""
        files = await self._devices.copy_files(paths)
        if drop:
            await self._ask("dropFiles", await read_files(files), data)
        elif not files:
            await self._ask("clearFiles")  # no protocol accepts an empty list
        else:
            await self._set_files([str(file) for file in files])
        return [file.name for file in files]

    async def _set_files(self, names: list[str]) -> None:
        """Put files into a file input, or into the file chooser that a click on the element opens."""
        if (await self._ask("elementFacts"))["type"] == "file":
            setting = self.world.set_files(names, ref=self._ref)
        else:
            setting = self.world.set_files(names, node=await self._devices.file_chooser.open_with(self))
        await self._page.dialogs.run_until_dialog(setting)

    async def frames_within(self) -> list[World]:
        """Return the frame that this element is and the frames in it; none if it is another kind of element."""
        worlds = self._page.worlds
        if len(await worlds.current()) == 1 or not (await self._ask("elementFacts"))["isFrame"]:
            return []
        frame = await world_inside(worlds, self.world, self._ref, self.quote(self.line))
        return await worlds_within(worlds, frame) if frame is not None else []

    async def evaluate(self, expression: str, await_promise: bool = True) -> Any:
        """Run JavaScript in the page with this element as its argument."""
        return await self.world.evaluate_with(self._ref, expression, self.quote, await_promise)

    async def is_select(self) -> bool:
        return bool((await self._ask("elementFacts"))["isChosenOnly"])

    async def is_checkbox(self) -> bool:
        return bool((await self._ask("elementFacts"))["isCheckbox"])

    async def select(self, values: tuple[str, ...]) -> ChosenOptions:
        """Choose these options, by label or value."""
        answer = await choose_options(self._ask_until_ready, self._list_choice, values)
        labels = chosen_labels(answer, self.quote(self.line), self.world.prefix)
        return ChosenOptions(tuple(map(self.quote, labels)), not answer["wasChosen"])

    def _list_choice(self, control: dict[str, str]) -> ListChoice:
        def sibling(ref: str) -> Element:
            return Element(self._devices, self.world, ref)

        def is_blocked() -> bool:
            return self._page.dialogs.open is not None

        return ListChoice(control, self._ask, sibling, self._devices.keyboard, self.quote, is_blocked)

    async def set_checked(self, checked: bool) -> bool:
        """Click it if its state is not the wanted one; returns whether it was clicked."""
        state = await self._ask("checkedState")
        if state["checked"] == checked:
            return False
        if state.get("radio") and not checked:
            raise ElementNotReady(
                self.line,
                " is a radio button: it is unchecked by checking another.",
                hint="Check the other one.",
                retryable=False,
            )
        await self.click()
        return True

    async def scroll_into_view(self) -> dict[str, int]:
        return scroll_position(await self._ask("scrollTo"))

    async def scroll(self, direction: str, amount: int | None) -> dict[str, int]:
        return await scroll_by_wheel(self._devices, self.world, await self._ask("scrollIn", direction, amount))

    async def read_html(self) -> PageText:
        return self.quote((await self._ask("outerHtml"))["value"])

    async def read_attribute(self, name: str) -> PageText | None:
        value: str | None = (await self._ask("readAttribute", name))["value"]
        return None if value is None else self.quote(value)

    async def _press_failure(self) -> tuple[str | None, bool]:
        """Return why a press did not reach the element, or None, and whether no frame received it."""
        if self._page.dialogs.open:
            return None, False
        if result := self._devices.press_tracker.result:
            return result.missed, False
        try:
            answer = await self._page.unless_replaced(self.world.call("() => rove.pressResult()"))
        except BrowserError:
            return None, False  # the press led to another document
        return (answer["missed"], "lost" in answer) if answer else (None, False)

    async def _wait_until_clickable(self, enabled: bool, presses: int = 0, reserve: float = 0) -> tuple[float, float]:
        """Scroll it into view and wait until it can be clicked; returns the point to click.

        `reserve`: seconds of the action's time that must be left afterwards.
        """
        answer = await self._aim({"enabled": enabled, "press": presses}, reserve)
        return await to_tab_point(self._page.worlds, self.world, answer["x"], answer["y"])

    async def _aim(self, wants: dict[str, Any], reserve: float) -> dict[str, Any]:
        """Return where to press the element. One that has just appeared is waited for until it listens."""
        answer = await self._ask_until_ready("untilActionable", wants, reserve=reserve)
        self._is_download = answer["isDownload"]
        has_time = self._page.time.left > MIN_RETRY_SECONDS + reserve
        if not (wants["enabled"] and answer["newMs"] > 0 and has_time):
            return answer
        has_waited = await self.world.wait_for_press_listener(self._ref, answer["newMs"] / 1000)
        return await self._ask_until_ready("untilActionable", wants, reserve=reserve) if has_waited else answer

    async def _ask(self, question: str, *arguments: Any) -> dict[str, Any]:
        """Call a function of rove's script with this element; every answer includes the element's line."""
        return self._check(await self._call(question, *arguments))

    async def _ask_until_ready(self, question: str, *arguments: Any, reserve: float = 0) -> dict[str, Any]:
        """Ask what waits for the element; ask again while the page loads something that may make it ready.

        `reserve`: seconds of the action's time that must be left afterwards.
        """
        await self._page.take_focus()
        while True:
            # Leaves time to report what it was waited for.
            timeout_ms = max(self._page.time.left - reserve - 0.5, 0.1) * 1000
            answer = await self._call(question, timeout_ms, *arguments)
            if not (answer.get("mayChange") and self._page.is_loading):
                return self._check(answer)

    async def _call(self, question: str, *arguments: Any) -> dict[str, Any]:
        self._devices.note_touched(self.world)
        if question not in FACTS:
            self._devices.aims.clear()
        as_user = question in ACTING_QUESTIONS
        call = self.world.call(_function(question), self._ref, *arguments, as_user=as_user)
        answer: dict[str, Any] = await (self._devices.done_reports.answer_of(call) if as_user else call)
        return answer

    def _check(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return the answer, or raise what it says is wrong with the element."""
        if answer.get("gone"):
            raise self._gone_error()
        whose = answer.get("whose", "null")
        self.line = PageText(answer["line"], self._origin if whose == "null" else whose)
        if (field := answer.get("kept")) and self._devices.password_guard.is_enabled:
            raise password_error(
                PageText(field["line"], field["origin"]),
                self.world.prefix + field["ref"],
                self._devices.secrets.offer(field["origin"]),
            )
        if "reason" in answer:
            may_change = not answer.get("never")
            why = self.quote(f"{self.line} {answer['reason']}.")  # which may name the element that covers it
            raise ElementNotReady(why, hint=answer.get("hint"), retryable=may_change)
        return answer

    @property
    def _origin(self) -> str:
        return self._page.origins.of(self.world.frame_id)

    def quote(self, text: str) -> PageText:
        """Return a text as the words of the frame that the element is in."""
        line: Text | None = getattr(self, "line", None)
        return PageText(text, line.origin if isinstance(line, PageText) else self._origin)

    def _password_error(self, origin: str) -> Denied:
        return password_error(self.line, self.ref, self._devices.secrets.offer(origin))

    def _exposure_error(self, name: str) -> Denied:
        return Denied(
            self.line,
            f" [{self.ref}] is no password field, and the secret `{name}` goes into those alone.",
            hint='Use the password field. If this is the right one, the owner can give the secret fields = "any".',
        )

    def _gone_error(self) -> RoveError:
        return self.world.numbers.missing_element(self.ref, self.world.numbered)


def _function(question: str) -> str:
    return f"(ref, ...rest) => rove.{question}(ref, ...rest)"
