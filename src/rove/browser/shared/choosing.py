"""Choosing options: in a select, or in the list that a custom control opens, as a user does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from rove.errors import ElementGone, ElementNotReady, InvalidArguments, RoveError
from rove.page_text import PageText

# Milliseconds that a list has to open, and to find what was typed: many ask a server once the typing has paused.
OPENING_MS = 1000
SEARCH_MS = 3000
# For an option that may be in the list no more, since it is chosen.
CHOSEN_MS = 100
# Milliseconds that the control has to show the choice, and the list to close by itself and on request.
FOLLOWING_MS = 1000
CLOSING_MS = 400
Ask = Callable[..., Awaitable[dict[str, Any]]]


class Pressable(Protocol):
    """An element of the page."""

    async def click(self) -> None: ...
    async def fill(self, value: str, /) -> PageText | None: ...


class Keys(Protocol):
    """Sends keys to the element that has the focus."""

    async def press(self, combination: str, /) -> None: ...
    async def type(self, text: str, /) -> None: ...


class ListChoice:
    """Opens the list of a control, presses options in it and closes it.

    `ask` calls a function of rove's script with the element that the choice is made for. `element` returns the element
    of a ref in the same frame. `quote` returns a text as the words of that frame. `is_blocked` tells whether a dialog
    blocks the page.
    """

    def __init__(
        self,
        control: dict[str, str],
        ask: Ask,
        element: Callable[[str], Pressable],
        keyboard: Keys,
        quote: Callable[[str], PageText],
        is_blocked: Callable[[], bool],
    ) -> None:
        self._is_blocked = is_blocked
        self._line = quote(control["line"])
        self._control_ref = control["ref"]
        self._control = element(self._control_ref)
        self._ask = ask
        self._element = element
        self._keyboard = keyboard
        self._was_chosen = True

    async def choose(self, labels: Sequence[str]) -> dict[str, Any]:
        """Choose exactly these options, by label or value. Raise if the control does not show them afterwards.

        Return their labels as `chosen`, and as `wasChosen` whether they were chosen before.
        """
        begun = await self._ask("beginChoice", self._control_ref, list(labels))
        self._control = self._element(begun["press"])
        if not begun["isOpen"]:
            await self._control.click()
        try:
            await self._choose_in_list(labels)
            if self._is_blocked():
                return {"chosen": list(labels), "wasChosen": False}
            result = await self._ask("choiceResult", list(labels), FOLLOWING_MS)
        except RoveError:
            await self._close(labels)
            raise
        await self._close(labels)
        if not result["agrees"]:
            raise self._not_followed(labels, result["shows"])
        # An option that was chosen before need not be marked as that in its list.
        return {"chosen": result["chosen"], "wasChosen": self._was_chosen or result["showsSame"]}

    async def _choose_in_list(self, labels: Sequence[str]) -> None:
        missing = (await self._ask("choiceState", list(labels)))["missing"]
        if missing:
            await self._find(missing[0])  # the list has opened then
        await self._remove_others(labels)
        for label in (await self._ask("choiceState", list(labels)))["missing"]:
            await self._press_option(label)

    async def _press_option(self, label: str) -> None:
        found = await self._find(label)
        if not found["isChosen"]:
            self._was_chosen = False
            try:
                await self._element(found["option"]).click()
            except ElementGone:  # a list that draws only the options in view may draw them anew
                await self._element((await self._find(label))["option"]).click()

    async def _find(self, label: str) -> dict[str, Any]:
        """Find an option: in the list that has opened, that typing its label fills, or that an arrow key opens."""
        await self._reopen()
        found = await self._ask("findOption", label, OPENING_MS)
        if found["isChosen"]:
            return found
        if "missing" in found and found["search"]:
            found = await self._search(label, found["search"])
        elif "missing" in found and not found["isOpen"] and found["hasFocus"]:
            await self._keyboard.press("ArrowDown")
            found = await self._ask("findOption", label, OPENING_MS)
        if "missing" in found:
            raise self._missing(label, found["options"])
        return found

    async def _reopen(self) -> None:
        """Open the list again if it was closed by the last option that was pressed."""
        if (await self._ask("openAfter", 0))["hasClosed"]:
            await self._control.click()

    async def _search(self, label: str, field: str) -> dict[str, Any]:
        await self._ask("beginSearch")
        await self._keyboard.type(label)
        found = await self._ask("findOption", label, SEARCH_MS)
        if "missing" in found:
            await self._element(field).fill("")
            found = await self._ask("findOption", label, CHOSEN_MS)
        return found

    async def _remove_others(self, wanted: Sequence[str]) -> None:
        """Take back what is chosen and not wanted: in the list, or with the key that removes the last one."""
        before: list[str] = []
        while (labels := (await self._ask("choiceState", list(wanted)))["unwanted"]) and labels != before:
            before, self._was_chosen = labels, False
            await self._reopen()
            found = await self._ask("findOption", labels[-1], CHOSEN_MS)
            if "missing" in found:
                await self._keyboard.press("Backspace")
            else:
                await self._element(found["option"]).click()

    async def _close(self, labels: Sequence[str]) -> None:
        """Close the list if it stays open, as it would cover what is below it."""
        # One that takes several options stays open for the next.
        state = await self._ask("openAfter", CLOSING_MS if len(labels) == 1 else 0)
        # In a dialog, Escape may close the dialog too.
        if state["isOpen"] and not state["isInDialog"]:
            await self._keyboard.press("Escape")
            state = await self._ask("openAfter", CLOSING_MS)
        if state["isOpen"]:
            await self._ask("leaveList")
            state = await self._ask("openAfter", CLOSING_MS)
        if state["isOpen"]:
            await self._control.click()

    def _missing(self, label: str, options: Sequence[str]) -> RoveError:
        if not options:
            return ElementNotReady(
                self._line,
                f" was pressed, and no list with the option {label!r} has opened.",
                hint="Look with {snapshot}. Press it with {click}, then press the option.",
                retryable=False,
            )
        return InvalidArguments(
            f"`values`: there is no option {label!r} in ",
            self._line,
            ". Its options: ",
            self._line.around(", ".join(options)),
            ".",
        )

    def _not_followed(self, labels: Sequence[str], shown: str) -> ElementNotReady:
        return ElementNotReady(
            f"{', '.join(map(repr, labels))} was pressed in the list of ",
            self._line,
            ", which still shows ",
            self._line.around(repr(shown)),
            ".",
            hint="Look with {snapshot}.",
            retryable=False,
        )


async def choose_options(
    ask: Ask, list_of: Callable[[dict[str, str]], ListChoice], values: Sequence[str]
) -> dict[str, Any]:
    """Choose options by label or value; return the answer, with the labels or the reason.

    A select that a control hides is set directly if its list does not offer the options, and the control follows.
    """
    answer = await ask("selectOptions", list(values), False)
    if "control" not in answer:
        return answer
    try:
        return await list_of(answer["control"]).choose(answer["labels"])
    except (ElementNotReady, InvalidArguments):
        if not answer["isSelect"]:
            raise
        return await ask("selectOptions", list(values), True)


def chosen_labels(answer: dict[str, Any], line: PageText, prefix: str) -> list[str]:
    """Return the labels of the options that were chosen, or raise why they were not.

    `line` is that of the element, `prefix` that of the refs in its frame.
    """
    if "missing" in answer:
        missing, offered = ", ".join(map(repr, answer["missing"])), ", ".join(answer["options"])
        raise InvalidArguments(
            "There is no such option: ",
            line.around(f"{line} has no {missing}, but {offered}" if offered else f"{line} has no options"),
            ".",
        )
    if widget := answer.get("standIn"):
        ref = prefix + widget["ref"]
        raise ElementNotReady(
            line,
            " is hidden, and what is shown in its place, ",
            line.around(f"{widget['line']} [{ref}]"),
            ", did not follow the choice, which was taken back.",
            hint=f"Press {ref} with {{click}}, then press the option in its list.",
            retryable=False,
        )
    chosen: list[str] = answer["chosen"]
    return chosen
