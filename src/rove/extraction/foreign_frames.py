"""Frames of other origins beside the readable text of a page: rendered like the page, told as their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.reading.article import Article, Rendered
    from rove.reading.formats import Format
    from rove.reading.page_source import PageSource

# A frame of another origin with less text than this is left out: most such frames are advertisements.
SHORTEST_FRAME = 200


@dataclass(frozen=True)
class Part:
    """The text of a page or of a frame, and the addresses that its numbers stand for."""

    # Empty for the page itself.
    origin: str
    text: str
    is_cut: bool
    addresses: dict[str, str]


def render_parts(page: Article, frames: Iterable[PageSource], format: Format, longest: int) -> list[Part]:
    """Render a page and its frames with one count of links, in at most so many characters together."""
    from rove.reading.article import continue_numbers

    rendered = page.render(format, longest)
    parts, room, last = [_part("", page, rendered)], longest - len(rendered.text), page
    for origin, article in _read_frames(frames):
        last = continue_numbers(last, article)
        rendered = last.render(format, room)
        parts.append(_part(origin, last, rendered))
        room -= len(rendered.text)
    return parts


def _read_frames(frames: Iterable[PageSource]) -> Sequence[tuple[str, Article]]:
    """Return origin and content of each frame that has more than a few words."""
    from rove.reading.article import read_article
    from rove.reading.blocks import text_length

    articles = [(frame.origin, read_article(frame)) for frame in frames]
    return [(origin, article) for origin, article in articles if text_length(article.blocks) >= SHORTEST_FRAME]


def _part(origin: str, article: Article, rendered: Rendered) -> Part:
    return Part(origin, rendered.text, rendered.is_cut, _addresses(article, rendered))


def _addresses(article: Article, rendered: Rendered) -> dict[str, str]:
    """Return the addresses of the links and images that a text refers to by number."""
    if not rendered.is_numbered:
        return {}
    links = {str(number): article.links[number - 1] for number in rendered.links}
    return {**links, **{f"i{number}": article.images[number - 1].address for number in rendered.images}}
