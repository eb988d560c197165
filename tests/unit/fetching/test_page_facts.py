"""What the HTML of an answer shows before any of its scripts has run."""

from __future__ import annotations

from rove.content.http.browser_needed import page_facts


def test_text_is_what_a_person_would_read() -> None:
    facts = page_facts(
        "<title>Tea</title><style>p {}</style><article>Green <b>tea</b><script>x()</script> <p hidden>unseen</p>"
        "<p style='display: none'>unseen</p><template>no</template><noscript>No scripts</noscript> leaves</article>",
        "http://x/",
    )
    assert (facts.title, facts.text, facts.noscript) == ("Tea", "Green tea leaves", "No scripts")
    assert facts.has_scripts and not facts.shows and not facts.moves


def test_where_a_page_leads() -> None:
    assert page_facts("<meta http-equiv=Refresh content='0; URL=\"/a\"'>", "http://x/b").refresh == (0, "http://x/a")
    assert page_facts("<meta http-equiv=refresh content=5>", "http://x/b").refresh == (5, "http://x/b")
    assert page_facts("<noscript><meta http-equiv=refresh content='0;url=/a'></noscript>", "http://x/").refresh is None
    assert page_facts("<script>window.location.replace('/a')</script>", "http://x/").moves
    assert not page_facts("<script>if (location.href == x) y()</script>", "http://x/").moves


def test_any_text_can_be_read() -> None:
    for html in ("", " ", "\0", "<", "<?xml version='1.0' encoding='x'?>", "<div>" * 5000, "]]>", "\ud800"):
        assert page_facts(html, "http://x/").title == ""
