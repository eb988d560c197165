"""Requests for documents, compared with what a person was shown, while an approved action runs."""

from __future__ import annotations

from collections.abc import Sequence

from rove.browser.consequences.consequence import Consequence
from rove.validation.record import dataclass


@dataclass(frozen=True)
class AskedDocument:
    """A request for a document that a frame is to show. `is_of_popup`: in a window that the page has opened."""

    frame: str
    method: str
    url: str
    headers: dict[str, str]
    is_redirect: bool
    is_of_popup: bool


class ApprovedDocuments:
    """Refuses a document that a page asks for, if it is not what the person was shown.

    Where the page goes on from the document that it asked for first is not held to anything.
    """

    def __init__(self, main_frame: str, shown: Sequence[Consequence]) -> None:
        self._main_frame = main_frame
        self._shown = [each for each in shown if each.url]
        self._is_done = False
        self.went: tuple[Consequence, ...] = ()

    def refuses(self, asked: AskedDocument) -> bool:
        """Return whether a request is refused. A redirect of the server belongs to the request that was allowed."""
        if not self._shown or self._is_done or asked.is_redirect:
            return False
        encoding = _encoding(asked.headers)
        if any(each.matches(asked.method, asked.url, encoding) for each in self._shown):
            # A page may load in a frame what was shown, and go on to something else: that is not what the person meant.
            is_frame = asked.frame != self._main_frame and not asked.is_of_popup
            self._is_done = not (is_frame and asked.method == "GET")
            return False
        # A page loads frames as it likes, with or without the press. One that receives a form is another matter.
        if asked.frame != self._main_frame and asked.method == "GET" and not asked.is_of_popup:
            return False
        self.went = (*self.went, Consequence("went", url=asked.url, method=asked.method, encoding=encoding))
        return True


def _encoding(headers: dict[str, str]) -> str:
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    return kind.partition(";")[0].strip().lower()
