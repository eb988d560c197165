"""Rules that hold for the readable text of any page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rove.content.page_source import PageSource
from rove.content.readable.reader import read_article

# `html` and Markdown characters, words, and what pages try.
TEXTS = st.one_of(
    st.text(alphabet="ab *_`~[]()<>#|\\!&;\"'\n1.-+=>:", max_size=30),
    st.sampled_from(
        [
            "[3]",
            "[x][1]",
            "```",
            "**",
            "a sentence, of some words, that ends here.",
            "| a | b |",
            "# no",
            "1. x",
            "&lt;",
        ]
    ),
)
TAGS = [
    "p",
    "div",
    "span",
    "b",
    "i",
    "a",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
    "td",
    "th",
    "pre",
    "code",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "script",
    "style",
    "br",
    "hr",
    "img",
    "section",
    "article",
    "nav",
    "template",
    "noscript",
    "svg",
    "math",
    "details",
    "figure",
    "figcaption",
    "iframe",
    "form",
    "button",
]
ATTRIBUTES = st.sampled_from(
    [
        "",
        " href='/x'",
        " href='javascript:alert(1)'",
        " href='//[bad'",
        " src='data:x'",
        " src='/i.png' alt='a]b'",
        " onclick='x()'",
        " class='comment'",
        " colspan='3'",
        " style='display:none'",
        " start='x'",
    ]
)
# Left open, they hide all that follows.
HIDING = ("script", "style", "template", "noscript", "iframe", "svg", "button", "form", "details")


def _markup(tag: str, attribute: str, parts: list[str], closes: bool) -> str:
    is_closed = closes or tag in HIDING or "display" in attribute
    return f"<{tag}{attribute}>{''.join(parts)}" + (f"</{tag}>" if is_closed else "")


def _element(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        _markup,
        st.sampled_from(TAGS),
        ATTRIBUTES,
        st.lists(inside, max_size=4),
        st.booleans(),
    )


PAGES = st.lists(st.recursive(TEXTS.map(str), _element, max_leaves=12), max_size=6).map("".join)


class Tags(HTMLParser):
    """Collects what is wrong with HTML: elements left open, attributes and addresses that could run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("br", "hr", "img"):
            self.open.append(tag)
        for name, value in attrs:
            if name not in ("href", "src", "alt", "start") and (tag, name) != ("code", "class"):
                self.problems.append(name)
            if name in ("href", "src") and not re.match("https?://", value or ""):
                self.problems.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}>")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(PAGES, st.integers(20, 400))
def test_rules_hold_on_any_page(page: str, longest: int) -> None:
    # A tag, an attribute or a comment that the page leaves open would make text of the script.
    marked = page + "'\">--><script>SCRIPTTEXT</script><style>.STYLETEXT{}</style><p>closing words of the page.</p>"
    article = read_article(PageSource(marked, "https://site.example/dir/page"))
    for format in ("text", "markdown", "html"):
        for limit in (100_000, longest):
            text = article.render(format, limit).text
            assert len(text) <= limit
            assert "SCRIPTTEXT" not in text and "STYLETEXT" not in text
        # A tag that the page leaves open may be read as a part of what is hidden.
        assert article.render(format, 100_000).text.strip() or article.unseen
    assert all(address.startswith(("http://", "https://")) for address in article.links)
    for limit in (100_000, longest):
        check_html(article.render("html", limit).text)
        check_markdown(article.render("markdown", limit).text, len(article.links), len(article.images))


def check_html(html: str) -> None:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert not tags.open and not tags.problems


def check_markdown(markdown: str, links: int, images: int) -> None:
    """Check fences, tables and references, line by line."""
    fence, columns = "", 0
    for line in markdown.split("\n"):
        bare = re.sub(r"^(?:\s|>|[-] |\d+\. )*", "", line)
        opened = re.match(r"`{3,}", bare)
        if fence:
            fence = "" if bare == fence else fence
        elif opened:
            fence = opened[0]
        else:
            outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", re.sub(r"\\.", "x", bare))
            columns = check_row(outside, columns)
            for number in re.findall(r"\]\[(\d+)\]", outside):
                assert 1 <= int(number) <= links
            for number in re.findall(r"\]\[i(\d+)\]", outside):
                assert 1 <= int(number) <= images
            assert outside.count("[") == outside.count("]")
    assert not fence


def check_row(line: str, columns: int) -> int:
    """Check that a row of a table has as many columns as the row before it; return how many."""
    if not line.startswith("|"):
        return 0
    found = line.count("|") - 1
    assert columns in (0, found) and line.endswith("|")
    return found


def test_an_element_whose_name_cannot_be_set_is_read() -> None:
    article = read_article(PageSource("<code><a'\">words</a'\"></code><p>closing words.", "https://site.example/"))
    assert "closing words." in article.render("text", 1000).text


@pytest.mark.parametrize(
    "page", ["a ` b `` c <code>x`y</code>", "<pre>```\nx\n````</pre>", "<b>**</b>x<i>_</i>", "<td>a|b"]
)
def test_marks_of_the_page_are_escaped(page: str) -> None:
    article = read_article(PageSource(f"<p>{page}</p>", "https://site.example/"))
    check_markdown(article.render("markdown", 1000).text, 0, 0)
