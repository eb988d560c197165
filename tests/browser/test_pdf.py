"""Printing pages to PDF."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from tests.site import OWN_SITES, Site

from rove import Session
from rove.actions.pdf import Pdf
from rove.engine.sessions import Sessions
from rove.errors import InvalidArguments, LimitReached
from rove.settings.tree import Limits, Settings

pytestmark = pytest.mark.one_session

TALL = "<title>Tea: a list</title><p>Text</p>" + "<div style='height: 900px'>More</div>" * 4


@pytest.mark.contract("C7")
@pytest.mark.feature("PDF", works=("chromium", "firefox"))
async def test_a_page_is_printed_into_the_workspace(session: Session, site: Site, home: Path) -> None:
    await session.navigate(site.page("/", TALL))
    outcome = await session.pdf()
    path = Path(outcome.result.path)
    assert path.parent == home / "workspace" / "pdf"
    assert path.name == "Tea_ a list.pdf"
    assert path.read_bytes().startswith(b"%PDF-")
    assert path.stat().st_size == outcome.result.size
    assert outcome.result.pages == 4
    assert str(path) in str(outcome.result)


async def test_printing_to_pdf_is_not_reported_as_printing_by_the_page(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<h1>Title</h1>"))
    assert [event.kind for event in (await session.pdf()).events] == []


async def test_paper_and_pages_can_be_chosen(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", TALL))
    assert (await session.pdf(paper="a3", name="large")).result.pages < 4
    assert (await session.pdf(pages="1-2,4", name="some")).result.pages == 3
    across = Path((await session.pdf(landscape=True, paper="letter", name="across.pdf")).result.path)
    assert across.name == "across.pdf"
    with pikepdf.open(across) as printed:
        assert [round(float(edge)) for edge in printed.pages[0].mediabox] == [0, 0, 792, 612]


async def test_backgrounds_are_printed_when_asked_for(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<body style='background: linear-gradient(red, blue)'><p>Text</p>"))
    plain = (await session.pdf()).result.size
    assert (await session.pdf(background=True)).result.size > plain


@pytest.mark.parametrize("name", ["../../evil", "/etc/cron.d/x", "..", ".hidden", "a/b\\c"])
async def test_a_name_that_is_a_path_is_saved_inside_the_folder(
    session: Session, site: Site, home: Path, name: str
) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    path = Path((await session.pdf(name=name)).result.path)
    assert path.resolve().parent == (home / "workspace" / "pdf").resolve()
    assert path.suffix == ".pdf"


async def test_the_same_name_twice_is_two_files(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    assert len({(await session.pdf(name="twice")).result.path for _ in range(2)}) == 2


@pytest.mark.parametrize("pages", ["9", "x", "1-", "3-1"])
async def test_page_numbers_that_do_not_exist_are_refused(session: Session, site: Site, pages: str) -> None:
    await session.navigate(site.page("/", "<p>Text</p>"))
    with pytest.raises(InvalidArguments) as caught:
        await session.pdf(pages=pages)
    assert "`pages`" in caught.value.message


async def test_a_large_pdf_is_read_in_pieces_and_has_a_limit(home: Path, site: Site) -> None:
    picture = """<canvas id=c width=1500 height=1500></canvas><script>
      const paint = c.getContext('2d'), dots = paint.createImageData(1500, 1500);
      for (let i = 0; i < dots.data.length; i += 65536) crypto.getRandomValues(dots.data.subarray(i, i + 65536));
      paint.putImageData(dots, 0, 0)</script>"""
    own = home / "printing"
    async with Sessions(Settings(allow_host=OWN_SITES, home=own, limits=Limits(download_megabytes=4))) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.page("/", picture))
        with pytest.raises(LimitReached):
            await session.pdf()
        assert not list((own / "workspace").glob("pdf/*"))
        assert not list(own.glob("run/*/print-*"))
    async with Sessions(Settings(allow_host=OWN_SITES, home=own)) as sessions:
        session = Session(sessions, None)
        await session.navigate(site.url("/"))
        result = (await session.run(Pdf())).result
        assert result.size > 4 * 2**20
        assert result.pages >= 1
        assert Path(result.path).stat().st_size == result.size
