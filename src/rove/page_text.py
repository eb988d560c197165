"""Whose words a text is: rove's own, or those of a page, with the origin that wrote them.

Results, events and errors hold texts of these two classes and no bare `str`, so that the type checkers refuse text of a
page that does not say where it is from. `tests/static/own_words.py`, a plugin of mypy, refuses it inside of f-strings.
"""

from __future__ import annotations

# Stands for an origin that is not known.
NOWHERE = "unknown"
# Stands for several origins, of which the agent may read each.
SEVERAL = "several origins"


class Own(str):
    """Text that rove or its caller wrote."""

    __slots__ = ()

    def __new__(cls, text: object = "") -> Own:
        if isinstance(text, PageText):
            raise TypeError("text of a page is not rove's own")
        return super().__new__(cls, text)


class PageText(str):
    """Text that a page, a frame or a server wrote, with its origin."""

    __slots__ = ("origin",)
    origin: str

    def __new__(cls, text: str, origin: str) -> PageText:
        made = super().__new__(cls, text)
        made.origin = origin
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.origin

    def around(self, text: str) -> PageText:
        """Return a longer or another text of the same origin, such as a line that quotes this one."""
        return PageText(text, self.origin)


Text = Own | PageText


def of_same_author(text: str, author: str) -> str:
    """Return a text as the words of the author of another: rove's own, a page's, or not marked."""
    if isinstance(author, PageText):
        return author.around(text)
    return Own(text) if isinstance(author, Own) else text
