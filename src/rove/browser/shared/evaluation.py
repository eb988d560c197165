"""JavaScript of callers, as far as it is handled the same by every engine."""

from __future__ import annotations

from rove.browser.failures import BrowserError
from rove.errors import ElementGone, ScriptFailed
from rove.patterns import pattern

MAX_RESULT_BYTES = 2_000_000
_FUNCTION = pattern(r"\s*(async\s*)?(function\b|\([^()]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)")


def is_function(expression: str) -> bool:
    """Return whether an expression is a function to call, as Playwright's users write them, rather than a value."""
    return _FUNCTION.match(expression) is not None


def called(function: str) -> str:
    """Return the call of a function that a caller has written."""
    return f"({function.rstrip().removesuffix(';')})()"


def unreturnable(error: BrowserError) -> ScriptFailed:
    """Return the error for a value that the browser does not return."""
    hint = "Return plain data: text, numbers, lists, objects."
    return ScriptFailed(f"The value cannot be returned: {error}.", hint=hint)


def document_gone() -> ElementGone:
    """Return the error for a document that another has replaced."""
    return ElementGone("The page went away before that could be done.")
