"""The next page of an article."""

from __future__ import annotations

import pytest

from rove.content.page_source import PageSource
from rove.content.readable.reader import read_article

TEXT = "<p>Green tea is made of leaves that were heated soon after picking, so that they stay green and fresh.</p>" * 5


def next_page(link: str, url: str = "https://example.com/guide/intro") -> str:
    html = f"<head><title>Tea</title>{link if link.startswith('<link') else ''}</head><body><article>{TEXT}</article>"
    return read_article(PageSource(html + (link if link.startswith("<a") else ""), url)).next_page


@pytest.mark.parametrize(
    "link",
    ["<link rel=next href=/guide/middle>", "<a rel='next nofollow' href=middle#top>Continue on the next page</a>"],
)
def test_rel_next_is_heeded_whatever_the_address(link: str) -> None:
    assert next_page(link) == "https://example.com/guide/middle"


def test_rel_next_of_another_origin_or_of_the_page_itself_is_not() -> None:
    for address in ("https://other.example/guide/middle", "http://example.com/guide/middle", "/guide/intro#end"):
        assert next_page(f"<link rel=next href='{address}'>") == ""


def test_words_alone_need_an_address_that_follows() -> None:
    story = "https://example.com/story.html"
    assert next_page("<a href=story-page-2.html>Next page</a>", story) == "https://example.com/story-page-2.html"
    assert next_page("<a href=/another-story.html>Next</a>", story) == ""
    # As blogs mark the next article.
    assert next_page("<a rel=next href=/another-story.html>Another story</a>", story) == ""
    assert next_page("<link rel=next title='Another story' href=/another-story.html>", story) == ""
