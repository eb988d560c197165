"""Forms: fill in fields, select options, tick checkboxes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.errors import Denied, DialogOpen, ElementNotReady
from rove.fields import Validated
from rove.outcome import Result
from rove.page_text import PageText, Text
from rove.records import dataclass
from rove.target import secret_named

if TYPE_CHECKING:
    from rove.browser.shared.element import Element
    from rove.browser.shared.tab import Tab


# What a caller may write for a checkbox where it can only write text.
CHECKED_WORDS = {"true": True, "on": True, "false": False, "off": False}


@dataclass(frozen=True)
class Filled(Result):
    element: Text
    value: PageText | None

    def __str__(self) -> str:
        return f"Filled {self.element}."


@action(Effect.ACT)
class Fill(TabAction[Filled]):
    """Replace the value of a field."""

    target: Target
    value: str = arg("New value; dates as 2026-01-31; empty to clear; secret:NAME for a password.")

    @property
    def secrets(self) -> tuple[str, ...]:
        name = secret_named(self.value)
        return (name,) if name else ()

    async def perform(self, tab: Tab) -> Filled:
        element = await tab.resolve(self.target)
        value = await element.fill(self.value)
        return Filled(element.line, value)


@dataclass(frozen=True)
class FormField(Validated):
    """A field of a form and its new value."""

    target: Target
    value: str | bool = arg("Text, an option's label, true/false for a checkbox, or secret:NAME.")


@dataclass(frozen=True)
class FormFilled(Result):
    fields: tuple[Text, ...]

    def __str__(self) -> str:
        return "Filled 1 field." if len(self.fields) == 1 else f"Filled {len(self.fields)} fields."


@action(Effect.ACT)
class FillForm(TabAction[FormFilled]):
    """Fill in several fields in one call."""

    fields: tuple[FormField, ...] = arg("Fields, in order.", min_length=1)

    @property
    def secrets(self) -> tuple[str, ...]:
        values = (field.value for field in self.fields if isinstance(field.value, str))
        return tuple(name for value in values if (name := secret_named(value)))

    async def perform(self, tab: Tab) -> FormFilled:
        # Find every field before filling in the first: a form that is half filled in is worse than an untouched one.
        elements = [await tab.resolve(field.target) for field in self.fields]
        fields = [await _field_as_meant(field, element) for field, element in zip(self.fields, elements, strict=True)]
        selects = [await element.is_select() for element in elements]
        for field, element in zip(fields, elements, strict=True):
            if isinstance(field.value, str):
                await element.check_value(field.value)
        for number, (field, element, is_select) in enumerate(zip(fields, elements, selects, strict=True)):
            try:
                await _enter(element, field.value, is_select)
            except (ElementNotReady, Denied) as error:
                error.say_more(f"{number} of {len(elements)} fields were filled in before that.")
                raise
            _refuse_dialog(tab, number + 1, len(elements))
        return FormFilled(tuple(element.line for element in elements))


def _refuse_dialog(tab: Tab, done: int, count: int) -> None:
    """Raise DialogOpen if a dialog keeps the fields that are left from being filled in."""
    dialog = tab.page.dialogs.open
    if dialog is not None and done < count:
        hint = "Answer it with {dialog}, then fill in the fields that are left."
        message = f"{done} of {count} fields are filled in. Then the page opened a dialog: "
        raise DialogOpen(message, dialog.told, hint=hint, retryable=False)


async def _field_as_meant(field: FormField, element: Element) -> FormField:
    """Return the field with true or false as its value where that was written as text for a checkbox."""
    checked = CHECKED_WORDS.get(field.value.strip().lower()) if isinstance(field.value, str) else None
    return field if checked is None or not await element.is_checkbox() else replace(field, value=checked)


async def _enter(element: Element, value: str | bool, is_select: bool) -> None:
    if isinstance(value, bool):
        await element.set_checked(value)
    elif is_select:
        await element.select((value,))
    else:
        await element.fill(value)


@dataclass(frozen=True)
class Selected(Result):
    element: Text
    options: tuple[PageText, ...]
    # False if exactly these options were chosen before.
    was_changed: bool = True

    def __str__(self) -> str:
        labels = ", ".join(self.options)
        were = "was" if len(self.options) == 1 else "were"
        return f"Selected {labels}." if self.was_changed else f"{labels} {were} selected already."


@action(Effect.ACT)
class Select(TabAction[Selected]):
    """Choose options of a select, combobox or listbox, by label or value."""

    target: Target
    values: tuple[str, ...] = arg("Labels or values.", min_length=1)

    async def perform(self, tab: Tab) -> Selected:
        element = await tab.resolve(self.target)
        choice = await element.select(self.values)
        return Selected(element.line, choice.labels, choice.was_changed)


@dataclass(frozen=True)
class Checked(Result):
    element: Text
    checked: bool
    was_pressed: bool

    def __str__(self) -> str:
        state = "checked" if self.checked else "unchecked"
        return f"{self.element} is now {state}." if self.was_pressed else f"{self.element} was {state} already."


@action(Effect.ACT)
class Check(TabAction[Checked]):
    """Tick or untick a checkbox, radio button or switch."""

    target: Target
    checked: bool = arg("False to untick.", default=True)

    async def perform(self, tab: Tab) -> Checked:
        element = await tab.resolve(self.target)
        was_pressed = await element.set_checked(self.checked)
        return Checked(element.line, self.checked, was_pressed)
