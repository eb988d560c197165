"""The numbers of refs: each is given once, and what became of an old one can be told."""

from __future__ import annotations

from rove.browser.refs import MAX_PER_CALL, MAX_RUNS, NumberedDocument, RefNumbers


def give(numbers: RefNumbers, document: NumberedDocument, count: int) -> list[int]:
    first = numbers.begin_call(document)
    numbers.end_call(document, first, first + count)
    return list(range(first, first + count))


def test_numbers_continue_from_document_to_document_and_from_tab_to_tab() -> None:
    numbers, one, other = RefNumbers(), NumberedDocument("t1"), NumberedDocument("t2")
    assert [*give(numbers, one, 3), *give(numbers, other, 2), *give(numbers, one, 1)] == [1, 2, 3, 4, 5, 6]


def test_two_calls_at_the_same_time_never_give_the_same_number() -> None:
    numbers, one, other = RefNumbers(), NumberedDocument("t1"), NumberedDocument("t2")
    first, second = numbers.begin_call(one), numbers.begin_call(other)
    assert second >= first + MAX_PER_CALL
    numbers.end_call(other, second, second + 5)
    numbers.end_call(one, first, first + 40)
    assert numbers.begin_call(one) == second + 5


def test_the_numbers_of_a_call_that_never_answered_stay_kept_free_while_its_document_lives() -> None:
    numbers, one, other = RefNumbers(), NumberedDocument("t1"), NumberedDocument("t2")
    numbers.begin_call(one)
    assert give(numbers, other, 1)[0] > MAX_PER_CALL
    numbers.end_document(one, "it was left")
    assert numbers.begin_call(other) == MAX_PER_CALL + 2


def test_two_calls_to_one_document_continue_after_each_other() -> None:
    numbers, one = RefNumbers(), NumberedDocument("t1")
    assert numbers.begin_call(one) == numbers.begin_call(one) == 1
    numbers.end_call(one, 1, 4)
    assert numbers.begin_call(NumberedDocument("t2")) == 4 + MAX_PER_CALL


def test_an_error_says_what_became_of_a_ref() -> None:
    numbers, one, other = RefNumbers(), NumberedDocument("t1"), NumberedDocument("t2")
    assert numbers.missing_element("e1", one).message == "There is no ref e1: no page has been looked at yet."
    give(numbers, one, 2)
    give(numbers, other, 2)
    assert numbers.missing_element("e9", one).message == "There is no ref e9: the newest is e4."
    assert numbers.missing_element("e2", one).message == "e2 has been removed from the page."
    assert numbers.missing_element("e2", other).message == "e2 belongs to the tab t1, and this is t2."
    numbers.end_all("the browser was restarted")
    after = NumberedDocument("t1")
    for ref in ("e1", "e4"):
        gone = numbers.missing_element(ref, after)
        assert (gone.code, gone.message) == (
            "element_gone", f"{ref} cannot be used any more: the browser was restarted.",
        )  # fmt: skip


def test_an_error_says_what_became_of_a_frame() -> None:
    numbers, one = RefNumbers(), NumberedDocument("t1")
    assert numbers.missing_frame("f1", one).code == "element_not_found"
    assert numbers.add_frame(one) == 1
    assert numbers.missing_frame("f1", one).message == "The frame f1 has been removed from the page."
    numbers.end_document(one, "t1 is closed")
    gone = numbers.missing_frame("f1", NumberedDocument("t2"))
    assert (gone.code, gone.message) == ("element_gone", "The frame f1 cannot be used any more: t1 is closed.")


def test_numbers_that_are_continued_know_how_the_earlier_ones_ended() -> None:
    numbers = RefNumbers()
    give(numbers, NumberedDocument("t1"), 5)
    continued = numbers.continued("the session was closed")
    assert give(continued, NumberedDocument("t1"), 1) == [6]
    assert "the session was closed" in continued.missing_element("e3", NumberedDocument("t1")).message


def test_what_is_remembered_of_old_numbers_is_bounded() -> None:
    numbers, documents = RefNumbers(), [NumberedDocument("t1"), NumberedDocument("t2")]
    for turn in range(MAX_RUNS + 10):
        give(numbers, documents[turn % 2], 1)
    assert len(numbers._runs) == MAX_RUNS
    assert numbers.missing_element("e1", documents[0]).code == "element_gone"
