"""PDF files: text in reading order, tables, what a person does not see, outline, links, pictures, and broken files."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from tests.pdf_files import FONT, bomb, form, grey_picture, locked, pdf, stream, words
from tests.processes import eventually

from rove.content.pdf import process
from rove.content.pdf.document import PdfPage, read_pdf, render_page
from rove.content.pdf.page_range import pages_in, written
from rove.errors import DocumentDamaged, DocumentLocked, InvalidArguments

RULES = "\n".join(
    [
        *(f"50 {y} m 350 {y} l S" for y in (700, 680, 660, 640)),
        *(f"{x} 700 m {x} 640 l S" for x in (50, 150, 250, 350)),
    ]
)
CELLS = [["Name", "Price", "Stock"], ["Tea | green", "1.20", "3"], ["Coffee", "2.00", "4"]]


def grid(left: float, top: float, width: float) -> str:
    return "\n".join(
        words(left + width * column, top - 20 * row, text)
        for row, cells in enumerate(CELLS)
        for column, text in enumerate(cells)
    )


async def read_page(content: str, **facts: object) -> PdfPage:
    (page,) = (await read_pdf(pdf(content, **facts))).pages  # type: ignore[arg-type]
    return page


async def test_text_outline_and_facts_of_each_page() -> None:
    first = "\n".join([words(50, 700, "A first line,"), words(50, 684, "and a sec-"), words(50, 668, "ond one.")])
    data = pdf(first, words(50, 700, "Página dos"), title="Annual report", outline=[("Start", 1), ("End", 2)])
    document = await read_pdf(data)
    assert [page.text for page in document.pages] == ["A first line,\nand a sec-\nond one.", "Página dos"]
    assert (document.page_count, document.title, document.author) == (2, "Annual report", "Bea")
    assert document.date == "2026-01-31T12:00"
    assert [(item.title, item.page) for item in document.outline] == [("Start", 1), ("End", 2)]
    assert document.left_out == ()


async def test_columns_are_read_one_after_the_other_and_out_of_order_text_from_the_top() -> None:
    left = [words(50, 700 - 16 * line, f"left column text number {line}") for line in range(8)]
    right = [words(330, 700 - 16 * line, f"right column text number {line}") for line in range(8)]
    expected = [f"{side} column text number {line}" for side in ("left", "right") for line in range(8)]
    for content in ([*left, *right], [*right, *left], list(reversed([*left, *right]))):
        page = await read_page("\n".join([words(50, 60, "7"), *content]))
        lines = [line for line in page.text.splitlines() if line]
        assert [line for line in lines if line != "7"] == expected
    assert lines[-1] == "7"  # the number of the page is drawn first, and stands at the bottom


async def test_tables_with_rules_and_tables_of_aligned_columns_become_markdown() -> None:
    markdown = "| Name | Price | Stock |\n| --- | --- | --- |\n| Tea \\| green | 1.20 | 3 |\n| Coffee | 2.00 | 4 |"
    for content in (f"{RULES}\n{grid(55, 685, 100)}", grid(55, 685, 120)):
        page = await read_page("\n".join([words(50, 740, "Before."), content, words(50, 600, "After.")]))
        assert page.text == f"Before.\n\n{markdown}\n\nAfter."
        assert page.tables == (tuple(map(tuple, CELLS)),)


async def test_what_a_person_does_not_see_is_left_out_and_told() -> None:
    hidden = {
        "white words": words(50, 600, "white words", before="1 g"),
        "mode three": words(50, 580, "mode three", before="3 Tr"),
        "covered words": words(50, 560, "covered words"),
        "tiny words": words(50, 540, "tiny words", size=0.5),
        "far away": words(50, 5000, "far away"),
    }
    cover = "q 1 g 40 550 300 30 re f Q"
    dark = "q 0 g 40 390 300 30 re f Q\n" + words(50, 400, "white on black", before="1 g")
    page = await read_page("\n".join([words(50, 700, "seen"), *hidden.values(), cover, dark]))
    assert page.text.split("\n\n") == ["seen", "white on black"]
    told = " ".join(page.unseen)
    assert all(text in told for text in hidden)
    assert "(drawn invisibly)" in told and "(tiny)" in told and "(off the page)" in told


async def test_the_text_layer_of_a_scanned_page_is_kept_and_marked() -> None:
    picture = "q 600 0 0 800 0 0 cm /X Do Q"
    scanned = pdf(f"{picture}\n{words(50, 700, 'recognised words', before='3 Tr')}", picture, extra=grey_picture())
    layered, bare = (await read_pdf(scanned)).pages
    assert (layered.text, layered.is_recognised, layered.is_picture) == ("recognised words", True, False)
    assert (bare.text, bare.is_recognised, bare.is_picture) == ("", False, True)


async def test_a_rotated_page_is_read_as_it_is_displayed() -> None:
    # Drawn upwards on a page that is turned by 90 degrees, so that it is displayed from left to right.
    content = "BT /F 12 Tf 0 1 -1 0 100 100 Tm (upper line) Tj ET BT /F 12 Tf 0 1 -1 0 120 100 Tm (lower line) Tj ET"
    page = await read_page(content, page="/Rotate 90")
    assert page.text.split() == ["upper", "line", "lower", "line"]
    assert page.unseen == ()


@pytest.mark.parametrize("rotation", [90, 180, 270])
async def test_lines_of_a_page_that_is_turned_sideways_are_in_the_order_of_the_text(rotation: int) -> None:
    content = "\n".join(words(50, 700 - 16 * line, f"line {line}") for line in range(3))
    page = await read_page(f"{content}\n{RULES.replace('700', '500')}", page=f"/Rotate {rotation}")
    assert page.text == "line 0\nline 1\nline 2"
    assert page.unseen == ()
    upright = f"{RULES}\n{grid(55, 685, 100)}"
    assert (await read_page(upright, page=f"/Rotate {rotation}")).tables == (tuple(map(tuple, CELLS)),)


async def test_tables_are_between_the_short_lines_that_they_stand_between() -> None:
    across = [f"300 {y} m 400 {y} l S" for y in (700, 680, 660, 500, 480, 460)]
    down = [f"{x} {top} m {x} {top - 40} l S" for x in (300, 350, 400) for top in (700, 500)]
    cells = [words(x, y, f"{x}{y}") for y in (685, 665, 485, 465) for x in (305, 355)]
    lines = [words(50, y, text) for y, text in ((750, "one"), (600, "two"), (400, "three"))]
    content = [*across, *down, lines[0], *cells[:4], lines[1], *cells[4:], lines[2]]
    page = await read_page("\n".join(content))
    texts = [line for line in page.text.splitlines() if line and "---" not in line]
    tables = [[f"| 305{y} | 355{y} |" for y in rows] for rows in ((685, 665), (485, 465))]
    assert texts == ["one", *tables[0], "two", *tables[1], "three"]


async def test_columns_that_nearly_touch_in_some_rows_are_divided_as_in_the_others() -> None:
    rows = [("Item", "Price", "Stock"), ("Lamps", "9.50", "3"), ("Chair", "20.00", "14"), ("Tables", "130.00", "1")]
    places = (50, 95, 140)
    cells = [words(x, 700 - 18 * y, text) for y, row in enumerate(rows) for x, text in zip(places, row, strict=True)]
    page = await read_page("\n".join([words(50, 740, "Prices", size=18), *cells]))
    assert page.tables == (tuple(rows),)
    assert page.text.startswith("Prices\n\n| Item | Price | Stock |")


async def test_the_exit_status_of_a_reader_is_left_to_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    polled: list[object] = []
    monkeypatch.setattr(subprocess.Popen, "poll", polled.append)
    assert (await read_pdf(pdf(words(50, 700, "Text")))).has_text
    # Whichever takes the status first, the other finds no process, which asyncio logs as a warning.
    assert polled == []


async def test_links() -> None:
    link = "<</Type/Annot/Subtype/Link/Rect[45 695 200 715]/A<</S/URI/URI(https://example.com/a?b=1)>>>>"
    page = await read_page(words(50, 700, "See the site"), page=f"/Annots[{link}]")
    assert [(each.text, each.url) for each in page.links] == [("See the site", "https://example.com/a?b=1")]
    for unsafe in ("javascript:alert\\(1\\)", "JavaScript:1", "file:///etc/passwd", "data:text/html,1"):
        page = await read_page(
            words(50, 700, "See"), page=f"/Annots[{link.replace('https://example.com/a?b=1', unsafe)}]"
        )
        assert page.links == (), unsafe


async def test_links_that_run_code_or_open_files_are_left_out() -> None:
    addresses = [
        "javascript:alert\\(1\\)",
        " JavaScript:x",
        "file:///etc/passwd",
        "mailto:a@b.example",
        "www.b.example",
    ]
    links = "".join(f"<</Type/Annot/Subtype/Link/Rect[45 695 200 715]/A<</S/URI/URI({each})>>>>" for each in addresses)
    page = await read_page(words(50, 700, "See the site"), page=f"/Annots[{links}]")
    assert [each.url for each in page.links] == ["mailto:a@b.example", "www.b.example"]


async def test_fields_of_forms_are_read_but_not_passwords() -> None:
    (page,) = (await read_pdf(form())).pages
    assert [(field.name, field.kind, field.value) for field in page.fields] == [
        ("Full name", "text", "Ann Example"),
        ("agree", "checkbox", "checked"),
        ("pin", "password", ""),
    ]


async def test_ligatures_become_letters() -> None:
    # The font says that its letter A stands for the ligature of three letters.
    ligature = b"/CIDInit /ProcSet findresource begin begincmap 1 beginbfchar <41> <FB03> endbfchar endcmap"
    font = FONT[:-2] + b"/ToUnicode 100 0 R>>"
    page = (await read_pdf(pdf(words(50, 700, "oAce"), extra=stream(ligature), font=font))).pages[0]
    assert page.text == "office"


async def test_pages_are_chosen_and_text_is_bounded() -> None:
    data = pdf(*(words(50, 700, f"page {number} {'x' * 40}") for number in range(1, 9)))
    chosen = await read_pdf(data, pages="7-,2")
    assert [page.number for page in chosen.pages] == [7, 8, 2]
    short = await read_pdf(data, longest=60)
    assert [(page.number, page.is_cut) for page in short.pages] == [(1, False), (2, True)]
    assert sum(len(page.text) for page in short.pages) <= 60
    assert short.left_out == (3, 4, 5, 6, 7, 8)
    for pages in ("9", "0", "3-1", "a", "1-2-3", ""):
        with pytest.raises(InvalidArguments):
            await read_pdf(data, pages=pages)


def test_page_ranges() -> None:
    assert pages_in("1-3, 5,2", 9) == [1, 2, 3, 5]
    assert pages_in("8-", 9) == [8, 9]
    assert pages_in("2-100", 4) == [2, 3, 4]
    assert written([1, 2, 3, 5, 8, 9]) == "1-3, 5, 8-9"


async def test_a_locked_file_needs_its_password() -> None:
    data = locked(pdf(words(50, 700, "for your eyes")), "open sesame")
    for password in (None, "wrong"):
        with pytest.raises(DocumentLocked):
            await read_pdf(data, password)
    assert (await read_pdf(data, "open sesame")).pages[0].text == "for your eyes"
    with pytest.raises(DocumentLocked):
        await render_page(data, 1)


@pytest.mark.parametrize("data", [b"%PDF-1.7\n" + b"\xff" * 3000, pdf(words(1, 1, "x"))[:300], b"GIF89a"], ids=len)
async def test_a_damaged_file_says_so(data: bytes) -> None:
    with pytest.raises(DocumentDamaged):
        await read_pdf(data)


async def test_a_page_is_drawn_as_png() -> None:
    picture = Image.open(io.BytesIO(await render_page(pdf("q 1 0 0 rg 0 0 600 800 re f Q"), 1, max_side=400)))
    assert picture.size == (300, 400)
    assert picture.convert("RGB").getpixel((150, 200)) == (255, 0, 0)


async def test_a_file_that_never_ends_is_given_up_and_its_process_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SECONDS", 1.5)
    before = _readers(os.getpid())
    with pytest.raises(DocumentDamaged):
        await read_pdf(bomb())
    assert eventually(lambda: _readers(os.getpid()) == before, 5)


async def test_a_call_that_is_cancelled_ends_its_process() -> None:
    reading = asyncio.create_task(read_pdf(bomb()))
    while not _readers(os.getpid()):
        await asyncio.sleep(0.02)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not _readers(os.getpid())


def test_the_reader_ends_when_the_process_that_started_it_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "bomb.pdf"
    file.write_bytes(bomb())
    reading = f"asyncio.run(read_pdf(pathlib.Path({str(file)!r}).read_bytes()))"
    script = f"import asyncio, pathlib; from rove.content.pdf.document import read_pdf; {reading}"
    parent = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", script])
    try:
        assert eventually(lambda: bool(_readers(parent)), 30)
        (reader,) = _readers(parent)
    finally:
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
    assert eventually(lambda: not Path(f"/proc/{reader}").exists() or _is_zombie(reader), 5)


def _readers(parent: int) -> list[int]:
    """Return the processes that read PDF files and were started by another."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                is_child = int((folder / "stat").read_text().rpartition(") ")[2].split()[1]) == parent
                if is_child and b"rove.content.pdf" in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue  # it has ended
    return found


def _is_zombie(pid: int) -> bool:
    return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
