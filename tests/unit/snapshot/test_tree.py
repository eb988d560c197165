"""Parsing the rows of a page, and inserting the rows of its frames."""

from __future__ import annotations

from tests.unit.snapshot.pages import PRESS, STRUCTURE, page

from rove.snapshot import parse, render, stitch

FRAME = 64


def test_refs_carry_the_prefix_of_their_frame() -> None:
    snapshot = parse(page((0, PRESS, 3, 'button "Go"')), "f2")
    assert render(snapshot).text == 'button "Go" [f2e3]'


def test_rows_of_nested_frames_are_inserted_below_their_iframe() -> None:
    main = parse(page((0, 0, 0, '"a"'), (0, FRAME, 1, "iframe"), (0, PRESS, 2, 'button "End"'), frames=[1]))
    child = parse(page((0, STRUCTURE, 0, "main"), (1, FRAME, 5, "iframe"), frames=[5]), "f1")
    grandchild = parse(page((0, PRESS, 1, 'button "Deep"')), "f2")
    text = render(stitch(main, {"e1": child, "f1e5": grandchild})).text
    assert text.splitlines() == [
        '"a"',
        "iframe [e1]",
        " main",
        "  iframe [f1e5]",
        '   button "Deep" [f2e1]',
        'button "End" [e2]',
    ]


def test_a_frame_that_contains_itself_is_inserted_once() -> None:
    looped = parse(page((0, FRAME, 1, "iframe"), frames=[1]))
    assert len(stitch(looped, {"e1": looped}).rows) == 2


def test_rows_of_an_invisible_frame_are_marked() -> None:
    main = parse(page((0, FRAME | 16, 1, "iframe (invisible: transparent)"), frames=[1]))
    text = render(stitch(main, {"e1": parse(page((0, 4, 0, '"words"')), "f1")})).text
    assert '"words" (invisible: frame)' in text


def test_groups_point_to_the_same_rows_after_frames_are_inserted() -> None:
    rows = [(0, FRAME, 1, "iframe"), *((0, PRESS, n, f'button "{n}"') for n in range(2, 20))]
    group = {"ref": 50, "total": 18, "end": 19, "starts": list(range(1, 19)), "children": None}
    main = parse(page(*rows, frames=[1], groups=[group]))
    stitched = stitch(main, {"e1": parse(page((0, 4, 0, '"in"'), (0, 4, 0, '"frame"')), "f1")})
    assert stitched.rows[stitched.groups[0].starts[0]].line.startswith('button "2"')
    assert stitched.groups[0].end == len(stitched.rows)


def test_link_addresses_are_shown_only_on_request() -> None:
    snapshot = parse(page((0, PRESS, 1, 'link "Home"'), hrefs={"0": "/home"}))
    assert render(snapshot).text == 'link "Home" [e1]'
    assert render(snapshot, links=True).text == 'link "Home" [e1] href=/home'


def test_columns_packed_as_text_are_parsed_like_lists() -> None:
    rows = [(0, STRUCTURE, 0, "list"), *((1, PRESS, n, f'link "{n}"') for n in range(1, 20))]
    places: dict[str, list[int]] = {"starts": list(range(1, 20)), "children": list(range(0, 38, 2))}
    group = {"ref": 50, "total": 30, "end": 20, **places}
    plain = page(*rows, groups=[group], hrefs={"1": "/a b", "3": "/c"})
    packed = plain | {name: " ".join(map(str, plain[name])) for name in ("depths", "flags", "refs")}
    packed |= {"lines": "\n".join(plain["lines"]), "hrefs": "1 /a b\n3 /c"}
    packed |= {"groups": [group | {name: " ".join(map(str, column)) for name, column in places.items()}]}
    assert parse(packed) == parse(plain)
    assert parse({"depths": "", "flags": "", "refs": "", "lines": "", "hrefs": ""}).rows == []
