"""Widgets of real libraries, used as a user would: the page does what was meant, and the answer tells it truly."""

from __future__ import annotations

import pytest
from tests.widgets.act import Act, Library, Widget
from tests.widgets.acts import LIBRARIES
from tests.widgets.driver import Driver
from tests.widgets.truth import falsehoods, wrong_words

# These are like others that are tested each time; `make test-all` tests them too.
SLOW = frozenset(
    [
        "a11y_dialog",
        "antd",
        "bootstrap_select",
        "chosen",
        "cmdk",
        "datatables",
        "downshift",
        "driver_tour",
        "element_plus",
        "headless_ui",
        "intro",
        "jquery_ui",
        "micromodal",
        "nice_select",
        "notyf",
        "nouislider",
        "radix",
        "react_datepicker",
        "shepherd",
        "shoelace",
        "slim_select",
        "splide",
        "sweetalert2",
        "tippy",
        "tiptap",
        "toastify",
        "tom_select",
        "vanilla_datepicker",
        "vuetify",
    ]
)
# Of each other library, so many acts are tested each time.
QUICK_ACTS = 1
ACTS = [
    pytest.param(
        library,
        widget,
        act,
        id=f"{library.name}: {widget.name} {act.name}",
        marks=[pytest.mark.slow] if library.name in SLOW or number >= QUICK_ACTS else [],
    )
    for library in LIBRARIES
    for number, (widget, act) in enumerate((widget, act) for widget in library.widgets for act in widget.acts)
]


@pytest.mark.parametrize(("library", "widget", "act"), ACTS)
async def test_the_goal_is_reached_and_the_answer_is_true(
    driver: Driver, library: Library, widget: Widget, act: Act
) -> None:
    performed = await driver.perform(library, widget, act)
    assert performed.is_done, f"the goal was not reached: {act.goal}\n{performed.text}"
    wrong = [
        *wrong_words(performed.answer, act.appears, act.goes),
        *falsehoods(performed.before, performed.answer, performed.after),
    ]
    assert not wrong, "\n".join([*wrong, "", "The answer:", performed.text])


def test_there_are_enough_libraries_and_acts() -> None:
    assert len(LIBRARIES) - len(SLOW) >= 15
    assert len(ACTS) >= 300
    assert {library.name for library in LIBRARIES} >= SLOW
