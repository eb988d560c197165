"""Moves of the pointer as a page receives them."""

from __future__ import annotations

from tests.site import Site

from rove import Session

PAGE = """<h1>Land</h1><p>Norway</p><script>
  const places = new Set();
  onpointermove = (event) => places.add(`${event.clientX} ${event.clientY}`);
</script>"""


async def test_the_pointer_arrives_in_two_moves(session: Session, site: Site) -> None:
    await session.navigate(site.page("/", PAGE))
    for target in ("h1", "p") * 4:
        await session.using(quiet=True).evaluate("places.clear()")
        await session.using(quiet=True).hover(target)
        assert (await session.evaluate("places.size")).result.value == 2
