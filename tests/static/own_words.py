"""A mypy plugin: text of a page cannot become rove's own words, not even inside of an f-string.

The result of an f-string is a `str`, whatever is in it. So this looks into the strings that `Own(...)`, errors and
passages without an origin are made of, and refuses a `PageText` there, and data that was not checked (`Any`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mypy.errorcodes import ARG_TYPE
from mypy.nodes import CallExpr, ConditionalExpr, Expression, ListExpr, MemberExpr, NameExpr, OpExpr
from mypy.plugin import FunctionContext, Plugin
from mypy.types import AnyType, Instance, ProperType, Type, UnionType, get_proper_type

PAGE_TEXT = "rove.page_text.PageText"
OWN = "rove.page_text.Own"
PASSAGE = "rove.outcome.Passage"
# Methods of text whose result holds the words of the text, or of their arguments.
HOLDING = ("format", "join", "strip", "rstrip", "lstrip", "replace", "removeprefix", "removesuffix")


class OwnWords(Plugin):
    """Checks each call that makes words of rove's own."""

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if fullname == OWN:
            return lambda context: _check(context, _given(context, 0))
        if fullname == PASSAGE:
            return _check_passage
        return _check_error if fullname.startswith("rove.errors.") else None


def plugin(version: str) -> type[Plugin]:
    return OwnWords


def _given(context: FunctionContext, index: int) -> list[Expression]:
    return context.args[index] if len(context.args) > index else []


def _check_error(context: FunctionContext) -> Type:
    # A part that is a `PageText` as a whole is marked as such; words inside of another text are not.
    return _check(context, _given(context, 0), may_be_page_text=True)


def _check_passage(context: FunctionContext) -> Type:
    has_origin = bool(_given(context, 1))
    return context.default_return_type if has_origin else _check(context, _given(context, 0), may_be_page_text=True)


def _check(context: FunctionContext, arguments: list[Expression], may_be_page_text: bool = False) -> Type:
    for argument in arguments:
        for part in _parts(argument):
            if part is argument and may_be_page_text:
                continue
            kind = get_proper_type(context.api.get_expression_type(part))
            if _is_of_page(kind):
                message = "Text of a page would be told as rove's own words: pass it as a part with its origin"
                context.api.fail(message, part, code=ARG_TYPE)
    return context.default_return_type


def _parts(expression: Expression) -> Iterator[Expression]:
    """Yield the expressions whose text is in the text of an expression."""
    callee = expression.callee if isinstance(expression, CallExpr) else None
    if isinstance(expression, CallExpr) and isinstance(callee, MemberExpr) and callee.name in HOLDING:
        for each in (callee.expr, *expression.args):
            yield from _parts(each)
        return
    if isinstance(callee, NameExpr) and callee.name == "Own":
        return  # checked by itself
    if isinstance(expression, ListExpr):
        for each in expression.items:
            yield from _parts(each)
    elif isinstance(expression, ConditionalExpr):
        yield from _parts(expression.if_expr)
        yield from _parts(expression.else_expr)
    elif isinstance(expression, OpExpr):
        yield from _parts(expression.left)
        yield from _parts(expression.right)
    else:
        yield expression


def _is_of_page(kind: ProperType) -> bool:
    if isinstance(kind, UnionType):
        return any(_is_of_page(get_proper_type(item)) for item in kind.items)
    return isinstance(kind, AnyType) or (isinstance(kind, Instance) and kind.type.fullname == PAGE_TEXT)
