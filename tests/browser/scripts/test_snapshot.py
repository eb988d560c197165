"""Functions of the snapshot modules."""

from __future__ import annotations

import pytest
from tests.browser.scripts.conftest import Run

pytestmark = pytest.mark.one_session


@pytest.mark.parametrize(
    ("address", "stem"),
    [
        ("/icons/shopping-cart.svg?v=2", "shopping cart"),
        ("data:image/png;base64,abc", ""),
        ("/a/%C3%A9t%C3%A9s_hot.png", "étés hot"),
        ("/x1.png", ""),
    ],
)
async def test_a_name_is_guessed_from_a_file_name_with_words(run: Run, address: str, stem: str) -> None:
    assert await run("snapshot/lines.js", f"fileStem({address!r})") == stem


@pytest.mark.parametrize(
    ("colour", "name"), [("[250, 5, 5]", "red"), ("[0, 0, 0]", "black"), ("[130, 125, 127]", "grey")]
)
async def test_a_colour_is_named_after_the_nearest_known_one(run: Run, colour: str, name: str) -> None:
    assert await run("snapshot/lines.js", f"colourName({colour})") == name


async def test_depths_are_recomputed_where_rows_were_left_out(run: Run) -> None:
    expression = "reindent([0, 2, 5, 2, 1].map((depth) => ({ depth }))).map((row) => row.depth)"
    assert await run("snapshot/snapshot.js", expression) == [0, 1, 2, 1, 1]


async def test_a_ref_always_means_the_same_element(run: Run) -> None:
    expression = """[refNumber(document.body), refNumber(document.head), refNumber(document.body), startRefs(9),
      refNumber(document.documentElement), elementOfRef("e1") === document.body, elementOfRef("e99")]"""
    assert await run("dom/refs.js", expression) == [1, 2, 1, 9, 9, True, None]


async def test_an_element_that_was_removed_has_no_ref(run: Run) -> None:
    expression = (
        """[refNumber(document.querySelector("p")), document.querySelector("p").remove(), elementOfRef("e1")]"""
    )
    assert await run("dom/refs.js", expression) == [1, None, None]
