"""Choosing between the text found by scores and that of the second extractor."""

from __future__ import annotations

from rove.content.readable.blocks import Blocks, Paragraph, Run
from rove.content.readable.main_content import choose, is_same


def paragraph(name: str, sentences: int = 4) -> Paragraph:
    words = " ".join(f"{name}{number}" for number in range(12))
    return Paragraph((Run(f"It is said that {words} are in this part of it. " * sentences),))


def blocks(*names: str) -> Blocks:
    return tuple(map(paragraph, names))


def test_a_text_with_much_prose_between_common_passages_is_taken() -> None:
    pieces, whole = blocks("first", "last"), blocks("first", "second", "third", "last")
    assert choose(pieces, whole) == (whole, True)


def test_prose_after_the_last_common_passage_is_not_missed() -> None:
    article, more = blocks("first", "second"), blocks("first", "second", "other", "another", "further")
    assert choose(article, more) == (article, False)


def test_a_line_that_both_have_at_the_end_does_not_make_other_articles_a_part_of_the_text() -> None:
    end = Paragraph((Run("All rights of this site are reserved."),))
    article, more = (*blocks("first", "second"), end), (*blocks("first", "second", "other", "another"), end)
    assert choose(article, more)[1] is False


def test_a_short_text_is_the_article_if_both_found_nearly_the_same() -> None:
    other = (Paragraph((Run("The pool is closed today because of the storm of last night."),)),)
    assert is_same("The pool is closed today because of the storm of last night.", other)
    assert not is_same("The pool is closed today because of the storm. Home Shop About News Sport Weather", other)
    assert not is_same("Page not found.", (Paragraph((Run("Page not found."),)),))
