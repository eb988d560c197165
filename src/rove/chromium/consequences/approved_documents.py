"""Requests for documents, compared with what a person was shown, while an approved action runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rove.browser.consequences.consequence import Consequence


class ApprovedDocuments:
    """Refuses a document that a page asks for, if it is not what the person was shown.

    Where the page goes on from the document that it asked for first is not held to anything.
    """

    def __init__(self, main_frame: str, shown: Sequence[Consequence]) -> None:
        self._main_frame = main_frame
        self._shown = [each for each in shown if each.url]
        self._is_done = False
        self.went: tuple[Consequence, ...] = ()

    def refuses(self, event: dict[str, Any]) -> bool:
        """Return whether a request is refused. A redirect of the server belongs to the request that was allowed."""
        if not self._shown or self._is_done or event["resourceType"] != "Document" or "redirectedRequestId" in event:
            return False
        request = event["request"]
        method, url = request["method"], request["url"] + request.get("urlFragment", "")
        encoding = _encoding(request["headers"])
        if any(each.matches(method, url, encoding) for each in self._shown):
            self._is_done = True
            return False
        # A page loads frames as it likes, with or without the press. One that receives a form is another matter.
        if event["frameId"] != self._main_frame and method == "GET" and not self._is_popup(event):
            return False
        self.went = (*self.went, Consequence("went", url=url, method=method, encoding=encoding))
        return True

    def _is_popup(self, event: dict[str, Any]) -> bool:
        return bool(event.get("isOfPopup"))


def _encoding(headers: dict[str, str]) -> str:
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    return kind.partition(";")[0].strip().lower()
