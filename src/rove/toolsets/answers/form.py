"""Forms of answers, by the names that toolsets give them."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TypeVar

from rove.errors import InvalidSettings, RoveError
from rove.outcome import AnyOutcome
from rove.toolsets import answers
from rove.toolsets.outcome_text import as_text, error_data, error_text
from rove.toolsets.tool import Answer, FiledAnswer, ToolRequest

AnswerForm = Callable[[ToolRequest, AnyOutcome], Answer | FiledAnswer]
ErrorForm = Callable[[ToolRequest, RoveError], Answer]
DEFAULT_FORM = "text"
F = TypeVar("F")
Form = TypeVar("Form", bound=AnswerForm)
_answers: dict[str, AnswerForm] = {}
_errors: dict[str, ErrorForm] = {}


def answer_form(name: str) -> Callable[[Form], Form]:
    """Declare a form of answers, which toolsets name as `answer`."""

    def declare(form: Form) -> Form:
        _answers[name] = form
        return form

    return declare


def error_form(name: str) -> Callable[[ErrorForm], ErrorForm]:
    """Declare a form of errors, which toolsets name as `errors`."""
    return lambda form: _errors.setdefault(name, form)


@answer_form(DEFAULT_FORM)
def told_as_text(request: ToolRequest, outcome: AnyOutcome) -> Answer:
    """Tell what was done, where the tab is, what changed and what else happened."""
    stopped = outcome.result.error
    return Answer(
        as_text(outcome),
        outcome.attachments,
        # The text says what was done before the error; the flag tells that the batch was not completed.
        {"error": error_data(stopped)} if stopped else None,
        is_error=stopped is not None,
        code=stopped.code if stopped else None,
        conceals=stopped.conceals if stopped else False,
        tells_events=True,
    )


@error_form(DEFAULT_FORM)
def error_told_as_text(request: ToolRequest, error: RoveError) -> Answer:
    """Tell the code of an error, what happened and what to try next."""
    data = {"error": error_data(error)}
    return Answer(error_text(error), (), data, is_error=True, code=error.code, conceals=error.conceals)


def find_answer_form(name: str) -> AnswerForm:
    """Return a form of answers. Raises InvalidSettings if there is none of that name."""
    return _find(name, _answers)


def find_error_form(name: str) -> ErrorForm:
    """Return a form of errors. Raises InvalidSettings if there is none of that name."""
    return _find(name, _errors)


def _find(name: str, forms: Mapping[str, F]) -> F:
    if name not in forms:
        _import_all()
    if name in forms:
        return forms[name]
    raise InvalidSettings(f"There is no form of answers `{name}`.", hint=f"There are: {', '.join(forms)}.")


@cache
def _import_all() -> None:
    for module in pkgutil.iter_modules(answers.__path__):
        import_module(f"{answers.__name__}.{module.name}")
