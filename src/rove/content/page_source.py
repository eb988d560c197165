"""The HTML of a page, as it was read from a browser or over HTTP, and the formats that its article can have."""

from __future__ import annotations

from typing import Literal, TypeAlias

from rove.records import dataclass

Format: TypeAlias = Literal["text", "markdown", "html"]


@dataclass(frozen=True)
class PageSource:
    """The HTML of a page, and the address that its links are relative to."""

    html: str
    # The address of the document. `<base href>` is heeded.
    url: str
    # Whether a browser rendered it: the HTML then holds nothing that a person does not see.
    is_rendered: bool = False
    # Whether the page has more than the HTML.
    is_cut: bool = False
    # The origin of a frame that is not of the page's origin.
    origin: str = ""
    # The texts that a person does not see, quoted and marked as in a snapshot.
    unseen: tuple[str, ...] = ()
    # The frames of other origins. Those of the page's own origin are in its HTML.
    frames: tuple[PageSource, ...] = ()
    # What rove says of frames that were not read.
    notes: tuple[str, ...] = ()
