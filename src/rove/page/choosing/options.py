"""Options of a select, chosen in the select itself or in the list of the control that is shown for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rove.errors import ElementNotReady, InvalidArguments
from rove.page.choosing.list_choice import Ask, ListChoice
from rove.page_text import PageText


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
