"""A function for `rove map`: what it returns for each page is the result.

rove map urls.txt --do examples/map/page_facts.py --out facts.jsonl
"""

from typing import Any

import rove

LINKS = "[...document.links].slice(0, 20).map(link => link.href)"


async def run(session: rove.Session, url: str) -> dict[str, Any]:
    page = await session.navigate(url)
    heading = await session.extract("h1")
    links = await session.evaluate(LINKS)
    return {"status": page.result.status, "heading": str(heading.result), "links": links.result.value}
